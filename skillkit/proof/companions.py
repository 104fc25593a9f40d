"""Companions: what an old release of a library needs beside it, and the Python that it has packages for."""

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version

from skillkit.errors import BadInput
from skillkit.places import Project
from skillkit.reading import read
from skillkit.shapes import require, schema


@dataclass(frozen=True)
class Companions:
    """One row of the table.

    Args:
        library: Whose releases these are.
        until: The last of them; empty for the newest.
        python: The interpreter's version; empty where any will do.
        beside: What is installed with it, as pip takes it; `{version}` is the release's own.
    """

    library: str
    until: str = ""
    python: str = ""
    beside: tuple[str, ...] = ()

    def requirements(self, version: str) -> tuple[str, ...]:
        """Return what is installed for a release."""
        return (f"{self.library}=={version}", *(one.replace("{version}", version) for one in self.beside))


def load_companions(project: Project) -> tuple[Companions, ...]:
    """Read `companions.yaml` beside the specs; a project without one has none.

    Raises:
        BadInput: With every problem of the table.
    """
    path = project.reference / "companions.yaml"
    if not path.exists():
        return ()
    document = read(path)
    require(document, schema("companions"))
    problems = [
        document.problem((index, "beside", number), f"not a requirement such as 'numpy<2': '{one}'")
        for index, row in enumerate(document.value)
        for number, one in enumerate(row.get("beside", ()))
        if not _is_requirement(one.replace("{version}", "1"))
    ]
    if problems:
        raise BadInput(problems)
    return tuple(Companions(**row | {"beside": tuple(row.get("beside", ()))}) for row in document.value)


def companions_of(table: Sequence[Companions], library: str, version: str) -> Companions:
    """Return the first row of a table that is for a release, or one that asks for nothing more."""
    rows = (row for row in table if row.library == library)
    fitting = (row for row in rows if not row.until or Version(version) <= Version(row.until))
    return next(fitting, Companions(library))


def _is_requirement(text: str) -> bool:
    try:
        Requirement(text)
    except InvalidRequirement:
        return False
    return True
