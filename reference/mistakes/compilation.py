"""Programs that are too big, or counted wrongly."""

import jax
import jax.numpy as jnp
import numpy as np


def array_from_the_closure() -> int:
    table = jnp.arange(100_000.0).reshape(1000, 100)
    look_up = jax.jit(lambda row: table[row])
    return len(look_up.lower(3).as_text())


def program_holds_the_table(characters: int) -> bool:
    return characters > 100_000


def xla_computation_of_a_function():
    return jax.xla_computation(jnp.tanh)(jnp.ones(2)).as_hlo_text()


def programs_counted_by_traces() -> int:
    jax.config.update("jax_num_cpu_devices", 2)
    traces = []

    @jax.jit
    def double(x):
        traces.append(x.shape)
        return 2 * x

    for device in jax.devices():
        double(jax.device_put(np.ones(3, np.float32), device))
    return len(traces)
