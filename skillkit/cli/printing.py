"""Printing: what was verified, on the terminal or for a program."""

import json
from collections.abc import Mapping

import click

from skillkit.catalogue.changes import load_changes
from skillkit.errors import counted
from skillkit.findings import written
from skillkit.places import Project
from skillkit.proof.evidence import Evidence
from skillkit.proof.reporting import failures, table
from skillkit.proof.sides import sides_shown
from skillkit.proof.verification import Report


def print_reports(reports: Mapping[str, Report], form: str, several: bool) -> None:
    """Print what was verified.

    Args:
        reports: By the label of their set of versions.
        form: `json`, or one of `findings.FORMATS`.
        several: Whether one of several sets of versions might have been asked for.
    """
    if form == "json":
        data = {label: report.as_data() for label, report in reports.items()}
        click.echo(json.dumps(data if several else next(iter(data.values())), indent=2))
    elif form != "text":
        click.echo(written(failures(reports), form), nl=False)
    elif several:
        _print_table(reports)
    else:
        for report in (one for one in reports.values() if one.versions):
            click.echo(", ".join(f"{name} {version}" for name, version in report.versions.items()))


def _print_table(reports: Mapping[str, Report]) -> None:
    rows = table(reports)
    width = max(len(row[0]) for row in rows)
    for row in rows:
        cells = (f"{cell:^{len(head)}}" for cell, head in zip(row[1:], rows[0][1:], strict=True))
        click.echo(f"{row[0]:{width}}  {'  '.join(cells)}")


def print_sides(project: Project, reports: Mapping[str, Report]) -> None:
    """Print which changes are proven at both sides, and which are not."""
    evidence = Evidence()
    for report in (one for one in reports.values() if one.versions):  # else its environment could not be made
        evidence = evidence.with_side(report.as_run())
    found = sides_shown(load_changes(project), evidence)
    for name in ("later", "none"):
        for change in found[name]:
            click.echo(f"{change}: {'proven from its version on alone' if name == 'later' else 'not proven'}")
    both, later, none = (len(found[name]) for name in ("both", "later", "none"))
    total = counted(both + later + none, "change")
    click.echo(f"{total}: {both} proven at both sides, {later} at the later alone, {none} not")
