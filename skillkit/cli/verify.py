"""`skillkit verify`: everything that the texts state, run."""

import json
import os
import sys
import time
from collections.abc import Mapping

import click

from skillkit.changes import load_changes
from skillkit.errors import bad_input
from skillkit.evidence import load_evidence
from skillkit.outcomes import Outcomes, cache_folder
from skillkit.patterns import load_catalogue
from skillkit.places import Project, find_project
from skillkit.proofs import Proof, change_proofs, name_proof, proofs
from skillkit.serving import installed
from skillkit.verification import LIBRARIES, WARM, Report, Result, Verifier
from skillkit.workers import Workers
from skillkit.writing import write

EPILOG = """\b
Example:
  skillkit verify prng --json
"""


@click.command("verify", epilog=EPILOG)
@click.argument("pattern", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.option("--no-cache", is_flag=True, help="Run also what was run before and has not changed.")
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count(), help="How many runs at a time.")
@click.option("--record", is_flag=True, help="Write what held to evidence.json, which rendered texts cite.")
@click.option("-q", "--quiet", is_flag=True, help="Name only what fails.")
def verify_command(
    pattern: tuple[str, ...], as_json: bool, no_cache: bool, jobs: int, record: bool, quiet: bool
) -> None:
    """Run everything that the texts state: each block as pasted, each check, each mistake.

    PATTERN is a pattern's id or a topic; without any, all are run. This executes the code of the project, each run in
    a process and a folder of its own, but with your rights. Exit code 1 where anything fails.
    """
    project = find_project()
    versions = installed(list(LIBRARIES))
    work = _work(project, pattern, versions)
    outcomes = Outcomes(None if no_cache else cache_folder(), versions)
    verifier = Verifier(Workers(sys.executable, WARM, jobs), outcomes, versions)
    began = time.monotonic()
    report = verifier.verify(work, lambda result: _tell(result, quiet or as_json))
    if record:
        _record(project, report)
    if as_json:
        click.echo(json.dumps(report.as_data(), indent=2))
    else:
        _summary(report, time.monotonic() - began)
    sys.exit(1 if report.of("fails") else 0)


def _work(project: Project, ids: tuple[str, ...], versions: Mapping[str, str]) -> list[Proof]:
    catalogue = load_catalogue(project)
    changes, names = load_changes(project), name_proof(project, catalogue, versions)
    if ids == ("changes",):
        return list(change_proofs(changes))
    chosen = list(proofs(catalogue, catalogue.select(ids)))
    return chosen if ids else [*chosen, *change_proofs(changes), names]


def _record(project: Project, report: Report) -> None:
    path = project.evidence
    evidence = load_evidence(path).with_run(report.as_run())
    try:
        write(path, evidence.as_text())
    except OSError as error:
        raise bad_input(path, f"cannot be written: {error.strerror}") from error


def _tell(result: Result, quiet: bool) -> None:
    if result.state == "fails":
        place = result.verdict.place or result.proof.place
        click.secho(f"FAILS  {result.proof.id}", fg="red", err=True)
        click.echo(f"       {place}: {result.verdict.message}", err=True)
        if place != result.proof.place:
            click.echo(f"       stated in {result.proof.place}", err=True)
    elif not quiet:
        note = f"  ({result.verdict.message})" if result.verdict.message else ""
        click.echo(f"{result.state:7}{result.proof.id}{note}", err=True)


def _summary(report: Report, seconds: float) -> None:
    data = report.as_data()
    counts = ", ".join(f"{data[name]} {name}" for name in ("patterns", "blocks", "mistakes", "corrections"))
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    failed, skipped = len(data["failed"]), len(data["skipped"])
    click.echo(f"{counts}: {failed} failed, {skipped} skipped, in {seconds:.1f} s ({versions})")
