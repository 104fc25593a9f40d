"""`skillkit render`: the texts that assistants read, written or compared with what is there."""

import difflib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from skillkit.cli.completion import texts_like, versions_like
from skillkit.cli.endings import problems_as
from skillkit.cli.naming import project_in_use
from skillkit.errors import Problem, bad_input
from skillkit.findings import FORMATS, Finding, written
from skillkit.places import Project
from skillkit.rendering.cache import rendered
from skillkit.rendering.texts import MARK, Text
from skillkit.writing import write

EPILOG = """\b
Examples:
  skillkit render
  skillkit render skill-jax-patterns --for jax==0.8 --output docs
  skillkit render --check --diff
"""


@click.command("render", epilog=EPILOG)
@click.argument("name", nargs=-1, shell_complete=texts_like)
@click.option("--output", type=click.Path(path_type=Path), help="The folder to write to, instead of the project's.")
@click.option(
    "--for",
    "versions",
    multiple=True,
    metavar="LIBRARY==VERSION",
    shell_complete=versions_like,
    help="Leave out what this version does not have.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 where a file is not what would be written.")
@click.option(
    "--output-format", "form", type=click.Choice(FORMATS), default="text", help="How --check says what it found."
)
@click.option("--diff", is_flag=True, help="Write nothing; print how the files differ from what would be written.")
@click.option("--force", is_flag=True, help="Replace also files that skillkit did not write.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing of what was written.")
def render_command(
    name: tuple[str, ...],
    output: Path | None,
    versions: tuple[str, ...],
    check: bool,
    form: str,
    diff: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Write the texts that assistants read, all or those that NAME names, from specs and templates.

    A file that is already as it should be is not touched.
    """
    project = project_in_use(quiet)
    folder = output or project.outputs
    wanted = _versions(versions)
    _require_runs(project, wanted, quiet)
    with problems_as(form):
        made = rendered(project, wanted, name)
    texts = made.texts
    if not texts:
        raise bad_input(project.templates, "no template here: a text's template is a file NAME.md.j2")
    stale = [] if name or output else list(_stale(folder, texts))  # another folder may hold others' texts
    if check or diff:
        differing = [text for text in texts if _found(folder / text.path) != text.text]
        if diff:
            for text in differing:
                click.echo("".join(_difference(folder / text.path, text.text)), nl=False)
        found = [_finding("stale-text", folder / text.path, "not as rendered", text.name) for text in differing]
        found += [_finding("leftover-text", path, "no longer rendered") for path in stale]
        click.echo(written(found, form), nl=False, err=form == "text")
        sys.exit(1 if check and found else 0)
    _write(folder, texts, stale, force, quiet)
    if not quiet:
        _tell_unproven(project, made.unproven)


def _finding(rule: str, path: Path, message: str, name: str = "") -> Finding:
    return Finding(rule, Problem(str(path), 0, 0, message), name)


def _versions(asked: Sequence[str]) -> dict[str, str]:
    from packaging.version import Version

    found = {}
    for text in asked:
        match = _VERSION.fullmatch(text.strip())
        try:
            found[match["library"]] = str(Version(match["version"]))  # type: ignore[index]  # None is a TypeError
        except (TypeError, ValueError) as error:  # an InvalidVersion, or thousands of digits
            raise bad_input("--for", f"must be a library and its version such as jax==0.8, not '{text}'") from error
    return found


_VERSION = re.compile(r"(?P<library>[A-Za-z0-9][\w.-]*)\s*(?:==?|\s)\s*(?P<version>[^=\s]+)")


def _require_runs(project: Project, versions: Mapping[str, str], quiet: bool) -> None:
    """Say which runs on record are for the versions asked for; without any there is nothing to render."""
    if not versions:
        return
    from skillkit.proof.evidence import cited_versions, load_evidence

    evidence, asked = load_evidence(project.evidence), ", ".join(f"{name} {one}" for name, one in versions.items())
    if runs := evidence.runs_for(versions):
        if not quiet:
            click.echo(f"for {asked}: proven by runs with {cited_versions(runs, versions)}", err=True)
        return
    known = cited_versions(evidence.runs, versions)
    words = f"runs on record are with {known}" if known else "no run is on record"
    click.echo(f"nothing is proven for {asked}, so nothing is rendered: {words}", err=True)
    sys.exit(1)


def _tell_unproven(project: Project, names: Sequence[str]) -> None:
    if not project.evidence.is_file():
        click.echo("nothing is verified, no run is on record: run 'skillkit verify --record'", err=True)
        return
    changes = [name for name in names if name.startswith("changes/")]
    patterns = [name for name in names if name not in changes]
    if patterns:
        click.echo(f"not verified: {_named(patterns)}; run 'skillkit verify --record'", err=True)
    if changes:
        hint = "run 'skillkit verify changes --both-sides --record'"
        click.echo(f"left out, since no run shows it: {_named(changes)}; {hint}", err=True)


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown


def _write(folder: Path, texts: list[Text], stale: list[Path], force: bool, quiet: bool) -> None:
    for text in texts:
        found = _found(folder / text.path)
        if found is not None and MARK not in found and not force:
            raise bad_input(folder / text.path, "was not written by skillkit: move it away, or use --force")
    for text in texts:
        path = folder / text.path
        try:
            written = write(path, text.text)
        except OSError as error:
            raise bad_input(path, f"cannot be written: {error.strerror}; --output names another folder") from error
        if not quiet:
            click.echo(f"{'wrote' if written else 'fresh'} {path}", err=True)
    for path in stale:
        path.unlink()
        if not quiet:
            click.echo(f"removed {path}, which is no longer rendered", err=True)


def _stale(folder: Path, texts: list[Text]) -> Iterator[Path]:
    """Yield files that an earlier version rendered into the folder of outputs."""
    kept = {folder / text.path for text in texts}
    for path in sorted(folder.rglob("*.md")):
        if path not in kept and MARK in (_found(path) or ""):
            yield path


def _found(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")  # its line ends too are as they were rendered, or are not
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise bad_input(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _difference(path: Path, text: str) -> Iterator[str]:
    found = (_found(path) or "").splitlines(keepends=True)
    return difflib.unified_diff(found, text.splitlines(keepends=True), str(path), f"{path} (rendered)")
