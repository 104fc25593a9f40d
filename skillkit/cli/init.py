"""`skillkit init`: a whole skill of one's own, to begin with."""

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from skillkit.errors import bad_input
from skillkit.reading import shown
from skillkit.writing import write

EPILOG = """\b
Example:
  skillkit init my-skill && cd my-skill && skillkit verify --record && skillkit render
"""
_NAME = "SKILL_NAME"  # what the skeleton's files call the skill
_HIDDEN = "dot-"  # what their names begin with where they are to be hidden
_SCHEMAS = ("pattern", "changes", "glossary")
_LONGEST = 64  # characters of a skill's name, says its specification


@click.command("init", epilog=EPILOG)
@click.argument("folder")
def init_command(folder: str) -> None:
    """Lay out a skill in FOLDER, for any library, named after it: specs, their code, mistakes, templates and tests.

    It verifies and renders as it is; what it says of sums makes room for what you have to say.
    """
    if not folder.strip():
        raise bad_input("FOLDER", "must be a name, or . for this folder")
    root = Path(folder)
    texts = {_path(path, root): text.replace(_NAME, _name(root)) for path, text in _skeleton()}
    try:
        taken = [path for path in texts if path.exists()]
        if taken:
            raise bad_input(taken[0], "is there already, and init replaces nothing: name another folder")
        for path, text in texts.items():
            write(path, text)
            click.echo(f"wrote {path}", err=True)
    except OSError as error:
        raise bad_input(shown(folder), f"cannot be written: {error.strerror}") from error
    click.echo(f"Now: cd {folder} && skillkit verify --record && skillkit render", err=True)


def _name(folder: Path) -> str:
    """Return the folder's name as a skill may be called: lowercase words joined by hyphens."""
    words = re.findall(r"[a-z0-9]+", folder.resolve().name.casefold())
    return "-".join(words)[:_LONGEST].strip("-") or "my-skill"


def _path(path: str, folder: Path) -> Path:
    parts = (part.replace(_NAME, _name(folder)) for part in path.split("/"))
    return folder.joinpath(*(f".{part.removeprefix(_HIDDEN)}" if part.startswith(_HIDDEN) else part for part in parts))


def _skeleton() -> Iterator[tuple[str, str]]:
    """Yield the files to lay out: those of the skeleton, and the formats of what it holds, for editors."""
    yield from _files(files("skillkit").joinpath("skeleton"), "")
    for name in _SCHEMAS:
        yield f"schemas/{name}.json", files("skillkit").joinpath("schemas", f"{name}.json").read_text("utf-8")


def _files(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for item in sorted(folder.iterdir(), key=lambda one: one.name):
        if item.is_dir() and item.name != "__pycache__":
            yield from _files(item, f"{path}{item.name}/")
        elif not item.is_dir() and not item.name.endswith(".pyc"):
            yield f"{path}{item.name}", item.read_text("utf-8")
