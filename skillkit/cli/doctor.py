"""`skillkit doctor`: what the texts are worth for the versions that somebody has."""

import json
from collections.abc import Iterable
from pathlib import Path

import click

from skillkit.catalogue.changes import load_changes
from skillkit.catalogue.libraries import only_libraries, project_libraries
from skillkit.catalogue.patterns import load_catalogue
from skillkit.errors import bad_input
from skillkit.places import find_project
from skillkit.proof.diagnosis import Diagnosis, diagnose
from skillkit.proof.evidence import Run, cited_versions, load_evidence
from skillkit.proof.installations import project_versions
from skillkit.proof.serving import installed
from skillkit.proof.statements import proofs

EPILOG = """\b
Examples:
  skillkit doctor
  skillkit doctor --project ../my-model
"""


@click.command("doctor", epilog=EPILOG)
@click.option(
    "--project", "folder", type=click.Path(path_type=Path), help="Read the versions that this project asks for."
)
@click.option("--run", is_flag=True, help="Verify there and then, in this environment.")
@click.option("--json", "as_json", is_flag=True, help="Print the diagnosis as one JSON object.")
@click.pass_context
def doctor_command(ctx: click.Context, folder: Path | None, run: bool, as_json: bool) -> None:
    """Say which patterns are proven for your versions, which are not, and what your versions change."""
    if run:
        if folder:
            raise bad_input("--run", "verifies this environment: for other versions use 'skillkit verify --with'")
        from skillkit.cli.verify import verify_command

        ctx.invoke(verify_command)
    project = find_project()
    catalogue, changes = load_catalogue(project), load_changes(project)
    work = list(proofs(catalogue, catalogue.select([])))
    required = {name for proof in work for name in proof.requires} | {change.library for change in changes}
    libraries = list(dict.fromkeys([*project_libraries(project), *sorted(required)]))
    if folder:
        found_versions, said_by = project_versions(folder, libraries)
        versions = {name: found_versions[name] for name in libraries if name in found_versions}
        origin = " and ".join(said_by)
    else:
        versions, origin = installed(libraries), "this environment"
    found = diagnose(versions, work, changes, load_evidence(project.evidence))
    if as_json:
        click.echo(json.dumps({"versions": versions, "from": origin, **_data(found)}, indent=2))
    else:
        _print(versions, origin, found)


def _data(found: Diagnosis) -> dict[str, object]:
    changes = {name: [one.id for one in getattr(found, name)] for name in ("gone", "coming")}
    lists = {name: getattr(found, name) for name in ("proven", "failing", "unmet", "unknown")}
    return {**lists, **changes, "evidence": dict(found.run.versions) if found.run else None}


def _print(versions: dict[str, str], origin: str, found: Diagnosis) -> None:
    names = ", ".join(f"{name} {versions[name]}" for name in only_libraries(versions))
    click.echo(f"{origin}: {names or 'no library of these texts is installed'}")
    if found.run:
        click.echo(f"Evidence: a run with {_cited(found.run)}")
    else:
        click.echo("Evidence: no run with these minor versions; 'skillkit doctor --run' makes one")
    click.echo(f"{len(found.proven)} patterns are proven for these versions")
    _list("fail with them", found.failing)
    _list("need other versions", (f"{name}: {reason}" for name, reason in found.unmet.items()))
    _list("have no evidence for them", found.unknown)
    _list("old forms fail already; write instead", (f"{one.writes} -> {one.instead}" for one in found.gone))
    _list(
        "old forms still work, until",
        (f"{one.library} {one.since}: {one.writes} -> {one.instead}" for one in found.coming),
    )


def _cited(run: Run) -> str:
    """Return a run's versions in words: of the libraries that texts cite, else of all."""
    words = cited_versions([run]) or cited_versions([run], only_libraries(run.versions))
    return ", ".join(part for part in (words, f"Python {run.versions['python']}") if part)


def _list(title: str, lines: Iterable[str]) -> None:
    shown = [" ".join(line.split()) for line in lines]
    if shown:
        click.echo(f"\n{len(shown)} {title}:")
        for line in shown:
            click.echo(f"  {line}")
