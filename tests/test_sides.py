"""Changes at both sides of their versions: proven in environments of their own, and told as far as they are proven."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillkit.catalogue.changes import Change, load_changes
from skillkit.cli import skillkit
from skillkit.errors import BadInput
from skillkit.places import find_project
from skillkit.proof.changes import change_proofs
from skillkit.proof.companions import Companions, companions_of, load_companions
from skillkit.proof.evidence import Evidence, Run, load_evidence
from skillkit.proof.proofs import Proof
from skillkit.proof.sides import sides, sides_shown
from skillkit.rendering.renderer import Renderer
from skillkit.rendering.versions import history

Edit = Callable[[str, str, str], None]
Table = Callable[..., Change]
ROW = """- library: jax
  since: "0.9.0"
  before: "0.8.3"
  writes: OLD
  raises: AttributeError
  match: tan_of
  earlier:
    - since: "0.8.0"
      before: "0.7.2"
      warns: DeprecationWarning
      match: soon
  given: import math, warnings
  instead: math.tan(1.0)
  source: https://docs.python.org
"""
FINE, GONE, LATE = "math.tan(1.0)", "math.tan_of(1.0)", "warnings.warn('gone soon', DeprecationWarning)"


@pytest.fixture
def table(project: Path) -> Table:
    def write(*edits: tuple[str, str]) -> Change:
        text = ROW
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        (project / "reference" / "changes.yaml").write_text(text)
        (change,) = load_changes(find_project())
        return change

    return write


def judged(proof: Proof, code: str) -> str:
    """Return what the judge of a proof says where the old form does what this code does."""
    job = {**proof.job, "last": code + "\n"}
    program = f"import json; from skillkit.execution.running import run; print(json.dumps(run({job!r})))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return proof.judge(json.loads(done.stdout)).message


def proofs_of(change: Change) -> dict[str, Proof]:
    return {proof.id.removeprefix(f"{change.id}/"): proof for proof in change_proofs([change])}


def test_what_is_run_under_which_versions(table: Table) -> None:
    found = {name: (proof.kind, proof.requires["jax"], proof.at) for name, proof in proofs_of(table()).items()}
    assert found == {
        "changes/jax: OLD": ("change", ">=0.9.0", ("jax", "0.9.0")),
        "before 0.9.0": ("before", "==0.8.3", ("jax", "0.8.3")),
        "0.8.0": ("change", ">=0.8.0,<0.9.0", ("jax", "0.8.0")),
        "before 0.8.0": ("before", "==0.7.2", ("jax", "0.7.2")),
        "instead": ("correction", ">=0.9.0", ("jax", "0.9.0")),
    }


def test_other_old_forms_are_run_as_the_first(table: Table) -> None:
    likewise = ("source:", "likewise: {other: OTHER}\n  source:")
    found = {name: (proof.kind, proof.requires["jax"]) for name, proof in proofs_of(table(likewise)).items()}
    assert found["changes/jax: OTHER"] == ("change", ">=0.9.0")
    assert found["changes/jax: OTHER/before 0.9.0"] == ("before", "==0.8.3")
    assert len(found) == 7


def test_a_new_form_that_came_later_is_run_from_then_on(table: Table) -> None:
    proof = proofs_of(table(("source:", 'needs: {jax: ">=0.9.2"}\n  source:')))["instead"]
    assert (proof.requires, proof.at) == ({"jax": ">=0.9.2"}, ("jax", "0.9.2"))


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("before 0.9.0", LATE, ""),
        ("before 0.9.0", FINE, "under jax 0.8.3: does not do as stated (warns DeprecationWarning): gives 1.557"),
        ("before 0.9.0", GONE, "under jax 0.8.3: does not do as stated (warns DeprecationWarning): AttributeError"),
        ("0.8.0", LATE, ""),
        ("0.8.0", FINE, "does not fail as stated (warns DeprecationWarning): gives 1.557"),
        ("before 0.8.0", FINE, ""),
        ("before 0.8.0", LATE, "under jax 0.7.2: warns already: DeprecationWarning"),
        ("before 0.8.0", GONE, "under jax 0.7.2: fails already: AttributeError"),
    ],
)
def test_the_side_before(table: Table, name: str, code: str, message: str) -> None:
    found = judged(proofs_of(table())[name], code)
    assert found == message if not message else found.startswith(message)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("3", ""),
        ("4", "under jax 0.8.3: gives 4 already"),
        ("5", "under jax 0.8.3: gives 5, not 3"),
        ("1 / 0", "under jax 0.8.3: fails already: ZeroDivisionError: division by zero"),
    ],
)
def test_the_side_before_a_silent_change(table: Table, code: str, message: str) -> None:
    start = ROW.index("  raises"), ROW.index("  given")
    silent = ROW[slice(*start)], "  returns: 4\n  was: 3\n  value: the sum\n"
    assert judged(proofs_of(table(silent))["before 0.9.0"], code) == message


def versions(jax: str) -> dict[str, str]:
    return {"python": "3.11", "jax": jax}


def shown(proofs: Mapping[str, Proof], *held: tuple[str, str]) -> Evidence:
    """Return the evidence that these proofs, by their names, held under these versions of jax."""
    evidence = Evidence()
    for name, jax in held:
        proof = proofs[name]
        evidence = evidence.with_side(Run(versions(jax), {proof.id: "holds"}, {proof.id: proof.hash}))
    return evidence


OLD = "changes/jax: OLD"
BOTH = ((OLD, "0.9.0"), ("before 0.9.0", "0.8.3"), ("0.8.0", "0.8.0"), ("before 0.8.0", "0.7.2"))


@pytest.mark.parametrize(
    ("held", "name"),
    [
        (BOTH, "both"),
        (BOTH[:3], "later"),
        ((*BOTH[1:], (OLD, "0.9.2")), "later"),  # under a later version than it is said to begin with
        (BOTH[1:], "none"),
        ((), "none"),
    ],
)
def test_which_changes_are_proven_at_which_sides(table: Table, held: tuple[tuple[str, str], ...], name: str) -> None:
    change = table()
    found = sides_shown([change], shown(proofs_of(change), *held))
    assert [key for key, ids in found.items() if ids] == [name]


def test_evidence_is_for_the_versions_that_are_stated(table: Table) -> None:
    evidence = shown(proofs_of(table()), *BOTH)
    later = table(('since: "0.9.0"', 'since: "0.9.1"'))
    assert sides_shown([later], evidence)["none"] == [later.id]
    needing = table(("source:", 'requires: {numpy: ">=2"}\n  source:'))
    assert sides_shown([needing], evidence)["none"] == [needing.id]


@pytest.fixture
def told(table: Table, project: Path) -> Callable[..., str]:
    said = "{{ when(change, true) }}; {{ change | failure }}; {{ earlier(change) }}"
    (project / "templates" / "sums.md.j2").write_text(f"{{% for change in changes %}}{said}{{% endfor %}}")

    def tell(*held: tuple[str, str], **asked: str) -> str:
        evidence = shown(proofs_of(table()), *held)
        (project / "outputs").mkdir(exist_ok=True)
        (project / "outputs" / "evidence.json").write_text(evidence.as_text())
        return next(iter(Renderer(find_project(), asked).render())).text.partition("\n")[0]

    return tell


NEW = ("instead", "0.9.0")


def test_a_text_says_since_where_both_sides_are_proven_and_by_where_one_is(told: Callable[..., str]) -> None:
    assert told(*BOTH, NEW) == "since jax 0.9.0; raises `AttributeError`; warned since 0.8.0"
    assert told(*BOTH[:3], NEW) == "since jax 0.9.0; raises `AttributeError`; warned by 0.8.0"
    assert told((OLD, "0.9.2"), NEW) == "by jax 0.9.2; raises `AttributeError`;"


def test_other_old_forms_are_told_where_they_are_proven_alike(table: Table, told: Callable[..., str]) -> None:
    assert told(*BOTH, NEW).startswith("since")
    change = table(("source:", "likewise: {other: OTHER}\n  source:"))
    proofs = proofs_of(change)

    def remark(*held: tuple[str, str], **asked: str) -> str:
        evidence = shown(proofs, *BOTH, NEW, *held)
        (found,) = filter(None, [history(change, evidence, asked)])
        return found.likewise()

    other = ("changes/jax: OTHER", "0.9.0"), ("changes/jax: OTHER/before 0.9.0", "0.8.3")
    assert remark(*other) == " (likewise `other`)"
    assert remark(other[0]) == remark(other[1]) == remark() == ""


def test_a_change_that_no_run_shows_is_left_out(told: Callable[..., str]) -> None:
    assert told(*BOTH) == told(*BOTH[1:], NEW) == told() == ""
    assert Renderer(find_project()).edition.unproven == ["sum-mean", OLD]


def test_a_text_for_a_version_says_what_is_so_then(told: Callable[..., str]) -> None:
    assert told(*BOTH, NEW, jax="0.9.1") == "since jax 0.9.0; raises `AttributeError`; warned since 0.8.0"
    assert told(*BOTH, NEW, jax="0.7") == ""
    old = ("instead", "0.8.0")
    assert told(*BOTH, old, jax="0.8.1") == ""  # the new form is stated for 0.9 and later


def test_a_pattern_says_which_changes_made_it_so(told: Callable[..., str], project: Path, edit: Edit) -> None:
    said = "{% for change in changed(pattern) %}{{ change.writes }} {{ when(change, true) }}{% endfor %}"
    template = "{% for pattern in patterns.values() %}" + said + "{% endfor %}"
    edit("reference/sums.yaml", "  symbols: [mean]", "  changed: ['jax: OLD']\n  symbols: [mean]")
    told()
    (project / "templates" / "sums.md.j2").write_text(template)

    def text(**asked: str) -> str:
        return next(iter(Renderer(find_project(), asked).render())).text.partition("\n")[0]

    assert text() == ""  # nothing shows the change
    evidence = shown(proofs_of(*load_changes(find_project())), *BOTH, NEW)
    (project / "outputs" / "evidence.json").write_text(evidence.as_text())
    assert text() == "OLD since jax 0.9.0"
    assert text(jax="0.7") == ""  # these versions do not have it
    edit("reference/sums.yaml", "'jax: OLD'", "'jax: ODL'")
    with pytest.raises(BadInput, match=r"sums\.yaml:1:3: no such change 'jax: ODL' \(did you mean 'jax: OLD'\?\)"):
        text()


def test_what_old_releases_need_beside_them(project: Path) -> None:
    (project / "reference" / "companions.yaml").write_text(
        '- {library: jax, until: "0.4.30", python: "3.11", beside: [numpy<2, "jaxlib=={version}"]}\n'
        '- {library: jax, until: "0.10.2", python: "3.11"}\n'
    )
    found = load_companions(find_project())
    assert companions_of(found, "jax", "0.4.29").requirements("0.4.29") == ("jax==0.4.29", "numpy<2", "jaxlib==0.4.29")
    assert companions_of(found, "jax", "0.4.31") == Companions("jax", "0.10.2", "3.11")
    assert companions_of(found, "jax", "0.11.0") == Companions("jax")
    (project / "reference" / "companions.yaml").write_text("- {library: jax, beside: [\"a; extra == '{b}'\"]}\n")
    (row,) = load_companions(find_project())
    assert row.requirements("1") == ("jax==1", "a; extra == '{b}'")
    (project / "reference" / "companions.yaml").write_text('- {library: jax, beside: ["numpy less"]}\n')
    with pytest.raises(BadInput, match="not a requirement such as 'numpy<2': 'numpy less'"):
        load_companions(find_project())


def test_an_environment_has_what_is_imported_there(table: Table) -> None:
    change = table(("import math, warnings", '"import math, warnings\\nimport numpy"'))
    found = [(side.version, side.wanted.requirements) for side in sides(change_proofs([change]), (), ["jax", "numpy"])]
    assert found == [(one, f"jax=={one} numpy") for one in ("0.9.0", "0.8.3", "0.8.0", "0.7.2")]


REAL = """- library: packaging
  since: "22.0"
  before: "21.3"
  writes: from packaging.version import LegacyVersion
  raises: ImportError
  match: LegacyVersion
  instead: from packaging.version import Version
  source: https://packaging.pypa.io/en/stable/changelog.html
"""


@pytest.mark.slow  # it installs two releases
def test_both_sides_of_a_real_change(project: Path) -> None:
    (project / "reference" / "changes.yaml").write_text(REAL)
    done = CliRunner().invoke(skillkit, ["verify", "changes", "--both-sides", "--record"])
    assert done.exit_code == 0, done.output
    assert done.stdout == "1 change: 1 proven at both sides, 0 at the later alone, 0 not\n"
    for version, kind in (("22.0", "1 change"), ("21.3", "1 earlier version")):
        assert re.search(rf"^[12]/2 packaging=={version}: .*{kind}: 0 failed", done.stderr, re.MULTILINE)
    evidence = load_evidence(project / "outputs" / "evidence.json")
    assert [run.versions["packaging"] for run in evidence.sides] == ["21.3", "22.0"]
    (project / "reference" / "changes.yaml").write_text(REAL.replace('"21.3"', '"22.0"').replace('"22.0"', '"23.0"', 1))
    done = CliRunner().invoke(skillkit, ["verify", "changes", "--both-sides"])
    assert done.exit_code == 1
    assert "under packaging 22.0: fails already: ImportError" in done.stderr
    assert "proven from its version on alone" in done.stdout


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--with", "jax"], "--both-sides: chooses versions and interpreters itself"),
        ([], "--both-sides: nothing here says in which version it changed"),
    ],
)
def test_what_does_not_go_with_both_sides(arguments: list[str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        CliRunner().invoke(skillkit, ["verify", "--both-sides", *arguments], catch_exceptions=False)
