"""What own contexts give is kept while nothing changes that they are made of."""

import subprocess
import sys
from pathlib import Path

import pytest

from skillkit.places import find_project
from skillkit.rendering import contexts
from skillkit.rendering.contexts import context_data, registered_context
from skillkit.rendering.renderer import Renderer
from skillkit.rendering.subjects import plain

ROOT = Path(__file__).parents[1]
READING = """
import os, sys
sys.addaudithook(lambda event, given: event == "open" and print(os.path.realpath(given[0])))
from skillkit.places import find_project
from skillkit.rendering.contexts import registered_context
registered_context("optimizers", find_project())
"""


@pytest.mark.usefixtures("project")
def test_an_own_context_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    own = find_project(ROOT)
    assert context_data("optimizers", own) == plain(registered_context("optimizers", own))
    monkeypatch.setattr(contexts, "registered_context", lambda *_: pytest.fail("it is computed again"))
    assert len(context_data("optimizers", own)["tables"]) > 20


def test_and_again_where_a_table_has_changed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "reference" / "decisions").mkdir()
    table = project / "reference" / "decisions" / "a.yaml"
    found = []
    for text in ("a: 1", "a: 1", "a: 2"):
        table.write_text(text)
        monkeypatch.setattr(contexts, "registered_context", lambda *_: {"table": table.read_text()})
        found.append(context_data("optimizers", find_project()))
        monkeypatch.setattr(contexts, "registered_context", lambda *_: {})
        assert context_data("optimizers", find_project()) == found[-1]
    assert found == [{"table": "a: 1"}, {"table": "a: 1"}, {"table": "a: 2"}]


def test_an_own_context_reads_nothing_else() -> None:
    done = subprocess.run([sys.executable, "-c", READING], capture_output=True, text=True, check=True, cwd=ROOT)
    read = {path for path in map(Path, done.stdout.splitlines()) if path.is_relative_to(ROOT / "reference")}
    assert len(read) > 10
    assert read <= {path.resolve() for path in contexts._read(find_project(ROOT))}


@pytest.mark.usefixtures("project")
def test_texts_are_the_same_with_what_is_kept() -> None:
    own = find_project(ROOT)
    first, second = ([text.text for text in Renderer(own).render(["prompt-jax-optimizer"])] for _ in range(2))
    assert first == second
