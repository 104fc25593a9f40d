"""Checkpointing: a training state on disk, and back on the devices."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import optax
import orbax.checkpoint as orbax_v0
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from orbax.checkpoint import v1 as ocp

State = dict[str, Any]


def example_numbered_checkpoints() -> None:
    """Save one checkpoint per step, keep the last two, and load the latest."""
    keep_two = ocp.training.preservation_policies.LatestN(2)
    with (
        tempfile.TemporaryDirectory() as folder,
        ocp.training.Checkpointer(folder, preservation_policy=keep_two) as checkpointer,
    ):
        for step in range(3):
            checkpointer.save(step, {"w": jnp.full(2, step)})
        assert [one.step for one in checkpointer.checkpoints] == [1, 2]
        state = checkpointer.load(checkpointer.latest.step, {"w": jnp.zeros(2, int)})
        assert state["w"].tolist() == [2, 2]


def example_one_checkpoint() -> None:
    """Save a tree of arrays, random keys and Python numbers, and load it as it was."""
    state: State = {"w": jnp.arange(3.0), "step": 7, "key": jax.random.key(0), "shape": (2, 3)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        ocp.save(path, state)
        loaded = ocp.load(path, state)  # the second argument gives the structure and the types
    assert loaded["step"] == 7
    assert loaded["shape"] == (2, 3)
    assert jax.random.bits(loaded["key"]) == jax.random.bits(state["key"])


def example_absolute_path() -> None:
    """Make the path absolute before Orbax sees it."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        path = Path("runs/model").absolute()
        ocp.save(path, {"w": jnp.ones(2)})
        assert path.is_dir()


def abstract_like(state: Any, sharding: jax.sharding.Sharding) -> Any:
    """Return the shapes and dtypes of a state, to be placed as `sharding` says."""
    return jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding), state)


def example_abstract_target() -> None:
    """Restore onto another mesh than the one that saved."""
    jax.config.update("jax_num_cpu_devices", 8)
    optimizer = optax.adam(1e-3)
    params = {"w": jnp.arange(16.0)}
    state = {"params": params, "opt_state": optimizer.init(params)}

    mesh = jax.make_mesh((4,), ("data",), devices=jax.devices()[:4], axis_types=(AxisType.Auto,))
    target = abstract_like(jax.eval_shape(lambda: state), NamedSharding(mesh, P()))
    with tempfile.TemporaryDirectory() as folder:
        ocp.save(Path(folder) / "state", state)
        loaded = ocp.load(Path(folder) / "state", target)

    assert isinstance(loaded["opt_state"][0], optax.ScaleByAdamState)
    assert loaded["params"]["w"].sharding.device_set == set(jax.devices()[:4])
    optimizer.update(params, loaded["opt_state"])


def train(state: State, steps: int) -> State:
    """Take steps of Adam on a noisy quartic; all that a step depends on is in the state."""
    optimizer = optax.adam(0.1)
    for _ in range(steps):
        noise = jax.random.normal(jax.random.fold_in(state["key"], state["step"]))
        grads = jax.grad(lambda w, noise: (w + 0.1 * noise) ** 4)(state["params"], noise)
        updates, opt_state = optimizer.update(grads, state["opt_state"])
        params = optax.apply_updates(state["params"], updates)
        state = state | {"params": params, "opt_state": opt_state, "step": state["step"] + 1}
    return state


def init_state() -> State:
    """Return the state before the first step."""
    params = jnp.float32(1.0)
    opt_state = optax.adam(0.1).init(params)
    return {"params": params, "opt_state": opt_state, "step": jnp.int32(0), "key": jax.random.key(0)}


def example_resume() -> None:
    """Save everything that the next step reads, and the resumed run is the unbroken one."""
    with tempfile.TemporaryDirectory() as folder, ocp.training.Checkpointer(folder) as checkpointer:
        checkpointer.save(5, train(init_state(), 5))
        resumed = train(checkpointer.load(5, init_state()), 5)
    unbroken = train(init_state(), 10)
    assert resumed["params"] == unbroken["params"]
    assert resumed["step"] == 10


def resumed_and_unbroken() -> list[float]:
    """Return where a resumed run ends and where an unbroken one does."""
    with tempfile.TemporaryDirectory() as folder:
        ocp.save(Path(folder) / "state", train(init_state(), 5))
        resumed = train(ocp.load(Path(folder) / "state", init_state()), 5)
    return [float(resumed["params"]), float(train(init_state(), 10)["params"])]


def example_wait_for_async_save() -> None:
    """Let an asynchronous save end before anything relies on its files."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        saving = ocp.save_async(path, {"w": jnp.ones((1000, 1000))})  # training can go on here
        saving.result()  # waits, and raises what went wrong in the background
        assert path.is_dir()


def saved_after_waiting() -> bool:
    """Return whether a checkpoint is there once its save was waited for."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        with orbax_v0.StandardCheckpointer() as checkpointer:
            checkpointer.save(path, {"w": jnp.ones((1000, 1000))})
        return path.is_dir()


def example_checkpoint_manager() -> None:
    """Wrap the tree in save arguments, the old manager's way."""
    tree = {"w": jnp.ones(2)}
    options = orbax_v0.CheckpointManagerOptions(max_to_keep=2)
    with tempfile.TemporaryDirectory() as folder:
        with orbax_v0.CheckpointManager(folder, options=options) as manager:
            for step in range(3):
                manager.save(step, args=orbax_v0.args.StandardSave(tree))
            manager.wait_until_finished()
            assert manager.all_steps() == [1, 2]
        assert ocp.load(Path(folder) / "2", tree)["w"].sum() == 2  # V1 reads what V0 wrote


def example_partial_load() -> None:
    """Load the parameters of a checkpoint, and leave its optimizer state on disk."""
    state = {"params": {"w": jnp.ones(2)}, "opt_state": {"mu": jnp.zeros(2)}}
    partly = ocp.options.PyTreeOptions(loading=ocp.options.PyTreeOptions.Loading(partial_load=True))
    with tempfile.TemporaryDirectory() as folder:
        ocp.save(Path(folder) / "state", state)
        with ocp.Context(pytree_options=partly):
            loaded = ocp.load(Path(folder) / "state", {"params": state["params"]})
    assert loaded.keys() == {"params"}
