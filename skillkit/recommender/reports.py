"""Reports: a recommendation in words, for a terminal and as Markdown."""

from collections.abc import Iterator, Mapping
from typing import Any

from skillkit.errors import counted
from skillkit.questionnaire.sizes import write_size
from skillkit.recommender.derivations import stated_number
from skillkit.recommender.tables import markdown_table

_PARTS = ("parameters", "gradients", "optimizer_state", "ema", "accumulator", "master_copy")


def words(recommendation: Mapping[str, Any]) -> str:
    """Return what a person should know beside the script: assumptions, numbers, warnings."""
    lines = [
        f"Recommended: {headline(recommendation)}",
        f"Assumed: {_assumed(recommendation)}",
        *_tree(recommendation["tree"]),
        _in_all(recommendation),
        *(f"Warning: {text}" for text in recommendation["warnings"]),
        *(f"Nearby: {text}" for text in recommendation["nearby"]),
        *(f"Note: {text}" for text in recommendation["advice"]),
        *(f"{one['issue']}: {one['check']} {one['then']} {_changed(one)}" for one in recommendation["issues"]),
    ]
    return "\n".join(lines) + "\n"


def headline(recommendation: Mapping[str, Any]) -> str:
    """Return a recommendation in one line."""
    optimizer, schedule = recommendation["optimizer"], recommendation["schedule"]
    keywords = [
        f"{name}={optimizer[name]:g}" for name in ("momentum", "b1", "b2", "eps") if optimizer.get(name) is not None
    ]
    rate = (
        "a line search"
        if schedule["peak_value"] is None
        else f"{schedule['name']} rate, peak {schedule['peak_value']:g}"
    )
    parts = [f"{optimizer['name']}({', '.join(keywords)})", rate]
    if schedule["warmup_steps"]:
        parts.append(f"{schedule['warmup_steps']:,} of {counted(schedule['total_steps'], 'update')} warmup")
    if optimizer["weight_decay"]:
        parts.append(f"weight decay {optimizer['weight_decay']:g} ({optimizer['weight_decay_kind']})")
    if recommendation["clip"]:
        parts.append(f"clip {recommendation['clip']['kind']} {recommendation['clip']['max_norm']:g}")
    if recommendation["ema"]:
        parts.append(f"average {recommendation['ema']:g}")
    return ", ".join(parts)


def markdown(recommendation: Mapping[str, Any]) -> str:
    """Return a recommendation as a Markdown report, the script at its end."""
    sections = [
        ("", [f"# Optimizer for {recommendation['answers']['family']}", "", headline(recommendation) + "."]),
        ("Answers", list(_answers(recommendation))),
        ("Reasons", _table(("setting", "number", "because", "source"), _reasons(recommendation))),
        ("Networks and groups", list(_groups(recommendation))),
        ("Memory", list(_memory(recommendation["memory"]))),
        ("Parameters", list(_parameters(recommendation))),
        ("Warnings", [f"- {text}" for text in recommendation["warnings"]]),
        ("Nearby", [f"- {text}" for text in recommendation["nearby"]]),
        ("Notes", [f"- {text}" for text in recommendation["advice"]]),
        ("Known issues", _table(("issue", "check", "then", "changed here", "source"), list(_issues(recommendation)))),
        ("Tuning", list(_tuning(recommendation["tuning"]))),
        ("Alternatives", _table(("name", "when", "cost", "source"), recommendation["alternatives"])),
        ("Script", ["```python", recommendation["code"].rstrip(), "```"]),
    ]
    texts = ["\n".join([*([f"## {title}", ""] if title else []), *lines]) for title, lines in sections if lines]
    return "\n\n".join(texts) + "\n"


def _issues(recommendation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for one in recommendation["issues"]:
        yield {**one, "changed here": ", ".join(one["changed"]) or "nothing"}


def _changed(issue: Mapping[str, Any]) -> str:
    return f"Changed here: {', '.join(issue['changed']) or 'nothing'}."


def _tree(tree: Mapping[str, Any] | None) -> Iterator[str]:
    if tree is None:
        return
    size = f"{tree['parameters']:,} parameters in {counted(tree['leaves'], 'array')}"
    yield f"Read: {tree['source']}, {tree['form']}: {size}"
    if tree["left_out"]:
        parts = [f"{one['paths']} ({one['because']})" for one in tree["left_out"][:_MOST]]
        more = len(tree["left_out"]) - _MOST
        yield f"Not trained: {', '.join(parts)}" + (f" and {more} more" if more > 0 else "")
    yield from (f"Note: {note}" for note in tree["notes"])


_MOST = 5  # of what is left out, in words


def _in_all(recommendation: Mapping[str, Any]) -> str:
    assumed = "" if recommendation["tree"] else ", for assumed shapes: --params FILE takes your own"
    return f"Memory per device: {_gib(recommendation['memory']['per_device']['total'])}, without activations{assumed}"


def _parameters(recommendation: Mapping[str, Any]) -> Iterator[str]:
    if recommendation["tree"]:
        yield from _tree(recommendation["tree"])
        yield ""
        yield from markdown_table(recommendation, recommendation["tree"]["rows"])


def _assumed(recommendation: Mapping[str, Any]) -> str:
    answers = recommendation["answers"]
    named = [f"{name} {_value(answers[name])}" for name in recommendation["assumed"]]
    return ", ".join(named) or "nothing"


def _answers(recommendation: Mapping[str, Any]) -> Iterator[str]:
    for name, value in recommendation["answers"].items():
        yield f"- {name}: {_value(value)}" + (" (assumed)" if name in recommendation["assumed"] else "")


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return write_size(value) if isinstance(value, int | float) else str(value)


def _reasons(recommendation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the reasons, each number with the arithmetic that gives it."""
    rows: list[Mapping[str, Any]] = []
    for reason in recommendation["reasons"]:
        where = f"{reason['network']}/{reason['group']}: " if "network" in reason else ""
        rows.append({**reason, "setting": f"{where}{reason['setting']}", "number": stated_number(reason)})
    return rows


def _table(columns: tuple[str, ...], rows: list[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    lines = [columns, ("---",) * len(columns)]
    lines += [tuple(str(row[column]).replace("|", "\\|") for column in columns) for row in rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _groups(recommendation: Mapping[str, Any]) -> Iterator[str]:
    for network in recommendation["groups"]:
        for group in network["groups"]:
            optimizer = dict(group["optimizer"])
            name = optimizer.pop("name")
            keywords = ", ".join(f"{key}={value}" for key, value in optimizer.items())
            decay, peak = group["weight_decay"], group["schedule"].get("peak_value")
            yield (
                f"- {network['name']}/{group['name']}: `{name}({keywords})`, peak {peak}, "
                f"decay {decay['value'] if decay else 0} on {decay['mask'] if decay else 'nothing'}"
            )


def _memory(memory: Mapping[str, Any]) -> Iterator[str]:
    for part in _PARTS:
        yield f"- {part.replace('_', ' ')}: {_gib(memory['bytes'][part])}"
    yield f"- total: {_gib(memory['total'])}, per device {_gib(memory['per_device']['total'])}"


def _gib(size: float) -> str:
    return f"{size / 2**30:.3g} GiB" if size >= 2**28 else f"{size / 2**20:.3g} MiB"


def _tuning(tuning: Mapping[str, Any]) -> Iterator[str]:
    yield f"{tuning['trials']} trials. {tuning['because']}"
    if tuning["parameters"]:
        yield ""
    for place, one in enumerate(tuning["parameters"], 1):
        yield f"{place}. {one['setting']}: {one['low']:g} to {one['high']:g} ({one['scale']})"
