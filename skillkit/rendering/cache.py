"""The cache: texts that were rendered before, while nothing that they are made of has changed."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import skillkit
from skillkit.places import Project, cache_folder
from skillkit.rendering.texts import Text
from skillkit.writing import write

KEPT = 20  # texts of so many states are kept in the cache


def rendered(project: Project, versions: Mapping[str, str], names: Sequence[str] = ()) -> list[Text]:
    """Return the texts of these names, or all, as `rendering.Renderer` makes them.

    Args:
        project: Whose texts they are.
        versions: Of the libraries that the texts are for.
        names: As `skillkit render` takes them.

    Raises:
        BadInput: A spec, a module or a template cannot be used.
    """
    folder = cache_folder() / "texts"
    path = folder / f"{_digest(project, versions, names)}.json"
    try:
        return [Text(name, Path(file), text) for name, file, text in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, TypeError):
        pass
    from skillkit.rendering.renderer import Renderer

    texts = list(Renderer(project, versions).render(names))
    _keep(path, [[text.name, text.path.as_posix(), text.text] for text in texts])
    return texts


def _keep(path: Path, texts: list[Any]) -> None:
    try:
        write(path, json.dumps(texts))
        for old in sorted(path.parent.glob("*.json"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
            old.unlink()
    except OSError:  # nothing is lost but time
        return


def _digest(project: Project, versions: Mapping[str, str], names: Sequence[str]) -> str:
    """Return a name for everything that the texts are made of: specs, code, templates, evidence, and this package."""
    digest = hashlib.sha256(json.dumps([dict(versions), list(names), str(project.root)]).encode())
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
