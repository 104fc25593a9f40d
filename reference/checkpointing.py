"""Checkpointing: a training state on disk, and back on the devices."""

import contextlib
import tempfile
import warnings
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
        latest = checkpointer.latest  # None before the first checkpoint
        state = checkpointer.load(latest.step, {"w": jnp.zeros(2, int)})
        assert state["w"].tolist() == [2, 2]
        assert checkpointer.save(latest.step + 1, state)


def check_overwriting() -> None:
    """Hold that a checkpoint is written over where that is asked for."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        ocp.save(path, {"w": jnp.ones(2)})
        ocp.save(path, {"w": jnp.zeros(2)}, overwrite=True)
        assert ocp.load(path, {"w": jnp.ones(2)})["w"].tolist() == [0.0, 0.0]


def later_step_saved() -> bool:
    """Return whether the second of two checkpoints is saved, under a higher number."""
    with tempfile.TemporaryDirectory() as folder, ocp.training.Checkpointer(folder) as checkpointer:
        checkpointer.save(5, {"w": jnp.ones(2)})
        return bool(checkpointer.save(6, {"w": jnp.zeros(2)}))


def example_one_checkpoint() -> None:
    """Save a tree of arrays, random keys and Python numbers, and load it as it was."""
    state: State = {"w": jnp.arange(3.0), "step": 7, "rate": 0.5, "done": False, "key": jax.random.key(0)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        ocp.save(path, state)
        loaded = ocp.load(path, state)  # the second argument gives the structure and the types
    assert (loaded["step"], loaded["rate"], loaded["done"]) == (7, 0.5, False)
    assert jax.random.bits(loaded["key"]) == jax.random.bits(state["key"])


def example_absolute_path() -> None:
    """Make the path absolute before Orbax sees it."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        path = Path("runs/model").absolute()
        ocp.save(path, {"w": jnp.ones(2)})
        assert path.is_dir()


def init_state(key: jax.Array) -> State:
    """Return what training starts from."""
    params = {"w": jax.random.normal(key, (16,))}
    return {"params": params, "opt_state": optax.adam(1e-3).init(params), "step": jnp.int32(0)}


def example_abstract_target() -> None:
    """Restore onto another mesh than the one that saved."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = jax.make_mesh((4,), ("data",), devices=jax.devices()[:4], axis_types=(AxisType.Auto,))
    sharding = NamedSharding(mesh, P())  # of all leaves; or a tree of shardings
    key = jax.random.key(0)
    saved = init_state(key)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        ocp.save(path, saved)
        target = jax.eval_shape(jax.jit(init_state, out_shardings=sharding), key)  # shapes, dtypes and places
        state = ocp.load(path, target)

    assert state["params"]["w"].sharding == sharding
    grads, opt_state = state["params"], state["opt_state"]
    assert isinstance(opt_state[0], optax.ScaleByAdamState)
    optax.adam(1e-3).update(grads, opt_state, state["params"])


def check_without_a_target() -> None:
    """Hold what comes back without a target: dicts and lists, where they were saved."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        ocp.save(path, jax.device_put(init_state(jax.random.key(0)), jax.devices()[1]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Orbax warns that it takes the saved shardings
            state = ocp.load(path)
    assert type(state["opt_state"]) is list
    assert type(state["opt_state"][0]) is dict
    assert state["params"]["w"].devices() == {jax.devices()[1]}


def loaded_as_saved() -> list[float]:
    """Return an array of 1.7 that was saved and loaded, to one digit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        ocp.save(path, {"w": jnp.full(2, 1.7)})
        loaded = ocp.load(path, {"w": jnp.zeros(2)})
    return [round(float(value), 1) for value in loaded["w"]]


def train(state: State, steps: int) -> State:
    """Take steps of Adam on a noisy quartic; all that a step depends on is in the state."""
    optimizer = optax.adam(0.1)
    for _ in range(steps):
        noise = jax.random.normal(jax.random.fold_in(state["key"], state["step"]))
        grads = jax.grad(lambda w, noise: (w + 0.1 * noise) ** 4)(state["params"], noise)
        updates, opt_state = optimizer.update(grads, state["opt_state"], state["params"])
        params = optax.apply_updates(state["params"], updates)
        state = state | {"params": params, "opt_state": opt_state, "step": state["step"] + 1}
    return state


def start() -> State:
    """Return the state before the first step."""
    params = jnp.float32(1.0)
    opt_state = optax.adam(0.1).init(params)
    return {"params": params, "opt_state": opt_state, "step": jnp.int32(0), "key": jax.random.key(0)}


def example_resume() -> None:
    """Save everything that the next step reads, and the resumed run is the unbroken one."""
    with tempfile.TemporaryDirectory() as folder, ocp.training.Checkpointer(folder) as checkpointer:
        checkpointer.save(5, train(start(), 5))
        resumed = train(checkpointer.load(5, start()), 5)
    unbroken = train(start(), 10)
    assert resumed["params"] == unbroken["params"]
    assert resumed["step"] == 10


def resumed_and_unbroken() -> list[float]:
    """Return where a resumed run ends and where an unbroken one does."""
    with tempfile.TemporaryDirectory() as folder:
        ocp.save(Path(folder) / "state", train(start(), 5))
        resumed = train(ocp.load(Path(folder) / "state", start()), 5)
    return [float(resumed["params"]), float(train(start(), 10)["params"])]


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
    target = {"params": {"w": jnp.ones(2)}}
    partly = ocp.options.PyTreeOptions(loading=ocp.options.PyTreeOptions.Loading(partial_load=True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        ocp.save(path, {**target, "opt_state": {"mu": jnp.zeros(2)}})
        with ocp.Context(pytree_options=partly):
            loaded = ocp.load(path, target)
    assert loaded.keys() == {"params"}
