"""Derivations: of each number of a configuration, the arithmetic that gives it and why it is so."""

from collections.abc import Iterator, Mapping
from typing import Any

from skillkit.configuration.optimizers import OPTIMIZERS
from skillkit.questionnaire.sizes import number
from skillkit.recommender.arithmetic import wanted_warmup
from skillkit.recommender.composing import delta, sampling
from skillkit.recommender.draft import Draft, Reason
from skillkit.recommender.formulas import product, updates
from skillkit.recommender.situation import Situation
from skillkit.scalars import is_number

Group = Mapping[str, Any]


def derivations(draft: Draft, situation: Situation, configuration: Mapping[str, Any]) -> list[Reason]:
    """Return the reason of each setting, numbers with their `value` and with the `arithmetic` that gives it.

    The arithmetic is an expression of numbers, `sqrt`, `ceil`, `round`, `min`, `max` and `noise_multiplier`. It gives
    the value to three digits; a number of updates is cut to a whole one. Reasons of another network or group than the
    first name it, and there are such only for what differs from the first.

    Args:
        draft: What was decided, with the reasons of the tables.
        situation: The answers.
        configuration: What was composed of both.
    """
    given = {reason["setting"]: reason for reason in draft.reasons}
    wholes = [{**given[name], "arithmetic": ""} for name in (*_WHOLES, *(set(given) - {*_WHOLES, *_NUMBERS}))]
    made = list(_shared(draft, situation, configuration, given))
    first: dict[str, Any] = {}
    for network in configuration["networks"]:
        for group in network["groups"]:
            main = network is configuration["networks"][0] and group is network["groups"][0]
            where = {} if main else {"network": network["name"], "group": group["parameters"]}
            for reason in _numbers(group, draft, situation, given, main):
                if main:
                    first[reason["setting"]] = reason["value"]
                if main or first.get(reason["setting"]) != reason["value"]:
                    made.append({**reason, **where})
    return [*wholes, *made]


# what is decided as a whole, and the numbers that the tables decide one by one
_WHOLES = ("optimizer", "schedule", "groups")
_NUMBERS = ("peak_value", "weight_decay", "clip", "ema")


def stated_number(reason: Reason) -> str:
    """Return a reason's number, and its arithmetic where that is more than the number; nothing where there is none."""
    value, arithmetic = reason.get("value"), reason["arithmetic"]
    if value is None or not arithmetic:
        return "" if value is None else str(value)
    shown = number(value)
    return shown if arithmetic == shown else f"{shown} = {arithmetic}"


def _reason(setting: str, value: Any, arithmetic: str, because: str, source: str) -> Reason:
    return {"setting": setting, "value": value, "arithmetic": arithmetic, "because": because, "source": source}


def _shared(
    draft: Draft, situation: Situation, configuration: Mapping[str, Any], given: Mapping[str, Reason]
) -> Iterator[Reason]:
    """Yield the reasons of what is one number for all networks."""
    clip = draft.clip["max_norm"] if draft.clip else None
    decay = draft.decay["value"] if draft.decay else None
    for setting, value in (("clip", clip), ("ema", draft.ema), *([("weight_decay", None)] if not decay else [])):
        yield given[setting] | {"value": value, "arithmetic": "" if value is None else number(value)}
    every, answered = configuration["accumulation"], situation.answers["accumulation"]
    if every > 1:
        own = given.get("accumulation")
        because = "As answered; it costs an accumulator, and changes no other number."
        text = str(answered) if every == answered else product(answered, every // answered)
        yield (own or _reason("", 0, "", because, "answer")) | {
            "setting": "accumulation",
            "value": every,
            "arithmetic": text,
        }
    if configuration["privacy"]:
        yield from _private(configuration, situation)


def _private(configuration: Mapping[str, Any], situation: Situation) -> Iterator[Reason]:
    networks = len(configuration["networks"])
    epsilon, failure, drawn = situation.answers["epsilon"], delta(situation), sampling(situation)
    call = f"noise_multiplier({epsilon:g}, {failure:g}, {number(drawn)}, {situation.updates})"
    shared = f" It is shared by {networks} networks that see the same examples." if networks > 1 else ""
    because = (
        f"The noise that epsilon {epsilon:g} at delta {failure:g} needs in {situation.updates:,} updates, in each of "
        f"which an example takes part with probability {drawn:.3g}; rounded up.{shared}"
    )
    text = f"{call} * sqrt({networks})" if networks > 1 else call
    yield _reason("noise_multiplier", configuration["privacy"]["noise_multiplier"], text, because, "arXiv:2208.09595")


def _numbers(
    group: Group, draft: Draft, situation: Situation, given: Mapping[str, Reason], main: bool
) -> Iterator[Reason]:
    optimizer, schedule, decay = group["optimizer"], group["schedule"], group["weight_decay"]
    for name, value in optimizer.items():
        if name != "name":
            yield _argument(optimizer["name"], name, value, draft, given, main)
    if decay and decay["value"]:
        own = decay["value"] == (draft.decay or {}).get("value")
        text = draft.sums.get("weight_decay", number(decay["value"])) if own else number(decay["value"])
        yield given["weight_decay" if own else "groups"] | {
            "setting": "weight_decay",
            "value": decay["value"],
            "arithmetic": text,
        }
    if schedule["name"] == "none":
        return
    peak = schedule["peak_value"]
    own = peak == draft.rate
    text = draft.sums.get("peak_value", number(peak)) if own else number(peak)
    yield given["peak_value" if own else "groups"] | {"setting": "peak_value", "value": peak, "arithmetic": text}
    for name, (value, arithmetic, because) in _schedule(schedule, draft.schedule, situation).items():
        source = "arithmetic" if name in _COUNTED else given["schedule"]["source"]
        found = given.get(name) or _reason(name, value, arithmetic, because, source)
        yield found | {"value": value, "arithmetic": arithmetic}


_COUNTED = ("total_steps", "init_value", "transition_steps", "decay_rate")


def _argument(optimizer: str, name: str, value: Any, draft: Draft, given: Mapping[str, Reason], main: bool) -> Reason:
    """Return why an optimizer's argument has its value: its own reason, Optax's default, or the optimizer's source."""
    counted = is_number(value)
    literal = number(value) if counted else ""
    if name in given:
        return given[name] | {"value": value, "arithmetic": draft.sums.get(name, literal)}
    if main and name in draft.sums:
        rule = _RULES[name]
        return _reason(name, value, draft.sums[name], *rule)
    usual = OPTIMIZERS[optimizer].keywords.get(name)
    decided = given["optimizer" if main else "groups"]
    if usual == value:
        return _reason(name, value, literal, f"Optax's default for {optimizer}.", "Optax")
    instead = f", where Optax's default is {number(usual)}" if isinstance(usual, float | int) and counted else ""
    return _reason(name, value, literal, f"As its source has it with {optimizer}{instead}.", decided["source"])


# the arguments of optimizers that a rule computes
_RULES = {"b2": ("Between a memory of as many updates and one of as many tokens.", "arXiv:2507.07101")}

Derived = tuple[Any, str, str]


def _schedule(shape: Group, drafted: Group, situation: Situation) -> dict[str, Derived]:
    """Return of each further number of a schedule its value, arithmetic and reason."""
    peak, total, warmup, end = (shape[name] for name in ("peak_value", "total_steps", "warmup_steps", "end_value"))
    start = "A warmup begins at 0." if warmup else "No warmup: the peak."
    found: dict[str, Derived] = {
        "total_steps": (total, *updates(situation.answers, situation.numbers)),
        "warmup_steps": (warmup, *_warmup(drafted["warmup"], situation)),
        "init_value": (shape["init_value"], number(shape["init_value"]), start),
        "end_value": (end, *_end(shape, drafted)),
        "transition_steps": (total - warmup, f"{total} - {warmup}", "The updates after the warmup."),
    }
    if shape["name"] == "exponential":
        found["decay_rate"] = (end / peak, f"{number(end)} / {number(peak)}", "The last rate over the peak.")
    for name, share in (("decay_steps", "decay"), ("cooldown_steps", "cooldown")):
        if shape.get(name):
            because = f"The last {100 * drafted[share]:g} % of the run."
            found[name] = (shape[name], _share(drafted[share], shape, shape[name]), because)
    if "timescale" in shape:
        because = "The updates after the warmup in which the rate falls by the root of 2."
        found["timescale"] = (shape["timescale"], str(shape["timescale"]), because)
    if "boundaries" in shape:
        found["scale"] = (shape["scale"], number(shape["scale"]), "What each step multiplies the rate by.")
        parts = [round(one / total, 4) for one in shape["boundaries"]]
        because = f"After {' and '.join(f'{100 * part:g} %' for part in parts)} of the run."
        found["boundaries"] = (shape["boundaries"], "", because)
    return found


def _share(part: float, shape: Group, value: int) -> str:
    total, warmup = shape["total_steps"], shape["warmup_steps"]
    whole = f"round({number(part)} * {total})"
    return whole if round(part * total) == value else f"max(1, min({whole}, {total} - {warmup}))"


def _warmup(stated: Mapping[str, float], situation: Situation) -> tuple[str, str]:
    """Return the arithmetic of a warmup, and its reason."""
    total = situation.updates
    if "warmup_steps" in situation.answers:
        return str(situation.answers["warmup_steps"]), "As answered."
    parts, words = [], []
    if stated.get("steps"):
        parts.append(number(stated["steps"]))
        words.append(f"{stated['steps']:,} updates")
    if stated.get("fraction"):
        parts.append(product(stated["fraction"], total))
        words.append(f"{100 * stated['fraction']:g} % of the run")
    if stated.get("epochs"):
        epoch = situation.numbers.get("updates_per_epoch")
        parts.append(product(stated["epochs"], epoch) if epoch else f"{number(stated['epochs'])} * {total} / 100")
        words.append(f"{number(stated['epochs'])} epochs" + ("" if epoch else ", taken as hundredths of the run"))
    if not parts:
        return "0", "No warmup."
    text, most = " + ".join(parts), stated.get("at_most", 0.1)
    if wanted_warmup(stated, situation.numbers) > most * total:
        return (
            f"min({text}, {product(most, total)})",
            f"A warmup of {' and '.join(words)}, at most {100 * most:g} % of the run.",
        )
    return text, f"A warmup of {' and '.join(words)}."


def _end(shape: Group, drafted: Group) -> tuple[str, str]:
    peak, name = number(shape["peak_value"]), shape["name"]
    if name == "constant":
        return peak, "The rate is held."
    if name == "rsqrt" and not shape["cooldown_steps"]:
        passed = f"({shape['total_steps']} - {shape['warmup_steps']})"
        return f"{peak} / sqrt(1 + {passed} / {shape['timescale']})", "Where the root ends."
    if name == "step":
        steps = len(shape["boundaries"])
        return f"{peak} * {number(shape['scale'])}**{steps}", "The peak after its steps."
    floor = drafted.get("floor", 0.0) if name != "rsqrt" else 0.0
    return (f"{number(floor)} * {peak}", f"{number(floor)} of the peak.") if floor else ("0", "The rate ends at 0.")
