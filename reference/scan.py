"""Scan: a loop as one compiled program."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def add(total: Any, loss: jax.Array) -> tuple[Any, None]:
    """Add one loss to the carry; nothing is stacked."""
    return total + loss, None


def total(losses: jax.Array) -> jax.Array:
    """Sum losses (n,) of any float type in float32."""
    return jax.lax.scan(add, jnp.zeros((), jnp.float32), losses)[0]


def example_carry_type() -> None:
    """Sum a thousand ones in bfloat16, which alone would stop at 256."""
    assert total(jnp.ones(1000, jnp.bfloat16)) == 1000.0
    for weak in (0, jnp.asarray(0.0), jnp.full((), 0.0)):  # made of a Python number: each takes on the type of the sum
        adapted: Any = jax.lax.scan(add, weak, jnp.ones(3, jnp.bfloat16))[0]
        assert adapted.dtype == jnp.bfloat16


def total_of_ones() -> float:
    """Return the sum of a thousand bfloat16 ones."""
    return float(total(jnp.ones(1000, jnp.bfloat16)))


def one_is_lost_in_bfloat16() -> bool:
    """Return whether 256 + 1 is 256 in bfloat16."""
    return bool(jnp.bfloat16(256) + jnp.bfloat16(1) == 256)


def rollout(weights: jax.Array, state: jax.Array, steps: int) -> jax.Array:
    """Apply one map many times; the program holds it once."""
    final, _ = jax.lax.scan(lambda state, _: (jnp.tanh(weights @ state), None), state, length=steps)
    return final


def example_not_unrolled() -> None:
    """Count equations, and compare with the Python loop."""
    weights, start = jnp.eye(3) / 2, jnp.ones(3)
    for steps in (100, 10_000):
        assert len(jax.make_jaxpr(rollout, static_argnums=2)(weights, start, steps).eqns) == 1
    state = start
    for _ in range(5):
        state = jnp.tanh(weights @ state)
    assert jnp.allclose(rollout(weights, start, 5), state)


def equations_of_rollout() -> int:
    """Return the number of equations of a hundred steps."""
    return len(jax.make_jaxpr(rollout, static_argnums=2)(jnp.eye(3), jnp.ones(3), 100).eqns)


@partial(jax.jit, static_argnames="steps")
def descend(weights: jax.Array, steps: int) -> tuple[jax.Array, jax.Array]:
    """Minimise the sum of squares; return the last weights and the losses (steps,)."""

    def step(weights: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        loss, gradient = jax.value_and_grad(lambda weights: jnp.sum(weights**2))(weights)
        return weights - 0.1 * gradient, loss  # the carry, and what is stacked: keep the latter small

    return jax.lax.scan(step, weights, length=steps)


def example_collect() -> None:
    """Compare the stacked losses with their closed form: each step shrinks the weights to 0.8."""
    weights, losses = descend(jnp.ones(4), steps=5)
    assert jnp.allclose(losses, 4.0 * 0.8 ** (2 * jnp.arange(5)))
    assert jnp.allclose(weights, 0.8**5)


def bytes_of_losses() -> int:
    """Return the size of the outputs of 100 steps for 10,000 weights."""
    memory = descend.lower(jnp.ones(10_000), steps=100).compile().memory_analysis()
    return int(memory.output_size_in_bytes) if memory else 0


def train_step(weights: jax.Array, batch: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Take one gradient step on a batch (size, features); return the weights and the loss."""
    loss, gradient = jax.value_and_grad(lambda weights: jnp.mean((batch @ weights - 1.0) ** 2))(weights)
    return weights - 0.01 * gradient, loss


@jax.jit
def train_epoch(weights: jax.Array, batches: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Take one step per batch, from batches (steps, size, features); return the losses (steps,) too."""
    return jax.lax.scan(train_step, weights, batches)


def example_epoch() -> None:
    """Shuffle on the device, cut into batches, and compare with a loop over steps."""
    data = jax.random.normal(jax.random.key(0), (1000, 4))
    order = jax.random.permutation(jax.random.key(1), len(data))
    batches = data[order].reshape(-1, 10, 4)  # (steps, size, features): the size divides the data here
    weights, losses = train_epoch(jnp.zeros(4), batches)
    assert losses.shape == (100,)
    expected, step = jnp.zeros(4), jax.jit(train_step)
    for batch in np.asarray(batches):
        expected, _ = step(expected, batch)
    assert jnp.allclose(weights, expected, atol=1e-5)


def updates_of_an_epoch() -> int:
    """Return how many updates a thousand examples make in batches of ten."""
    return len(train_epoch(jnp.zeros(4), jnp.ones((1000, 4)).reshape(-1, 10, 4))[1])


def layer(x: jax.Array, params: dict[str, jax.Array]) -> tuple[jax.Array, None]:
    """Apply one layer of many alike; nothing is stacked."""
    return jnp.tanh(x @ params["kernel"] + params["bias"]), None


def stack(layers: list[dict[str, jax.Array]]) -> dict[str, jax.Array]:
    """Turn a list of trees into one tree, whose leaves have a leading axis for the layers."""
    stacked: dict[str, jax.Array] = jax.tree.map(lambda *leaves: jnp.stack(leaves), *layers)
    return stacked


def example_layers() -> None:
    """Hold a scan over stacked layers against the loop over the list."""
    layers = [{"kernel": jnp.eye(4) * scale, "bias": jnp.ones(4)} for scale in (0.5, 1.0, 2.0)]
    out, _ = jax.lax.scan(layer, jnp.ones(4), stack(layers))  # one program, whatever the depth
    expected = jnp.ones(4)
    for params in layers:
        expected, _ = layer(expected, params)
    assert jnp.allclose(out, expected)


def check_layers_initialised_by_vmap() -> None:
    """Hold that mapping an initialisation over keys gives different layers, stacked."""

    def init(key: jax.Array) -> dict[str, jax.Array]:
        return {"kernel": jax.random.normal(key, (4, 4)), "bias": jnp.zeros(4)}

    keys = jax.random.split(jax.random.key(0), 3)
    layers = jax.vmap(init)(keys)
    assert jnp.allclose(layers["kernel"], stack([init(key) for key in keys])["kernel"])
    assert not jnp.array_equal(layers["kernel"][0], layers["kernel"][1])
    assert jax.lax.scan(layer, jnp.ones(4), layers)[0].shape == (4,)


@partial(jax.jit, static_argnames="length")
def generate(prompt: jax.Array, length: int) -> jax.Array:
    """Continue a prompt (n,) to `length` tokens; each one is the sum of the two before, modulo 10."""
    size = prompt.shape[0]
    tokens = jnp.zeros(length, prompt.dtype).at[:size].set(prompt)  # all that there will be

    def step(tokens: jax.Array, position: jax.Array) -> tuple[jax.Array, None]:
        following = (tokens[position - 1] + tokens[position - 2]) % 10
        return tokens.at[position].set(following), None

    return jax.lax.scan(step, tokens, jnp.arange(size, length))[0]


def example_fixed_buffer() -> None:
    """Generate the last digits of the Fibonacci numbers."""
    assert generate(jnp.array([1, 1]), length=8).tolist() == [1, 1, 2, 3, 5, 8, 3, 1]


def traces_of_a_fixed_buffer() -> int:
    """Return how often a step is traced that takes a buffer and a position, for six tokens."""
    traces = []

    @jax.jit
    def following(tokens: jax.Array, position: int) -> jax.Array:
        traces.append(tokens.shape)
        return tokens.at[position].set((tokens[position - 1] + tokens[position - 2]) % 10)

    tokens = jnp.zeros(8, int).at[:2].set(1)
    for position in range(2, 8):
        tokens = following(tokens, position)
    return len(traces)


def block(x: jax.Array, kernel: jax.Array) -> tuple[jax.Array, None]:
    """Apply a layer with several activations inside."""
    for _ in range(4):
        x = jnp.tanh(x @ kernel)
    return x, None


# inside a scan the recomputation can't be merged with the first one, so the barrier against that goes
remat_block = jax.checkpoint(block, prevent_cse=False)


def temporaries(body: Callable[..., Any]) -> int:
    """Return the bytes of temporary memory of a gradient through 50 layers."""

    def loss(kernels: jax.Array, x: jax.Array) -> jax.Array:
        return jax.lax.scan(body, x, kernels)[0].sum()

    gradient = jax.jit(jax.grad(loss)).lower(jnp.ones((50, 64, 64)), jnp.ones((32, 64)))
    memory = gradient.compile().memory_analysis()
    return int(memory.temp_size_in_bytes) if memory else 0


def check_barrier() -> None:
    """Hold that in a scan the barrier changes nothing but the program: as many bytes are set aside."""

    def barriers(body: Callable[..., Any]) -> int:
        gradient = jax.jit(jax.grad(lambda kernels, x: jax.lax.scan(body, x, kernels)[0].sum()))
        return str(gradient.lower(jnp.ones((50, 64, 64)), jnp.ones((32, 64))).as_text()).count("optimization_barrier")

    assert temporaries(remat_block) == temporaries(jax.checkpoint(block))
    assert (barriers(remat_block), barriers(jax.checkpoint(block))) == (0, 1)


def part_of_memory_with_checkpoints() -> float:
    """Return the temporary bytes with checkpoints over those without."""
    return temporaries(remat_block) / temporaries(block)


def example_remat() -> None:
    """Compare the compiled programs: one stored activation per layer instead of four."""
    assert temporaries(remat_block) < 0.5 * temporaries(block)


@jax.jit
def linear_recurrence(decay: jax.Array, inputs: jax.Array) -> jax.Array:
    """Return h with h[t] = decay[t] * h[t - 1] + inputs[t] and h[-1] = 0; all of shape (time,)."""

    def combine(
        earlier: tuple[jax.Array, jax.Array], later: tuple[jax.Array, jax.Array]
    ) -> tuple[jax.Array, jax.Array]:  # of two maps h -> decay * h + input: apply one after the other
        return earlier[0] * later[0], later[0] * earlier[1] + later[1]

    h: jax.Array = jax.lax.associative_scan(combine, (decay, inputs))[1]
    return h


def example_associative() -> None:
    """Compute a moving average, and compare with the sequential scan."""
    x = jnp.arange(1.0, 6.0)
    average = linear_recurrence(jnp.full(5, 0.9), 0.1 * x)
    _, expected = jax.lax.scan(lambda h, x: (0.9 * h + 0.1 * x,) * 2, jnp.zeros(()), x)
    assert jnp.allclose(average, expected)


def average_from_the_first() -> list[float]:
    """Return the moving average that starts at the first value."""
    x = jnp.arange(1.0, 6.0)
    average = linear_recurrence(jnp.full(5, 0.9), (0.1 * x).at[0].set(x[0]))
    return [round(float(value), 3) for value in average]


@jax.jit
def returns_to_go(rewards: jax.Array, discount: float) -> jax.Array:
    """Return each step's discounted sum of this and all later rewards; (time,)."""

    def step(later: jax.Array, reward: jax.Array) -> tuple[jax.Array, jax.Array]:
        value = reward + discount * later
        return value, value

    return jax.lax.scan(step, jnp.zeros(()), rewards, reverse=True)[1]  # in the order of the rewards


def example_reverse() -> None:
    """Compare with the definition."""
    rewards = np.array([1.0, 0.0, 4.0])
    expected = [sum(0.5 ** (j - i) * rewards[j] for j in range(i, 3)) for i in range(3)]
    assert returns_to_go(jnp.asarray(rewards), 0.5).tolist() == expected


def returns_in_order() -> list[float]:
    """Return the returns of three steps."""
    return [float(value) for value in returns_to_go(jnp.array([1.0, 0.0, 4.0]), 0.5)]
