"""`skillkit render`: the texts that assistants read, written or compared with what is there."""

import difflib
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from skillkit.errors import bad_input
from skillkit.places import find_project
from skillkit.rendering.cache import rendered
from skillkit.rendering.texts import MARK, Text
from skillkit.writing import write

EPILOG = """\b
Examples:
  skillkit render
  skillkit render skill-jax-patterns --jax 0.8 --output docs
  skillkit render --check --diff
"""


@click.command("render", epilog=EPILOG)
@click.argument("name", nargs=-1)
@click.option("--output", type=click.Path(path_type=Path), help="The folder to write to, instead of the project's.")
@click.option("--jax", metavar="VERSION", help="Render for this version of jax: what it lacks is left out.")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 where a file is not what would be written.")
@click.option("--diff", is_flag=True, help="Write nothing; print how the files differ from what would be written.")
@click.option("--force", is_flag=True, help="Replace also files that skillkit did not write.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing of what was written.")
def render_command(
    name: tuple[str, ...], output: Path | None, jax: str | None, check: bool, diff: bool, force: bool, quiet: bool
) -> None:
    """Write the texts that assistants read, all or those that NAME names, from specs and templates.

    A file that is already as it should be is not touched.
    """
    project = find_project()
    folder = output or project.outputs
    texts = rendered(project, {"jax": _version(jax)} if jax is not None else {}, name)
    if not texts:
        raise bad_input(project.templates, "no template here: a text's template is a file NAME.md.j2")
    stale = [] if name or output else list(_stale(folder, texts))  # another folder may hold others' texts
    if check or diff:
        differing = [text for text in texts if _found(folder / text.path) != text.text]
        if diff:
            for text in differing:
                click.echo("".join(_difference(folder / text.path, text.text)), nl=False)
        for path in [folder / text.path for text in differing] + stale:
            click.echo(f"{path}: {'no longer rendered' if path in stale else 'not as rendered'}", err=True)
        sys.exit(1 if check and (differing or stale) else 0)
    _write(folder, texts, stale, force, quiet)


def _version(text: str) -> str:
    from packaging.version import InvalidVersion, Version

    try:
        return str(Version(text))
    except InvalidVersion as error:
        raise bad_input("--jax", f"must be a version such as 0.8, not '{text}'") from error


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
    """Yield files that an earlier version rendered into the folders of these texts."""
    kept = {folder / text.path for text in texts}
    for parent in sorted({path.parent for path in kept}):
        for path in sorted(parent.glob("*.md")):
            if path not in kept and MARK in (_found(path) or ""):
                yield path


def _found(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise bad_input(path, f"cannot be read: {error}") from error


def _difference(path: Path, text: str) -> Iterator[str]:
    found = (_found(path) or "").splitlines(keepends=True)
    return difflib.unified_diff(found, text.splitlines(keepends=True), str(path), f"{path} (rendered)")
