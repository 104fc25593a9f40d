"""`skillkit verify`: everything that the texts state, run."""

import json
import os
import sys
import time

import click

from skillkit.outcomes import Outcomes, cache_folder
from skillkit.patterns import load_catalogue
from skillkit.places import find_project
from skillkit.proofs import proofs
from skillkit.verification import LIBRARIES, WARM, Report, Result, Verifier
from skillkit.serving import installed
from skillkit.workers import Workers

EPILOG = """\b
Example:
  skillkit verify prng --json
"""


@click.command("verify", epilog=EPILOG)
@click.argument("pattern", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.option("--no-cache", is_flag=True, help="Run also what was run before and has not changed.")
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count(), help="How many runs at a time.")
@click.option("-q", "--quiet", is_flag=True, help="Name only what fails.")
def verify_command(pattern: tuple[str, ...], as_json: bool, no_cache: bool, jobs: int, quiet: bool) -> None:
    """Run everything that the texts state: each block as pasted, each check, each mistake.

    PATTERN is a pattern's id or a topic; without any, all are run. This executes the code of the project, each run in
    a process and a folder of its own, but with your rights. Exit code 1 where anything fails.
    """
    catalogue = load_catalogue(find_project())
    work = list(proofs(catalogue, catalogue.select(pattern)))
    versions = installed(list(LIBRARIES))
    outcomes = Outcomes(None if no_cache else cache_folder(), versions)
    verifier = Verifier(Workers(sys.executable, WARM, jobs), outcomes, versions)
    began = time.monotonic()
    report = verifier.verify(work, lambda result: _tell(result, quiet or as_json))
    if as_json:
        click.echo(json.dumps(report.as_data(), indent=2))
    else:
        _summary(report, time.monotonic() - began)
    sys.exit(1 if report.of("fails") else 0)


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
