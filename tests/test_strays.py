"""Files that nothing would read, and what names patterns that there are not."""

from pathlib import Path

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.errors import BadInput
from skillkit.places import find_project
from skillkit.rendering.renderer import Renderer


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("io.yaml", "- {id: io-read, rule: Read.}\n", "there is no module io.py beside it"),
        ("io.yaml", "- {id: io-read, rule: [}\n", "there is no module io.py beside it"),
        ("sums.yml", "", "is not read: rename it to sums.yaml"),
    ],
)
def test_a_spec_that_would_be_passed_over_is_an_error(project: Path, name: str, text: str, message: str) -> None:
    (project / "reference" / name).write_text(text)
    with pytest.raises(BadInput, match=message):
        load_catalogue(find_project())


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("text", ["- {id: 1, must: Hold.}\n", "a: 1\n", "- x\n"])
def test_other_data_may_lie_beside_the_specs(text: str) -> None:
    Path("reference/data.yaml").write_text(text)
    assert [topic.name for topic in load_catalogue(find_project()).topics] == ["sums"]


def test_a_glossary_names_patterns_that_there_are(project: Path) -> None:
    row = "- {term: mean, text: A sum by a count., pattern: sum-meen}\n"
    (project / "reference" / "glossary.yaml").write_text(row)
    (project / "templates" / "glossary.md.j2").write_text("{{ glossary | length }}")
    with pytest.raises(BadInput, match=r"glossary\.yaml:1:50: no such pattern \(did you mean 'sum-mean'\?\)"):
        list(Renderer(find_project()).render(["glossary"]))
