"""Libraries: the distributions that a project's code imports, whose versions decide what holds."""

import importlib.metadata
import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from skillkit.places import Project

_FROM = re.compile(r"^\s*from\s+([A-Za-z_]\w*)", re.MULTILINE)
_IMPORT = re.compile(r"^\s*import\s+([\w., ]+)", re.MULTILINE)
_DISTRIBUTIONS = {"orbax": "orbax-checkpoint", "sklearn": "scikit-learn"}
_COMPANIONS = {"jax": ("jaxlib", "flatbuffers")}  # what jax computes with, and what it exports programs with


def imported_modules(project: Project) -> tuple[str, ...]:
    """Return the top-level modules that the reference code imports, those that most files import first.

    The standard library's and the project's own are left out.
    """
    counts = _imports(project)
    own = _own(project)
    return tuple(sorted(counts.keys() - own, key=lambda name: (-counts[name], name)))


def local_modules(project: Project) -> tuple[str, ...]:
    """Return the modules of the reference code's imports whose content changes without their version.

    These are the project's own, beside its reference code, and what is installed in editable form.
    """
    imports = _imports(project)
    editable = {name for name in imports if any(map(_is_editable, distributions([name])))}
    return tuple(sorted((imports.keys() & _own(project)) | editable))


def _own(project: Project) -> set[str]:
    """Return the modules and packages beside the reference code, but for those that hide what is installed."""
    beside = [path for folder in (project.root, project.root / "src") for path in folder.glob("*") if _is_module(path)]
    return {path.stem for path in beside if not is_installed(path.stem) or _is_editable(path.stem)}


def _is_module(path: Path) -> bool:
    return path.suffix == ".py" or (path.is_dir() and next(path.glob("*.py"), None) is not None)


def _imports(project: Project) -> Counter[str]:
    """Return in how many files each top-level module is imported, without the standard library's."""
    counts: Counter[str] = Counter()
    for path in sorted(project.reference.rglob("*.py")):
        text = path.read_text("utf-8", errors="replace")
        found = set(_FROM.findall(text))
        for names in _IMPORT.findall(text):
            found |= {name.strip().partition(" ")[0].partition(".")[0] for name in names.split(",")}
        counts.update(found - set(sys.stdlib_module_names) - {project.reference.name})
    return counts


def distributions(modules: Iterable[str]) -> tuple[str, ...]:
    """Return the distributions that bring these modules, as a package index names them, each with its companions."""
    found: dict[str, None] = {}
    for module in modules:
        name = _DISTRIBUTIONS.get(module, module)
        if name == module and not is_installed(name):
            name = _by_module().get(module, [module])[0]
        found |= dict.fromkeys((name, *_COMPANIONS.get(name, ())))
    return tuple(found)


def project_libraries(project: Project) -> tuple[str, ...]:
    """Return the distributions that the reference code imports, the principal one first."""
    return distributions(imported_modules(project))


@cache
def module_of(library: str) -> str:
    """Return the top-level module that a distribution is imported as."""
    for module, name in _DISTRIBUTIONS.items():
        if name == library:
            return module
    usual = library.replace("-", "_")
    if importlib.util.find_spec(usual) or not is_installed(library):
        return usual
    return next((module for module, names in _by_module().items() if library in names), usual)


def imports(code: str, library: str) -> bool:
    """Return whether code imports a distribution's module, at any depth of indentation."""
    module = module_of(library)
    # of most code the name alone says it
    return module in code and re.search(rf"^\s*(import|from) {module}\b", code, re.MULTILINE) is not None


def only_libraries(versions: Iterable[str]) -> list[str]:
    """Return the names of what has a version, without Python and the platform."""
    return [name for name in versions if name not in ("python", "platform")]


@cache
def _by_module() -> dict[str, list[str]]:
    return dict(importlib.metadata.packages_distributions())


def _is_editable(name: str) -> bool:
    try:
        text = importlib.metadata.distribution(name).read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return False
    return bool(text and json.loads(text).get("dir_info", {}).get("editable"))


def is_installed(name: str) -> bool:
    """Return whether this interpreter has a distribution of this name."""
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
