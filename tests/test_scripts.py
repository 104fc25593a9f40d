import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from skillkit.configuration import building, scripts, supplements
from skillkit.configuration.format import read_configuration

FOLDER = Path(__file__).parent / "configurations"
LIBRARIES = ("pytree", "flax-linen", "flax-nnx", "equinox")
# what differs between the libraries' scripts: averages and accumulation, several networks, groups, gradients of
# each example, loss scales, a line search, averaged weights
EVERYWHERE = ("adamw", "sac", "adapters", "private", "float16", "lbfgs", "schedule_free")
REASONS = [
    {"setting": "b2", "because": "A short memory recovers from spikes.", "source": "https://example.org/b2"},
    {"setting": "peak_value", "because": "It was tuned.", "source": "arXiv:1234.5678"},
    {"setting": "schedule", "because": "The horizon is known.", "source": "judgement"},
    {"setting": "clip", "because": "Other network's.", "source": "nowhere", "network": "other"},
]


def written(name: str, library: str = "pytree", **changes: Any) -> str:
    configuration = read_configuration(FOLDER / f"{name}.yaml") | {"library": library} | changes
    return scripts.script({"configuration": configuration, "reasons": REASONS})


def loaded(text: str, folder: Path, name: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "library"),
    [
        pytest.param(name, library, marks=[] if name == "adamw" or library == "pytree" else pytest.mark.slow)
        for name in EVERYWHERE
        for library in LIBRARIES
    ],
)
def test_scripts_train_save_restore_and_go_on(
    name: str, library: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = loaded(written(name, library), tmp_path, "training")
    module.main(steps=4)
    assert "one step after restoring" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["gan", "world_model", "tables", "bfloat16", "prodigy", "muon"])
def test_pytree_scripts_of_the_other_kinds_run(name: str, tmp_path: Path) -> None:
    loaded(written(name), tmp_path, "training").main(steps=4)


@pytest.mark.parametrize("network", [0, 1])
def test_the_loss_scale_heeds_every_network(network: int, tmp_path: Path) -> None:
    module = loaded(written("gan", precision="float16"), tmp_path, "training")
    name = list(module.LOSSES)[network]
    batch = next(iter(module.batches()))
    finite, _ = module.train_step(module.new_state(jax.random.key(0)), batch)
    module.train_step.clear_cache()
    module.LOSSES[name] = lambda params, *_: jnp.inf * sum(map(jnp.sum, jax.tree.leaves(params[name])))
    overflown, _ = module.train_step(module.new_state(jax.random.key(0)), batch)
    assert overflown.loss_scale == finite.loss_scale / 2 == 2.0**14


def test_the_loss_falls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loaded(written("lbfgs"), tmp_path, "training").main(steps=20)
    found = re.search(r"after 20 steps: .*'loss': ([^}]+)}", capsys.readouterr().out)
    assert found is not None
    assert float(found[1]) < 0.01


@pytest.mark.parametrize("library", ["pytree", "flax-nnx"])
def test_state_lies_on_four_devices(library: str, tmp_path: Path) -> None:
    text = written("adamw", library)
    check = """
state = new_state(*[jax.random.key(0)][: new_state.__code__.co_argcount] if not NNX else [])
leaves = jax.tree.leaves(nnx.state(state) if NNX else state)
split = [leaf for leaf in leaves if leaf.ndim == 2]
assert len(split) >= 9 and all(len(leaf.addressable_shards) == 4 for leaf in split)
assert all(leaf.addressable_shards[0].data.size * 4 == leaf.size for leaf in split)
""".replace("[jax.random.key(0)][: new_state.__code__.co_argcount] if not NNX", "[jax.random.key(0)] if not NNX")
    path = tmp_path / "training.py"
    path.write_text(text + f"NNX = {library == 'flax-nnx'}\n" + check, encoding="utf-8")
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    command = [sys.executable, "-W", "error::DeprecationWarning", str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "one step after restoring" in done.stdout


@pytest.mark.parametrize("name", ["adamw", "muon", "private", "bfloat16", "prodigy"])
def test_scripts_take_the_steps_of_the_built_optimizer(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.randbits", lambda bits: bits)  # so that both have the same noise
    configuration = read_configuration(FOLDER / f"{name}.yaml")
    theirs = loaded(written(name), tmp_path, "training").optimizer
    (ours,) = building.build(configuration).values()
    params = {"embedding": jnp.ones((8, 4)), "hidden": {"kernel": jnp.ones((4, 4)), "bias": jnp.ones(4)}}
    if configuration["precision"] == "bfloat16-params":
        params = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), params)
    states = ours.init(params), theirs.init(params)
    for step in range(6):
        grads = jax.tree.map(lambda leaf, step=step: leaf * (step - 2.5), params)
        if configuration["privacy"]:
            grads = jax.tree.map(lambda leaf: leaf[None], grads)
        first, one = ours.update(grads, states[0], params)
        second, other = theirs.update(grads, states[1], params)
        states = one, other
        if configuration["privacy"]:  # the script's batches are half empty
            second = jax.tree.map(lambda leaf: leaf / 2, second)
        assert all(jax.tree.leaves(jax.tree.map(jnp.array_equal, first, second)))


@pytest.mark.parametrize("library", LIBRARIES)
def test_masks_find_the_parameters_of_each_library(library: str, tmp_path: Path) -> None:
    module = loaded(written("sgd_l2", library), tmp_path, "training")
    if library == "flax-nnx":
        params = module.nnx.state(module.Model(module.nnx.Rngs(0)), module.nnx.Param)
    else:
        params = module.init_params(jax.random.key(0))
    mask = module.decay_matrices(params)
    flat = jax.tree_util.tree_flatten_with_path(mask)[0]
    kept = sorted(supplements.name_of(path).partition("/")[0] for path, decays in flat if decays)
    assert kept == ["embedding", "head", "hidden"]
    assert len(flat) > len(kept)


def test_reasons_stand_above_their_numbers() -> None:
    lines = [line.strip() for line in written("adamw").splitlines()]
    assert lines[lines.index("b2=0.95,") - 1] == "# A short memory recovers from spikes (https://example.org/b2)"
    assert lines[lines.index("peak_value=0.001,") - 1] == "# It was tuned (arXiv:1234.5678)"
    assert "# The horizon is known (judgement)" in lines
    assert not any("Other network's" in line for line in lines)


@pytest.mark.parametrize("library", LIBRARIES)
def test_scripts_are_clean_and_the_same_twice(library: str, tmp_path: Path) -> None:
    for path in sorted(FOLDER.glob("*.yaml")):
        text = written(path.stem, library)
        assert text == written(path.stem, library)
        assert max(map(len, text.splitlines())) <= 120, path.stem
        (tmp_path / path.name).with_suffix(".py").write_text(text, encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    options = ["--isolated", "--line-length", "120", str(tmp_path)]
    # scripts name small functions by lambda, and zip what ends with batches that do not
    lint = ["check", "--select", "E,F,W,I,B,UP", "--ignore", "E731,B905"]
    for command in (lint, ["format", "--diff"]):
        done = subprocess.run([*ruff, *command, *options], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_optax_is_called_with_keywords(path: Path) -> None:
    tree = ast.parse(written(path.stem))
    numbers = [
        ast.unparse(call)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("optax.")
        for argument in call.args
        if isinstance(argument, ast.Constant)
    ]
    assert numbers == []
