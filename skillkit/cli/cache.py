"""`skillkit cache`: what is kept between runs, where, how large, and away with it."""

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import click

from skillkit.errors import bad_input, counted, did_you_mean
from skillkit.places import cache_folder

EPILOG = """\b
Examples:
  skillkit cache
  skillkit cache environments --clean
"""


def parts_like(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the parts that begin so."""
    return [name for name in _parts(cache_folder()) if name.startswith(incomplete)]


@click.command("cache", epilog=EPILOG)
@click.argument("part", nargs=-1, shell_complete=parts_like)
@click.option("--clean", is_flag=True, help="Delete it: nothing is lost but the time to make it again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def cache_command(part: tuple[str, ...], clean: bool, as_json: bool) -> None:
    """Say where the cache lies and how large it is, or each PART of it, such as environments or texts."""
    folder = cache_folder()
    there = _parts(folder)
    chosen = {name: _named(name, there) for name in part} or there
    sizes = {name: _size(paths) for name, paths in chosen.items()}
    if clean:
        for path in (path for paths in chosen.values() for path in paths):
            _remove(path)
    if as_json:
        parts = {name: {"bytes": size, "files": files} for name, (size, files) in sizes.items()}
        click.echo(json.dumps({"folder": str(folder), "parts": parts, "cleaned": clean}, indent=2))
        return
    click.echo(f"{folder}{' (nothing is there)' if not there else ''}")
    width = max((len(name) for name in sizes), default=0)
    for name, (size, files) in sizes.items():
        click.echo(f"  {name:{width}}  {_words(size):>8}  {counted(files, 'file')}{', deleted' if clean else ''}")


def _parts(folder: Path) -> dict[str, list[Path]]:
    """Return what the cache holds: its folders by their names; the files beside them are outcomes of runs."""
    parts: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        name = path.name if path.is_dir() and not path.is_symlink() else _FILES
        parts.setdefault(name, []).append(path)
    return dict(sorted(parts.items()))


_FILES = "outcomes"


def _named(name: str, there: Mapping[str, list[Path]]) -> list[Path]:
    if name in there:
        return there[name]
    raise bad_input(name, f"no such part of the cache{did_you_mean(name, there)}: {', '.join(there) or 'it is empty'}")


def _size(paths: Iterable[Path]) -> tuple[int, int]:
    """Return the bytes and the number of files below some paths; what is linked to counts as a link."""
    size = files = 0
    for path in paths:
        inside = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
        for file in inside if path.is_dir() and not path.is_symlink() else [path]:
            with suppress(FileNotFoundError):  # another command is at work
                size += os.lstat(file).st_size
                files += 1
    return size, files


def _remove(path: Path) -> None:
    try:
        path.unlink() if path.is_symlink() or not path.is_dir() else shutil.rmtree(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise bad_input(path, f"cannot be deleted: {error.strerror}") from error


def _words(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
