"""Contexts: what a project's templates may speak of beyond its patterns, given by functions that packages register."""

from importlib.metadata import entry_points
from typing import Any

from skillkit.errors import bad_input, did_you_mean
from skillkit.places import Project

GROUP = "skillkit.contexts"


def is_own_context(name: str) -> bool:
    """Return whether the function of an entry point is this package's."""
    return all(entry.module.partition(".")[0] == _PACKAGE for entry in entry_points(group=GROUP, name=name))


_PACKAGE = __name__.partition(".")[0]


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
