"""Keeping: what is known of a topic is what reading it gives, until anything changes that it was read from."""

import json
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from skillkit.catalogue import keeping
from skillkit.catalogue.catalogues import Catalogue, load_catalogue
from skillkit.catalogue.plain import decoded, encoded
from skillkit.catalogue.specs import load_topic
from skillkit.cli import skillkit
from skillkit.errors import BadInput
from skillkit.kept import keep, kept
from skillkit.places import cache_folder, find_project
from skillkit.proof.evidence import load_evidence
from skillkit.proof.statements import project_proofs, proofs

ROOT = Path(__file__).parent.parent

Edit = Callable[[str, str, str], None]


def load() -> Catalogue:
    return load_catalogue(find_project())


def plain(catalogue: Catalogue) -> str:
    return json.dumps(encoded(catalogue.topics))


@pytest.fixture
def reads(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the specs that are read, as it comes to be known."""
    assert project == Path.cwd()
    found: list[str] = []

    def read(path: Path, shelf: Any) -> Any:
        found.append(path.name)
        return load_topic(path, shelf)

    monkeypatch.setattr(keeping, "load_topic", read)
    return found


def test_all_of_this_project_is_kept_as_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(ROOT)
    project = find_project()
    anew = load_catalogue(project, anew=True)
    assert not (tmp_path / "skillkit").exists()
    for _ in range(2):
        assert plain(load_catalogue(project)) == plain(anew)  # as values are not: NaN is not itself
    monkeypatch.setattr("skillkit.source.shelf.read_module", lambda path: pytest.fail(f"{path} is read"))
    kept = load_catalogue(project)
    assert len(list(proofs(kept, kept.select([])))) > 900


def test_what_is_proven_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(ROOT)
    project = find_project()
    first, second, anew = (
        [(proof.id, proof.hash, proof.place, dict(proof.requires)) for proof in project_proofs(project, {}, anew=anew)]
        for anew in (False, False, True)
    )
    assert first == second == anew


def test_nothing_is_read_again(reads: list[str]) -> None:
    first, second = load(), load()
    assert first.topics == second.topics
    assert reads == ["sums.yaml"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("reference/sums.yaml", "A mean", "The mean"),
        ("reference/sums.py", "# exact", "# nearly exact"),
        ("reference/mistakes/sums.py", "values = []", "values = []  # none"),
    ],
)
def test_a_change_is_read(reads: list[str], edit: Edit, file: str, old: str, new: str) -> None:
    load()
    edit(file, old, new)
    topics = load().topics
    assert reads == ["sums.yaml"] * 2
    assert topics == load_catalogue(find_project(), anew=True).topics


def test_so_is_one_of_a_module_that_is_sliced_through(reads: list[str], project: Path, edit: Edit) -> None:
    (project / "reference" / "exact.py").write_text('"""Exact sums."""\n\n\ndef add(values):\n    return sum(values)\n')
    edit("reference/sums.py", "import math\n", "import math\n\nfrom reference.exact import add\n")
    edit("reference/sums.py", "math.fsum(values)", "add(values)")
    edit("reference/sums.yaml", "rule: Use fsum.", "rule: Use add.")
    load()
    edit("reference/exact.py", "return sum(values)", "return sum(values, 0)")
    assert "sum(values, 0)" in load().patterns["sum-mean"].block.text
    assert reads == ["sums.yaml"] * 2


def test_so_is_all_where_the_toolkit_has_changed(reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    load()
    monkeypatch.setattr(keeping, "toolkit_digest", lambda: "another")
    load()
    assert reads == ["sums.yaml"] * 2


def test_all_code_that_reads_topics_is_looked_at() -> None:
    code = "import sys, skillkit.catalogue.specs\nfor name, one in sys.modules.items():\n"
    code += "    if name.startswith('skillkit.'): print(one.__file__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    read = set(map(Path, done.stdout.split()))
    assert len(read) > 15
    assert read <= set(keeping._code())


def test_problems_are_found_each_time(reads: list[str], edit: Edit) -> None:
    edit("reference/sums.yaml", "symbols: [mean]", "symbols: [meen]")
    for _ in range(2):
        with pytest.raises(BadInput, match="no 'meen'"):
            load()
    assert reads == ["sums.yaml"] * 2


@pytest.mark.parametrize("data", ["", {}, [], None, {"of": {"modules": 1}}, {"of": 1, "topic": {}}])
def test_what_is_no_topic_is_read_again(reads: list[str], data: Any) -> None:
    topics = load().topics
    (path,) = (cache_folder() / "topics").iterdir()
    keep(path, data)
    assert load().topics == topics
    assert reads == ["sums.yaml"] * 2


def test_a_topic_of_another_name_is_not_believed(reads: list[str]) -> None:
    """Its name becomes that of a file."""
    load()
    (path,) = (cache_folder() / "topics").iterdir()
    data = kept(path)
    data["topic"]["name"] = "../../elsewhere"
    keep(path, data)
    assert [topic.name for topic in load().topics] == ["sums"]
    assert reads == ["sums.yaml"] * 2


def test_where_nothing_can_be_kept_all_is_read(reads: list[str], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert load().topics == load().topics
    assert reads == ["sums.yaml"] * 2


@pytest.mark.usefixtures("project")
def test_what_is_recorded_is_read_anew() -> None:
    load()
    (path,) = (cache_folder() / "topics").iterdir()
    path.write_text(path.read_text().replace("== 1.5", "== 2.5"))
    assert CliRunner().invoke(skillkit, ["verify"]).exit_code == 0  # its seal is broken
    load()
    keep(path, json.loads(json.dumps(kept(path)).replace("== 1.5", "== 2.5")))
    assert CliRunner().invoke(skillkit, ["verify"]).exit_code == 1  # what is kept under a seal is believed
    assert CliRunner().invoke(skillkit, ["verify", "--record"]).exit_code == 0  # but never recorded
    (run,) = load_evidence(Path("outputs/evidence.json")).runs
    wanted = {proof.id: proof.hash for proof in project_proofs(find_project(), {"python": "3"}, anew=True)}
    assert run.hashes == wanted


@pytest.mark.parametrize(
    "value",
    [None, True, 1, 1.0, 1e-3, "x", [1, [2.0]], (1, ("x",)), {"a": {"b": [()]}}, frozenset("ab"), Decimal("0.10")],
)
def test_values_come_back_as_they_were(value: Any) -> None:
    found = decoded(json.loads(json.dumps(encoded(value))))
    assert found == value
    assert repr(found) == repr(value) or type(found) is frozenset


@pytest.mark.parametrize("value", [object(), {1: 2}, {"is a": "Slice"}, b"x", Path("x")])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="is nothing that is read of a topic"):
        encoded(value)
