"""Training steps and loops written wrongly."""

import io

import jax
import jax.numpy as jnp
import numpy as np
import optax


class PlainState:
    """Two attributes that JAX knows nothing of."""

    def __init__(self, weight, step):
        self.weight = weight
        self.step = step


def state_of_a_plain_class() -> jax.Array:
    @jax.jit
    def update(state):
        return PlainState(state.weight - 0.1, state.step + 1)

    state = PlainState(weight=jnp.ones(()), step=0)
    return update(state)


def step_as_a_static_argument() -> int:
    def update(weight, step):
        return weight - 0.1 / (1.0 + step) * weight

    jitted, weight = jax.jit(update, static_argnames="step"), jnp.ones(())
    for step in range(5):
        weight = jitted(weight, step=step)
    return jitted._cache_size()


def step_read_from_the_loop() -> float:
    step = 0

    @jax.jit
    def update(weight):
        return weight - (step + 1)

    weight = jnp.zeros(())
    for step in range(5):
        weight = update(weight)
    return float(weight)


def filling_that_counts() -> float:
    losses, batch_size = jnp.array([1.0, 1.0, 5.0]), 4
    filled = jnp.pad(losses, (0, batch_size - len(losses)), mode="edge")
    _, means = jax.lax.scan(lambda state, batch: (state, batch.mean()), None, filled.reshape(-1, batch_size))
    return float(means.mean())


def traced_training_flag() -> jax.Array:
    @jax.jit
    def predict(weights, inputs, key, train):
        if train:
            inputs = inputs * jax.random.bernoulli(key, 0.5, inputs.shape)
        return inputs @ weights

    return predict(jnp.ones(3), jnp.ones((2, 3)), jax.random.key(0), train=False)


def dropout_in_the_evaluation() -> list[jax.Array]:
    def predict(weights, inputs, key):
        keep = jax.random.bernoulli(key, 0.5, inputs.shape)
        return jnp.where(keep, inputs / 0.5, 0.0) @ weights

    keys = jax.random.split(jax.random.key(0))
    return [predict(jnp.ones(32), jnp.ones((4, 32)), key) for key in keys]


def one_model_is_judged_twice_differently(outputs: list[jax.Array]) -> bool:
    return not jnp.array_equal(outputs[0], outputs[1])


def logging_every_tenth_step() -> jax.Array:
    @jax.jit
    def update(weight, step):
        loss, gradient = jax.value_and_grad(lambda weight: weight**2)(weight)
        if step % 10 == 0:
            print(f"loss {loss}")
        return weight - 0.1 * gradient

    return update(1.0, 0)


def losses_collected_inside_the_step() -> float:
    history = []

    @jax.jit
    def update(weight):
        loss, gradient = jax.value_and_grad(lambda weight: weight**2)(weight)
        history.append(loss)
        return weight - 0.1 * gradient

    update(1.0)
    return float(history[0])


def optimizer_started_afresh() -> float:
    tx, target = optax.adam(0.1), 3.0

    @jax.jit
    def update(weight, opt_state):
        gradient = jax.grad(lambda weight: (weight - target) ** 2)(weight)
        updates, opt_state = tx.update(gradient, opt_state)
        return optax.apply_updates(weight, updates), opt_state

    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for step in range(40):
        weight, opt_state = update(weight, opt_state)
        if step == 19:
            saved = weight
    resumed, opt_state = saved, tx.init(saved)
    for _ in range(20):
        resumed, opt_state = update(resumed, opt_state)
    return float(jnp.abs(resumed - weight))


def bfloat16_in_an_npz_file() -> jax.Array:
    path = io.BytesIO()
    np.savez(path, weight=np.asarray(jnp.ones(3, jnp.bfloat16)))
    path.seek(0)
    with np.load(path) as file:
        return jnp.asarray(file["weight"])


def the_resumed_run_is_another_run(distance: float) -> bool:
    return distance > 1e-3


def generator_made_anew_after_a_restart() -> list[list[int]]:
    def run(epochs):
        rng = np.random.default_rng(0)
        return [rng.permutation(8).tolist() for _ in range(epochs)]

    before_the_restart, after_it = run(epochs=1), run(epochs=1)
    return [before_the_restart[-1], after_it[0]]


def epoch_0_is_repeated(orders: list[list[int]]) -> bool:
    return orders[0] == orders[1]


def best_without_a_copy() -> jax.Array:
    run_epoch = jax.jit(lambda weight: weight + 1.0, donate_argnums=0)
    best = weight = run_epoch(jnp.zeros(3))
    weight = run_epoch(weight)
    return best + 0.0


def model_chosen_by_its_test_accuracy() -> float:
    rng = np.random.default_rng(0)
    test_hits = rng.integers(2, size=(100, 50))
    return float(test_hits.mean(axis=1).max())


def guessing_looks_like_learning(accuracy: float) -> bool:
    return accuracy > 0.6
