"""Checkpoints written or read wrongly."""

import tempfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as orbax_v0
from orbax.checkpoint import v1 as ocp


def old_checkpointer_saves_twice() -> None:
    checkpointer = orbax_v0.PyTreeCheckpointer()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            checkpointer.save(Path(folder) / "model", {"w": jnp.ones(2)})


def step_saved_again() -> None:
    with tempfile.TemporaryDirectory() as folder, ocp.training.Checkpointer(folder) as checkpointer:
        for _ in range(2):
            checkpointer.save(5, {"w": jnp.ones(2)})


def earlier_step_saved() -> bool:
    with tempfile.TemporaryDirectory() as folder, ocp.training.Checkpointer(folder) as checkpointer:
        checkpointer.save(5, {"w": jnp.ones(2)})
        return checkpointer.save(3, {"w": jnp.zeros(2)})


def dotted_import_of_v1() -> Any:
    import orbax.checkpoint.v1 as ocp_v1

    return ocp_v1.save


def old_name_save_pytree() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ocp.save_pytree(Path(folder) / "model", {"w": jnp.ones(2)})


def numpy_scalar_saved() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ocp.save(Path(folder) / "state", {"step": np.int64(7)})


def saves_float64_alone() -> bool:
    refused = []
    types = (np.float64, np.float32, np.float16, np.int64, np.int32, np.uint8, np.bool_)
    with tempfile.TemporaryDirectory() as folder:
        for scalar in types:
            try:
                ocp.save(Path(folder) / scalar.__name__, {"step": scalar(1)})
            except ValueError:
                refused.append(scalar)
    return refused == list(types[1:])


def float64_comes_back_as_an_array() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        ocp.save(Path(folder) / "state", {"rate": np.float64(0.5)})
        loaded = ocp.load(Path(folder) / "state", {"rate": np.float64(0.0)})["rate"]
        return isinstance(loaded, np.ndarray) and loaded.shape == () and loaded == 0.5


def relative_path() -> None:
    ocp.save("runs/model", {"w": jnp.ones(2)})


def loaded_from_a_path_that_is_not_there() -> Any:
    return ocp.load("runs/model")


def load_without_target() -> None:
    optimizer, params, grads = optax.adam(1e-3), {"w": jnp.ones(2)}, {"w": jnp.ones(2)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        ocp.save(path, {"params": params, "opt_state": optimizer.init(params)})
        state = ocp.load(path)
        optimizer.update(grads, state["opt_state"], params)


def target_of_another_dtype() -> list[int]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        ocp.save(path, {"w": jnp.full(2, 1.7)})
        return ocp.load(path, {"w": jnp.zeros(2, jnp.int32)})["w"]


def target_without_shardings() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        ocp.save(path, {"w": jnp.ones(2)})
        ocp.load(path, {"w": jax.ShapeDtypeStruct((2,), jnp.float32)})


def target_of_another_shape() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        ocp.save(path, {"w": jnp.ones(2)})
        ocp.load(path, {"w": jnp.zeros(3)})


def only_parameters_saved() -> list[float]:
    optimizer = optax.adam(0.1)

    def train(params: Any, opt_state: Any) -> Any:
        for _ in range(5):
            updates, opt_state = optimizer.update(jax.grad(lambda w: w**4)(params), opt_state, params)
            params = optax.apply_updates(params, updates)
        return params, opt_state

    params, opt_state = train(jnp.float32(1.0), optimizer.init(jnp.float32(1.0)))
    with tempfile.TemporaryDirectory() as folder:
        ocp.save(Path(folder) / "state", {"params": params})
        loaded = ocp.load(Path(folder) / "state", {"params": params})["params"]
    resumed, _ = train(loaded, optimizer.init(loaded))
    unbroken, _ = train(params, opt_state)
    return [float(resumed), float(unbroken)]


def runs_end_apart(ends: list[float]) -> bool:
    return abs(ends[0] - ends[1]) > 0.01


def checkpoint_used_while_being_saved() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        checkpointer = orbax_v0.StandardCheckpointer()
        checkpointer.save(path, {"w": jnp.ones((4000, 4000))})
        there = path.is_dir()
        checkpointer.close()
        return there


def manager_saves_a_bare_tree() -> None:
    with tempfile.TemporaryDirectory() as folder, orbax_v0.CheckpointManager(folder) as manager:
        manager.save(0, {"w": jnp.ones(2)})


def target_that_leaves_things_out() -> None:
    params, opt_state = {"w": jnp.ones(2)}, {"mu": jnp.zeros(2)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        ocp.save(path, {"params": params, "opt_state": opt_state})
        ocp.load(path, {"params": params})
