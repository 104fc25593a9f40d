"""Formulas: the rules of `arithmetic` and other computed numbers as expressions that a reader can check."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from skillkit.questionnaire.sizes import number
from skillkit.recommender.arithmetic import arguments

Situation = Mapping[str, Any]


def formula(value: Any, situation: Situation) -> str:
    """Return the expression of a decision: the formula of the rule that it names, or the number itself.

    Example:
        >>> formula({"rule": "sqrt_batch", "reference": 1e-3, "batch": 1024}, {"examples_per_update": 512})
        '1e-3 * sqrt(512 / 1024)'
    """
    if not isinstance(value, Mapping):
        return number(value)
    return FORMULAS[value["rule"]](situation, **arguments(value))


def product(one: float, other: float) -> str:
    """Return the expression of a product."""
    return f"{number(one)} * {number(other)}"


def updates(answers: Situation, numbers: Situation) -> tuple[str, str]:
    """Return the expression of a run's updates, and in words where it comes from."""
    if "epochs" in answers:
        examples = numbers["examples_per_update"]
        each = number(examples) if float(examples).is_integer() else _sequences(answers)
        epoch = f"ceil({number(answers['dataset_size'])} / {each})"
        return f"ceil({epoch} * {number(answers['epochs'])})", f"The updates of {number(answers['epochs'])} epochs."
    if "tokens" in answers and numbers["tokens_per_update"]:
        tokens = number(answers["tokens"])
        return f"ceil({tokens} / {number(numbers['tokens_per_update'])})", f"The updates that see {tokens} tokens."
    return str(answers["steps"]), "The updates of the run."


def _sequences(answers: Situation) -> str:
    return f"({number(answers['batch_size'])} / {number(answers['sequence_length'])})"


def _sqrt_batch(situation: Situation, reference: float, batch: float, at_most: float = math.inf) -> str:
    examples = situation["examples_per_update"]
    if examples == batch:
        return number(reference)
    text = f"{number(reference)} * {_root(examples, batch, 1 / 4, 4)}"
    whole = reference * min(max(math.sqrt(examples / batch), 1 / 4), 4)
    return f"min({text}, {number(at_most)})" if whole > at_most else text


def _root(above: float, below: float, least: float, most: float) -> str:
    text, value = f"sqrt({number(above)} / {number(below)})", math.sqrt(above / below)
    if value < least:
        return f"max({text}, {number(least)})"
    return f"min({text}, {number(most)})" if value > most else text


def _linear_batch(situation: Situation, reference: float, batch: float) -> str:
    examples = situation["examples_per_update"]
    if examples == batch:
        return number(reference)
    capped = f"min({number(examples)}, 8192)" if examples > 8192 else number(examples)
    return f"{number(reference)} * {capped} / {number(batch)}"


def _llm_peak_lr(situation: Situation) -> str:
    parameters = situation.get("active_parameters") or situation["parameters"]
    return "1e-4" if parameters > 200e9 else f"6e-4 * ({number(parameters)} / 124e6)**-0.2"


def _continued_lr(situation: Situation) -> str:
    return f"0.4 * {_llm_peak_lr(situation)}"


def _sqrt_size(situation: Situation, reference: float, parameters: float) -> str:
    return f"{number(reference)} * sqrt({number(parameters)} / {number(situation['parameters'])})"


def _sqrt_batch_and_size(situation: Situation, reference: float, batch: float, parameters: float) -> str:
    size = f"sqrt({number(parameters)} / {number(situation['parameters'])})"
    return f"{_sqrt_batch(situation, reference, batch)} * {size}"


def _sqrt_tokens(situation: Situation, reference: float, tokens: float) -> str:
    return f"{number(reference)} * {_root(situation['tokens_per_update'], tokens, 1, 4)}"


def _adam_b2(situation: Situation, tokens: float) -> str:
    seen = situation.get("tokens_per_update") or tokens
    if seen >= tokens:
        return "1 - 0.05"
    share = f"0.05 * sqrt({number(seen)} / {number(tokens)})"
    return f"1 - {share}" if 0.05 * math.sqrt(seen / tokens) >= 1e-3 else f"1 - max({share}, 1e-3)"


def _chinchilla_tokens(situation: Situation) -> str:
    return f"20 * {number(situation.get('active_parameters') or situation['parameters'])}"


FORMULAS: dict[str, Callable[..., str]] = {
    "sqrt_batch": _sqrt_batch,
    "linear_batch": _linear_batch,
    "llm_peak_lr": _llm_peak_lr,
    "continued_lr": _continued_lr,
    "sqrt_size": _sqrt_size,
    "sqrt_batch_and_size": _sqrt_batch_and_size,
    "sqrt_tokens": _sqrt_tokens,
    "adam_b2": _adam_b2,
    "chinchilla_tokens": _chinchilla_tokens,
}
