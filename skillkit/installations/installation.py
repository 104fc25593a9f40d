"""Installation: the one version of each library that a project's files amount to, and what is uncertain about it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

from skillkit.errors import bad_input
from skillkit.installations.requests import Request
from skillkit.installations.sources import NAMES, requests, sources


@dataclass(frozen=True)
class Installation:
    """What a project is installed with, as far as its files say.

    Args:
        versions: Of the libraries that it names with a version, in the order in which they were asked about.
        files: Those that say so.
        notes: What was assumed: ranges taken at their floor, names without a version, files that disagree.
    """

    versions: dict[str, str]
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()


def project_installation(path: Path, libraries: Iterable[str]) -> Installation:
    """Return the versions that a project pins, or at least asks for.

    A lock file wins over requirements, these over `pyproject.toml`. Of a range, the lowest version counts.

    Args:
        path: The project's folder, or one of its files.
        libraries: The names that matter, as a package index writes them.

    Raises:
        BadInput: No file says a version of any of these libraries, or one cannot be read.
    """
    names = list(libraries)
    wanted: dict[str, str] = {canonicalize_name(name): name for name in names}
    if not path.exists():
        raise bad_input(path, "no such folder")
    found: dict[str, list[Request]] = {}
    for file in [path] if path.is_file() else sources(path):
        shown = file.name if path.is_file() else file.relative_to(path).as_posix()
        for request in requests(file):
            if request.library in wanted:
                found.setdefault(wanted[request.library], []).append(replace(request, file=shown))
    chosen = {name: one for name in names if (one := _chosen(found.get(name, [])))}
    notes = [note for name in names for note in _notes(name, found.get(name, []), chosen.get(name))]
    if not chosen:
        raise bad_input(path, "; ".join(notes) or f"says no version of {_any(names)}: looked for {', '.join(NAMES)}")
    files = dict.fromkeys(one.file for one in chosen.values())
    versions = {name: one.version for name, one in chosen.items() if one.version}
    return Installation(versions, tuple(files), tuple(notes))


def _any(names: list[str]) -> str:
    return f"any of {', '.join(sorted(names))}" if len(names) > 1 else names[0]


def _chosen(asked: list[Request]) -> Request | None:
    """Return the request that counts: what pins a version before what only bounds it, then as the files come."""
    named = [one for one in asked if one.version]
    first = min(named, key=lambda one: not one.pinned, default=None)
    alike = [one for one in named if first and (one.file, one.pinned) == (first.file, first.pinned)]
    return min(alike, key=lambda one: Version(str(one.version)), default=None)


def _notes(name: str, asked: list[Request], chosen: Request | None) -> Iterator[str]:
    if chosen is None:
        for one in asked[:1]:
            how = (
                "by address" if one.said.startswith("@") else f"as {one.said}" if one.admitted else "without a version"
            )
            yield f"{one.file} asks for {name} {how}, so which version it has is not known"
        return
    if not chosen.pinned:
        yield f"{chosen.file} asks for {name} {chosen.said}: taken at its lowest, {chosen.version}"
    for one in dict.fromkeys(asked):
        if one != chosen and not one.admits(str(chosen.version)):
            yield f"{one.file} asks for {name} {one.said}, but {chosen.version} counts, of {chosen.file}"
