"""Performance: what a clock measures, and what Python costs."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def seconds_per_call(function: Callable[..., Any], *args: Any) -> float:
    """Return the best of five calls, each timed until its whole result is ready."""
    jax.block_until_ready(function(*args))  # traces and compiles
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        jax.block_until_ready(function(*args))  # waits for every array of the tree
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def example_block() -> None:
    """Find a big product slower than a small one, compiled once each."""
    traced_shapes = []

    @jax.jit
    def gram(matrix: jax.Array) -> jax.Array:
        traced_shapes.append(matrix.shape)
        return matrix @ matrix.T

    small, big = jnp.ones((8, 8)), jnp.ones((1024, 1024))
    assert seconds_per_call(gram, small) < seconds_per_call(gram, big)
    assert traced_shapes == [(8, 8), (1024, 1024)]


def is_ready_when_blocked() -> bool:
    """Say whether the result is there when the clock is stopped after waiting."""
    power = jax.jit(lambda matrix: jnp.linalg.matrix_power(matrix, 64))
    matrix = jnp.ones((1200, 1200)) / 1200
    jax.block_until_ready(power(matrix))
    return bool(jax.block_until_ready(power(matrix)).is_ready())


def traces_on_a_warm_clock() -> int:
    """Return how often a function is traced while it is timed."""
    traces = []

    def gram(matrix: jax.Array) -> jax.Array:
        traces.append(matrix.shape)
        return matrix @ matrix.T

    function, matrix = jax.jit(gram), jnp.ones((100, 100))
    jax.block_until_ready(function(matrix))
    traces.clear()
    seconds_per_call(function, matrix)
    return len(traces)


@jax.jit
def smooth(weights: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return new weights, and a loss that stays on the device."""
    return jnp.tanh(weights @ weights), weights.mean()


def losses_of_run(weights: jax.Array, steps: int) -> tuple[jax.Array, list[jax.Array]]:
    """Run ahead of the device: nothing in the loop asks for a value."""
    losses = []
    for _ in range(steps):
        weights, loss = smooth(weights)
        losses.append(loss)
    return weights, losses


def example_float_each_step() -> None:
    """Fetch all losses at once, after the loop."""
    _, losses = losses_of_run(jnp.ones((4, 4)) / 4, steps=5)
    values = jax.device_get(losses)  # waits once, and copies
    assert np.allclose(values[:2], [0.25, np.tanh(0.25)])
    assert len(values) == 5


def ready_after_run() -> bool:
    """Say whether the device has finished when Python leaves the loop."""
    matrix = jnp.ones((1000, 1000)) / 1000
    jax.block_until_ready(smooth(matrix))
    weights: Any = losses_of_run(matrix, steps=5)[0]
    return bool(weights.is_ready())


def sgd_step(weights: jax.Array, batch: jax.Array) -> jax.Array:
    """Take one step on a small quadratic loss; batch is (batch, weights)."""
    gradient: jax.Array = jax.grad(lambda weights: jnp.mean((batch @ weights - 1.0) ** 2))(weights)
    return weights - 0.01 * gradient


@jax.jit
def epoch(weights: jax.Array, batches: jax.Array) -> jax.Array:
    """Take one step per batch in one call; batches are (steps, batch, weights)."""
    weights, _ = jax.lax.scan(lambda weights, batch: (sgd_step(weights, batch), None), weights, batches)
    return weights


def example_scan_epoch() -> None:
    """Compare with a Python loop."""
    batches = np.sin(np.arange(20 * 8 * 4, dtype=np.float32)).reshape(20, 8, 4)
    weights = jnp.zeros(4)
    for batch in batches:
        weights = jax.jit(sgd_step)(weights, batch)
    assert jnp.allclose(epoch(jnp.zeros(4), jnp.asarray(batches)), weights, rtol=1e-4)


def calls(function: Callable[[], Any]) -> int:
    """Return how many compiled programs a function calls from Python."""
    jax.block_until_ready(function())  # compiles
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            jax.block_until_ready(function())
        (profile,) = Path(folder).rglob("*.xplane.pb")
        data = jax.profiler.ProfileData.from_file(str(profile))
    events = [event.name for plane in data.planes for line in plane.lines for event in line.events]
    return events.count("ParseArguments")  # the runtime's name for taking a call's arguments apart


def calls_of_scanned_epoch() -> int:
    """Return how many calls an epoch of a hundred steps takes that is scanned."""
    weights, batches = jnp.zeros(4), jnp.ones((100, 8, 4))
    return calls(lambda: epoch(weights, batches))


def example_iterate_array() -> None:
    """Do in one call what a loop would do, or loop over NumPy's copy."""
    losses = jnp.arange(3000.0)
    total = float((2 * losses).sum())
    assert total == sum(2 * loss for loss in np.asarray(losses).tolist())


def calls_of_one_sum() -> int:
    """Return how many calls a vectorised sum over a hundred numbers takes."""
    losses = jnp.arange(100.0)
    double = jax.jit(lambda losses: (2 * losses).sum())
    return calls(lambda: double(losses))


def example_persistent_cache() -> None:
    """Find the compiled program in the folder."""
    with tempfile.TemporaryDirectory() as folder:  # in earnest, one that outlives the process
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)  # default: 1.0
        jax.jit(lambda matrix: jnp.sin(matrix) @ matrix)(jnp.ones((64, 64))).block_until_ready()
        assert any("lambda" in entry.name for entry in Path(folder).iterdir())


def cached_programs() -> list[str]:
    """Return the files that a small program leaves in the cache."""
    with tempfile.TemporaryDirectory() as folder:
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.jit(lambda matrix: jnp.sin(matrix) @ matrix)(jnp.ones((64, 64))).block_until_ready()
        return [entry.name for entry in Path(folder).iterdir()]


def seconds_below_which_nothing_is_kept() -> float:
    """Return the default of the threshold."""
    return float(jax.config.values["jax_persistent_cache_min_compile_time_secs"])


@jax.jit
def layer(hidden: jax.Array) -> jax.Array:
    """Name the operations for the profiler; the names are part of the compiled program."""
    with jax.named_scope("attention"):
        hidden = hidden @ hidden
    return jnp.tanh(hidden)


def example_profile() -> None:
    """Profile two steps that were compiled before, and find them in the profile."""
    hidden = jnp.ones((64, 64))
    layer(hidden).block_until_ready()  # or the profile shows the compiler
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):  # open the folder with XProf or Perfetto
            for step in range(2):
                with jax.profiler.StepTraceAnnotation("train", step_num=step):
                    layer(hidden).block_until_ready()
        (profile,) = Path(folder).rglob("*.xplane.pb")
        data = jax.profiler.ProfileData.from_file(str(profile))
    events = [event.name for plane in data.planes for line in plane.lines for event in line.events]
    assert events.count("train") == 2
    assert "attention" in str(layer.lower(hidden).compile().as_text())


def named_program() -> str:
    """Return the compiled program of a layer with a named scope."""
    return str(layer.lower(jnp.ones((64, 64))).compile().as_text())


def flops(function: Callable[..., Any], *args: Any) -> float:
    """Return the floating point operations of the compiled function, loops counted once."""
    cost = jax.jit(function).lower(*args).compile().cost_analysis()
    return float(cost.get("flops", 0.0)) if cost else 0.0  # no such key where nothing is computed


def example_count_flops() -> None:
    """Count a product of matrices: two operations for each of n cubed pairs."""
    matrix = jnp.ones((64, 64))
    assert flops(lambda matrix: matrix @ matrix, matrix) == 2 * 64**3
    assert flops(jnp.transpose, matrix) == 0


def flops_of_transpose() -> float:
    """Return the operations of a function that only moves data."""
    return flops(jnp.transpose, jnp.ones((4, 4)))


def products_in_unrolled_loop() -> float:
    """Return how many of ten products are counted where the loop is unrolled."""

    def power(matrix: jax.Array) -> jax.Array:
        product = matrix
        for _ in range(10):
            product = product @ matrix
        return product

    return round(flops(power, jnp.ones((64, 64))) / (2 * 64**3), 2)
