"""Libraries: the distributions that a project's code imports, whose versions decide what holds."""

import importlib.metadata
import re
import sys
from collections import Counter
from collections.abc import Iterable

from skillkit.places import Project

_IMPORT = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
_DISTRIBUTIONS = {"orbax": "orbax-checkpoint", "sklearn": "scikit-learn"}
_COMPANIONS = {"jax": ("jaxlib", "flatbuffers")}  # what jax computes with, and what it exports programs with


def imported_modules(project: Project) -> tuple[str, ...]:
    """Return the top-level modules that the reference code imports, those that most files import first.

    The standard library's and the project's own are left out.
    """
    own = {path.stem for folder in (project.root, project.root / "src") for path in folder.glob("*")}
    passed_over = own | set(sys.stdlib_module_names) | {project.reference.name}
    counts: Counter[str] = Counter()
    for path in sorted(project.reference.rglob("*.py")):
        counts.update(set(_IMPORT.findall(path.read_text("utf-8", errors="replace"))) - passed_over)
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))


def distributions(modules: Iterable[str]) -> tuple[str, ...]:
    """Return the distributions that bring these modules, as a package index names them, each with its companions."""
    found: dict[str, None] = {}
    known: dict[str, list[str]] | None = None
    for module in modules:
        name = _DISTRIBUTIONS.get(module, module)
        if name == module and not _is_installed(name):
            known = known if known is not None else dict(importlib.metadata.packages_distributions())
            name = known.get(module, [module])[0]
        found |= dict.fromkeys((name, *_COMPANIONS.get(name, ())))
    return tuple(found)


def project_libraries(project: Project) -> tuple[str, ...]:
    """Return the distributions that the reference code imports, the principal one first."""
    return distributions(imported_modules(project))


def module_of(library: str) -> str:
    """Return the top-level module that a distribution is imported as."""
    return next((module for module, name in _DISTRIBUTIONS.items() if name == library), library.replace("-", "_"))


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
