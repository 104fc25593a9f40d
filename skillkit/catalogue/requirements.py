"""Requirements: the library versions under which something is stated, and the message that is expected of it."""

import re
from collections.abc import Iterator, Mapping

from packaging.specifiers import InvalidSpecifier, SpecifierSet


def bad_requirements(requires: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each library whose versions cannot be read, with the message that says so."""
    for library, versions in requires.items():
        if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", library):
            yield library, f"must be a library, not '{library}'"
        if len(versions) > _LONGEST:
            yield library, f"must be versions such as '>=0.6', of at most {_LONGEST} characters"
            continue
        try:
            if not list(SpecifierSet(versions)):
                yield library, "must be versions such as '>=0.6': any version needs no requirement"
        except InvalidSpecifier:
            yield library, f"must be versions such as '>=0.6', not '{versions}'"


_LONGEST = 100


def bad_match(pattern: str) -> str:
    """Return what is wrong with a regular expression that a message is to match, or an empty string."""
    if not pattern:
        return ""
    try:
        found = [re.search(pattern, text) for text in _UNLIKE]
    except re.error as error:
        return f"not a regular expression: {error}"
    if all(found[:-1]) or found[-1]:
        return "would be found in any message: use words that only this one has"
    if re.search(_NEED_NOT_BE, re.sub(r"\\.|\[[^\]]*\]", ".", pattern)):
        return "has words that need not be in the message, and its words are printed as the message's: leave them out"
    return ""


_NEED_NOT_BE = r"[^.*+?({][?*]|\{0?,|\{0\}|\(\?<?[=!]"  # what is optional, or is looked around for


# messages that have nothing in common, and one that has each letter and digit, whichever a pattern asks for
_UNLIKE = ("0", "q", "~", "The quick brown fox jumps over a lazy dog 0123456789 times: [-(.,'/=_)]")


def is_past(requires: Mapping[str, str]) -> bool:
    """Return whether a requirement ends at some version: what needs it is not for the newest."""
    return any(
        one.operator in ("<", "<=", "==", "~=") for versions in requires.values() for one in SpecifierSet(versions)
    )


def unmet(requires: Mapping[str, str], versions: Mapping[str, str]) -> str:
    """Return the first requirement that the versions do not meet, in words, or an empty string."""
    for library, wanted in requires.items():
        found = versions.get(library)
        if found is None:
            return f"needs {library}{wanted}, which is not installed"
        if not SpecifierSet(wanted).contains(found, prereleases=True):
            return f"needs {library}{wanted}, not {found}"
    return ""
