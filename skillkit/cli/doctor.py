"""`skillkit doctor`: what the texts are worth for the versions that somebody has."""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.catalogue.changes import Change, load_changes
from skillkit.catalogue.libraries import only_libraries, project_libraries
from skillkit.cli.naming import project_in_use
from skillkit.errors import bad_input, counted
from skillkit.execution.fence import fence_words
from skillkit.execution.serving import installed
from skillkit.installations.installation import Installation, project_installation
from skillkit.installations.usage import telltales, words_of_code
from skillkit.proof.diagnosis import Diagnosis, diagnose
from skillkit.proof.evidence import Run, cited_versions, load_evidence
from skillkit.proof.statements import proofs

EPILOG = """\b
Examples:
  skillkit doctor
  skillkit doctor --project ../my-model
"""


@click.command("doctor", epilog=EPILOG)
@click.option(
    "--project",
    "folder",
    type=click.Path(path_type=Path),
    help="Read the versions that this project asks for, of its lock, its requirements or another of its files.",
)
@click.option("--run", is_flag=True, help="Verify there and then, in this environment.")
@click.option("--all", "everything", is_flag=True, help="List also what only counts are given of.")
@click.option("--json", "as_json", is_flag=True, help="Print the diagnosis as one JSON object.")
@click.pass_context
def doctor_command(ctx: click.Context, folder: Path | None, run: bool, everything: bool, as_json: bool) -> None:
    """Say which patterns are proven for your versions, which are not, and what your versions change.

    Exit code 1 where the library that the texts are about has no version here.
    """
    if run:
        if folder:
            raise bad_input("--run", "verifies this environment: for other versions use 'skillkit verify --with'")
        from skillkit.cli.verify import verify_command

        ctx.invoke(verify_command)
    project = project_in_use()
    catalogue, changes = load_catalogue(project), load_changes(project)
    work = list(proofs(catalogue, catalogue.select([])))
    required = {name for proof in work for name in proof.requires} | {change.library for change in changes}
    libraries = list(dict.fromkeys([*project_libraries(project), *sorted(required)]))
    where = project_installation(folder, libraries) if folder else Installation(installed(libraries), ())
    concern = _concerning(folder, changes) if folder and not everything else changes
    report = _Report(where, diagnose(where.versions, work, concern, load_evidence(project.evidence)), everything)
    principal = next((name for name in libraries if name not in ("python", "platform")), None)
    missing = principal if principal and principal not in where.versions else ""
    if as_json:
        click.echo(json.dumps(report.as_data(), indent=2))
    else:
        report.print(missing)
    sys.exit(1 if missing else 0)


def _concerning(folder: Path, changes: Iterable[Change]) -> list[Change]:
    """Return the changes whose old forms a project's code may hold, by their words."""
    words = words_of_code(folder)
    marks = ((change, telltales(change.writes, change.instead)) for change in changes)
    return [change for change, mark in marks if mark and mark <= words]


@dataclass(frozen=True)
class _Report:
    where: Installation
    found: Diagnosis
    everything: bool

    @property
    def origin(self) -> str:
        return " and ".join(self.where.files) or "this environment"

    def as_data(self) -> dict[str, object]:
        changes = {name: [one.id for one in getattr(self.found, name)] for name in ("gone", "coming")}
        lists = {name: getattr(self.found, name) for name in ("proven", "failing", "unmet", "absent", "unknown")}
        evidence = dict(self.found.run.versions) if self.found.run else None
        head = {"versions": self.where.versions, "from": self.origin, "notes": list(self.where.notes)}
        return {**head, **lists, **changes, "evidence": evidence, "fence": fence_words()}

    def print(self, missing: str) -> None:
        names = ", ".join(f"{name} {self.where.versions[name]}" for name in only_libraries(self.where.versions))
        click.echo(f"{self.origin}: {names or 'no library of these texts'}")
        for note in self.where.notes:
            click.echo(f"  {note}")
        if missing:
            click.secho(f"{missing} has no version here: {self._remedy(missing)}", fg="red")
        if self.found.run:
            click.echo(f"Evidence: a run with {_cited(self.found.run)}")
        else:
            click.echo("Evidence: no run with these minor versions; 'skillkit doctor --run' makes one")
        verb = "is" if len(self.found.proven) == 1 else "are"
        click.echo(f"{counted(len(self.found.proven), 'pattern')} {verb} proven for these versions")
        self._list("failing with them", self.found.failing, always=True)
        self._list("for other versions", (f"{name}: {why}" for name, why in self.found.unmet.items()), always=True)
        absent = (f"{name}: imports {library}" for name, library in self.found.absent.items())
        self._list("about a library without a version here", absent)
        self._list("without evidence for them", self.found.unknown)
        gone = (f"{one.writes} -> {one.instead}" for one in self.found.gone)
        coming = (f"{one.library} {one.since}: {one.writes} -> {one.instead}" for one in self.found.coming)
        mine = bool(self.where.files) and not self.everything
        about = ", of which the words stand in this project's code" if mine else ""
        self._list(f"failing already{about}; write instead", gone, "old form", always=mine)
        self._list(f"still working{about}, until", coming, "old form", always=mine)
        click.echo(f"\nFence: {fence_words()}")
        if not self.everything:
            click.echo("\n'skillkit doctor --all' lists everything that is counted here")

    def _remedy(self, library: str) -> str:
        if self.where.files:
            return "pin it in one of the project's files, or run 'skillkit doctor' in its environment"
        return f"pip install {library}, or name a project with --project"

    def _list(self, title: str, lines: Iterable[str], noun: str = "pattern", always: bool = False) -> None:
        shown = [" ".join(line.split()) for line in lines]
        if not shown:
            return
        listed = always or self.everything or len(shown) <= _FEW
        click.echo(f"\n{counted(len(shown), noun)} {title}" + (":" if listed else ""))
        for line in shown if listed else ():
            click.echo(f"  {line}")


_FEW = 5  # lines that are always shown


def _cited(run: Run) -> str:
    """Return a run's versions in words: of the libraries that texts cite, else of all."""
    words = cited_versions([run]) or cited_versions([run], only_libraries(run.versions))
    return ", ".join(part for part in (words, f"Python {run.versions['python']}") if part)
