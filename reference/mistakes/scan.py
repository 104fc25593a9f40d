"""Scan used wrongly."""

import jax
import jax.numpy as jnp


def bfloat16_carry_meets_float32():
    losses = jnp.ones(3)
    return jax.lax.scan(lambda total, loss: (total + loss, None), jnp.zeros((), jnp.bfloat16), losses)


def python_start_takes_on_bfloat16() -> jax.Array:
    losses = jnp.ones(1000, jnp.bfloat16)
    total, _ = jax.lax.scan(lambda total, loss: (total + loss, None), 0.0, losses)
    return total


def python_loop_is_unrolled() -> int:
    def rollout(weights, state):
        for _ in range(100):
            state = jnp.tanh(weights @ state)
        return state

    return len(jax.make_jaxpr(rollout)(jnp.eye(3), jnp.ones(3)).eqns)


def list_filled_in_the_body():
    losses = []

    def step(_, weight):
        losses.append(weight**2)
        return 0.8 * weight

    jax.lax.fori_loop(0, 4, step, jnp.ones(()))
    return jnp.stack(losses)


def every_version_of_the_weights_is_stacked() -> int:
    def descend(weights):
        def step(weights, _):
            weights = 0.8 * weights
            return weights, weights

        return jax.lax.scan(step, weights, length=100)

    return jax.jit(descend).lower(jnp.ones(10_000)).compile().memory_analysis().output_size_in_bytes


def outputs_take_megabytes(size: int) -> bool:
    return size > 1_000_000


def scan_over_examples_instead_of_batches() -> int:
    def train_step(weights, batch):
        loss, gradient = jax.value_and_grad(lambda weights: jnp.mean((batch @ weights) ** 2))(weights)
        return weights - 0.01 * gradient, loss

    data = jnp.ones((1000, 4))
    _, losses = jax.lax.scan(train_step, jnp.ones(4), data)
    return len(losses)


def list_of_layers_as_input():
    def layer(x, params):
        return jnp.tanh(x @ params["kernel"]), None

    layers = [{"kernel": jnp.eye(4)} for _ in range(3)]
    return jax.lax.scan(layer, jnp.ones(4), layers)


def carry_that_grows():
    def step(tokens, _):
        following = (tokens[-1] + tokens[-2]) % 10
        return jnp.append(tokens, following), None

    return jax.lax.scan(step, jnp.array([1, 1]), length=6)


def growing_prompt_is_compiled_anew() -> int:
    traces = []

    @jax.jit
    def following(tokens):
        traces.append(tokens.shape)
        return (tokens[-1] + tokens[-2]) % 10

    tokens = jnp.array([1, 1])
    for _ in range(6):
        tokens = jnp.append(tokens, following(tokens))
    return len(traces)


def checkpoint_around_the_scan() -> float:
    def block(x, kernel):
        for _ in range(4):
            x = jnp.tanh(x @ kernel)
        return x, None

    def model(kernels, x):
        return jax.lax.scan(block, x, kernels)[0].sum()

    def temporaries(model):
        gradient = jax.jit(jax.grad(model)).lower(jnp.ones((50, 64, 64)), jnp.ones((32, 64)))
        return gradient.compile().memory_analysis().temp_size_in_bytes

    return temporaries(jax.checkpoint(model)) / temporaries(model)


def no_barrier_in_a_python_loop() -> float:
    def block(x, kernel):
        for _ in range(4):
            x = jnp.tanh(x @ kernel)
        return x

    def plain(kernels, x):
        for kernel in kernels:
            x = block(x, kernel)
        return x.sum()

    def checkpointed(kernels, x):
        rematerialised = jax.checkpoint(block, prevent_cse=False)
        for kernel in kernels:
            x = rematerialised(x, kernel)
        return x.sum()

    def temporaries(model):
        gradient = jax.jit(jax.grad(model)).lower(jnp.ones((20, 64, 64)), jnp.ones((256, 64)))
        return gradient.compile().memory_analysis().temp_size_in_bytes

    return temporaries(checkpointed) / temporaries(plain)


def saves_nothing(ratio: float) -> bool:
    return ratio > 0.95


def moving_average_as_operator() -> jax.Array:
    x = jnp.arange(1.0, 6.0)
    return jax.lax.associative_scan(lambda h, x: 0.9 * h + 0.1 * x, x).round(3)


def inputs_flipped_outputs_not() -> jax.Array:
    def step(later, reward):
        value = reward + 0.5 * later
        return value, value

    rewards = jnp.array([1.0, 0.0, 4.0])
    return jax.lax.scan(step, jnp.zeros(()), rewards[::-1])[1]
