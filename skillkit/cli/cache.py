"""`skillkit cache`: what is kept between runs, where, how large, and away with it."""

import json
import os
import shutil
from pathlib import Path

import click

from skillkit.errors import bad_input, counted, did_you_mean
from skillkit.places import cache_folder

EPILOG = """\b
Examples:
  skillkit cache
  skillkit cache environments --clean
"""


@click.command("cache", epilog=EPILOG)
@click.argument("part", nargs=-1)
@click.option("--clean", is_flag=True, help="Delete it: nothing is lost but the time to make it again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def cache_command(part: tuple[str, ...], clean: bool, as_json: bool) -> None:
    """Say where the cache lies and how large it is, or each PART of it: environments, outcomes, texts."""
    folder = cache_folder()
    there = sorted(path for path in folder.iterdir()) if folder.is_dir() else []
    chosen = [_named(name, there) for name in part] or there
    sizes = {path.name: _size(path) for path in chosen}
    if clean:
        for path in chosen:
            _remove(path)
    if as_json:
        parts = {name: {"bytes": size, "files": files} for name, (size, files) in sizes.items()}
        click.echo(json.dumps({"folder": str(folder), "parts": parts, "cleaned": clean}, indent=2))
        return
    click.echo(f"{folder}{' (nothing is there)' if not there else ''}")
    width = max((len(name) for name in sizes), default=0)
    for name, (size, files) in sizes.items():
        click.echo(f"  {name:{width}}  {_words(size):>8}  {counted(files, 'file')}{', deleted' if clean else ''}")


def _named(name: str, there: list[Path]) -> Path:
    for path in there:
        if path.name == name:
            return path
    names = [path.name for path in there]
    raise bad_input(name, f"no such part of the cache{did_you_mean(name, names)}: {', '.join(names) or 'it is empty'}")


def _size(path: Path) -> tuple[int, int]:
    """Return the bytes and the number of files below a path; what is linked to counts as a link."""
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size, 1
    size = files = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                size += os.lstat(os.path.join(folder, name)).st_size
            except FileNotFoundError:  # another command is at work
                continue
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
