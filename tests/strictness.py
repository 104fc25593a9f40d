"""What the specs still lack: `python -m tests.strictness TOPIC...`, or all topics, `glossary`, `advice`, `changes`."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from skillkit.catalogue.catalogues import Catalogue, load_catalogue
from skillkit.catalogue.demands import Right, core_rights, form_demands, prose_demands, topic_demands
from skillkit.catalogue.libraries import imported_modules
from skillkit.catalogue.syntax import taken_apart
from skillkit.errors import Problem
from skillkit.places import Project, find_project
from skillkit.reading import read


def lacking(project: Project, catalogue: Catalogue, names: list[str]) -> Iterator[Problem]:
    """Yield what the specs of these names lack."""
    core = core_rights(catalogue)
    versioned = [*imported_modules(project), "python"]
    for topic in catalogue.topics:
        if not names or topic.name in names:
            document = read(project.reference / f"{topic.name}.yaml")
            yield from topic_demands(document, catalogue, core, versioned)
    for table in ("glossary", "advice"):
        path = project.reference / f"{table}.yaml"
        if path.exists() and (not names or table in names):
            document = read(path)
            groups = document.value.items() if table == "advice" else [(None, document.value)]
            for group, entries in groups:
                for index, entry in enumerate(entries):
                    key = (index,) if group is None else (group, index)
                    yield from prose_demands(document, key, entry, ("text",), (), versioned)
    if not names or "changes" in names:
        document = read(project.reference / "changes.yaml")
        for index, row in enumerate(document.value):
            right = Right("its own 'instead'", taken_apart(ast.parse(row["instead"])))
            yield from form_demands(document, (index, "writes"), row["writes"], [right, *core])
            code = [row["writes"], row["instead"], row.get("given", "")]
            yield from prose_demands(document, (index,), row, ("note",), code, versioned)


def main() -> None:
    """Print what is lacking, and how often each."""
    project = find_project(Path())
    problems = sorted(set(lacking(project, load_catalogue(project), sys.argv[1:])))
    for problem in problems:
        print(problem)
    kinds = Counter(problem.message.partition(":")[0].partition("'")[0] for problem in problems)
    for kind, count in kinds.most_common():
        print(f"{count:5} {kind}", file=sys.stderr)


if __name__ == "__main__":
    main()
