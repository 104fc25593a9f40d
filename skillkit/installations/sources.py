"""Sources: the files in which a project says what it is to be installed with, and what each of them asks for."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from skillkit.files import read_json, read_text, read_toml
from skillkit.installations.requests import Request, locked, of_conda, poetic, required
from skillkit.reading import read

Table = dict[str, Any]


def requests(path: Path) -> list[Request]:
    """Return what one file asks for, by its name; nothing where its name is unknown.

    Raises:
        BadInput: It cannot be read.
    """
    for pattern, reader in _READERS.items():
        if path.match(pattern):
            return [request for request in reader(path) if request]
    return []


def sources(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that may ask for libraries, those first that count before the others."""
    met: set[Path] = set()
    for pattern in _READERS:
        for path in sorted(folder.glob(pattern)):
            if path.is_file() and path not in met:
                met.add(path)
                yield path


def _lock(path: Path) -> Iterator[Request | None]:
    data = read_toml(path)
    for one in _tables(data.get("package", data.get("packages"))):
        yield locked(one.get("name"), one.get("version"))


def _pipfile_lock(path: Path) -> Iterator[Request | None]:
    data = read_json(path)
    for part in ("default", "develop"):
        for name, one in _items(_get(data, part)):
            yield locked(name, str(_get(one, "version")).removeprefix("=="))


def _conda_lock(path: Path) -> Iterator[Request | None]:
    """Read conda-lock's file, or Pixi's, which names a package of conda by the address of its archive alone."""
    data = read(path).value
    for one in _tables(_get(data, "package") or _get(data, "packages")):
        archive = _ARCHIVE.search(str(one.get("conda", "")))
        yield locked(*archive.groups()) if archive else locked(one.get("name"), one.get("version"))


_ARCHIVE = re.compile(r"/([^/]+)-([^-/]+)-[^-/]+\.(?:conda|tar\.bz2)$")


def _requirements(path: Path) -> Iterator[Request | None]:
    yield from _lines(path, {path.resolve()})


def _lines(path: Path, met: set[Path]) -> Iterator[Request | None]:
    """Yield what a file of pip's asks for, with the files that it includes."""
    text = re.sub(r"\\\r?\n", " ", read_text(path))
    for line in (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines()):
        included = _INCLUDED.match(line)
        other = _beside(path, included[1]) if included else None
        if other and other not in met:
            met.add(other)
            yield from _lines(other, met)
        elif line and not line.startswith("-"):
            yield required(re.sub(r"\s--[a-z].*", "", line))


def _beside(path: Path, name: str) -> Path | None:
    """Return the file that a line includes; an address, and what is no file, are passed over."""
    try:
        other = (path.parent / name).resolve()
        return other if other.is_file() else None
    except (OSError, ValueError):  # no name that a file can have
        return None


_INCLUDED = re.compile(r"(?:-r|-c|--requirement|--constraint)[\s=]+(\S+)")


def _conda(path: Path) -> Iterator[Request | None]:
    for one in _list(_get(read(path).value, "dependencies")):
        if isinstance(one, str):
            yield of_conda(one)
        elif isinstance(one, dict):
            yield from map(required, _texts(one.get("pip")))


def _pipfile(path: Path) -> Iterator[Request | None]:
    data = read_toml(path)
    for part in ("packages", "dev-packages"):
        yield from _poetic(data.get(part))


def _pixi(path: Path) -> Iterator[Request | None]:
    yield from _pixi_tables(read_toml(path))


def _pixi_tables(data: Any) -> Iterator[Request | None]:
    features = [one for _, one in _items(_get(data, "feature"))]
    for part in (data, *features):
        for name in ("dependencies", "pypi-dependencies"):
            yield from _poetic(_get(part, name))


def _pyproject(path: Path) -> Iterator[Request | None]:
    data = read_toml(path)
    project, tool = data.get("project"), data.get("tool")
    groups = [group for _, group in _items(_get(project, "optional-dependencies"))]
    groups += [group for _, group in _items(data.get("dependency-groups"))]
    groups += [group for _, group in _items(_get(_get(tool, "pdm"), "dev-dependencies"))]
    for group in (_get(project, "dependencies"), *groups, _get(_get(tool, "uv"), "dev-dependencies")):
        yield from map(required, _texts(group))
    poetry = _get(tool, "poetry")
    others = [_get(group, "dependencies") for _, group in _items(_get(poetry, "group"))]
    for table in (_get(poetry, "dependencies"), _get(poetry, "dev-dependencies"), *others):
        yield from _poetic(table)
    yield from _pixi_tables(_get(tool, "pixi"))


def _setup(path: Path) -> Iterator[Request | None]:
    section = re.search(r"^install_requires\s*=(.*(?:\n[ \t].*|\n\s*$)*)", read_text(path), re.MULTILINE)
    yield from (required(line.strip()) for line in (section[1].splitlines() if section else ()))


# A lock says what is installed, the others what is asked for; of these the more particular come first.
_READERS: dict[str, Callable[[Path], Iterable[Request | None]]] = {
    "uv.lock": _lock,
    "poetry.lock": _lock,
    "pdm.lock": _lock,
    "pylock*.toml": _lock,
    "Pipfile.lock": _pipfile_lock,
    "conda-lock.y*ml": _conda_lock,
    "pixi.lock": _conda_lock,
    "*requirements*.txt": _requirements,
    "requirements/*.txt": _requirements,
    "*constraints*.txt": _requirements,
    "environment*.y*ml": _conda,
    "conda*.y*ml": _conda,
    "*requirements*.in": _requirements,
    "Pipfile": _pipfile,
    "pixi.toml": _pixi,
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup,
}
NAMES = tuple(_READERS)


def _poetic(table: Any) -> Iterator[Request | None]:
    for name, wanted in _items(table):
        yield from poetic(name, wanted)


def _get(table: Any, name: str) -> Any:
    return table.get(name) if isinstance(table, dict) else None


def _items(table: Any) -> list[tuple[str, Any]]:
    return list(table.items()) if isinstance(table, dict) else []


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _tables(value: Any) -> list[Table]:
    return [one for one in _list(value) if isinstance(one, dict)]


def _texts(value: Any) -> list[str]:
    return [one for one in _list(value) if isinstance(one, str)]
