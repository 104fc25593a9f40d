"""Performance measured wrongly, or lost."""

import os
import tempfile
import time
import timeit
from pathlib import Path

import jax
import jax.numpy as jnp
from jax.experimental.compilation_cache import compilation_cache


def clock_stopped_at_dispatch() -> bool:
    power = jax.jit(lambda matrix: jnp.linalg.matrix_power(matrix, 64))
    matrix = jnp.ones((1200, 1200)) / 1200
    power(matrix).block_until_ready()
    start = time.perf_counter()
    result = power(matrix)
    seconds = time.perf_counter() - start
    return result.is_ready()


def compilation_timed() -> int:
    traces = []

    @jax.jit
    def function(matrix):
        traces.append(matrix.shape)
        return jnp.tanh(matrix @ matrix).sum()

    matrix = jnp.ones((100, 100))
    timeit.timeit(lambda: function(matrix).block_until_ready(), number=5)
    return len(traces)


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


def calls(function) -> int:
    function()
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            function()
        (profile,) = Path(folder).rglob("*.xplane.pb")
        data = jax.profiler.ProfileData.from_file(str(profile))
    events = [event.name for plane in data.planes for line in plane.lines for event in line.events]
    return events.count("ParseArguments")


def small_steps_in_python() -> int:
    @jax.jit
    def step(weights, batch):
        gradient = jax.grad(lambda weights: jnp.mean((batch @ weights - 1.0) ** 2))(weights)
        return weights - 0.01 * gradient

    batches, start = [jnp.ones((8, 4))] * 100, jnp.zeros(4)

    def epoch():
        weights = start
        for batch in batches:
            weights = step(weights, batch)
        return weights.block_until_ready()

    return calls(epoch)


def sum_over_elements() -> int:
    losses = jnp.arange(100.0)
    return calls(lambda: sum(2 * loss for loss in losses).block_until_ready())


def elements_are_computed_one_by_one(calls) -> bool:
    return calls > 100


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


def operations_of_a_transpose() -> float:
    cost = jax.jit(lambda matrix: matrix.T).lower(jnp.ones((4, 4))).compile().cost_analysis()
    return cost["flops"]
