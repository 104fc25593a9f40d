"""`skillkit verify`: everything that the texts state, run."""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from skillkit.catalogue.changes import load_changes
from skillkit.catalogue.libraries import local_modules, project_libraries
from skillkit.errors import bad_input
from skillkit.execution.serving import installed
from skillkit.places import Project, cache_folder, find_project
from skillkit.proof.companions import load_companions
from skillkit.proof.environments import NotInstallable, Wanted, interpreter
from skillkit.proof.evidence import Evidence, load_evidence
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.reporting import ENDINGS, SIGNS, report_text, table
from skillkit.proof.sides import Side, sides, sides_shown
from skillkit.proof.statements import project_proofs
from skillkit.proof.verification import Report, Result, Verifier
from skillkit.proof.workers import Workers
from skillkit.writing import write

EPILOG = """\b
Examples:
  skillkit verify prng --json
  skillkit verify --with "jax==0.7.2" --with "jax==0.10.2 optax==0.2.8"
  skillkit verify changes --both-sides
"""


@click.command("verify", epilog=EPILOG)
@click.argument("pattern", nargs=-1)
@click.option("--with", "sets", multiple=True, metavar="VERSIONS", help="Verify in an environment with these versions.")
@click.option("--python", "pythons", multiple=True, help="The interpreter for the --with in the same position.")
@click.option("--both-sides", is_flag=True, help="Verify changes under their own versions and the last ones before.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.option("--report", type=click.Path(path_type=Path), help="Write a report: .md, .xml (JUnit) or .json.")
@click.option("--record", is_flag=True, help="Write what held to evidence.json, which rendered texts cite.")
@click.option("--no-cache", is_flag=True, help="Run also what was run before and has not changed.")
@click.option("--jobs", type=click.IntRange(min=1), default=os.cpu_count(), help="How many runs at a time.")
@click.option("-q", "--quiet", is_flag=True, help="Name only what fails.")
def verify_command(
    pattern: tuple[str, ...],
    sets: tuple[str, ...],
    pythons: tuple[str, ...],
    both_sides: bool,
    as_json: bool,
    report: Path | None,
    record: bool,
    no_cache: bool,
    jobs: int,
    quiet: bool,
) -> None:
    """Run everything that the texts state: each block as pasted, each check, each mistake, each change.

    PATTERN is a pattern's id, a topic, 'changes', or 'names' for the names in prose; without any, all are run. With
    --both-sides an environment is made, and kept, for each version in which something changed, and for the last one
    before; only what changed is run there. This executes the code of the project, each run in a process and a folder of
    its own, but with your rights. Exit code 1 where anything fails, or nothing could be run.
    """
    if report and report.suffix not in ENDINGS:
        raise bad_input(report, f"a report ends in {', '.join(ENDINGS)}")
    project = find_project()
    if record:
        load_evidence(project.evidence)  # a file that cannot be used is said before anything is run
    libraries = project_libraries(project)
    plan = _plan(project, pattern, libraries, sets, pythons, both_sides)
    reports: dict[str, Report] = {}
    failed = False
    for number, (wanted, side) in enumerate(plan, 1):
        if side:
            click.echo(f"{number}/{len(plan)} {side.library} {side.version}", err=True)
        try:
            python = _interpreter(wanted, () if side else libraries)
        except NotInstallable as error:
            click.secho(f"FAILS  {wanted.label if wanted else ''} can't be installed: {error}", fg="red", err=True)
            failed = True
            continue
        done = _verify(project, pattern, side, python, libraries, no_cache, jobs, quiet or as_json)
        reports[wanted.label if wanted else "this environment"] = done
        failed = failed or bool(done.of("fails")) or not done.of("holds") or bool(side and done.of("skipped"))
        if record:
            _record(project, done, side, whole=not pattern)
    if report:
        _write(report, report_text(reports, report))
    if both_sides and not as_json:
        _print_sides(project, reports)
    else:
        _print(reports, as_json, bool(sets) or both_sides)
    sys.exit(1 if failed else 0)


def _plan(
    project: Project,
    ids: tuple[str, ...],
    libraries: Sequence[str],
    sets: tuple[str, ...],
    pythons: tuple[str, ...],
    both_sides: bool,
) -> list[tuple[Wanted | None, Side | None]]:
    """Return the environments to verify in, each with what is run in it alone, or None for all."""
    if not both_sides:
        return [(wanted, None) for wanted in _wanted(sets, pythons)]
    if sets or pythons:
        raise bad_input("--both-sides", "chooses versions and interpreters itself: leave out --with and --python")
    found = list(sides(project_proofs(project, {}, ids), load_companions(project), libraries))
    if not found:
        raise bad_input("--both-sides", "nothing here says in which version it changed")
    return [(side.wanted, side) for side in found]


def _interpreter(wanted: Wanted | None, extra: Sequence[str]) -> Path:
    return interpreter(wanted, cache_folder() / "environments", extra) if wanted else Path(sys.executable)


def _wanted(sets: tuple[str, ...], pythons: tuple[str, ...]) -> list[Wanted | None]:
    if not sets:
        if pythons:
            raise bad_input("--python", "goes with a --with that says which versions to install")
        return [None]
    if len(pythons) not in (0, 1, len(sets)):
        raise bad_input("--python", f"is given {len(pythons)} times for {len(sets)} sets: once, or once for each")
    chosen = pythons * len(sets) if len(pythons) == 1 else pythons or ("",) * len(sets)
    return [Wanted(versions, python) for versions, python in zip(sets, chosen, strict=True)]


def _verify(
    project: Project,
    ids: tuple[str, ...],
    side: Side | None,
    python: Path,
    libraries: Sequence[str],
    no_cache: bool,
    jobs: int,
    quiet: bool,
) -> Report:
    versions = _versions(python, libraries)
    work = list(side.proofs) if side else project_proofs(project, versions, ids)
    versions |= _versions(python, sorted({name for proof in work for name in proof.requires} - versions.keys()))
    workers = Workers(str(python), project.warm, jobs, project, versions)
    changing = local_modules(project)  # code without a version, which no outcome could be kept for
    outcomes = Outcomes(None if no_cache or (changing and not side) else cache_folder(), versions)
    began = time.monotonic()
    hidden = quiet or not sys.stderr.isatty()
    with click.progressbar(length=len(work), file=sys.stderr, hidden=hidden) as bar:

        def tell(result: Result) -> None:
            if result.state == "fails":
                _tell(result)
            elif not hidden:
                click.echo(f"\r\033[K{SIGNS[result.state]} {result.proof.id}", err=True)
            bar.update(1)

        report = Verifier(workers, outcomes, versions, libraries).verify(work, tell)
    workers.close()
    if not quiet:
        for result in report.of("skipped"):
            click.echo(f"skipped {result.proof.id}: {result.verdict.message}", err=True)
    click.echo(f"{_summary(report)} in {time.monotonic() - began:.1f} s", err=True)
    return report


def _versions(python: Path, libraries: Sequence[str]) -> dict[str, str]:
    if python == Path(sys.executable):
        return installed(libraries)
    asked = Workers(str(python), (), count=1)
    versions = asked.ask({"libraries": libraries})
    asked.close()
    return versions


def _tell(result: Result) -> None:
    click.secho(f"\nFAILS  {result.proof.id}", fg="red", err=True)
    click.echo(f"       {result}", err=True)
    if result.verdict.place not in ("", result.proof.place):
        click.echo(f"       stated in {result.proof.place}", err=True)


def _summary(report: Report) -> str:
    data = report.as_data()
    kinds = ("patterns", "blocks", "mistakes", "corrections", "changes", "earlier versions", "figures", "names")
    counts = ", ".join(f"{data[name]} {name}" for name in kinds if data[name])
    return f"{counts or 'nothing was run'}: {len(data['failed'])} failed, {len(data['skipped'])} skipped"


def _record(project: Project, report: Report, side: Side | None, whole: bool) -> None:
    """Write what a run has shown; one of everything replaces what the same versions showed of statements now gone."""
    evidence = load_evidence(project.evidence)
    if side:
        stated = {proof.id: proof.hash for proof in project_proofs(project, {})}
        _write(project.evidence, evidence.only(stated).with_side(report.as_run()).as_text())
        return
    known = evidence.without(report.versions) if whole else evidence
    _write(project.evidence, known.with_run(report.as_run()).as_text())


def _write(path: Path, text: str) -> None:
    try:
        write(path, text)
    except OSError as error:
        raise bad_input(path, f"cannot be written: {error.strerror}") from error


def _print_sides(project: Project, reports: dict[str, Report]) -> None:
    evidence = Evidence()
    for report in reports.values():
        evidence = evidence.with_side(report.as_run())
    found = sides_shown(load_changes(project), evidence)
    for name in ("later", "none"):
        for change in found[name]:
            click.echo(f"{change}: {'proven from its version on alone' if name == 'later' else 'not proven'}")
    both, later, none = (len(found[name]) for name in ("both", "later", "none"))
    counts = f"{both} are proven at both sides, {later} at the later alone, {none} not"
    click.echo(f"of {both + later + none} changes {counts}")


def _print(reports: dict[str, Report], as_json: bool, several: bool) -> None:
    if as_json:
        data = {label: report.as_data() for label, report in reports.items()}
        click.echo(json.dumps(data if several else next(iter(data.values())), indent=2))
    elif several:
        rows = table(reports)
        width = max(len(row[0]) for row in rows)
        for row in rows:
            cells = (f"{cell:^{len(head)}}" for cell, head in zip(row[1:], rows[0][1:], strict=True))
            click.echo(f"{row[0]:{width}}  {'  '.join(cells)}")
    else:
        for report in reports.values():
            click.echo(", ".join(f"{name} {version}" for name, version in report.versions.items()))
