"""Devices: how many there are, in how many processes, and what must be set before they start."""

import os
import socket
import subprocess
import sys

import jax
import jax.numpy as jnp


def example_simulated_devices() -> None:
    """Ask for simulated devices before anything starts the backend."""
    jax.config.update("jax_num_cpu_devices", 8)  # or JAX_NUM_CPU_DEVICES=8 in the environment
    assert jax.device_count() == 8


WORKER = """
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

port, rank = sys.argv[1], int(sys.argv[2])
jax.distributed.initialize(f"localhost:{port}", num_processes=2, process_id=rank)  # before all else
mesh = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))
mine = np.full((2, 3), rank, np.float32)  # the rows that this process has loaded
batch = jax.make_array_from_process_local_data(NamedSharding(mesh, P("data")), mine)
assert batch.shape == (4, 3) and not batch.is_fully_addressable
assert float(jax.jit(jnp.sum)(batch)) == 6  # every process runs this, and may read what is replicated
"""


def example_two_processes() -> None:
    """Start two processes that hold one array together."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = str(probe.getsockname()[1])
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    commands = [[sys.executable, "-c", WORKER, port, str(rank)] for rank in range(2)]
    workers = [subprocess.Popen(command, env=environment) for command in commands]
    assert [worker.wait(timeout=50) for worker in workers] == [0, 0]


def example_env_before_init() -> None:
    """Set what XLA reads before the first array or device is asked for."""
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # GPU: allocate as needed
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
    assert jax.device_count() == 2  # the backend starts here


def devices_after_flag() -> int:
    """Return the number of devices where the flag came first."""
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
    return jax.device_count()


def dtype_after_update() -> str:
    """Return the default dtype after 64-bit types were enabled in the program."""
    jax.config.update("jax_enable_x64", True)
    return str(jnp.ones(()).dtype)
