"""Installations: the library versions of an environment or of another project's files."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from skillkit.errors import bad_input

LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
REQUIREMENTS = "requirements*.txt"


def project_versions(folder: Path, libraries: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Return the versions that a project pins, or at least asks for, and the files that say so.

    A lock file wins over requirements, these over `pyproject.toml`. Of a range, the lowest version counts.

    Raises:
        BadInput: The folder has none of these files, or one cannot be read.
    """
    wanted = {canonicalize_name(name): name for name in libraries}
    if not folder.is_dir():
        raise bad_input(folder, "no such folder")
    versions: dict[str, str] = {}
    said_by: list[str] = []
    for path, found in _sources(folder):
        named = [(wanted.get(canonicalize_name(name)), version) for name, version in found]
        new = {name: version for name, version in named if name and name not in versions}
        if new:
            versions |= new
            said_by.append(path.name)
    if not versions:
        files = ", ".join((*LOCKS, REQUIREMENTS, "pyproject.toml"))
        raise bad_input(folder, f"says no version of any of {', '.join(sorted(wanted))}: looked for {files}")
    return versions, said_by


def _sources(folder: Path) -> Iterator[tuple[Path, list[tuple[str, str]]]]:
    for name in LOCKS:
        if (folder / name).is_file():
            packages: Any = _toml(folder / name)
            entries = packages.get("package", packages.get("packages", []))
            pairs = [(str(one.get("name")), str(one.get("version"))) for one in _tables(entries)]
            yield folder / name, [(found, version) for found, version in pairs if _is_version(version)]
    for path in sorted(folder.glob(REQUIREMENTS)):
        lines = (re.sub(r"\s#.*|^#.*|\s*\\$|\s--hash.*", "", line).strip() for line in _text(path).splitlines())
        yield path, list(_lowest(line for line in lines if line and not line.startswith("-")))
    if (folder / "pyproject.toml").is_file():
        project: Any = _toml(folder / "pyproject.toml").get("project")
        project = project if isinstance(project, dict) else {}
        extras = project.get("optional-dependencies")
        groups = [project.get("dependencies"), *(extras.values() if isinstance(extras, dict) else ())]
        asked = [line for group in groups if isinstance(group, list) for line in group if isinstance(line, str)]
        yield folder / "pyproject.toml", list(_lowest(asked))


def _lowest(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        floors = [one.version for one in requirement.specifier if one.operator in ("==", "===", ">=", "~=")]
        floors = [version for version in (floor.removesuffix(".*") for floor in floors) if _is_version(version)]
        if floors and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            yield requirement.name, max(floors, key=Version)


def _tables(entries: Any) -> list[dict[str, Any]]:
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise bad_input(path, f"not TOML: {error}") from error


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise bad_input(path, f"cannot be read: {error}") from error
