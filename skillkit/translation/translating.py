"""Translating: what a file says of training as a configuration of Optax, with what is equal and what is not."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skillkit.configuration.format import validate
from skillkit.configuration.optimizers import WITHOUT_RATE
from skillkit.curves.counting import held, sampled
from skillkit.curves.curve import Curve, constant, joined, product
from skillkit.curves.schedulers import SCHEDULERS
from skillkit.errors import BadInput, bad_input, counted
from skillkit.translation.clipping import bound_of, clipping
from skillkit.translation.fitting import Fit, fitted
from skillkit.translation.optimizers import Made, Row, made
from skillkit.translation.tables import Entry, bound, entries
from skillkit.translation.values import Given, Part, Recipe, Remark, numbers

ASSUMED_UPDATES = 10_000


@dataclass
class Translation:
    """A configuration, and how far it is what was translated.

    Args:
        recipe: What was translated.
        configuration: One that `skillkit.configuration.format` accepts.
        rows: Which number became which, by the optimizer whose it was.
        placed: Of the other settings, what they come from, and its documentation.
        equal: What is the same.
        differs: What is not.
    """

    recipe: Recipe
    configuration: dict[str, Any] = field(default_factory=dict)
    rows: list[tuple[Entry, Row]] = field(default_factory=list)
    placed: list[tuple[str, Given, str]] = field(default_factory=list)
    equal: list[Remark] = field(default_factory=list)
    differs: list[Remark] = field(default_factory=list)


def translate(recipe: Recipe, updates: int | None = None) -> Translation:
    """Return the configuration that a recipe is.

    Args:
        recipe: What a file says of training.
        updates: The run's length in optimizer updates, where the file does not say it or says it otherwise.

    Raises:
        BadInput: There is nothing in it that can be translated; with all that was not understood.
    """
    result = Translation(recipe)
    found = [(part, network) for part in recipe.parts if (network := _network(result, part, updates))]
    if not found:
        message = f"no optimizer that can be translated: this was read as a {recipe.kind}"
        raise BadInput(recipe.unread) if recipe.unread else bad_input(recipe.path, message)
    networks = [
        network | {"name": name} for (_, network), name in zip(found, _names([part for part, _ in found]), strict=True)
    ]
    whole = validate({"skillkit": "1", **recipe.settings, "networks": networks}, recipe.path)
    result.configuration = {key: whole[key] for key in ("skillkit", *whole)}
    result.differs += [Remark("run", text, source) for text, source in recipe.differs]
    return result


def _names(parts: list[Part]) -> list[str]:
    """Return a name for each network: `model`, or of several those of their optimizers."""
    if len(parts) == 1:
        return ["model"]
    names: list[str] = []
    for number, part in enumerate(parts, 1):
        word = re.sub(r"\W+", "_", part.optimizer.variable.rpartition(".")[2].lower()).strip("_")
        fits = re.fullmatch(r"[a-z][a-z0-9_]*", word) and word not in names
        names.append(word if fits else f"network_{number}")
    return names


def _network(result: Translation, part: Part, updates: int | None) -> dict[str, Any] | None:
    recipe = result.recipe
    entry = entries("optimizers")[part.optimizer.name]
    optimizer = made(part, entry, recipe)
    if optimizer is None:
        return None
    schedule, varies = _schedule(result, part, optimizer, updates)
    # a scheduler may have rates of its own
    kept = math.isclose(schedule.get("peak_value") or 0.0, optimizer.rate)
    result.rows += [(entry, row) for row in optimizer.rows if kept or row.here != "rate"]
    differs = optimizer.differs(varies)
    result.differs += [Remark(entry.short, text, entry.source) for text in differs]
    if entry.equal and not differs:
        result.equal.append(Remark(entry.short, entry.equal, entry.source))
    group = {
        "name": "all",
        "parameters": "all",
        "optimizer": optimizer.optimizer,
        "weight_decay": optimizer.decay,
        "schedule": schedule,
    }
    return {"name": "model", "clip": _clip(result, part), "groups": [group]}


def _schedule(result: Translation, part: Part, optimizer: Made, updates: int | None) -> tuple[dict[str, Any], bool]:
    """Return the schedule, and whether it varies."""
    recipe = result.recipe
    if optimizer.optimizer["name"] in WITHOUT_RATE:
        return {"name": "none"}, False
    curve = _curve(result, part, optimizer.rate) or constant(optimizer.rate)
    total = updates or recipe.updates or curve.length
    if total is None:
        total = ASSUMED_UPDATES
        recipe.assumed.append(f"the run takes {counted(total, 'update')} (--updates says otherwise)")
    try:
        fit = fitted(curve, total)
    except (ArithmeticError, ValueError, TypeError) as error:
        where = part.scheduler or part.optimizer
        raise bad_input(recipe.path, f"no learning rate: {error}", where.line, where.column) from error
    if part.scheduler:
        _remark(result, part.scheduler, fit, total)
    return fit.schedule, fit.schedule["name"] != "constant" or bool(fit.schedule.get("warmup_steps"))


def _remark(result: Translation, scheduler: Given, fit: Fit, total: int) -> None:
    entry = entries("schedulers")[scheduler.name]
    result.placed.append(("schedule", scheduler, entry.source))
    which = (
        f"all {counted(total, 'update')}"
        if fit.compared == total
        else f"{fit.compared:,} of {counted(total, 'update')}"
    )
    if fit.equal:
        text = f"the same rate in {which}"
        result.equal.append(Remark(entry.short, text, entry.source))
    else:
        text = (
            f"the nearest schedule, {fit.schedule['name']}, differs by up to {fit.difference:.2g} of the highest rate, "
            f"at update {fit.update:,} (compared in {which})"
        )
        result.differs.append(Remark(entry.short, text, entry.source))


def _curve(result: Translation, part: Part, rate: float) -> Curve | None:
    if part.scheduler is None:
        return None
    curve = _made_curve(result, part.scheduler, rate)
    if curve is None:
        return None
    if part.every is None:
        short = part.scheduler.name.rpartition(".")[2]
        message = (
            f"{short} is stepped once in an epoch: --updates-per-epoch says how many updates that is; here it is 1"
        )
        result.recipe.miss(part.scheduler, message)
    return sampled(held(curve, part.every or 1, part.skips), part.batches)


def _made_curve(result: Translation, given: Given, rate: float) -> Curve | None:
    recipe, entry = result.recipe, entries("schedulers")[given.name]
    if entry.instead:
        recipe.miss(given, f"{entry.short} is not translated: {entry.instead}")
        return None
    arguments = bound(given, entry, recipe)
    if arguments is None:
        return None
    plain = {name: value.plain for name, value in arguments.items()}
    for name, argument in entry.arguments.items():
        if argument.only and plain[name] not in argument.only:
            result.differs.append(Remark(entry.short, argument.differs, entry.source))
    try:
        curve = _by_name(result, entry, plain, given, rate)
        if curve is not None:
            curve.rate(0)
    except (ArithmeticError, ValueError, TypeError, IndexError, KeyError):
        recipe.miss(given, f"{entry.short} is not translated: {_shown(plain)} make no curve")
        return None
    return curve


def _by_name(result: Translation, entry: Entry, plain: Mapping[str, Any], given: Given, rate: float) -> Curve | None:
    if entry.short == "LambdaLR":
        factor = plain["lr_lambda"]
        if not callable(factor):
            raise TypeError
        return Curve(lambda update: rate * factor(update))
    if entry.short in ("SequentialLR", "ChainedScheduler"):
        made = [_made_curve(result, part, rate) for part in given.parts]
        curves = [curve for curve in made if curve is not None]
        if not curves or len(curves) < len(made):
            return None
        return product(curves, rate) if entry.short == "ChainedScheduler" else joined(curves, plain["milestones"])
    if not all(abs(number) < float("inf") for number in numbers(list(plain.values()))):
        raise ValueError
    return SCHEDULERS[entry.short](plain, rate)


def _shown(plain: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}"[:40] for name, value in plain.items() if not callable(value))


def _clip(result: Translation, part: Part) -> dict[str, Any] | None:
    if part.clip is None:
        return None
    clip = clipping(part.clip)
    if clip is None:
        result.recipe.miss(part.clip, f"the clipping is not translated: its bound is {bound_of(part.clip)}")
        return None
    result.placed.append(("clip", part.clip, clip.source))
    result.equal += clip.equal
    result.differs += clip.differs
    return {"kind": clip.kind, "max_norm": bound_of(part.clip)}
