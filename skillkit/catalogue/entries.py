"""Entries: everything of a catalogue that has a name: its patterns, the changes, the glossary's terms."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skillkit.catalogue.catalogues import Catalogue, load_catalogue
from skillkit.catalogue.changes import Change, load_changes
from skillkit.catalogue.patterns import Pattern
from skillkit.catalogue.remarks import load_remarks
from skillkit.catalogue.values import as_numbers
from skillkit.errors import bad_input, did_you_mean
from skillkit.places import Project
from skillkit.reading import read

TABLES = ("changes", "glossary")


@dataclass(frozen=True)
class Entry:
    """One thing that can be shown and found.

    Args:
        kind: `pattern`, `change` or `term`.
        name: What `skillkit show` calls it.
        title: What it is about, in a line.
        groups: The names that stand for it and others: its topic, its table, the table's part.
        about: What the last of these is about, in a line.
        subject: The pattern, the change, or the term's fields.
        texts: What it says, by the weight that a word has there when one looks for it.
        matches: Regular expressions of the messages that it explains, each with the class of the error.
    """

    kind: str
    name: str
    title: str
    groups: tuple[str, ...]
    about: str
    subject: Pattern | Change | Mapping[str, Any]
    texts: tuple[tuple[float, str], ...] = ()
    matches: tuple[tuple[str, str], ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return the entry as `--json` prints it."""
        if isinstance(self.subject, Pattern):
            return {"kind": self.kind, **self.subject.as_data()}
        if isinstance(self.subject, Change):
            names = ("library", "since", "given", "writes", "instead", "match", "note", "source")
            data = {name: getattr(self.subject, name) for name in names if getattr(self.subject, name)}
            return {"kind": self.kind, "id": self.name, **data, self.subject.kind: as_numbers(self.subject.stated)}
        return {"kind": self.kind, "id": self.name, **self.subject}


def load_entries(project: Project, names: Iterable[str] = (), tables: bool = True) -> list[Entry]:
    """Return a project's entries: its patterns, then its changes, then its terms.

    Args:
        project: Whose they are.
        names: Of patterns and topics; where all of them are found, the problems of others do not matter.
        tables: Whether to return changes and terms.

    Raises:
        BadInput: A spec, a module or a table cannot be used.
    """
    asked = set(names)
    catalogue = load_catalogue(project, asked)
    titles = {topic.name: topic.title for topic in catalogue.topics}
    entries = [_pattern(one, titles[one.topic]) for one in catalogue.patterns.values()]
    if not tables:
        return entries
    if asked and asked <= {name for entry in entries for name in (entry.name, *entry.groups)}:
        return entries
    entries += [_change(one) for one in load_changes(project)]
    return entries + [_term(one) for one in _terms(project, catalogue)]


def select(entries: Sequence[Entry], names: Sequence[str]) -> list[Entry]:
    """Return the entries of these names, topics or tables, in the order of the names.

    Raises:
        BadInput: There is none of that name.
    """
    chosen: dict[str, Entry] = {}
    for name in names:
        found = [one for one in entries if name == one.name or name in one.groups]
        found = found or [one for one in entries if name.casefold() in _aliases(one)]
        if not found:
            known = dict.fromkeys(word for one in entries for word in (one.name, *one.groups))
            raise bad_input(name, f"no such pattern{did_you_mean(name, known)}: 'skillkit list' names them all")
        chosen |= {one.name: one for one in found}
    return list(chosen.values())


def _aliases(entry: Entry) -> tuple[str, ...]:
    """Return what a change or a term may also be called: its old form, its word."""
    return () if entry.kind == "pattern" else (entry.name.partition("/")[2].casefold(), entry.title.casefold())


def _pattern(pattern: Pattern, about: str) -> Entry:
    mistakes = pattern.mistakes
    said = " ".join([pattern.when, pattern.why, *(one.why for one in mistakes), pattern.no_mistake])
    names = " ".join([*pattern.gone, pattern.writes, *(f"{one.writes} {one.symbol}" for one in mistakes)])
    texts = ((4.0, f"{pattern.id} {pattern.title}"), (3.0, names), (2.5, pattern.rule), (1.5, said))
    code = (1.0, pattern.block.text)
    return Entry(
        "pattern",
        pattern.id,
        pattern.title,
        (pattern.topic,),
        about,
        pattern,
        (*texts, (3.0, " ".join(map(_class, mistakes))), code),
        tuple((one.match, _class(one)) for one in mistakes if one.match),
    )


def _change(change: Change) -> Entry:
    old, new = " ".join(change.writes.split()), " ".join(change.instead.split())
    texts = ((4.0, old), (2.0, f"{new} {_class(change)}"), (1.5, f"{change.library} {change.note}"))
    groups = ("changes", f"changes/{change.library}")
    matches = ((change.match, _class(change)),) if change.match else ()
    about = f"what fails in newer versions of {change.library}"
    return Entry("change", change.id, f"{old} -> {new}", groups, about, change, texts, matches)


def _term(term: Mapping[str, Any]) -> Entry:
    texts = ((4.0, term["term"]), (1.5, term["text"]))
    return Entry("term", f"glossary/{term['term']}", term["term"], ("glossary",), "what words mean", term, texts)


def _terms(project: Project, catalogue: Catalogue) -> list[Mapping[str, Any]]:
    path = project.reference / "glossary.yaml"
    if not path.exists():
        return []
    load_remarks(project, catalogue)  # what it says must be shown by patterns that there are
    terms: list[Mapping[str, Any]] = read(path).value
    return terms


def _class(failing: Any) -> str:
    return str(failing.stated).rpartition(".")[2] if failing.kind in ("raises", "warns") else ""
