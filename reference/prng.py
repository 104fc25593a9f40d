"""Random keys: one key, one use."""

import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np


def dropout(key: jax.Array, x: jax.Array, rate: float) -> jax.Array:
    """Zero a fraction of the activations and scale the rest so that their mean stays.

    Args:
        key: A typed key, used nowhere else.
        x: Floating point, any shape.
        rate: The fraction to drop, in [0, 1).

    Returns:
        As `x`. Inverted dropout: Srivastava et al. 2014, section 10.
    """
    keep = jax.random.bernoulli(key, 1.0 - rate, x.shape)
    return jnp.where(keep, x / (1.0 - rate), 0.0)


def forward(key: jax.Array, x: jax.Array) -> jax.Array:
    """Apply two dropout layers, each with a key of its own."""
    for layer_key in jax.random.split(key, 2):
        x = dropout(layer_key, x, rate=0.5)
    return x


def example_dropout_keys() -> None:
    """Derive the step's key from one root key, and the layers' keys from the step's."""
    root = jax.random.key(0)  # typed; a raw jax.random.PRNGKey escapes the reuse checker
    masks = [forward(jax.random.fold_in(root, step), jnp.ones(64)) for step in range(2)]
    assert not jnp.array_equal(masks[0], masks[1])


def check_dropout_keys() -> None:
    """Hold that no key is used twice and that the mean stays."""
    with jax.debug_key_reuse(True):
        out = jax.jit(forward)(jax.random.key(1), jnp.ones(100_000))
    assert abs(float(out.mean()) - 1.0) < 0.05


def masks_of_two_layers() -> list[jax.Array]:
    """Return what two layers of one step keep."""
    keys = jax.random.split(jax.random.fold_in(jax.random.key(0), 0), 2)
    return [dropout(key, jnp.ones(64), rate=0.5) > 0 for key in keys]


def example_reuse() -> None:
    """Draw twice, each time with a key of its own."""
    weights_key, noise_key = jax.random.split(jax.random.key(0))
    weights = jax.random.normal(weights_key, (3,))
    noise = jax.random.normal(noise_key, (3,))
    assert not jnp.isclose(weights, noise).any()
    assert jnp.array_equal(weights, jax.random.normal(weights_key, (3,)))  # a key is a value, not a generator


def two_draws() -> list[jax.Array]:
    """Return two draws."""
    return [jax.random.normal(key, (3,)) for key in jax.random.split(jax.random.key(0))]


def equal_pairs() -> list[bool]:
    """Return whether the draws of three pairs are equal, each with a key of its own."""
    keys = jax.random.split(jax.random.key(0), (3, 2))
    return [bool(jax.random.normal(first) == jax.random.normal(second)) for first, second in keys]


def example_typed_key() -> None:
    """Look at what tells a key from numbers."""
    key = jax.random.key(0)
    assert jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    assert key.shape == ()
    assert jax.random.split(key, 3).shape == (3,)  # an array of keys: index it, map it, scan over it


def noisy_step(root: jax.Array, step: jax.Array | int, inputs: jax.Array) -> jax.Array:
    """Add this step's noise, which depends on the root and the step alone."""
    key = jax.random.fold_in(root, step)
    return inputs + jax.random.normal(key, inputs.shape)


def example_per_step() -> None:
    """Compute a step again, out of order and inside a scan."""
    root, inputs = jax.random.key(0), jnp.zeros(4)
    outputs = [jax.jit(noisy_step)(root, step, inputs) for step in range(3)]
    assert not jnp.array_equal(outputs[0], outputs[1])
    assert jnp.array_equal(noisy_step(root, 2, inputs), outputs[2])  # as after a restart at step 2
    _, scanned = jax.lax.scan(lambda _, step: (None, noisy_step(root, step, inputs)), None, jnp.arange(3))
    assert jnp.array_equal(scanned, jnp.stack(outputs))


def different_draws_of_five_steps() -> int:
    """Return how many of five steps differ."""
    root, inputs = jax.random.key(0), jnp.zeros(4)
    return len({tuple(noisy_step(root, step, inputs).tolist()) for step in range(5)})


def example_numpy_in_jit() -> None:
    """Pass the key in: each call draws what its key says."""

    @jax.jit
    def noisy(key: jax.Array, inputs: jax.Array) -> jax.Array:
        return inputs + jax.random.normal(key, inputs.shape)

    first, second = (noisy(key, jnp.zeros(4)) for key in jax.random.split(jax.random.key(0)))
    assert not jnp.array_equal(first, second)


def draws_of_one_compiled_function() -> list[jax.Array]:
    """Return the results of two calls."""
    noisy = jax.jit(lambda key: jax.random.normal(key, (4,)))
    return [noisy(key) for key in jax.random.split(jax.random.key(0))]


def init_weights(key: jax.Array, sizes: Sequence[int]) -> list[jax.Array]:
    """Draw one matrix (inputs, outputs) for each pair of neighbouring sizes."""
    keys = jax.random.split(key, len(sizes) - 1)
    he = jax.nn.initializers.he_normal()
    return [he(layer_key, shape) for layer_key, shape in zip(keys, pairwise(sizes), strict=True)]


def example_init_layers() -> None:
    """Keep apart what initialises and what comes later."""
    init_key, train_key = jax.random.split(jax.random.key(0))
    first, second = init_weights(init_key, [8, 8, 8])
    assert not jnp.array_equal(first, second)
    assert not jnp.array_equal(jax.random.key_data(init_key), jax.random.key_data(train_key))


def layers_of_equal_shape() -> list[jax.Array]:
    """Return two matrices of one shape."""
    return init_weights(jax.random.key(0), [8, 8, 8])


def example_seed_arithmetic() -> None:
    """Address every draw by its coordinates below one root."""
    root = jax.random.key(0)
    draws = {
        float(jax.random.normal(jax.random.fold_in(jax.random.fold_in(root, epoch), step)))
        for epoch in range(3)
        for step in range(3)
    }
    assert len(draws) == 9


def distinct_draws() -> int:
    """Return how many of nine draws differ."""
    roots = [jax.random.fold_in(jax.random.key(0), epoch) for epoch in range(3)]
    keys = [jax.random.fold_in(root, step) for root in roots for step in range(3)]
    return len({float(jax.random.normal(key)) for key in keys})


def key_of_wide_seed(seed: int) -> jax.Array:
    """Return a key that depends on the upper and the lower half of a 64-bit seed."""
    return jax.random.fold_in(jax.random.key(seed >> 32), seed & 0xFFFF_FFFF)


def example_wide_seed() -> None:
    """Tell apart two seeds that agree in their lower 32 bits."""
    small, large = key_of_wide_seed(7), key_of_wide_seed(7 + 2**32)
    assert not jnp.array_equal(jax.random.key_data(small), jax.random.key_data(large))


def bits_of_a_seed_that_count() -> int:
    """Return how many of the bits of a positive 64-bit seed change the key."""
    zero = jax.random.key_data(jax.random.key(0))
    return sum(not jnp.array_equal(jax.random.key_data(jax.random.key(2**bit)), zero) for bit in range(63))


def check_wide_seed() -> None:
    """Hold that with x64 all bits count."""
    jax.config.update("jax_enable_x64", True)
    assert bits_of_a_seed_that_count() == 63


def smallest_seed_that_collides() -> int:
    """Return the smallest power of two whose key is that of 0."""
    zero = jax.random.key_data(jax.random.key(0))
    same = (2**bit for bit in range(63) if jnp.array_equal(jax.random.key_data(jax.random.key(2**bit)), zero))
    return next(same)


def keys_of_distant_seeds() -> list[list[int]]:
    """Return the data of two keys."""
    return [jax.random.key_data(key_of_wide_seed(seed)).tolist() for seed in (7, 7 + 2**32)]


def key_beyond_63_bits() -> jax.Array:
    """Return a key of the largest half of 64-bit seeds."""
    return key_of_wide_seed(2**63)


def sample_token(key: jax.Array, logits: jax.Array) -> jax.Array:
    """Return an index into the last axis of logits of any float type, drawn by their softmax."""
    return jax.random.categorical(key, logits.astype(jnp.float32))


def example_low_precision() -> None:
    """Draw from the bfloat16 logits of a network: of equal ones, each half of the tokens comes as often."""
    logits = jnp.zeros((10_000, 1024), jnp.bfloat16)
    tokens = sample_token(jax.random.key(0), logits)
    assert abs(float((tokens < 512).mean()) - 0.5) < 0.02
    dropped = jax.random.bernoulli(jax.random.key(1), 0.001, (1_000_000,))  # a Python number counts as float32
    assert abs(float(dropped.mean()) - 0.001) < 0.0002


def share_of_lower_half() -> float:
    """Return the share of draws from the lower half of equal logits, to two digits."""
    tokens = sample_token(jax.random.key(0), jnp.zeros((10_000, 1024), jnp.bfloat16))
    return round(float((tokens < 512).mean()), 2)


def share_of_rare_events() -> float:
    """Return the share of events whose probability is 0.001, to four digits."""
    return round(float(jax.random.bernoulli(jax.random.key(0), 0.001, (1_000_000,)).mean()), 4)


def uniforms_of_bfloat16() -> int:
    """Return how many uniform numbers there are in bfloat16."""
    return int(jnp.unique(jax.random.uniform(jax.random.key(0), (100_000,), jnp.bfloat16)).size)


def example_key_serialise() -> None:
    """Store a key as integers, and get the same stream back."""
    key = jax.random.key(42)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "key.npy"
        np.save(path, jax.random.key_data(key))
        restored = jax.random.wrap_key_data(np.load(path))
    assert restored.dtype == key.dtype
    assert jnp.array_equal(jax.random.normal(restored, (3,)), jax.random.normal(key, (3,)))


def example_same_numbers() -> None:
    """Compile and map with the default implementation: nothing changes."""
    keys = jax.random.split(jax.random.key(0, impl="threefry2x32"), 4)  # the default
    one_by_one = jnp.stack([jax.random.normal(key) for key in keys])
    assert jnp.array_equal(jax.vmap(jax.random.normal)(keys), one_by_one)
    assert jnp.array_equal(jax.jit(jax.vmap(jax.random.normal))(keys), one_by_one)


def mapped_and_looped() -> list[list[jax.Array]]:
    """Return the numbers of four keys, drawn together and one by one."""
    keys = jax.random.split(jax.random.key(0, impl="threefry2x32"), 4)
    return [[jax.vmap(jax.random.normal)(keys), jnp.stack([jax.random.normal(key) for key in keys])]]


def init_bias(key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the key to go on with and a draw."""
    key, bias_key = jax.random.split(key)
    return key, jax.random.normal(bias_key)


def example_global_key() -> None:
    """Hand the key in and take the next one out."""
    key = jax.random.key(0)
    key, first = jax.jit(init_bias)(key)
    key, second = jax.jit(init_bias)(key)
    assert first != second
