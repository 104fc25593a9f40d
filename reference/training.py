"""The training step and the loop around it."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from reference.data import shuffled_batches
from reference.losses import weighted_mean


class TrainState(NamedTuple):
    """All that the next update depends on, as one pytree."""

    params: Any
    opt_state: optax.OptState
    step: jax.Array  # int32, updates done
    key: jax.Array  # the root that each update's key is folded from; it never changes


def create_state(key: jax.Array, params: Any, tx: optax.GradientTransformation) -> TrainState:
    """Return the state before the first update."""
    return TrainState(params, tx.init(params), jnp.zeros((), jnp.int32), key)


def make_update(
    loss: Callable[[Any, jax.Array, Any], jax.Array], tx: optax.GradientTransformation
) -> Callable[[TrainState, Any], tuple[TrainState, jax.Array]]:
    """Return the pure function from a state and a batch to the next state and the loss.

    Args:
        loss: Takes parameters, a key for this update alone, and a batch.
        tx: Its state is in the training state.
    """

    def update(state: TrainState, batch: Any) -> tuple[TrainState, jax.Array]:
        key = jax.random.fold_in(state.key, state.step)
        value, grads = jax.value_and_grad(loss)(state.params, key, batch)
        updates, opt_state = tx.update(grads, state.opt_state, state.params)
        params = optax.apply_updates(state.params, updates)
        return TrainState(params, opt_state, state.step + 1, state.key), value

    return update


def make_epoch(
    update: Callable[[TrainState, Any], tuple[TrainState, jax.Array]], batch_size: int
) -> Callable[..., tuple[TrainState, jax.Array]]:
    """Return the compiled epoch, which takes a state, a key, inputs and labels.

    Args:
        update: Takes a state and a batch of inputs, labels and the mask of those that count.
        batch_size: Examples in one update.
    """

    @partial(jax.jit, donate_argnames="state")
    def epoch(state: TrainState, key: jax.Array, inputs: jax.Array, labels: jax.Array) -> tuple[TrainState, jax.Array]:
        batches = shuffled_batches(key, len(labels), batch_size)

        def body(state: TrainState, batch: tuple[jax.Array, jax.Array]) -> tuple[TrainState, jax.Array]:
            rows, valid = batch
            return update(state, (inputs[rows], labels[rows], valid))

        state, losses = jax.lax.scan(body, state, batches)
        return state, weighted_mean(losses, batches[1].sum(axis=1))  # over examples, not over batches

    return epoch
