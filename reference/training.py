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
    update: Callable[[Any, Any], tuple[Any, jax.Array]], batch_size: int
) -> Callable[..., tuple[Any, jax.Array]]:
    """Return the compiled epoch: a state, a key, inputs and labels in, the next state and the mean loss out.

    Args:
        update: Takes a state and a batch of inputs, labels and the mask of those that count; gives the next state
            and the mean loss of those.
        batch_size: Examples in one update.
    """

    @partial(jax.jit, donate_argnames="state")
    def epoch(state: Any, key: jax.Array, inputs: jax.Array, labels: jax.Array) -> tuple[Any, jax.Array]:
        batches = shuffled_batches(key, len(labels), batch_size)

        def body(state: Any, batch: tuple[jax.Array, jax.Array]) -> tuple[Any, jax.Array]:
            rows, valid = batch
            return update(state, (inputs[rows], labels[rows], valid))

        state, losses = jax.lax.scan(body, state, batches)
        return state, weighted_mean(losses, batches[1].sum(axis=1))  # over examples, not over batches

    return epoch


def noisy_loss(slope: jax.Array, key: jax.Array, batch: tuple[jax.Array, jax.Array]) -> jax.Array:
    """Return the squared error of a line through the origin, with noise on its inputs."""
    inputs, targets = batch
    noise = 0.1 * jax.random.normal(key, inputs.shape)
    return jnp.mean((slope * (inputs + noise) - targets) ** 2)


def example_state() -> None:
    """Run three updates, then the third again from the state before it."""
    inputs = jnp.linspace(-1.0, 1.0, 8)
    batch, tx = (inputs, 3.0 * inputs), optax.adam(0.1)
    update = jax.jit(make_update(noisy_loss, tx))
    states = [create_state(jax.random.key(0), jnp.zeros(()), tx)]
    for _ in range(3):
        state, loss = update(states[-1], batch)
        states.append(state)
    again, loss_again = update(states[2], batch)
    assert again.step == 3
    assert again.params == states[3].params  # the same state and batch give the same update
    assert loss_again == loss


def check_state() -> None:
    """Hold that two updates see different noise, and that one compilation serves all."""
    tx = optax.sgd(0.0)  # the parameters stay, so only noise can move the loss
    batch = (jnp.ones(4), jnp.ones(4))
    update = jax.jit(make_update(noisy_loss, tx))
    state = create_state(jax.random.key(0), jnp.ones(()), tx)
    losses = []
    for _ in range(3):
        state, loss = update(state, batch)
        losses.append(float(loss))
    assert len(set(losses)) == 3
    counted: Any = update
    assert counted._cache_size() == 1


def example_step_count() -> None:
    """Count compilations while the step moves on."""
    traces = []

    @jax.jit
    def update(step: jax.Array, weight: jax.Array) -> tuple[jax.Array, jax.Array]:
        traces.append("update")  # runs at tracing alone
        return step + 1, weight - 0.1 / (1.0 + step) * weight

    step, weight = jnp.zeros((), jnp.int32), jnp.ones(())
    for _ in range(5):
        step, weight = update(step, weight)
    assert step == 5
    assert len(traces) == 1


def compilations_of_five_updates() -> int:
    """Return how often the update is compiled."""
    update: Any = jax.jit(lambda step, weight: (step + 1, weight - 0.1 / (1.0 + step) * weight))
    step, weight = jnp.zeros((), jnp.int32), jnp.ones(())
    for _ in range(5):
        step, weight = update(step, weight)
    compilations: int = update._cache_size()
    return compilations


def sum_of_five_steps() -> float:
    """Return minus the sum of 1 to 5."""
    update = jax.jit(lambda step, weight: (step + 1, weight - (step + 1)))
    step, weight = jnp.zeros((), jnp.int32), jnp.zeros(())
    for _ in range(5):
        step, weight = update(step, weight)
    return float(weight)


def example_epoch() -> None:
    """Fit a line to 10 examples in batches of 4, and compare an epoch with a Python loop."""

    def update(slope: jax.Array, batch: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
        inputs, targets, valid = batch
        loss, gradient = jax.value_and_grad(lambda slope: weighted_mean((slope * inputs - targets) ** 2, valid))(slope)
        return slope - 0.01 * gradient, loss

    inputs, root = jnp.arange(1.0, 11.0), jax.random.key(0)
    targets, run_epoch = 3.0 * inputs, make_epoch(update, batch_size=4)
    slope, looped = jnp.zeros(()), jnp.zeros(())
    for number in range(5):
        key = jax.random.fold_in(root, number)
        slope, loss = run_epoch(slope, key, inputs, targets)
        for rows, valid in zip(*shuffled_batches(key, 10, 4), strict=True):
            looped, _ = update(looped, (inputs[rows], targets[rows], valid))
    assert jnp.isclose(slope, looped)
    assert jnp.isclose(slope, 3.0, atol=1e-2)
    assert loss < 0.1


def loss_of_three_in_batches_of_four() -> float:
    """Return the mean of the losses 1, 1 and 5."""

    def update(state: jax.Array, batch: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
        losses, _, valid = batch
        return state, weighted_mean(losses, valid)

    losses = jnp.array([1.0, 1.0, 5.0])
    epoch = make_epoch(update, batch_size=4)
    return round(float(epoch(jnp.zeros(()), jax.random.key(0), losses, jnp.zeros(3))[1]), 4)


@jax.jit
def predict(weights: jax.Array, inputs: jax.Array, dropout_key: jax.Array | None = None) -> jax.Array:
    """Apply a linear model; with a key it drops half of the inputs, without one it is the model to evaluate."""
    if dropout_key is not None:  # structure, not a value, so `if` is right under jit
        keep = jax.random.bernoulli(dropout_key, 0.5, inputs.shape)
        inputs = jnp.where(keep, inputs / 0.5, 0.0)
    return inputs @ weights


def example_evaluate() -> None:
    """Evaluate twice, and train twice."""
    weights, inputs = jnp.ones(32), jnp.ones((4, 32))
    assert (predict(weights, inputs) == 32.0).all()
    first, second = (predict(weights, inputs, key) for key in jax.random.split(jax.random.key(0)))
    assert not jnp.array_equal(first, second)


def two_evaluations() -> list[jax.Array]:
    """Return two evaluations of one model."""
    return [predict(jnp.ones(32), jnp.ones((4, 32))) for _ in range(2)]


def example_log() -> None:
    """Return metrics from the step, keep them on the device, fetch them once in a while."""

    @jax.jit
    def update(weight: jax.Array) -> tuple[jax.Array, dict[str, jax.Array]]:
        loss, gradient = jax.value_and_grad(lambda weight: (weight - 3.0) ** 2)(weight)
        return weight - 0.1 * gradient, {"loss": loss, "gradient_norm": jnp.abs(gradient)}

    weight, pending, history = jnp.zeros(()), [], []
    for step in range(1, 101):
        weight, metrics = update(weight)
        pending.append(metrics)  # arrays that may not be computed yet: nothing waits
        if step % 50 == 0:
            history += jax.device_get(pending)  # one wait for 50 steps
            pending.clear()
    assert len(history) == 100
    assert history[-1]["loss"] < 1e-6 < history[0]["loss"] == 9.0
