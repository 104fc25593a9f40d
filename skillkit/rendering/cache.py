"""The cache: texts that were rendered before, while nothing that they are made of has changed."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import skillkit
from skillkit.places import Project, cache_folder
from skillkit.rendering.texts import Text
from skillkit.writing import write

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
    folder = cache_folder() / "texts"
    path = folder / f"{_digest(project, versions, names)}.json"
    known = _known(path)
    if known:
        return known
    from skillkit.rendering.renderer import Renderer

    renderer = Renderer(project, versions)
    found = Rendered(list(renderer.render(names)), renderer.unproven)
    _keep(path, [[[text.name, text.path.as_posix(), text.text] for text in found.texts], found.unproven])
    return found


def _known(path: Path) -> Rendered | None:
    """Return the texts that a file keeps, or None where it is no such file, or would have them written elsewhere."""
    try:
        kept, unproven = json.loads(path.read_text("utf-8"))
        texts = [Text(str(name), Path(file), str(text)) for name, file, text in kept]
        unproven = [str(name) for name in unproven]
    except (OSError, ValueError, TypeError):
        return None
    leaves = any(text.path.is_absolute() or ".." in text.path.parts for text in texts)
    return None if leaves else Rendered(texts, unproven)


def _keep(path: Path, texts: list[Any]) -> None:
    try:
        write(path, json.dumps(texts))
        for old in sorted(path.parent.glob("*.json"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
            old.unlink()
    except OSError:  # nothing is lost but time
        return


def _digest(project: Project, versions: Mapping[str, str], names: Sequence[str]) -> str:
    """Return a name for all that texts are made of: specs, code, templates, settings, evidence, and this package."""
    digest = hashlib.sha256(json.dumps([dict(versions), list(names), repr(project)]).encode())
    for path in _inputs(project):
        digest.update(f"\0{path}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:24]


def _inputs(project: Project) -> Iterator[Path]:
    for folder in (project.reference, project.templates, Path(skillkit.__file__).parent):
        for path in sorted(folder.rglob("*")):
            made = path.suffix == ".pyc"
            if path.is_file() and not made:
                yield path
    if project.evidence.is_file():
        yield project.evidence
