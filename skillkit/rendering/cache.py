"""The cache: texts that were rendered before, while nothing that they are made of has changed."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import skillkit
from skillkit.kept import digest, keep, kept
from skillkit.places import Project, cache_folder
from skillkit.rendering.contexts import is_own_context
from skillkit.rendering.texts import Text

KEPT = 20  # texts of so many states are kept in the cache


@dataclass(frozen=True)
class Rendered:
    """What is rendered of a project.

    Args:
        texts: As `rendering.Renderer` makes them.
        unproven: The ids of the patterns that no run on record shows, and of the changes, which are left out.
    """

    texts: list[Text]
    unproven: list[str]


def rendered(project: Project, versions: Mapping[str, str], names: Sequence[str] = ()) -> Rendered:
    """Return the texts of these names, or all.

    Args:
        project: Whose texts they are.
        versions: Of the libraries that the texts are for.
        names: As `skillkit render` takes them.

    Raises:
        BadInput: A spec, a module or a template cannot be used.
    """
    if not all(map(is_own_context, project.contexts)):  # its code may change and nothing here would show it
        return _made(project, versions, names)
    path = cache_folder() / "texts" / f"{_digest(project, versions, names)}.kept"
    known = _known(kept(path))
    if known:
        return known
    found = _made(project, versions, names)
    keep(path, [[[text.name, text.path.as_posix(), text.text] for text in found.texts], found.unproven])
    _forget(path.parent)
    return found


def _made(project: Project, versions: Mapping[str, str], names: Sequence[str]) -> Rendered:
    from skillkit.rendering.renderer import Renderer

    renderer = Renderer(project, versions)
    return Rendered(list(renderer.render(names)), renderer.edition.unproven)


def _known(data: Any) -> Rendered | None:
    """Return the texts that were kept, or None where these are none, or would be written elsewhere."""
    try:
        found, unproven = data
        texts = [Text(str(name), Path(file), str(text)) for name, file, text in found]
        unproven = [str(name) for name in unproven]
    except (ValueError, TypeError):
        return None
    leaves = any(text.path.is_absolute() or ".." in text.path.parts for text in texts)
    return None if leaves else Rendered(texts, unproven)


def _forget(folder: Path) -> None:
    try:
        for old in sorted(folder.glob("*.kept"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
            old.unlink()
    except OSError:  # nothing is lost but time
        return


def _digest(project: Project, versions: Mapping[str, str], names: Sequence[str]) -> str:
    """Return a name for all that texts are made of: specs, code, templates, settings, evidence, and what reads them."""
    readers = [sys.version, *map(version, ("jinja2", "markupsafe", "packaging", "pyyaml"))]
    return digest(json.dumps([dict(versions), list(names), repr(project), readers]), _inputs(project))


def _inputs(project: Project) -> Iterator[Path]:
    for folder in (project.reference, project.templates, Path(skillkit.__file__).parent):
        yield from sorted(path for path in _files(folder) if path.suffix != ".pyc")
    if project.evidence.is_file():
        yield project.evidence


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, in linked folders too, but in none twice."""
    met: set[str] = set()
    for here, folders, names in os.walk(folder, followlinks=True):
        met.add(os.path.realpath(here))
        folders[:] = [name for name in folders if os.path.realpath(os.path.join(here, name)) not in met]
        yield from (path for path in (Path(here, name) for name in names) if path.is_file())
