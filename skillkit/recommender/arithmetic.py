"""Arithmetic: the rules by which a number follows from the answers."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from skillkit.questionnaire.sizes import parse_size

Situation = Mapping[str, Any]


def sqrt_batch(situation: Situation, reference: float, batch: float, at_most: float = math.inf) -> float:
    """Return an Adam learning rate: it grows as the square root of the batch, within a factor of 4.

    Args:
        situation: `examples_per_update`.
        reference: The rate at the batch size `batch`, in examples or sequences.
        batch: The batch size at which the reference was found.
        at_most: Where larger batches stop helping.

    Source: Malladi et al., arXiv:2205.10287.

    Example:
        >>> sqrt_batch({"examples_per_update": 1024}, reference=1e-3, batch=256)
        0.002
    """
    factor = math.sqrt(situation["examples_per_update"] / batch)
    return min(reference * min(max(factor, 1 / 4), 4), at_most)


def linear_batch(situation: Situation, reference: float, batch: float) -> float:
    """Return an SGD learning rate: it grows as the batch, up to 8192 examples, where this was shown to end.

    Source: Goyal et al., arXiv:1706.02677.

    Example:
        >>> linear_batch({"examples_per_update": 1024}, reference=0.1, batch=256)
        0.4
    """
    return float(reference * min(situation["examples_per_update"], 8192) / batch)


def llm_peak_lr(situation: Situation) -> float:
    """Return AdamW's rate for pretraining a decoder: 6e-4 at 124M parameters, falling as their fifth root.

    It reproduces nanoGPT (124M), GPT-3 125M, Pythia 160M, Llama 7B and 65B, Llama 2 7B and 70B within 0.89 and 1.14;
    GPT-3's larger models took 0.4 to 0.62 of it. Above 200B, where it would be too high, it is 1e-4. For a mixture of
    experts, the parameters are those that one token uses.

    Args:
        situation: `parameters`, or `active_parameters` where that is not None.

    Example:
        >>> round(llm_peak_lr({"parameters": 7e9}), 6)
        0.000268
    """
    parameters = situation.get("active_parameters") or situation["parameters"]
    return 1e-4 if parameters > 200e9 else 6e-4 * (parameters / 124e6) ** -0.2


def continued_lr(situation: Situation) -> float:
    """Return the rate at which pretraining continues: 40 % of its peak, as decayed checkpoints bear it.

    Example:
        >>> round(continued_lr({"parameters": 7e9}), 6)
        0.000107
    """
    return 0.4 * llm_peak_lr(situation)


def sqrt_size(situation: Situation, reference: float, parameters: float) -> float:
    """Return a rate that falls as the square root of the number of parameters.

    Example:
        >>> sqrt_size({"parameters": 4e8}, reference=1e-3, parameters=1e8)
        0.0005
    """
    return reference * math.sqrt(parameters / situation["parameters"])


def sqrt_batch_and_size(situation: Situation, reference: float, batch: float, parameters: float) -> float:
    """Return a rate that grows as the batch's square root and falls as that of the parameters.

    Example:
        >>> situation = {"examples_per_update": 1024, "parameters": 4e8}
        >>> sqrt_batch_and_size(situation, reference=1e-3, batch=256, parameters=1e8)
        0.001
    """
    return sqrt_batch(situation, reference, batch) * sqrt_size(situation, 1.0, parameters)


def sqrt_tokens(situation: Situation, reference: float, tokens: float) -> float:
    """Return an Adam rate that grows as the square root of the tokens of a batch beyond `tokens`.

    Example:
        >>> sqrt_tokens({"tokens_per_update": 120_000}, reference=5e-4, tokens=30_000)
        0.001
    """
    return reference * min(max(math.sqrt(situation["tokens_per_update"] / tokens), 1), 4)


def adam_b2(situation: Situation, tokens: float) -> float:
    """Return Adam's b2 for pretraining a decoder: 1 - b2 is 0.05, and for smaller batches falls as their root.

    This lies between a memory of as many updates, whatever the batch, and one of as many tokens (arXiv:2507.07101). It
    reproduces nanoGPT's files: 0.95 at 491,520 tokens, 0.99 at 16,384.

    Args:
        situation: `tokens_per_update`; None where it is not known.
        tokens: The tokens of a batch from which on it is 0.95.

    Example:
        >>> adam_b2({"tokens_per_update": 16_384}, tokens=409_600)
        0.99
    """
    share = (situation.get("tokens_per_update") or tokens) / tokens
    return 1 - max(0.05 * min(math.sqrt(share), 1), 1e-3)


def chinchilla_tokens(situation: Situation) -> float:
    """Return the tokens of a compute-optimal run, 20 for each parameter.

    Source: Hoffmann et al., arXiv:2203.15556.

    Example:
        >>> chinchilla_tokens({"parameters": 1e9})
        20000000000.0
    """
    parameters: float = situation.get("active_parameters") or situation["parameters"]
    return 20 * parameters


RULES: dict[str, Callable[..., float]] = {
    rule.__name__: rule
    for rule in (
        sqrt_batch,
        linear_batch,
        llm_peak_lr,
        continued_lr,
        sqrt_size,
        sqrt_batch_and_size,
        sqrt_tokens,
        adam_b2,
        chinchilla_tokens,
    )
}


def evaluate(value: Any, situation: Situation) -> Any:
    """Return a decision's value: itself, or what the rule that it names makes of the situation, to three digits.

    An argument of an optimizer may name a rule too.
    """
    if not isinstance(value, Mapping):
        return value
    if "rule" not in value:
        return {name: evaluate(argument, situation) for name, argument in value.items()}
    return three_digits(RULES[value["rule"]](situation, **arguments(value)))


def arguments(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a decision gives to the rule that it names, sizes as numbers."""
    given = {key: argument for key, argument in value.items() if key != "rule"}
    return {key: parse_size(argument) if isinstance(argument, str) else argument for key, argument in given.items()}


def three_digits(value: float) -> float:
    """Return a number rounded to three significant digits: more would claim what nobody knows."""
    return float(f"{value:.3g}")


def three_digits_up(value: float) -> float:
    """Return a number rounded up to three significant digits, where less would break a promise.

    Example:
        >>> three_digits_up(8.3203), three_digits_up(0.516)
        (8.33, 0.516)
    """
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return three_digits(math.ceil(value / unit - 1e-9) * unit)


def updates_from_epochs(dataset_size: float, epochs: float, batch_size: float) -> int:
    """Return the optimizer updates of a number of epochs, the incomplete last batch of each included.

    Example:
        >>> updates_from_epochs(dataset_size=1000, epochs=3, batch_size=300)
        12
    """
    return max(1, math.ceil(math.ceil(dataset_size / batch_size) * epochs))


def updates_from_tokens(tokens: float, tokens_per_update: float) -> int:
    """Return the optimizer updates that see a number of tokens.

    Example:
        >>> updates_from_tokens(300e9, 524_288)
        572205
    """
    return max(1, math.ceil(tokens / tokens_per_update))


def warmup_updates(warmup: Mapping[str, float], situation: Situation) -> int:
    """Return the updates of a warmup, at most a tenth of the run or the share `at_most`.

    Args:
        warmup: `steps`, `epochs` or `fraction`, and perhaps `at_most`.
        situation: `updates`, and `updates_per_epoch` (None where it is not known).

    Example:
        >>> warmup_updates({"steps": 2000}, {"updates": 5000})
        500
    """
    return int(min(wanted_warmup(warmup, situation), warmup.get("at_most", 0.1) * situation["updates"]))


def wanted_warmup(warmup: Mapping[str, float], situation: Situation) -> float:
    """Return the updates of a warmup before it is cut to a share of the run; the arguments are `warmup_updates`'s."""
    total = situation["updates"]
    wanted = warmup.get("steps", 0) + warmup.get("fraction", 0) * total
    return float(wanted + warmup.get("epochs", 0) * (situation.get("updates_per_epoch") or total / 100))


def half_life_tokens(b2: float, tokens_per_update: float) -> float:
    """Return over how many tokens the second moment forgets half: kept fixed, it carries b2 to other batches.

    Source: arXiv:2507.07101.

    Example:
        >>> round(half_life_tokens(b2=0.95, tokens_per_update=500_000), -5)
        6800000.0
    """
    return tokens_per_update * math.log(0.5) / math.log(b2)


def decay_timescale(rate: float, weight_decay: float, updates: float) -> float:
    """Return over which share of the run decoupled decay forgets a weight, 1 / (rate * decay * updates).

    Published runs from scratch lie within 0.0098 (ViT-B/16 on ImageNet-21k) and 1.6 (RoBERTa-base), speech and
    translation beyond (arXiv:2405.13698 for the quantity).

    Example:
        >>> round(decay_timescale(rate=6e-4, weight_decay=0.1, updates=600_000), 3)
        0.028
    """
    return 1 / (rate * weight_decay * updates)
