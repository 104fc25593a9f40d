"""Requests: what one line of a project's file asks of one library, in each of the grammars that there are."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version


@dataclass(frozen=True)
class Request:
    """What a file says of one library.

    Args:
        library: Its name as package indexes write it, in one case.
        said: The words of the file, as `^0.8`.
        admitted: The versions that it admits, as `>=0.8`; what has no such form, as Poetry's upper ends, is left out.
        file: Where it says so, in messages.
    """

    library: str
    said: str
    admitted: str = ""
    file: str = ""

    @cached_property
    def _specifiers(self) -> SpecifierSet:
        try:
            return SpecifierSet(self.admitted)
        except InvalidSpecifier:
            return SpecifierSet()

    @property
    def version(self) -> str | None:
        """The version that is pinned, or else the lowest that is admitted; None where there is no such."""
        lower = [one.version.removesuffix(".*") for one in self._specifiers if one.operator in _LOWER]
        return max(filter(is_version, lower), key=Version, default=None)

    @property
    def pinned(self) -> bool:
        """Whether only one version will do, or only what is built of it."""
        return any(
            one.operator in ("==", "===") and (not one.version.endswith(".*") or one.version.count(".") > 2)
            for one in self._specifiers
        )

    def admits(self, version: str) -> bool:
        """Return whether some version is one of those that are asked for."""
        return self._specifiers.contains(version, prereleases=True)


_LOWER = ("==", "===", ">=", ">", "~=")


def locked(name: object, version: object) -> Request | None:
    """Return what a lock file's entry pins, or None where it has no version."""
    if not isinstance(name, str) or not isinstance(version, str) or not is_version(version) or _ENDLESS.search(version):
        return None
    return Request(canonicalize_name(name), f"=={version}", f"=={version}")


def required(line: str) -> Request | None:
    """Return what a requirement of pip's asks for, or None where it is none, or is for other machines."""
    if _ENDLESS.search(line):
        return None
    try:
        found = Requirement(line)
    except InvalidRequirement:
        return None
    if not _applies(found):
        return None
    said = f"@ {found.url}" if found.url else str(found.specifier)
    return Request(canonicalize_name(found.name), said, str(found.specifier))


def _applies(found: Requirement) -> bool:
    try:
        return found.marker is None or found.marker.evaluate({"extra": ""})
    except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion, TypeError, KeyError):
        return True  # a marker that says nothing excludes nothing


def poetic(name: str, wanted: Any) -> Iterator[Request]:
    """Yield what an entry of Poetry's, Pipenv's or Pixi's tables asks for: text, a table, or a list of these."""
    for one in wanted if isinstance(wanted, list) else [wanted]:
        said = one.get("version", "") if isinstance(one, dict) else one
        if isinstance(said, str):
            yield Request(canonicalize_name(name), said.strip() or "@", _admitted(said))


def of_conda(line: str) -> Request | None:
    """Return what a dependency of a conda environment asks for: `conda-forge::jax=0.8.1=cpu*`, `jax >=0.8,<0.9`."""
    match = _CONDA.fullmatch(line.rpartition("::")[2])
    if not match:
        return None
    said = match["said"].strip()
    return Request(canonicalize_name(match["name"]), said, _admitted(_BUILD.sub(r"\1", said)))


_CONDA = re.compile(r"\s*(?P<name>[A-Za-z0-9_][\w.-]*)(?:\[(?:version=)?['\"]?)?(?P<said>[^\[\]'\"]*).*")
_BUILD = re.compile(r"^(==?[^=<>!~]+)=.*")
_CLAUSE = re.compile(r"(\^|~=|~|===|==|>=|<=|!=|=|>|<)?\s*v?(\d[\w.*+!]*)")
_AS_PIP = {"": "==", "^": ">=", "~": ">="}


def _admitted(said: str) -> str:
    """Return versions in pip's grammar, which lacks Poetry's `^` and `~` and the alternatives of both others."""
    if "|" in said:
        lowest = [one for part in said.split("|") if (one := Request("", said, _admitted(part)).version)]
        return f">={min(lowest, key=Version)}" if lowest else ""
    clauses = [_clause(sign, version) for sign, version in _CLAUSE.findall(said)]
    return ",".join(clause for clause in clauses if _is_specifier(clause))


def _clause(sign: str, version: str) -> str:
    if sign == "=":  # of conda: this version, and what begins so
        return f"=={version.removesuffix('.*').removesuffix('*')}.*"
    return f"{_AS_PIP.get(sign, sign)}{version}"


_ENDLESS = re.compile(r"\d{100}")  # no version has such a number, and none can be compared with it


def _is_specifier(text: str) -> bool:
    if _ENDLESS.search(text):
        return False
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return False
    return True


def is_version(text: str) -> bool:
    """Return whether some text is a version."""
    try:
        Version(text)
    except ValueError:  # an InvalidVersion, or thousands of digits
        return False
    return True
