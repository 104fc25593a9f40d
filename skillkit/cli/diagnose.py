"""`skillkit diagnose`: what the log of a training run shows, and what to change first."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import click

from skillkit.cli.documents import given_text
from skillkit.errors import bad_input, did_you_mean

EPILOG = """\b
Examples:
  skillkit diagnose metrics.csv
  skillkit diagnose trainer_state.json --json
  skillkit diagnose log.jsonl --set classes=10 --column loss=objective
"""
_SETTINGS = ("classes",)


@click.command("diagnose", epilog=EPILOG)
@click.argument("log", metavar="LOG")
@click.option("--set", "settings", multiple=True, metavar="classes=N", help="Among how many classes is chosen.")
@click.option("--column", "columns", multiple=True, metavar="ROLE=NAME", help="Which column is loss, step, rate, ….")
@click.option("--run", "wanted", metavar="NAME", help="Of a log of several runs, this one.")
@click.option("--json", "as_json", is_flag=True, help="Print it for programs.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit code says whether anything was seen.")
@click.pass_context
def diagnose_command(
    context: click.Context,
    log: str,
    settings: tuple[str, ...],
    columns: tuple[str, ...],
    wanted: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say what the LOG of a training run shows: spikes, divergence, overfitting and so on, and what to change first.

    LOG is CSV (W&B's export too), JSON lines, Hugging Face's trainer_state.json, a file or folder of TensorBoard's, or
    `-` for standard input. Ends with 1 where something is wrong with a run.
    """
    from skillkit.diagnosis.diagnosing import diagnose

    classes, said = _classes(settings), _columns(columns)
    runs = _wanted(_runs(log, said), wanted, log)
    found = [(run, diagnose(run, classes)) for run in runs]
    if as_json:
        click.echo(json.dumps([_as_data(run, symptoms) for run, symptoms in found], indent=2, allow_nan=False))
    elif not quiet:
        click.echo("\n\n".join(_as_text(run, symptoms, log) for run, symptoms in found))
    context.exit(1 if any(symptoms for _, symptoms in found) else 0)


def _classes(settings: Sequence[str]) -> int | None:
    classes = None
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise bad_input("--set", f"must be classes=N, not '{setting}'")
        if key.strip() not in _SETTINGS:
            raise bad_input("--set", f"unknown key '{key}'{did_you_mean(key, _SETTINGS)}; there is classes")
        try:
            classes = int(text.replace(",", "").replace("_", ""))
        except ValueError:
            classes = 0
        if classes < 2:
            raise bad_input("--set", f"classes must be a whole number of at least 2, not '{text}'")
    return classes


def _columns(columns: Sequence[str]) -> dict[str, str]:
    from skillkit.diagnosis.columns import ROLES

    said = {}
    for column in columns:
        role, equals, name = column.partition("=")
        if not equals or not name:
            raise bad_input("--column", f"must be ROLE=NAME, as in loss=objective, not '{column}'")
        if role not in ROLES:
            raise bad_input("--column", f"unknown '{role}'{did_you_mean(role, ROLES)}; there are {', '.join(ROLES)}")
        said[role] = name
    return said


def _runs(log: str, said: Mapping[str, str]) -> list[Any]:
    from skillkit.diagnosis.events import are_events, read_events
    from skillkit.diagnosis.logs import parsed
    from skillkit.diagnosis.runs import read_runs

    if log == "-":
        return read_runs(parsed(*given_text(log)), said)
    path = Path(log)
    if are_events(path):
        from dataclasses import replace

        tables = read_events(path)
        parts = [(name, run) for name, table in tables.items() for run in read_runs(table, said)]
        return [replace(run, name=run.name or name) if len(parts) > 1 else run for name, run in parts]
    if path.is_dir():
        raise bad_input(path, "is a folder without event files of TensorBoard's: name the log itself")
    return read_runs(parsed(*given_text(log)), said)


def _wanted(runs: list[Any], name: str | None, log: str) -> list[Any]:
    if name is None:
        return runs
    names = [run.name for run in runs]
    if name not in names:
        there = f"there are {', '.join(names)}" if any(names) else "there is one, without a name"
        raise bad_input(log, f"has no run '{name}'{did_you_mean(name, names)}; {there}")
    return [run for run in runs if run.name == name]


def _advice(symptoms: Sequence[Any]) -> dict[str, Mapping[str, Any]]:
    from skillkit.places import find_project
    from skillkit.questionnaire.questions import decisions_folder
    from skillkit.recommender.issues import read_issues

    names = [symptom.known_as for symptom in symptoms]
    return {entry["issue"]: entry for entry in read_issues(decisions_folder(find_project()), names)}


def _as_data(run: Any, symptoms: Sequence[Any]) -> dict[str, Any]:
    from skillkit.diagnosis.summary import summary

    advice = _advice(symptoms)
    found = [
        {**symptom.as_data(), "advice": {key: advice[symptom.known_as][key] for key in _TOLD}} for symptom in symptoms
    ]
    return {**summary(run), "symptoms": found}


_TOLD = ("check", "brief", "then", "because", "source")


def _as_text(run: Any, symptoms: Sequence[Any], log: str) -> str:
    from skillkit.diagnosis.pictures import picture
    from skillkit.diagnosis.summary import in_words

    advice, told = _advice(symptoms), set()
    lines = [f"{f'{log}: {run.name}' if run.name else log}: {in_words(run)}"]
    lines += [f"note: {note}" for note in run.notes]
    if len(run.loss) > 1:
        lines += ["", picture(run, symptoms)]
    for letter, symptom in zip(ascii_lowercase, symptoms, strict=False):
        lines += ["", f"{letter}  {symptom.says}"]
        issue = symptom.known_as
        entry = advice[issue]
        if issue in told:
            lines.append(f"   See above: {issue}.")
            continue
        told.add(issue)
        lines += [
            f"   Check: {entry['check']}",
            f"   Change: {entry['brief']}",
            f"   Then: {entry['then']}",
            f"   Because: {entry['because']} ({entry['source']})",
        ]
    if not symptoms:
        lines += ["", "Nothing wrong is seen."]
    return "\n".join(lines + _unseen(run))


def _unseen(run: Any) -> list[str]:
    from skillkit.diagnosis.summary import unseen

    missing = unseen(run)
    return ["", f"Not looked for: {'; '.join(missing)}."] if missing else []
