"""Contexts: what a project's templates may speak of beyond its patterns, given by functions that packages register."""

import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import skillkit
from skillkit.errors import bad_input, did_you_mean
from skillkit.kept import digest, keep_made, kept_made
from skillkit.places import Project, cache_folder, own_project
from skillkit.rendering.subjects import plain

GROUP = "skillkit.contexts"


def is_own_context(name: str) -> bool:
    """Return whether the function of an entry point is this package's."""
    return all(entry.module.partition(".")[0] == _PACKAGE for entry in entry_points(group=GROUP, name=name))


_PACKAGE = __name__.partition(".")[0]


def context_data(name: str, project: Project) -> dict[str, Any]:
    """Return what a registered function gives, as plain data; of this package's it is kept while nothing has changed.

    Args:
        name: As for `registered_context`.
        project: Likewise.

    Raises:
        BadInput: No installed package registers such a function, or what it reads cannot be used.
    """
    if not is_own_context(name):
        return _plain(name, project)
    path = cache_folder() / "contexts" / f"{name}.kept"
    made_of = digest(f"{sys.version}\0{project.reference.absolute()}", sorted(_read(project)))
    found: dict[str, Any] | None = kept_made(path, made_of, dict)
    if found is None:
        found = _plain(name, project)
        keep_made(path, made_of, found)
    return found


def _plain(name: str, project: Project) -> dict[str, Any]:
    data: dict[str, Any] = plain(registered_context(name, project))
    return data


def _read(project: Project) -> Iterator[Path]:
    """Yield this package's code, and the tables that it may read: those in folders within the references."""
    for pattern in ("*.py", "*/*.py", "*/*.json"):
        yield from Path(skillkit.__file__).parent.glob(pattern)
    for folder in {project.reference, own_project(project.root).reference}:
        yield from folder.glob("*/*.yaml")


def registered_context(name: str, project: Project) -> dict[str, Any]:
    """Return what a registered function gives the templates of a project.

    Args:
        name: Of an entry point of the group `skillkit.contexts`, whose function takes a `Project` and returns a
            mapping from the names that templates may use to what they stand for.
        project: Whose templates they are.

    Raises:
        BadInput: No installed package registers such a function.
    """
    found = entry_points(group=GROUP)
    for entry in found.select(name=name):
        return dict(entry.load()(project))
    near = did_you_mean(name, found.names)
    message = f"no installed package registers the context '{name}'{near} as an entry point of the group {GROUP}"
    raise bad_input(project.root / "pyproject.toml", message)
