"""Debugging that shows nothing, or the wrong thing."""

import contextlib
import io

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify


def printed_by_python() -> str:
    @jax.jit
    def normalise(weights):
        total = weights.sum()
        print(f"total = {total}")
        return weights / total

    with contextlib.redirect_stdout(io.StringIO()) as output:
        normalise(jnp.ones(2))
        normalise(jnp.full(2, 3.0))
    return output.getvalue()


def formatted_too_early() -> str:
    @jax.jit
    def normalise(weights):
        total = weights.sum()
        jax.debug.print(f"total = {total}")
        return weights / total

    with contextlib.redirect_stdout(io.StringIO()) as output:
        normalise(jnp.ones(2))
        normalise(jnp.full(2, 3.0))
        jax.effects_barrier()
    return output.getvalue()


def no_total_is_printed(output) -> bool:
    return "2.0" not in output and "6.0" not in output


def nan_unnoticed() -> jax.Array:
    log_loss = jax.jit(lambda probabilities: -jnp.log(probabilities).mean() + 1.0)
    return log_loss(jnp.array([0.5, -0.1]))


def nan_inside_scan():
    def iterate(start):
        end, _ = jax.lax.scan(lambda value, _: (jnp.log(value), None), start, length=5)
        return end

    with jax.debug_nans(True):
        return jax.jit(iterate)(jnp.array(2.0))


def check_not_transformed():
    @jax.jit
    def logarithm(value):
        checkify.check(value > 0, "negative")
        return jnp.log(value)

    return logarithm(jnp.array(-1.0))


def error_not_read() -> jax.Array:
    def logarithm(value):
        checkify.check(value > 0, "negative")
        return jnp.log(value)

    error, result = jax.jit(checkify.checkify(logarithm))(jnp.array(-1.0))
    del error
    return result


def gone_host_callback():
    from jax.experimental import host_callback

    return host_callback


def callback_without_vmap_method():
    def numpy_sine(angle):
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct((), jnp.float32), angle)

    return jax.vmap(numpy_sine)(jnp.array([0.0, 1.0]))


def pure_callback_for_its_effect() -> int:
    log = []

    def record(loss):
        log.append(float(loss))
        return loss

    @jax.jit
    def step(loss):
        jax.pure_callback(record, jax.ShapeDtypeStruct((), jnp.float32), loss)
        return 2 * loss

    step(jnp.float32(1.0)).block_until_ready()
    return len(log)


def python_number_as_first_state() -> int:
    traces = []

    @jax.jit
    def add(total, loss):
        traces.append(1)
        return total + loss

    total = 0.0
    for _ in range(3):
        total = add(total, jnp.float32(1.0))
    return len(traces)


def gone_xla_computation():
    return jax.xla_computation(lambda values: values.sum())(jnp.ones(3)).as_hlo_text()
