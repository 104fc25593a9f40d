"""Batches: every example once an epoch, built on the host, in one fixed shape."""

import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np


def shuffled_batches(key: jax.Array, examples: int, batch_size: int) -> tuple[jax.Array, jax.Array]:
    """Put every example into exactly one batch of one fixed size.

    Args:
        key: For this epoch alone.
        examples: How many there are.
        batch_size: The number of rows in each batch.

    Returns:
        Row numbers and which of them count, both (batches, batch_size). The rows that fill up the last batch are
        row 0 again and do not count.
    """
    batches = -(-examples // batch_size)
    filling = batches * batch_size - examples
    rows = jnp.pad(jax.random.permutation(key, examples), (0, filling))
    valid = jnp.arange(batches * batch_size) < examples
    return rows.reshape(batches, batch_size), valid.reshape(batches, batch_size)


def example_drop_remainder() -> None:
    """Count how often each of 1000 examples stands in a batch of 128."""
    rows, valid = shuffled_batches(jax.random.key(0), examples=1000, batch_size=128)
    assert rows.shape == (8, 128)  # one shape, so one compilation
    uses = jnp.zeros(1000, int).at[rows].add(valid)
    assert (uses == 1).all()


def examples_in_an_epoch() -> int:
    """Return how many of 1000 examples an epoch sees."""
    rows, valid = shuffled_batches(jax.random.key(0), examples=1000, batch_size=128)
    return len(set(rows[valid].tolist()))


def example_shuffle() -> None:
    """Draw one order of rows for each epoch, and take inputs and labels by it."""
    inputs, labels = jnp.arange(6.0) * 10, jnp.arange(6)
    root = jax.random.key(0)
    orders = [jax.random.permutation(jax.random.fold_in(root, epoch), len(labels)) for epoch in range(2)]
    assert not jnp.array_equal(orders[0], orders[1])
    for order in orders:
        assert jnp.array_equal(inputs[order], labels[order] * 10.0)


def inputs_and_labels_in_one_order() -> list[tuple[int, int]]:
    """Return the pairs after a shuffle."""
    inputs = labels = np.arange(8)
    order = np.random.default_rng(0).permutation(8)
    return list(zip(inputs[order].tolist(), labels[order].tolist(), strict=True))


def three_epochs() -> list[list[int]]:
    """Return the rows of three epochs."""
    root = jax.random.key(0)
    return [jax.random.permutation(jax.random.fold_in(root, epoch), 8).tolist() for epoch in range(3)]


def example_mean_of_means() -> None:
    """Add up sums and counts, and divide once."""
    hits = jnp.array([1, 1, 1, 1, 0])
    correct, count = jnp.zeros((), int), 0
    for batch in (hits[:4], hits[4:]):
        correct, count = correct + batch.sum(), count + batch.size
    assert jnp.isclose(correct / count, hits.mean())


def accuracy_over_examples() -> float:
    """Return the accuracy of four hits and a miss in two batches."""
    batches = [jnp.array([1, 1, 1, 1]), jnp.array([0])]
    return float(sum(batch.sum() for batch in batches) / sum(batch.size for batch in batches))


def standardiser(train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the scale of each feature of the training split (examples, features)."""
    varies = train.max(axis=0) > train.min(axis=0)  # of a constant feature, the deviation is 0 or rounding
    return train.mean(axis=0), np.where(varies, train.std(axis=0), 1.0)


def example_standardise() -> None:
    """Learn from the training split, apply to every split."""
    train = np.array([[0.0, 7.0], [2.0, 7.0]])
    mean, scale = standardiser(train)
    assert ((train - mean) / scale).tolist() == [[-1.0, 0.0], [1.0, 0.0]]
    assert ((np.array([[3.0, 8.0]]) - mean) / scale).tolist() == [[2.0, 1.0]]
    constant = np.full((1000, 8), 0.1, np.float32)
    assert constant.std(axis=0).all()
    assert (standardiser(constant)[1] == 1.0).all()


def standardised_with_a_constant_feature() -> list[list[float]]:
    """Return two examples whose second feature never changes."""
    train = np.array([[0.0, 7.0], [2.0, 7.0]])
    mean, scale = standardiser(train)
    standardised: list[list[float]] = ((train - mean) / scale).tolist()
    return standardised


def brightness_of_brighter_images() -> float:
    """Return what is left of a shift between the training and the test images."""
    train = np.random.default_rng(0).normal(size=(100, 4))
    mean, scale = standardiser(train)
    return float(np.round(((train + 1.0 - mean) / scale).mean(), 1))


def example_uint8() -> None:
    """Convert before the first subtraction."""
    pixels = np.array([0, 100, 255], np.uint8)  # as image files have them
    centred = (jnp.asarray(pixels, jnp.float32) - 128) / 128
    assert centred.dtype == jnp.float32
    assert jnp.allclose(centred, jnp.array([-1.0, -0.21875, 0.9921875]))


def centred_pixels() -> list[float]:
    """Return three pixels between -1 and 1."""
    centred: list[float] = ((jnp.array([0, 100, 255], jnp.float32) - 128) / 128).tolist()
    return centred


def decode(number: int) -> np.ndarray:
    """Stand for the slow work of a loader, in NumPy alone."""
    return np.full(4, number, np.float32)


def example_fork() -> None:
    """Load in threads: NumPy and file reads let other threads run."""
    jnp.ones(2).block_until_ready()  # JAX has started, and with it threads that hold locks
    with ThreadPoolExecutor(max_workers=2) as pool:
        examples = list(pool.map(decode, range(3)))
    assert jnp.asarray(np.stack(examples)).sum(axis=1).tolist() == [0.0, 4.0, 8.0]


def check_fork() -> None:
    """Hold that spawned processes work beside a JAX that has started, and may use it themselves."""
    code = """
    import multiprocessing
    import jax.numpy as jnp
    jnp.ones(2).block_until_ready()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(jnp.ones, [4])[0].tolist() == [1.0] * 4
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


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
