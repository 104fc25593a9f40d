"""`skillkit init`: a small project of one's own."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from skillkit.errors import bad_input
from skillkit.writing import write

EPILOG = """\b
Example:
  skillkit init my-skill && cd my-skill && skillkit verify --record && skillkit render
"""


@click.command("init", epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path))
def init_command(folder: Path) -> None:
    """Lay out a small project in FOLDER, for any library: a spec, its code, a mistake and a template."""
    skeleton = files("skillkit").joinpath("skeleton")
    texts = dict(_files(skeleton, Path()))
    taken = [folder / path for path in texts if (folder / path).exists()]
    if taken:
        raise bad_input(taken[0], "is there already, and init replaces nothing: name another folder")
    for path, text in texts.items():
        try:
            write(folder / path, text)
        except OSError as error:
            raise bad_input(folder / path, f"cannot be written: {error.strerror}") from error
        click.echo(f"wrote {folder / path}", err=True)
    click.echo(f"Now: cd {folder} && skillkit verify --record && skillkit render", err=True)


def _files(folder: Traversable, path: Path) -> list[tuple[Path, str]]:
    found = []
    for item in sorted(folder.iterdir(), key=lambda one: one.name):
        if item.is_dir():
            found += [] if item.name == "__pycache__" else _files(item, path / item.name)
        elif not item.name.endswith(".pyc"):
            found.append((path / item.name, item.read_text("utf-8")))
    return found
