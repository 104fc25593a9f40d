"""Building: a configuration becomes Optax transformations."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import optax

from skillkit.configuration import masks, supplements
from skillkit.configuration.expressions import Call, Name, Setting
from skillkit.configuration.format import read_configuration
from skillkit.configuration.transformations import Transformation, transformations
from skillkit.errors import bad_input, did_you_mean

_MODULES: dict[str, Any] = {"jax": jax, "jnp": jnp, "optax": optax}


def build_optimizer(path: str | Path, network: str | None = None) -> optax.GradientTransformation:
    """Return the optimizer of a saved configuration, the same as in the printed script.

    Args:
        path: A YAML or JSON file from `skillkit recommend-optimizer --format yaml`.
        network: Where several networks are trained, which of them; the first.

    Raises:
        BadInput: With the place of everything that is wrong in the file.
    """
    optimizers = build_optimizers(path)
    if network is not None and network not in optimizers:
        known = f"{did_you_mean(network, optimizers)}: one of {', '.join(optimizers)}"
        raise bad_input(path, f"there is no network '{network}'{known}")
    return optimizers[network] if network else next(iter(optimizers.values()))


def build_optimizers(path: str | Path) -> dict[str, optax.GradientTransformation]:
    """Return the optimizer of every network of a saved configuration, by the network's name.

    Raises:
        BadInput: With the place of everything that is wrong in the file.
    """
    return build(read_configuration(Path(path)))


def build(configuration: Mapping[str, Any]) -> dict[str, optax.GradientTransformation]:
    """Return the transformation of each network.

    Args:
        configuration: One that `skillkit.configuration.format` accepts.
    """
    return {made.network: _optimizer(made) for made in transformations(configuration)}


def learning_rates(configuration: Mapping[str, Any]) -> dict[str, dict[str, optax.Schedule]]:
    """Return the schedules of each network by their names in the transformation."""
    return {
        made.network: {name: evaluate(call, {}) for name, call in made.schedules.items()}
        for made in transformations(configuration)
    }


def try_configuration(configuration: Mapping[str, Any]) -> None:
    """Build every network's optimizer and take two updates under jit.

    Raises:
        BadInput: The parameters are not finite after them.
    """
    for name, optimizer in build(configuration).items():
        params = _small_params(configuration.get("precision"))
        opt_state = jax.jit(optimizer.init)(params)
        for _ in range(2 * (configuration.get("accumulation") or 1)):
            params, opt_state = _updated(optimizer, params, opt_state, _per_example(configuration))
        if not jnp.isfinite(optax.tree.norm(params)):
            raise bad_input(f"network '{name}'", "the parameters are not finite after two updates")


def _small_params(precision: str | None) -> Any:
    dtype = jnp.bfloat16 if precision == "bfloat16-params" else jnp.float32
    shapes = {"embedding/table": (16, 8), "hidden/kernel": (8, 8), "hidden/bias": (8,), "lora_a/kernel": (8, 2)}
    return {name: jnp.ones(shape, dtype) for name, shape in shapes.items()}


def _per_example(configuration: Mapping[str, Any]) -> bool:
    clips = [(network.get("clip") or {}).get("kind") for network in configuration["networks"]]
    return bool(configuration.get("privacy")) or "per_example" in clips


def _updated(
    optimizer: optax.GradientTransformation, params: Any, opt_state: Any, per_example: bool
) -> tuple[Any, Any]:
    def loss(params: Any) -> jax.Array:
        return jnp.square(optax.tree.norm(params))

    @jax.jit
    def step(params: Any, opt_state: Any) -> tuple[Any, Any]:
        value, grads = jax.value_and_grad(loss)(params)
        if per_example:
            grads = jax.tree.map(lambda grad: jnp.stack([grad, grad]), grads)
        known = {"value": value, "grad": grads, "value_fn": loss}  # what a line search needs; others ignore it
        line_search = isinstance(optimizer, optax.GradientTransformationExtraArgs)
        updates, opt_state = optimizer.update(grads, opt_state, params, **(known if line_search else {}))
        return optax.apply_updates(params, updates), opt_state

    stepped: tuple[Any, Any] = step(params, opt_state)
    return stepped


def evaluate(value: Any, known: Mapping[str, Any]) -> Any:
    """Return what an expression stands for; `known` holds what the script would have assigned before."""
    if isinstance(value, Setting):
        return evaluate(value.value, known)
    if isinstance(value, Name):
        return known[value.name] if value.name in known else _named(value.name)
    if isinstance(value, Call):
        return _called(value, known)
    if isinstance(value, list):
        return [evaluate(part, known) for part in value]
    if isinstance(value, dict):
        return {key: evaluate(part, known) for key, part in value.items()}
    return value


def _optimizer(made: Transformation) -> optax.GradientTransformation:
    known = {name: evaluate(call, {}) for name, call in made.schedules.items()}
    optimizer: optax.GradientTransformation = evaluate(made.optimizer, known)
    return optimizer


def _called(call: Call, known: Mapping[str, Any]) -> Any:
    positional = [evaluate(part, known) for part in call.positional]
    keywords = {key: evaluate(part, known) for key, part in call.keywords.items()}
    result = _named(call.function)(*positional, **keywords)
    return getattr(result, call.method)() if call.method else result


def _named(name: str) -> Any:
    first, *others = name.split(".")
    found = _MODULES.get(first) or getattr(supplements, first, None) or getattr(masks, first)
    for other in others:
        found = getattr(found, other)
    return found
