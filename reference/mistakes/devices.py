"""Devices asked for wrongly."""

import os

import jax
import jax.numpy as jnp


def devices_asked_for_too_late() -> int:
    jnp.ones(1)
    jax.config.update("jax_num_cpu_devices", 8)
    return jax.device_count()


def initialised_after_the_first_array() -> None:
    jnp.ones(1)
    jax.distributed.initialize("localhost:12655", num_processes=1, process_id=0)


def flag_after_start() -> int:
    jax.devices()
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
    return jax.device_count()


def jax_variable_after_import() -> str:
    os.environ["JAX_ENABLE_X64"] = "1"
    return str(jnp.ones(()).dtype)
