"""Random keys used wrongly."""

import random
import time

import jax
import jax.numpy as jnp
import numpy as np


def same_key_twice() -> jax.Array:
    key = jax.random.key(0)
    return jax.random.normal(key, (3,)) + jax.random.normal(key, (3,))


def same_mask_every_layer() -> list[jax.Array]:
    key = jax.random.key(0)
    return [jax.random.bernoulli(key, 0.5, (64,)) for _ in range(2)]


def masks_are_equal(masks: list[jax.Array]) -> bool:
    return bool(jnp.array_equal(masks[0], masks[1]))


def one_key_for_two_draws() -> list[jax.Array]:
    key = jax.random.key(0)
    weights = jax.random.normal(key, (3,))
    noise = jax.random.normal(key, (3,))
    return [weights, noise]


def draws_are_equal(draws: list[jax.Array]) -> bool:
    return bool(jnp.array_equal(draws[0], draws[1]))


def parent_used_after_its_split() -> jax.Array:
    key = jax.random.key(0)
    _init_key, _data_key = jax.random.split(key)
    return jax.random.normal(key, (3,))


def reuse_that_goes_unreported() -> list[bool]:
    key = jax.random.key(0)
    jax.random.normal(key)  # and is folded below
    draws = [
        [jax.random.normal(jax.random.fold_in(key, 1)) for _ in range(2)],
        [jax.random.normal(jax.random.key(1)) for _ in range(2)],
        jax.vmap(lambda key, x: x + jax.random.normal(key), in_axes=(None, 0))(jax.random.key(2), jnp.zeros(2)),
    ]
    return [bool(first == second) for first, second in draws]


def raw_key_used_twice() -> list[jax.Array]:
    key = jax.random.PRNGKey(0)
    return [jax.random.normal(key, (3,)), jax.random.normal(key, (3,))]


def arithmetic_on_a_key() -> jax.Array:
    key = jax.random.key(0)
    return jax.random.normal(key + 1)


def one_key_for_every_step() -> int:
    key = jax.random.key(0)

    @jax.jit
    def train_step(inputs):
        return inputs + jax.random.normal(key, inputs.shape)

    return len({tuple(train_step(jnp.zeros(4)).tolist()) for _ in range(5)})


def numpy_inside_jit() -> list[jax.Array]:
    @jax.jit
    def noisy(inputs):
        return inputs + np.random.normal(size=inputs.shape)

    return [noisy(jnp.zeros(4)) for _ in range(2)]


def seed_from_the_clock_inside_jit() -> list[jax.Array]:
    @jax.jit
    def noisy(inputs):
        key = jax.random.key(time.time_ns() % 2**32 + random.randrange(1000))
        return inputs + jax.random.normal(key, inputs.shape)

    return [noisy(jnp.zeros(4)) for _ in range(2)]


def one_key_for_every_layer() -> list[jax.Array]:
    key, he = jax.random.key(0), jax.nn.initializers.he_normal()
    return [he(key, (8, 8)) for _ in range(2)]


def seed_plus_step() -> int:
    seeds = [epoch + step for epoch in range(3) for step in range(3)]
    return len({float(jax.random.normal(jax.random.key(seed))) for seed in seeds})


def seed_beyond_32_bits() -> list[list[int]]:
    return [jax.random.key_data(jax.random.key(seed)).tolist() for seed in (7, 7 + 2**32)]


def seed_beyond_63_bits() -> jax.Array:
    return jax.random.key(2**63)


def keys_are_equal(keys: list[list[int]]) -> bool:
    return keys[0] == keys[1]


def key_as_numpy_array() -> np.ndarray:
    return np.asarray(jax.random.key(42))


def number_from_an_old_tutorial() -> bool:
    expected = -0.20584226  # jax.random.normal(jax.random.PRNGKey(0)) until JAX 0.5
    return bool(jnp.isclose(jax.random.normal(jax.random.key(0)), expected))


def rbg_under_vmap() -> list[jax.Array]:
    keys = jax.random.split(jax.random.key(0, impl="rbg"), 4)
    return [jax.vmap(jax.random.normal)(keys), jnp.stack([jax.random.normal(key) for key in keys])]


def draws_differ(draws: list[jax.Array]) -> bool:
    return not jnp.array_equal(draws[0], draws[1])


def key_in_an_outer_variable() -> jax.Array:
    key = jax.random.key(0)

    @jax.jit
    def init_bias():
        nonlocal key
        key, bias_key = jax.random.split(key)
        return jax.random.normal(bias_key)

    init_bias()
    return jax.random.normal(key)
