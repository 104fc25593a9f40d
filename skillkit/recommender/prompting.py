"""Prompting: what the prompt for assistants says, made by the recommender from the same tables."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from skillkit.configuration.expressions import source
from skillkit.configuration.transformations import transformation
from skillkit.places import Project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.questionnaire.sizes import number, write_size
from skillkit.reading import Document, read
from skillkit.recommender.recommending import Recommendation, recommend, settings_for

TEMPLATE = "prompt-jax-optimizer.md.j2"


def prompt_context(project: Project) -> dict[str, Any]:
    """Return what the prompt's template speaks of.

    Returns:
        `questions` that are asked; `tables`, a row for each family and fork; `tenths`, the families that are fine-tuned
        alike at a tenth of the rate; `finetunes`, a row for each that is fine-tuned otherwise; `adapters`, a row for
        each rate with its families; `issues`; the `example`.
    """
    folder = decisions_folder(project)
    questionnaire = read_questions(folder)
    families = questionnaire["family"].choices
    shown = read(folder / "prompt.yaml").value
    scratch = [_row({"family": family}, folder) for family in families]
    tuned = [_row({"family": family, "stage": "finetune"}, folder) for family in families]
    pairs = list(zip(families, scratch, tuned, strict=True))
    tenths = [family for family, before, after in pairs if _is_tenth(before, after)]
    differing = [
        after for family, before, after in pairs if family not in tenths and _settings(after) != _settings(before)
    ]
    forks = [_row(answers, folder) for answers in shown["forks"]]
    return {
        "questions": [question for question in questionnaire.questions if question.round],
        "tables": [*scratch, *forks],
        "finetunes": differing,
        "tenths": tenths,
        "adapters": _adapters(families, folder),
        "issues": read(folder / "issues.yaml").value,
        "example": _example(shown["example"], folder),
        "given": None,
    }


def _settings(row: Mapping[str, str]) -> dict[str, str]:
    """Return what of a row is no matter of the run's length."""
    return {name: value for name, value in row.items() if name != "case"} | {"schedule": row["schedule"].split()[0]}


def _is_tenth(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    return _settings(after) == _settings(before) | {"rate": number(float(before["rate"]) / 10)}


def _adapters(families: Iterable[str], folder: Path) -> list[dict[str, Any]]:
    """Return the settings of adapters, each with the families that have them."""
    found: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for family in families:
        row = _row({"family": family, "stage": "adapter"}, folder)
        found.setdefault(tuple(_settings(row).items()), []).append(family)
    return [{**dict(settings), "families": names} for settings, names in found.items()]


def given_context(recommendation: Recommendation) -> dict[str, Any]:
    """Return what the template says of a user's answers and the recommendation for them."""
    return {"given": {"answers": _pairs(recommendation["answers"]), **_summary(recommendation)}}


def _documents(answers: Mapping[str, Any]) -> list[Document]:
    return [Document("prompt.yaml", dict(answers), {})]


def _row(answers: Mapping[str, Any], folder: Path) -> dict[str, str]:
    found = settings_for(_documents(answers), folder)
    schedule = f"{found['schedule']['name']} {_warmup(found['warmup'])}".rstrip()
    return {"case": _case(answers, found), **_summary(found), "schedule": schedule}


def _warmup(stated: Mapping[str, float]) -> str:
    """Return a warmup as its table states it, by which it fits a run of any length."""
    if stated.get("fraction"):
        return f"{number(100 * stated['fraction'])} %"
    if stated.get("epochs"):
        return f"{stated['epochs']} epochs"
    return str(stated.get("steps") or "")


def _summary(found: Recommendation) -> dict[str, str]:
    """Return a recommendation's numbers, each as short as it can be said."""
    decay, clip, schedule = found["optimizer"]["weight_decay"], found["clip"], found["schedule"]
    kind = " l2" if found["optimizer"]["weight_decay_kind"] == "l2" else ""
    return {
        "optimizer": _optimizer(found["optimizer"]),
        "rate": "line search" if schedule["peak_value"] is None else number(schedule["peak_value"]),
        "decay": f"{number(decay)}{kind}" if decay else "-",
        "clip": f"{_CLIPS[clip['kind']]}{number(clip['max_norm'])}" if clip else "-",
        "schedule": _schedule(schedule),
        "end": _end(schedule),
        "ema": number(found["ema"]) if found["ema"] else "-",
    }


_CLIPS = {"global_norm": "", "per_example": "each ", "update_rms": "rms ", "adaptive": "adaptive ", "elementwise": ""}


def _optimizer(optimizer: Mapping[str, Any]) -> str:
    name = optimizer["name"]
    if optimizer["b1"] is not None:
        return f"{name} {number(optimizer['b1'])}/{number(optimizer['b2'])}/{number(optimizer['eps'])}"
    momentum = optimizer["momentum"]
    return f"{name} m={number(momentum)}" if momentum else name


def _schedule(schedule: Mapping[str, Any]) -> str:
    warmup = schedule["warmup_steps"]
    return f"{schedule['name']} {warmup}" if warmup else str(schedule["name"])


def _end(schedule: Mapping[str, Any]) -> str:
    """Return the last rate as a part of the peak, where the schedule falls to one whatever the run's length."""
    if schedule["name"] in ("none", "constant", "rsqrt"):
        return "-"
    return number(round(schedule["end_value"] / schedule["peak_value"], 2))


def _case(answers: Mapping[str, Any], found: Recommendation) -> str:
    complete = found["answers"]
    parts = [str(answers[name]) for name in ("stage", "privacy", "priority") if name in answers]
    unit = {"examples": "", "sequences": " seq", "tokens": " tok"}[complete["batch_unit"]]
    sizes = f"{write_size(complete['parameters'])}@{write_size(complete['batch_size'])}{unit}"
    return " ".join([f"{answers['family']}", *parts, sizes])


def _example(example: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    found = recommend(_documents(example["answers"]), folder)
    network = found["configuration"]["networks"][0]
    made = transformation(found["configuration"], network)
    rates = "\n".join(f"{name} = {source(call)}" for name, call in made.schedules.items())
    return {
        "ask": example["ask"],
        "found": found,
        "code": f"{rates}\noptimizer = {source(made.optimizer)}",
        "derived": found["derived"],
        "peak": found["schedule"]["peak_value"],
        "summary": _summary(found),
    }


def _pairs(answers: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}: {', '.join(value) or 'none' if isinstance(value, list) else value}" for name, value in answers.items()
    ]
