"""`skillkit verify`: everything that the texts state, run."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from skillkit.catalogue.libraries import project_libraries
from skillkit.cli.abreast import Settings, Task, default_jobs, verified
from skillkit.cli.completion import statements_like
from skillkit.cli.endings import problems_as
from skillkit.cli.naming import project_in_use
from skillkit.cli.printing import print_reports, print_sides
from skillkit.errors import bad_input, counted
from skillkit.findings import FORMATS
from skillkit.places import Project
from skillkit.proof.companions import load_companions
from skillkit.proof.environments import NotInstallable, Wanted
from skillkit.proof.evidence import load_evidence
from skillkit.proof.reporting import ENDINGS, report_text
from skillkit.proof.shards import WHOLE, Shard, parse_shard
from skillkit.proof.sides import Side, sides
from skillkit.proof.statements import project_proofs
from skillkit.proof.verification import Report, unmade
from skillkit.writing import write

EPILOG = """\b
Examples:
  skillkit verify prng --json
  skillkit verify --with "jax==0.7.2" --with "jax==0.10.2 optax==0.2.8"
  skillkit verify changes --both-sides
  skillkit verify --shard 2/4 --record
"""


_NO_CACHE = (
    "Run also what was run before, and keep no outcome. What runs compile is shared and kept all the same: "
    "'skillkit cache programs --clean' deletes it."
)


def _part(_: click.Context, param: click.Parameter, value: str) -> Shard:
    try:
        return parse_shard(value)
    except ValueError as error:
        raise click.BadParameter(str(error), param=param) from error


@click.command("verify", epilog=EPILOG)
@click.argument("pattern", nargs=-1, shell_complete=statements_like)
@click.option("--with", "sets", multiple=True, metavar="VERSIONS", help="Verify in an environment with these versions.")
@click.option("--python", "pythons", multiple=True, help="The interpreter for the --with in the same position.")
@click.option("--both-sides", is_flag=True, help="Verify changes under their own versions and the last ones before.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.option("--output-format", "form", type=click.Choice(FORMATS), default="text", help="How to print what fails.")
@click.option(
    "--report",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Write a report: .md, .json or .xml (JUnit).",
)
@click.option("--record", is_flag=True, help="Run all anew; write what held to evidence.json, which the texts cite.")
@click.option("--shard", default="1/1", callback=_part, metavar="N/M", help="Verify the N-th of M equal parts.")
@click.option("--merge", multiple=True, type=click.Path(path_type=Path), help="Run nothing; take up others' records.")
@click.option("--no-cache", is_flag=True, help=_NO_CACHE)
@click.option("--jobs", type=click.IntRange(min=1), help="How many runs at a time; one for each core.")
@click.option("-q", "--quiet", is_flag=True, help="Name only what fails.")
def verify_command(
    pattern: tuple[str, ...],
    sets: tuple[str, ...],
    pythons: tuple[str, ...],
    both_sides: bool,
    as_json: bool,
    form: str,
    files: tuple[Path, ...],
    record: bool,
    shard: Shard,
    merge: tuple[Path, ...],
    no_cache: bool,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Run everything that the texts state: each block as pasted, each check, each mistake, each change.

    PATTERN is a pattern's id, a topic, 'changes', or 'names' for the names in prose; without any, all are run. With
    --both-sides an environment is made, and kept, for each version in which something changed, and for the last one
    before; only what changed is run there. This executes the code of the project, each run in a process and a folder of
    its own, but with your rights. Exit code 1 where anything fails, or nothing could be run.
    """
    if as_json and form != "text":
        raise bad_input("--output-format", "prints what fails and --json prints all: leave one out")
    for file in files:
        if file.suffix not in ENDINGS:
            raise bad_input(file, f"a report ends in {', '.join(ENDINGS)}")
    project = project_in_use(quiet or as_json)
    if merge:
        _merge(project, merge)
        return
    if record:
        load_evidence(project.evidence)  # a file that cannot be used is said before anything is run
    with problems_as(form):
        libraries = project_libraries(project)
        tasks = _plan(project, pattern, libraries, sets, pythons, both_sides, shard)
        settings = Settings(
            project,
            pattern,
            libraries,
            shard,
            not no_cache,
            no_cache or record,
            jobs or default_jobs(),
            quiet or as_json,
        )
        reports, failed = _run(tasks, settings, record, whole=not pattern and shard == WHOLE)
    for file in files:
        _write(file, report_text(reports, file))
    if both_sides and not as_json and form == "text":
        print_sides(project, reports)
    else:
        print_reports(reports, "json" if as_json else form, bool(sets) or both_sides)
    sys.exit(1 if failed else 0)


def _run(tasks: Sequence[Task], settings: Settings, record: bool, whole: bool) -> tuple[dict[str, Report], bool]:
    """Return the reports in the order of the tasks, and whether anything fails or cannot be said to hold."""
    found: dict[str, Report] = {}
    failed = False
    for task, done in verified(tasks, settings):
        if isinstance(done, NotInstallable):
            click.secho(f"FAILS  {task.label} can't be installed: {done}", fg="red", err=True)
            found[task.label] = unmade(task.label, task.side.proofs[0].place if task.side else "--with", str(done))
            failed = True
            continue
        found[task.label] = done
        failed = failed or bool(done.of("fails")) or not done.of("holds") or bool(task.side and done.of("skipped"))
        if record:
            _record(settings.project, done, task.side, whole)
    return {task.label: found[task.label] for task in tasks if task.label in found}, failed


def _plan(
    project: Project,
    ids: tuple[str, ...],
    libraries: Sequence[str],
    sets: tuple[str, ...],
    pythons: tuple[str, ...],
    both_sides: bool,
    shard: Shard,
) -> list[Task]:
    """Return the environments to verify in, each with what is run in it alone."""
    if not both_sides:
        return [Task(wanted) for wanted in _wanted(sets, pythons)]
    if sets or pythons:
        raise bad_input("--both-sides", "chooses versions and interpreters itself: leave out --with and --python")
    found = [
        Task(side.wanted, side) for side in sides(project_proofs(project, {}, ids), load_companions(project), libraries)
    ]
    if not found:
        raise bad_input("--both-sides", "nothing here says in which version it changed")
    return found[shard.number - 1 :: shard.count]


def _wanted(sets: tuple[str, ...], pythons: tuple[str, ...]) -> list[Wanted | None]:
    if not sets:
        if pythons:
            raise bad_input("--python", "goes with a --with that says which versions to install")
        return [None]
    if len(pythons) not in (0, 1, len(sets)):
        raise bad_input(
            "--python", f"is given {len(pythons)} times for {counted(len(sets), 'set')}: once, or once for each"
        )
    chosen = pythons * len(sets) if len(pythons) == 1 else pythons or ("",) * len(sets)
    return [Wanted(versions, python) for versions, python in zip(sets, chosen, strict=True)]


def _record(project: Project, report: Report, side: Side | None, whole: bool) -> None:
    """Write what a run has shown; one of everything replaces what the same versions showed of statements now gone."""
    evidence = load_evidence(project.evidence)
    if side:
        stated = {proof.id: proof.hash for proof in project_proofs(project, {})}
        _write(project.evidence, evidence.only(stated).with_side(report.as_run()).as_text())
        return
    known = evidence.without(report.versions) if whole else evidence
    _write(project.evidence, known.with_run(report.as_run()).as_text())


def _merge(project: Project, paths: Sequence[Path]) -> None:
    parts = [load_evidence(path) for path in paths]
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise bad_input(missing[0], "no such file")
    evidence = load_evidence(project.evidence).merged(parts)
    _write(project.evidence, evidence.as_text())
    runs = len(evidence.runs) + len(evidence.sides)
    click.echo(
        f"{project.evidence}: {counted(len(paths), 'file')} taken up, now of {counted(runs, 'set')} of versions",
        err=True,
    )


def _write(path: Path, text: str) -> None:
    try:
        write(path, text)
    except OSError as error:
        raise bad_input(path, f"cannot be written: {error.strerror}") from error
