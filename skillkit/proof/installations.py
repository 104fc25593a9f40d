"""Installations: the library versions of an environment or of another project's files."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from skillkit.errors import bad_input

LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
REQUIREMENTS = "requirements*.txt"


def project_versions(folder: Path, libraries: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Return the versions that a project pins, or at least asks for, and the files that say so.

    A lock file wins over requirements, these over `pyproject.toml`. Of a range, the lowest version counts.

    Raises:
        BadInput: The folder has none of these files, or one cannot be read.
    """
    wanted = set(libraries)
    if not folder.is_dir():
        raise bad_input(folder, "no such folder")
    versions: dict[str, str] = {}
    said_by: list[str] = []
    for path, found in _sources(folder):
        new = {name: version for name, version in found if name in wanted and name not in versions}
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
            yield folder / name, [(entry["name"], str(entry["version"])) for entry in entries if "version" in entry]
    for path in sorted(folder.glob(REQUIREMENTS)):
        lines = (re.sub(r"\s#.*|^#.*|\s*\\$|\s--hash.*", "", line).strip() for line in _text(path).splitlines())
        yield path, list(_lowest(line for line in lines if line and not line.startswith("-")))
    if (folder / "pyproject.toml").is_file():
        project: Any = _toml(folder / "pyproject.toml").get("project", {})
        extras = [line for lines in project.get("optional-dependencies", {}).values() for line in lines]
        yield folder / "pyproject.toml", list(_lowest([*project.get("dependencies", []), *extras]))


def _lowest(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        floors = [one.version for one in requirement.specifier if one.operator in ("==", "===", ">=", "~=")]
        if floors:
            yield requirement.name.lower(), max((floor.removesuffix(".*") for floor in floors), key=Version)


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
