"""Training steps and loops written wrongly."""

import jax
import jax.numpy as jnp


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
