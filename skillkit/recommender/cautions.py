"""Cautions: what is unusual about a run, and what the numbers imply."""

from collections.abc import Iterator, Mapping
from typing import Any

from skillkit.questionnaire.questions import LENGTHS
from skillkit.recommender.arithmetic import decay_timescale, half_life_tokens
from skillkit.recommender.composing import examples, sampling
from skillkit.recommender.draft import ADAMS, Draft
from skillkit.recommender.situation import Situation

_GIB = 2**30

_SOLVERS = ("pinn", "gaussian-process", "neural-ode")
_HARDLY = 20  # times the run: less than 5 % of a weight; published runs from scratch reach 16 (LAMB's second phase)
_SHORTEST = 0.005  # of the run; half of the shortest published
_LANGUAGE_MODELS = ("decoder-lm", "moe-lm")


def cautions(draft: Draft, situation: Situation, memory: Mapping[str, Any]) -> list[str]:
    """Return the warnings about a run, each one sentence or two."""
    parts = (
        _schedule(situation),
        _decay(draft, situation),
        _tokens(situation),
        _precision(situation),
        _priority(draft, situation),
        _length(situation),
        _division(draft, situation),
        _privacy(situation),
        _fit(draft, memory, situation),
    )
    return [text for part in parts for text in part]


def implied(draft: Draft, situation: Situation) -> dict[str, Any]:
    """Return what the numbers imply: the decay's timescale, the half-life of b2, tokens per parameter."""
    numbers, b2 = situation.numbers, draft.optimizer.get("b2")
    tokens = numbers["tokens_per_update"]
    return {
        "decay_timescale": _timescale(draft, situation),
        "b2_half_life_tokens": half_life_tokens(b2, tokens) if b2 and tokens and draft.name in ADAMS else None,
        "tokens_per_parameter": _per_parameter(situation),
    }


def _timescale(draft: Draft, situation: Situation) -> float | None:
    decay = draft.decay
    if decay is None or decay["kind"] != "decoupled" or draft.rate is None or draft.name == "lars":
        return None
    return decay_timescale(draft.rate, decay["value"], situation.updates)


def _per_parameter(situation: Situation) -> float | None:
    seen = situation.numbers["tokens_seen"]
    parameters = situation.numbers.get("active_parameters") or situation.numbers["parameters"]
    return seen / parameters if seen and situation.answers["family"] in _LANGUAGE_MODELS else None


def _schedule(situation: Situation) -> Iterator[str]:
    if situation.answers.get("warmup_steps", 0) > 0.3 * situation.updates:
        yield "The warmup takes more than 30 % of the run; published runs stay below 10 %, LAMB's below 28 %."


def _decay(draft: Draft, situation: Situation) -> Iterator[str]:
    share = _timescale(draft, situation)
    if share is None or situation.answers["stage"] != "from-scratch" or _is_off(draft):
        return
    if share > _HARDLY:
        yield (
            f"The weight decay takes {1 / share:.1%} off a weight over the whole run: it is nearly off; raise it, or "
            "accept that the run is short."
        )
    if share < _SHORTEST:
        yield (
            f"The weight decay forgets over {share:.2g} of the run, where the shortest published is 0.0098 (ViT-B/16 "
            "on ImageNet-21k): early data leave no trace; lower it in proportion to the longer run."
        )


def _is_off(draft: Draft) -> bool:
    # what published configurations write where dropout or augmentation regularises: 1e-3 to 1e-8
    return draft.decay is not None and draft.decay["value"] < 0.01


def _tokens(situation: Situation) -> Iterator[str]:
    ratio = _per_parameter(situation)
    if ratio is None or situation.answers["stage"] != "from-scratch":
        return
    if ratio < 10:
        yield f"{ratio:.2g} tokens per parameter: a smaller model would reach the same loss for less (20 is optimal)."


def _priority(draft: Draft, situation: Situation) -> Iterator[str]:
    priority = situation.answers["priority"]
    if priority != "default" and not draft.has_priority:
        yield f"The priority {priority} changes nothing here: the tables have another choice for plain Adams alone."


def _precision(situation: Situation) -> Iterator[str]:
    precision, family = situation.answers["precision"], situation.answers["family"]
    if precision == "bfloat16-params":
        yield "bfloat16 parameters do not move where an update is below 1/256 of them: keep float32 master weights."
    if precision == "float16":
        yield "float16 needs loss scaling, with updates skipped where it overflows; bfloat16-compute does not."
    if precision != "float32" and family in _SOLVERS:
        yield f"The family {family} needs float32 at least, better float64 (jax_enable_x64)."


def _length(situation: Situation) -> Iterator[str]:
    answers = situation.answers
    guessed = all(name in situation.assumed or name not in answers for name in LENGTHS)
    given = "dataset_size" in answers and "dataset_size" not in situation.assumed
    if answers["batch_unit"] == "tokens" and given and guessed:
        yield "dataset_size counts sequences and alone sets no length of training: give epochs with it, or tokens."


def _division(draft: Draft, situation: Situation) -> Iterator[str]:
    parts = situation.answers["devices"] * draft.accumulation
    examples = situation.numbers["examples_per_update"]
    devices = situation.answers["devices"]
    if devices & (devices - 1):
        yield (
            f"An array is split only along an axis that {devices} divides, and elsewhere held whole by each device; "
            "the memory assumes that all widths are such."
        )
    if round(examples) % parts:
        yield f"A batch of {examples:g} is not divisible by {parts}, the devices times the accumulation."
    if draft.accumulation > 1 and draft.rate is None:
        yield "A line search needs the whole batch at once: the accumulation is 1."
        return
    if draft.accumulation > 1 and situation.answers["devices"] == 1:
        yield "Accumulation on one device costs 4 bytes per parameter" + (
            "; a smaller batch and rate do as well." if _is_batch_free(situation) else "."
        )
    if draft.accumulation > 1:
        yield "MultiSteps advances the schedule once per update, not per micro-batch: total_steps counts updates."


def _is_batch_free(situation: Situation) -> bool:
    # the noise for privacy is shared by a batch, and a contrastive loss takes its negatives from it
    return bool(situation.answers["privacy"] == "none" and situation.answers["family"] != "contrastive")


def _privacy(situation: Situation) -> Iterator[str]:
    if situation.answers["privacy"] == "none":
        return
    yield (
        "The privacy holds where each example is drawn into each batch by itself (Poisson sampling), with probability "
        f"{sampling(situation):.3g}, not for shuffled epochs. Batches then vary in size: pad with gradients of zero."
    )
    yield "Keep secret the key of the noise, and the checkpoints, which hold it: who has it takes the noise away."
    if "dataset_size" not in situation.answers or "dataset_size" in situation.assumed:
        yield (
            f"Nobody said how many examples there are: epsilon is kept for {examples(situation):,.0f} and more, not "
            "for fewer; give dataset_size."
        )
    if situation.answers["tuning_trials"]:
        yield "Every trial on the private data spends a budget of its own: tune on public data."


def _fit(draft: Draft, memory: Mapping[str, Any], situation: Situation) -> Iterator[str]:
    gib = situation.answers.get("device_memory_gib")
    if gib is None or memory["per_device"]["total"] <= gib * _GIB:
        return
    needed = memory["per_device"]["total"] / _GIB
    devices = -(-memory["total"] // max(int(gib * _GIB), 1))
    answers = situation.answers
    # the tables trade the moments of plain Adams alone
    saves = draft.name in ADAMS and (answers["priority"], answers["privacy"]) == ("default", "none")
    others = [
        *(["take priority: memory"] if saves and answers["stage"] != "adapter" else []),
        *(["train adapters"] if situation.answers["stage"] != "adapter" else []),
    ]
    yield (
        f"Parameters, gradients and optimizer state need {needed:.3g} GiB per device, and there are {gib:g}, without "
        f"activations: {', or '.join([f'shard over {devices} devices or more', *others])}."
    )
