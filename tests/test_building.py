import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import optax
import pytest

import skillkit
from skillkit.configuration import building, expressions, masks, supplements, transformations
from skillkit.configuration.format import read_configuration
from skillkit.errors import BadInput

FOLDER = Path(__file__).parent / "configurations"
FILES = sorted(FOLDER.glob("*.yaml"))


SHAPES = {
    "embedding": {"table": (20, 16)},
    "hidden": {"kernel": (16, 16), "bias": (16,)},
    "adapter": {"lora_a": (16, 2)},
    "head": {"kernel": (16, 20)},
}


def params_of(configuration: Any, shapes: Any = SHAPES) -> Any:
    dtype = jnp.bfloat16 if configuration["precision"] == "bfloat16-params" else jnp.float32
    key = jax.random.key(0)
    return jax.tree.map(
        lambda shape: jax.random.normal(key, shape, dtype), shapes, is_leaf=lambda node: isinstance(node, tuple)
    )


def per_example(configuration: Any) -> bool:
    clips = [(network.get("clip") or {}).get("kind") for network in configuration["networks"]]
    return bool(configuration["privacy"]) or "per_example" in clips


def step_of(optimizer: Any, configuration: Any) -> Any:
    """Return a step down a bowl with a moving bottom, as a function of parameters, state and count."""

    def loss(params: Any, count: jax.Array) -> jax.Array:
        return optax.tree.sum(jax.tree.map(lambda leaf: jnp.sum((leaf - jnp.sin(1.0 * count)) ** 2), params))

    def step(params: Any, opt_state: Any, count: jax.Array) -> tuple[Any, Any]:
        value, grads = jax.value_and_grad(loss)(params, count)
        line = {"value": value, "grad": grads, "value_fn": lambda params: loss(params, count)}
        if per_example(configuration):
            grads = jax.tree.map(lambda grad: jnp.stack([grad, -grad, grad]), grads)
        extra = line if isinstance(optimizer, optax.GradientTransformationExtraArgs) else {}
        updates, opt_state = optimizer.update(grads, opt_state, params, **extra)
        return optax.apply_updates(params, updates), opt_state

    return step


def printed(made: transformations.Transformation) -> Any:
    """Return the optimizer that the printed expressions stand for."""
    known: dict[str, Any] = {"optax": optax, "jnp": jnp} | vars(masks) | vars(supplements)
    for name, call in made.schedules.items():
        known[name] = eval(expressions.source(call), dict(known))
    return eval(expressions.source(made.optimizer), known)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_steps_are_finite_and_move(path: Path) -> None:
    configuration = read_configuration(path)
    optimizer = skillkit.build_optimizer(path)
    step = jax.jit(step_of(optimizer, configuration))
    start = params = params_of(configuration)
    opt_state = jax.jit(optimizer.init)(params)
    for count in range(3 * configuration["accumulation"]):
        params, opt_state = step(params, opt_state, jnp.int32(count))
    assert all(jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(params))
    # Prodigy's first steps are too small for bfloat16: they show in the master copy only
    moving = opt_state.master if isinstance(opt_state, supplements.MasterState) else params
    assert not all(jax.tree.leaves(jax.tree.map(jnp.array_equal, start, moving)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_printed_text_is_the_same_program(path: Path) -> None:
    configuration = read_configuration(path)
    built = building.build(configuration)
    params = params_of(configuration)
    for made in transformations.transformations(configuration):
        theirs = printed(made)
        opt_state = jax.eval_shape(theirs.init, params)
        ours, others = (
            str(jax.make_jaxpr(step_of(optimizer, configuration))(params, opt_state, jnp.int32(0)))
            for optimizer in (built[made.network], theirs)
        )
        assert re.sub(r"0x[0-9a-f]+", "", ours) == re.sub(r"0x[0-9a-f]+", "", others)


def test_a_network_is_chosen_by_name() -> None:
    path = FOLDER / "gan.yaml"
    assert list(skillkit.build_optimizers(path)) == ["generator", "discriminator"]
    assert skillkit.build_optimizer(path, network="discriminator").init({"kernel": jnp.ones(2)})
    with pytest.raises(BadInput, match=r"no network 'discriminater' \(did you mean 'discriminator'"):
        skillkit.build_optimizer(path, network="discriminater")


def test_bad_files_are_refused_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text((FOLDER / "sgd_l2.yaml").read_text().replace("kind: l2", "kind: decoupled"))
    with pytest.raises(BadInput, match=r"c\.yaml:9:\d+: optax\.sgd cannot decay weights decoupled"):
        skillkit.build_optimizer(path)


def test_trying_takes_steps_and_says_what_is_not_finite() -> None:
    configuration = read_configuration(FOLDER / "sgd_plain.yaml")
    building.try_configuration(configuration)
    configuration["networks"][0]["groups"][0]["schedule"] |= {"init_value": 1e38, "peak_value": 1e38}
    with pytest.raises(BadInput, match="not finite after two updates"):
        building.try_configuration(configuration)


@pytest.mark.parametrize("module", ["format", "transformations", "memory", "scripts", "studies", "plots", "schedules"])
def test_only_building_imports_jax(module: str) -> None:
    code = f"import sys, skillkit.configuration.{module}; sys.exit('jax' in sys.modules or 'optax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    code = "import sys, skillkit; skillkit.build_optimizer; sys.exit('jax' in sys.modules)"
    assert module != "transformations" or subprocess.run([sys.executable, "-c", code], check=False).returncode == 1


MORE = {
    "query": {"kernel": (16, 2, 8)},
    "conv": {"kernel": (3, 4, 8), "bias": (4, 1, 1)},
    "norm": {"scale": (16,)},
}


def test_muon_takes_hidden_matrices_only() -> None:
    configuration = read_configuration(FOLDER / "muon.yaml")
    (made,) = transformations.transformations(configuration)
    labels = building.evaluate(
        next(part.keywords["param_labels"] for part in _calls(made.optimizer) if part.function == "optax.partition"),
        {},
    )(params_of(configuration, SHAPES | MORE))
    flat = jax.tree_util.tree_flatten_with_path(labels)[0]
    muon = {supplements.name_of(path) for path, label in flat if label == "matrices"}
    expected = {"hidden/kernel", "query/kernel", "conv/kernel", "adapter/lora_a"}
    assert muon == expected


def _calls(call: Any) -> Any:
    if isinstance(call, expressions.Call):
        yield call
        for part in (*call.positional, *call.keywords.values()):
            yield from _calls(part)
