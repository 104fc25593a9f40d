"""Data handed over wrongly."""

import multiprocessing

import jax
import jax.numpy as jnp
import numpy as np


def whole_batches_only() -> int:
    examples, batch_size = 1000, 128
    order = np.random.default_rng(0).permutation(examples)
    seen = set()
    for batch in range(examples // batch_size):
        seen.update(order[batch * batch_size : (batch + 1) * batch_size].tolist())
    return len(seen)


def two_shuffles() -> list[tuple[int, int]]:
    inputs, labels = np.arange(8), np.arange(8)
    rng = np.random.default_rng(0)
    rng.shuffle(inputs)
    rng.shuffle(labels)
    return list(zip(inputs.tolist(), labels.tolist()))


def labels_stand_beside_other_inputs(pairs: list[tuple[int, int]]) -> bool:
    return any(first != second for first, second in pairs)


def one_key_for_every_epoch() -> list[list[int]]:
    key = jax.random.key(0)
    return [jax.random.permutation(key, 8).tolist() for epoch in range(3)]


def every_epoch_has_one_order(epochs: list[list[int]]) -> bool:
    return all(epoch == epochs[0] for epoch in epochs)


def mean_of_batch_means() -> float:
    batches = [jnp.array([1, 1, 1, 1]), jnp.array([0])]
    return float(sum(batch.mean() for batch in batches) / len(batches))


def division_by_a_constant_features_deviation() -> list[list[float]]:
    train = jnp.array([[0.0, 7.0], [2.0, 7.0]])
    return ((train - train.mean(axis=0)) / train.std(axis=0)).tolist()


def each_split_by_its_own_statistics() -> float:
    train = np.random.default_rng(0).normal(size=(100, 4))
    test = train + 1.0
    standardised = (test - test.mean(axis=0)) / test.std(axis=0)
    return abs(float(np.round(standardised.mean(), 1)))


def arithmetic_on_uint8() -> list[float]:
    pixels = jnp.array([0, 100, 255], jnp.uint8)
    return ((pixels - 128) / 128).tolist()


def sum_of_a_product(size: int) -> float:
    matrix = jnp.ones((size, size))
    return float((matrix @ matrix).sum())  # on threads of its own, whether or not it is compiled already


def fork_that_is_warned_of() -> int | None:
    jnp.ones(2).block_until_ready()
    process = multiprocessing.get_context("fork").Process(target=int)
    process.start()
    process.join(timeout=10)
    return process.exitcode


def forked_after_jax_has_started() -> list[float]:
    jnp.ones(2).block_until_ready()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.map_async(sum_of_a_product, [300]).get(timeout=10)


def model_chosen_by_its_test_accuracy() -> float:
    rng = np.random.default_rng(0)
    test_hits = rng.integers(2, size=(100, 50))
    return float(test_hits.mean(axis=1).max())


def guessing_looks_like_learning(accuracy: float) -> bool:
    return accuracy > 0.6
