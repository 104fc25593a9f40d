"""The training step and the loop around it."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
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
    return float(epoch(jnp.zeros(()), jax.random.key(0), losses, jnp.zeros(3))[1])


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


def save_state(path: Path, state: dict[str, Any]) -> None:
    """Write every leaf of the state to an .npz file; the key goes as its integers."""
    plain = state | {"key": jax.random.key_data(state["key"])}
    np.savez(path, *map(np.asarray, jax.tree.leaves(plain)))


def load_state(path: Path, like: dict[str, Any]) -> dict[str, Any]:
    """Read a state of the same structure."""
    with np.load(path) as file:
        leaves = [jnp.asarray(file[name]) for name in file.files]
    state: dict[str, Any] = jax.tree.unflatten(jax.tree.structure(like), leaves)
    return state | {"key": jax.random.wrap_key_data(state["key"])}


def example_resume() -> None:
    """Stop after three of six updates, and compare with the run that did not stop."""
    tx = optax.adam(0.1)

    @jax.jit
    def update(state: dict[str, Any]) -> dict[str, Any]:
        noise = jax.random.normal(jax.random.fold_in(state["key"], state["step"]))
        updates, opt_state = tx.update(state["weight"] - 3.0 + noise, state["opt_state"])
        weight = optax.apply_updates(state["weight"], updates)
        return state | {"weight": weight, "opt_state": opt_state, "step": state["step"] + 1}

    weight, step = jnp.zeros(()), jnp.zeros((), jnp.int32)
    state = {"weight": weight, "opt_state": tx.init(weight), "step": step, "key": jax.random.key(0)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.npz"
        for number in range(6):
            if number == 3:
                save_state(path, state)
            state = update(state)
        resumed = load_state(path, like=state)
    for _ in range(3):
        resumed = update(resumed)
    assert resumed["step"] == 6
    assert resumed["weight"] == state["weight"]  # to the last bit


def distance_after_resuming() -> float:
    """Return how far a resumed run is from the unbroken one."""
    tx = optax.adam(0.1)

    @jax.jit
    def update(weight: jax.Array, opt_state: optax.OptState) -> tuple[Any, optax.OptState]:
        updates, opt_state = tx.update(2 * (weight - 3.0), opt_state)
        return optax.apply_updates(weight, updates), opt_state

    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for step in range(40):
        weight, opt_state = update(weight, opt_state)
        if step == 19:
            saved = jax.device_get((weight, opt_state))
    resumed, opt_state = saved
    for _ in range(20):
        resumed, opt_state = update(resumed, opt_state)
    return float(jnp.abs(resumed - weight))


def epoch_order(seed: int, epoch: int, examples: int) -> np.ndarray:
    """Return the order of examples of one epoch, whether or not the epochs before it were run."""
    return np.random.default_rng((seed, epoch)).permutation(examples)


def example_resume_data() -> None:
    """Ask for epoch 2 alone, as after a restart."""
    orders = [epoch_order(seed=0, epoch=epoch, examples=8) for epoch in range(3)]
    assert np.array_equal(epoch_order(seed=0, epoch=2, examples=8), orders[2])
    assert not np.array_equal(orders[0], orders[2])


def epochs_seen_by_a_resumed_run() -> list[list[int]]:
    """Return the order of epoch 0, and that of epoch 1, with which a new process goes on."""
    return [epoch_order(0, epoch, 8).tolist() for epoch in (0, 1)]


def example_best() -> None:
    """Copy the best parameters before the next epoch takes their memory."""

    @partial(jax.jit, donate_argnames="weight")
    def run_epoch(weight: jax.Array) -> jax.Array:
        return weight + 1.0

    best, best_score, weight = None, jnp.array(-jnp.inf), jnp.zeros(3)
    for _ in range(5):
        weight = run_epoch(weight)
        score = -jnp.abs(weight[0] - 2.0)  # on the validation split; best in epoch 2
        if score > best_score:
            best, best_score = jax.tree.map(jnp.copy, weight), score
    assert best is not None
    assert best.tolist() == [2.0, 2.0, 2.0]


def tested_accuracy(models: int) -> float:
    """Choose among models that guess by validation, and return the chosen one's accuracy on the test split."""
    rng = np.random.default_rng(0)
    validation_hits = rng.integers(2, size=(models, 50))
    test_hits = rng.integers(2, size=(models, 5000))
    chosen = validation_hits.mean(axis=1).argmax()
    return float(test_hits[chosen].mean())


def example_test_once() -> None:
    """Choose the best of 100 models that guess: its test accuracy is that of guessing."""
    assert abs(tested_accuracy(models=100) - 0.5) < 0.03


def accuracy_of_the_chosen_guesser() -> float:
    """Return the test accuracy of the model that validation chose."""
    return tested_accuracy(models=100)
