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


def checker_alone_complains() -> bool:
    is_off = not jax.config.jax_debug_key_reuse
    try:
        with jax.debug_key_reuse(True):  # first, since jax 0.8 does not check again what it has traced
            one_key_for_two_draws()
    except jax.errors.KeyReuseError:
        return is_off and draws_are_equal(one_key_for_two_draws())
    return False


def draws_are_equal(draws: list[jax.Array]) -> bool:
    return bool(jnp.array_equal(draws[0], draws[1]))


def parent_used_after_its_split() -> jax.Array:
    key = jax.random.key(0)
    weights = jax.random.normal(jax.random.split(key)[0], (3,))
    noise = jax.random.normal(key, (3,))
    return weights + noise


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
    key, draws = jax.random.key(0), set()
    for step in range(5):
        noise = jax.random.normal(key, (4,))
        draws.add(tuple(noise.tolist()))
    return len(draws)


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
    keys = jax.random.key(7), jax.random.key(7 + 2**32)
    return [jax.random.key_data(key).tolist() for key in keys]


def seed_beyond_63_bits() -> jax.Array:
    return jax.random.key(2**63)


def keys_are_equal(keys: list[list[int]]) -> bool:
    return keys[0] == keys[1]


def key_as_numpy_array() -> np.ndarray:
    return np.asarray(jax.random.key(42))


def number_from_an_old_tutorial() -> None:
    np.testing.assert_allclose(jax.random.normal(jax.random.key(0)), -0.20584226)


def rbg_under_vmap() -> list[list[jax.Array]]:
    keys = jax.random.split(jax.random.key(0, impl="rbg"), 4)
    pairs = [[jax.vmap(jax.random.normal)(keys), jnp.stack([jax.random.normal(key) for key in keys])]]
    keys = jax.random.split(jax.random.key(0, impl="unsafe_rbg"), 4)
    pairs += [[jax.vmap(jax.random.normal)(keys), jnp.stack([jax.random.normal(key) for key in keys])]]
    return pairs


def mapped_draws_differ(pairs: list[list[jax.Array]]) -> bool:
    return not any(jnp.array_equal(mapped, looped) for mapped, looped in pairs)


def token_from_bfloat16_logits(vocabulary: int = 1024) -> float:
    key, logits = jax.random.key(0), jnp.zeros((10_000, vocabulary))
    tokens = jax.random.categorical(key, logits.astype(jnp.bfloat16))
    return round(float((tokens < vocabulary // 2).mean()), 2)


def larger_vocabulary_is_worse() -> bool:
    shares = [token_from_bfloat16_logits(vocabulary) for vocabulary in (64, 256, 1024)]
    return shares == sorted(set(shares)) and shares[0] > 0.5


def rare_event_in_bfloat16() -> float:
    key = jax.random.key(0)
    events = jax.random.bernoulli(key, jnp.bfloat16(0.001), (1_000_000,))
    return round(float(events.mean()), 4)


def key_in_an_outer_variable() -> jax.Array:
    key = jax.random.key(0)

    @jax.jit
    def init_bias():
        nonlocal key
        key, bias_key = jax.random.split(key)
        return jax.random.normal(bias_key)

    init_bias()
    return jax.random.normal(key)
