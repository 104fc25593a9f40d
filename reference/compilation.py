"""Compilation: what goes into a program, and how to look at it."""

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P


def traces(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]], static: tuple[int, ...] = ()) -> int:
    """Return how often a function is traced when it is jitted and called with these arguments."""
    seen = []

    def counted(*args: Any) -> Any:
        seen.append(args)
        return function(*args)

    compiled = jax.jit(counted, static_argnums=static)
    for args in calls:
        compiled(*args)
    return len(seen)


@jax.jit
def look_up(table: jax.Array, row: int | jax.Array) -> jax.Array:
    """Return one row; the table is an argument, so the program does not contain it."""
    return table[row]


def example_big_constant() -> None:
    """The program's text stays short, whatever the table's size."""
    table = jnp.arange(100_000.0).reshape(1000, 100)
    assert len(look_up.lower(table, 3).as_text()) < 10_000
    assert look_up(table, 3)[0] == 300.0


def check_closure() -> None:
    """Hold that a captured array is not replaced when the variable is."""
    scale = jnp.ones(2)
    scaled = jax.jit(lambda x: x * scale)
    scaled(jnp.ones(2))
    scale = jnp.zeros(2)
    assert scaled(jnp.ones(2)).tolist() == [1, 1]


def program_with_table_as_argument() -> int:
    """Return the number of characters in the lowered program."""
    return len(look_up.lower(jnp.arange(100_000.0).reshape(1000, 100), 3).as_text())


def example_inspect() -> None:
    """List the primitives that were traced, then look into what XLA made of them."""

    @jax.jit
    def layer(x: jax.Array, kernel: jax.Array) -> jax.Array:
        return jnp.tanh(x @ kernel)

    arguments = jnp.ones((2, 3)), jnp.ones((3, 4))
    jaxpr = layer.trace(*arguments).jaxpr  # what Python recorded
    assert [equation.primitive.name for equation in jaxpr.eqns] == ["dot_general", "tanh"]
    compiled = layer.lower(*arguments).compile()  # compiled.as_text() is what runs, fused
    memory = compiled.memory_analysis()
    assert memory is not None
    assert memory.argument_size_in_bytes == 4 * (2 * 3 + 3 * 4)


def check_texts() -> None:
    """Hold in which languages the two texts are."""
    lowered = jax.jit(jnp.tanh).lower(jnp.ones(2))
    assert "stablehlo.tanh" in str(lowered.as_text())
    assert str(lowered.compile().as_text()).startswith("HloModule")


def example_trace_or_compile() -> None:
    """Count traces in the body, and compilations by the events that JAX reports."""
    jax.config.update("jax_num_cpu_devices", 2)
    traces = []
    compilations = []

    def listen(event: str, duration_secs: float, **_: str | int) -> None:
        if "backend_compile" in event:
            compilations.append(duration_secs)

    @jax.jit
    def double(x: jax.Array) -> jax.Array:
        traces.append(x.shape)
        return 2 * x

    on_each = [jax.device_put(np.ones(3, np.float32), device) for device in jax.devices()]
    jax.monitoring.register_event_duration_secs_listener(listen)
    for x in on_each + on_each:
        double(x)
    assert len(traces) == 1  # the signature has not changed: the same jaxpr
    assert len(compilations) == 2  # but the device has: a program for each


def check_signatures() -> None:
    """Count the traces over devices, meshes and shardings."""
    traces = []

    @jax.jit
    def double(x: jax.Array) -> jax.Array:
        traces.append(x.shape)
        return 2 * x

    counts = []
    auto = jax.make_mesh((2,), ("data",), axis_types=(AxisType.Auto,))
    explicit = jax.make_mesh((2,), ("data",), axis_types=(AxisType.Explicit,))
    meshes = [NamedSharding(mesh, spec) for mesh in (auto, explicit) for spec in (P(), P("data"))]
    for place in [*jax.devices(), *meshes]:
        double(jax.device_put(np.ones(2, np.float32), place))
        counts.append(len(traces))
    assert counts == [1, 1, 2, 2, 3, 4]


def programs_on_two_devices() -> int:
    """Return how many programs are compiled for a function that is called on two devices."""
    jax.config.update("jax_num_cpu_devices", 2)
    compilations = []

    def listen(event: str, duration_secs: float, **_: str | int) -> None:
        if "backend_compile" in event:
            compilations.append(duration_secs)

    on_each = [jax.device_put(np.ones(3, np.float32), device) for device in jax.devices()]
    double = jax.jit(lambda x: 2 * x)
    jax.monitoring.register_event_duration_secs_listener(listen)
    for x in on_each:
        double(x)
    return len(compilations)
