"""Catalogues: all topics of a project."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from skillkit.catalogue.apart import Apart
from skillkit.catalogue.keeping import Keeper
from skillkit.catalogue.patterns import Pattern, Topic
from skillkit.catalogue.rights import core_rights, pattern_mix_ups
from skillkit.catalogue.strays import strays
from skillkit.errors import BadInput, Problem, bad_input, did_you_mean
from skillkit.kept import digest
from skillkit.places import Project, cache_folder
from skillkit.source.shelf import Shelf


@dataclass(frozen=True)
class Catalogue:
    """All topics of a project.

    Args:
        topics: In the order of their names.
        shelf: The code that they are about.
    """

    topics: tuple[Topic, ...]
    shelf: Shelf

    @cached_property
    def patterns(self) -> dict[str, Pattern]:
        """Every pattern by its id."""
        return {pattern.id: pattern for topic in self.topics for pattern in topic.patterns}

    def select(self, ids: Iterable[str]) -> list[Pattern]:
        """Return the patterns of these ids or topics, or all where there are none.

        Raises:
            BadInput: There is no such pattern or topic.
        """
        chosen: dict[str, Pattern] = {}
        topics = {topic.name: topic for topic in self.topics}
        for name in ids:
            if name in topics:
                chosen |= {pattern.id: pattern for pattern in topics[name].patterns}
            elif name in self.patterns:
                chosen[name] = self.patterns[name]
            else:
                near = did_you_mean(name, [*self.patterns, *topics])
                raise bad_input(name, f"no such pattern{near}: 'skillkit list' names them all")
        return list((chosen or self.patterns).values())


def load_catalogue(project: Project, asked: Iterable[str] = (), anew: bool = False) -> Catalogue:
    """Read every topic of a project: each YAML file that lies beside a module of the same stem.

    Args:
        project: Whose specs they are.
        asked: Ids and topics; where all of them are found, the problems of other topics do not matter.
        anew: Whether to read also what was read before and has not changed.

    Raises:
        BadInput: With every problem of every spec and module.
    """
    if not project.reference.is_dir():
        raise bad_input(project.reference, "no such folder: it should hold the specs and their modules")
    shelf = Shelf(project.reference)
    keeper = Keeper(None if anew else cache_folder() / "topics", shelf)
    topics: list[Topic] = []
    problems: list[Problem] = []
    for path in sorted(project.reference.glob("*.yaml")):
        if path.with_suffix(".py").exists():
            try:
                topics.append(keeper.topic(path))
            except BadInput as error:
                problems += error.problems
    problems += [*_repeated(topics), *strays(project.reference)]
    core = core_rights(pattern for topic in topics for pattern in topic.patterns)
    apart = Apart(None if anew else cache_folder() / "apart" / f"{digest(str(project.reference.absolute()))}.kept")
    mixed = {
        topic.name: [one for pattern in topic.patterns for one in pattern_mix_ups(pattern, core, apart)]
        for topic in topics
    }
    apart.save()
    problems += [problem for found in mixed.values() for problem in found]
    topics = [topic for topic in topics if not mixed[topic.name]]
    catalogue = Catalogue(tuple(topics), shelf)
    asked = set(asked)
    if problems and not (asked and asked <= catalogue.patterns.keys() | {topic.name for topic in topics}):
        raise BadInput(problems)
    if not topics:
        raise bad_input(project.reference, "no spec here: a spec is a YAML file beside a module of the same stem")
    return catalogue


def _repeated(topics: Iterable[Topic]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for topic in topics:
        for pattern in topic.patterns:
            if pattern.id in first:
                path, line, column = pattern.place.rsplit(":", 2)
                message = f"the id '{pattern.id}' is taken in {first[pattern.id]}"
                yield Problem(path, int(line), int(column), message)
            first.setdefault(pattern.id, pattern.place)
