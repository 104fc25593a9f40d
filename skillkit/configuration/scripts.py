"""Scripts: a recommendation becomes a complete training script in the user's library."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from skillkit.configuration.expressions import Setting, names, source
from skillkit.configuration.layout import environment, imports, supplements_source, tidy
from skillkit.configuration.reasons import Reasons
from skillkit.configuration.transformations import Transformation, sees_examples, trains_adapters_alone, transformations


def script(recommendation: Mapping[str, Any]) -> str:
    """Return the training script of a recommendation.

    Args:
        recommendation: With `configuration`, and where known `reasons` and `title`.
    """
    configuration = recommendation["configuration"]
    body = environment().get_template(f"{configuration['library']}.py.j2").render(_context(recommendation))
    title = recommendation.get("title") or "Training with " + ", ".join(_optimizers(configuration))
    head = _TITLE.format(title=title)
    return f"{head}\n{imports(body)}\n{tidy(body)}"


def optimizer_script(recommendation: Mapping[str, Any]) -> str:
    """Return of a recommendation's script the optimizer alone, with all that it needs.

    Args:
        recommendation: As for `script`.
    """
    configuration = recommendation["configuration"]
    found = transformations(configuration)
    carried = supplements_source(_mentioned(configuration, found, _optimizers(configuration)))
    body = carried + "\n\n".join(_assignments(found, Reasons(recommendation.get("reasons") or ())))
    return tidy(f"{imports(body)}\n\n{body}")


_TITLE = '''"""{title}.

Written by skillkit for jax>=0.7.2 and optax>=0.2.8. The model and the data are stand-ins: put yours in their
place and keep the rest. Above each number stands where it comes from.
"""
'''


def _context(recommendation: Mapping[str, Any]) -> dict[str, Any]:
    configuration = recommendation["configuration"]
    found, networks = transformations(configuration), configuration["networks"]
    reasons = Reasons(recommendation.get("reasons") or ())
    precision = configuration.get("precision") or "float32"
    compute = {"bfloat16-compute": "jnp.bfloat16", "float16": "jnp.float16"}.get(precision)
    optimizers = _optimizers(configuration)
    every = configuration.get("accumulation") or 1
    carried = supplements_source(_mentioned(configuration, found, optimizers))
    return {
        "library": configuration["library"],
        "networks": [network["name"] for network in networks],
        "many": len(networks) > 1,
        "optimizer": carried + "\n\n".join(_assignments(found, reasons)),
        "private": bool(configuration.get("privacy")),
        "linear": "sgd" in optimizers,
        "per_example": any(sees_examples(configuration, network) for network in networks),
        "every": every,
        "ema": configuration.get("ema"),
        "ema_note": reasons.comment(Setting(configuration.get("ema"), "ema")),
        "float16": precision == "float16",
        "objective": "objective" if precision == "float16" else "loss_fn",
        "dtype": "jnp.bfloat16" if precision == "bfloat16-params" else "jnp.float32",
        "compute_dtype": compute,
        "compute": lambda tree: f"optax.tree.cast({tree}, {compute})" if compute else tree,
        "lbfgs": "lbfgs" in optimizers,
        "schedule_free": "contrib.schedule_free_adamw" in optimizers,
        "adapters": any(group["parameters"] == "adapters" for one in networks for group in one["groups"]),
        "alone": trains_adapters_alone(configuration),
        "devices": configuration.get("devices") or 1,
        "steps": 20 * every,
        "total": f"{_total(configuration):_}",
    }


def _optimizers(configuration: Mapping[str, Any]) -> list[str]:
    groups = (group for network in configuration["networks"] for group in network["groups"])
    return list(dict.fromkeys(group["optimizer"]["name"] for group in groups))


def _total(configuration: Mapping[str, Any]) -> int:
    groups = (group for network in configuration["networks"] for group in network["groups"])
    return max((group["schedule"].get("total_steps") or 0 for group in groups), default=0)


def _assignments(found: list[Transformation], reasons: Reasons) -> Iterator[str]:
    for made in found:
        prefix = f"{made.network}_" if len(found) > 1 else ""
        of_network = reasons.of(made.network)
        for name, call in made.schedules.items():
            yield f"{of_network.heading('schedule')}{prefix}{name} = {source(call, of_network.note)}"
        text = f"{of_network.heading('optimizer')}{prefix}optimizer = {source(made.optimizer, of_network.note)}"
        for name in made.schedules if prefix else ():
            text = re.sub(rf"\b{name}(?=[,)])", f"{prefix}{name}", text)
        yield text + "\n"


def _mentioned(configuration: Mapping[str, Any], found: list[Transformation], optimizers: list[str]) -> list[str]:
    calls = [call for made in found for call in (*made.schedules.values(), made.optimizer)]
    averaged = ["schedule_free_params"] if "contrib.schedule_free_adamw" in optimizers else []
    alone = trains_adapters_alone(configuration) and configuration["library"] != "flax-nnx"
    return [name for call in calls for name in names(call)] + averaged + ["adapters_of", "with_adapters"] * alone
