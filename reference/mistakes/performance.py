"""Performance measured wrongly, or lost."""

import os
import tempfile
import timeit

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.compilation_cache import compilation_cache


def clock_stopped_at_dispatch() -> tuple[float, float]:
    power = jax.jit(lambda matrix: jnp.linalg.matrix_power(matrix, 64))
    matrix = jnp.ones((1200, 1200)) / 1200
    power(matrix).block_until_ready()
    seen = timeit.timeit(lambda: power(matrix), number=1)
    real = timeit.timeit(lambda: power(matrix).block_until_ready(), number=1)
    return seen, real


def clock_shows_less_than_a_tenth(seconds) -> bool:
    seen, real = seconds
    return 10 * seen < real


def compilation_timed() -> tuple[float, float]:
    function = jax.jit(lambda matrix: jnp.tanh(matrix @ matrix).sum())
    matrix = jnp.ones((100, 100))
    seconds = timeit.repeat(lambda: function(matrix).block_until_ready(), repeat=5, number=1)
    return sum(seconds) / len(seconds), min(seconds)


def average_is_over_ten_times_the_best(seconds) -> bool:
    average, best = seconds
    return average > 10 * best


def loss_fetched_every_step() -> bool:
    step = jax.jit(lambda weights: (jnp.tanh(weights @ weights), weights.mean()))
    weights = jnp.ones((1000, 1000)) / 1000
    total = 0.0
    for _ in range(5):
        weights, loss = step(weights)
        total += loss.item()
    return weights.is_ready()


def python_has_waited(device_has_finished) -> bool:
    return device_has_finished


def small_steps_in_python() -> tuple[float, float]:
    def sgd_step(weights, batch):
        gradient = jax.grad(lambda weights: jnp.mean((batch @ weights - 1.0) ** 2))(weights)
        return weights - 0.01 * gradient

    step = jax.jit(sgd_step)
    epoch = jax.jit(lambda weights, batches: jax.lax.scan(lambda w, b: (sgd_step(w, b), None), weights, batches)[0])
    batches = np.ones((1000, 8, 4), np.float32)
    on_device = jnp.asarray(batches)

    def python_epoch(weights):
        for batch in batches:
            weights = step(weights, batch)
        return weights

    weights = jnp.zeros(4)
    in_python = timeit.repeat(lambda: python_epoch(weights).block_until_ready(), repeat=5, number=1)
    in_scan = timeit.repeat(lambda: epoch(weights, on_device).block_until_ready(), repeat=5, number=1)
    return min(in_python), min(in_scan)


def loop_takes_over_ten_times_longer(seconds) -> bool:
    loop, one_call = seconds
    return loop > 10 * one_call


def sum_over_elements() -> tuple[float, float]:
    losses = jnp.arange(3000.0)
    by_element = timeit.repeat(lambda: float(sum(2 * loss for loss in losses)), repeat=3, number=1)
    in_one_call = timeit.repeat(lambda: float((2 * losses).sum()), repeat=3, number=1)
    return min(by_element), min(in_one_call)


def old_cache_call():
    return compilation_cache.initialize_cache("jax_cache")


def default_threshold() -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.jit(lambda matrix: jnp.sin(matrix) @ matrix)(jnp.ones((64, 64))).block_until_ready()
        return os.listdir(folder)


def nothing_is_cached(files) -> bool:
    return files == []


def annotation_inside_jit() -> str:
    @jax.jit
    def layer(hidden):
        with jax.profiler.TraceAnnotation("attention"):
            return jnp.tanh(hidden @ hidden)

    return layer.lower(jnp.ones((64, 64))).compile().as_text()


def compiled_program_lacks_the_name(program) -> bool:
    return "attention" not in program


def loop_counted_once() -> float:
    def power(matrix):
        return jax.lax.fori_loop(0, 10, lambda _, product: product @ matrix, matrix)

    cost = jax.jit(power).lower(jnp.ones((64, 64))).compile().cost_analysis()
    return round(cost["flops"] / (2 * 64**3), 2)


def library_call_uncounted() -> float:
    cost = jax.jit(lambda matrix: jnp.linalg.svd(matrix)).lower(jnp.ones((64, 64))).compile().cost_analysis()
    return cost["flops"] / (2 * 64**3)


def less_than_a_tenth_of_a_product(products) -> bool:
    return products < 0.1
