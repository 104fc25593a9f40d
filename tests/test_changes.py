"""The table of changes and the names in prose: both strict both ways."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.catalogue.changes import load_changes
from skillkit.errors import BadInput
from skillkit.execution.serving import installed
from skillkit.places import find_project
from skillkit.proof.changes import change_proofs
from skillkit.proof.names import name_proof
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.proofs import Proof
from skillkit.proof.statements import project_proofs
from skillkit.proof.verification import Report, Verifier
from skillkit.proof.workers import Workers

Edit = Callable[[str, str, str], None]
ROW = """- library: jax
  since: "0.6.0"
  given: |
    import math
  writes: math.tan_of(1.0)
  raises: AttributeError
  match: tan_of
  instead: math.tan(1.0)
  source: https://docs.python.org
"""


@pytest.fixture(scope="module")
def verifier() -> Iterator[Verifier]:
    versions = installed(["jax"])
    workers = Workers(sys.executable, (), count=1)
    yield Verifier(workers, Outcomes(None, versions), versions)
    workers.close()


def failures(verifier: Verifier, proofs: list[Proof]) -> list[str]:
    report: Report = verifier.verify(proofs)
    return [str(result) for result in report.of("fails")]


@pytest.fixture
def table(project: Path) -> Callable[..., list[Proof]]:
    def write(old: str = "", new: str = "") -> list[Proof]:
        assert old in ROW
        (project / "reference" / "changes.yaml").write_text(ROW.replace(old, new) if old else ROW)
        return list(change_proofs(load_changes(find_project())))

    return write


def test_names_that_are_gone_where_the_mistake_is_one(edit: Edit) -> None:
    edit("reference/sums.yaml", "rule: Use fsum.", "rule: Use `jax.no_such_name`.\n  gone: [jax.jit, jax.no_such_name]")
    edit("reference/sums.yaml", "why: There may be no values.", 'requires: {jax: ">=9"}\n      why: There may be none.')
    (proof,) = project_proofs(find_project(), {"jax": "0.10.2"}, ["names"])
    assert proof.job["names"] == []
    (proof,) = project_proofs(find_project(), {"jax": "9.1"}, ["names"])
    assert proof.job["names"] == ["jax.jit", "jax.no_such_name"]


def test_a_row_that_holds(verifier: Verifier, table: Callable[..., list[Proof]]) -> None:
    proofs = table()
    assert [proof.id for proof in proofs] == [
        "changes/jax: math.tan_of(1.0)",
        "changes/jax: math.tan_of(1.0)/instead",
    ]
    assert failures(verifier, proofs) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("math.tan_of(1.0)", "math.tan(1.0)", "does not fail as stated (raises AttributeError): gives 1.557"),
        ("raises: AttributeError", "raises: TypeError", "does not fail as stated (raises TypeError): AttributeError: "),
        ("match: tan_of", "match: sin_of", "does not fail as stated (raises AttributeError): AttributeError: "),
        ("import math", "import meth", "fails in what is given: ModuleNotFoundError"),
        ("instead: math.tan(1.0)", "instead: math.tanh()", "'math.tanh()' fails: TypeError"),
        (
            "raises: AttributeError\n  match: tan_of",
            "returns: 1.5\n  value: it",
            "does not fail as stated (returns 1.5): Attribute",
        ),
    ],
)
def test_a_row_that_does_not_hold(
    verifier: Verifier, table: Callable[..., list[Proof]], old: str, new: str, message: str
) -> None:
    found = failures(verifier, table(old, new))
    assert found
    assert found[0].startswith(f"reference/changes.yaml:1:3: {message}")


def test_a_new_form_that_warns(verifier: Verifier, table: Callable[..., list[Proof]]) -> None:
    proofs = table("instead: math.tan(1.0)", "instead: __import__('warnings').warn('old', DeprecationWarning)")
    assert "warns: old" in failures(verifier, proofs)[0]


def test_a_silent_change(verifier: Verifier, table: Callable[..., list[Proof]]) -> None:
    old = "writes: math.tan_of(1.0)\n  raises: AttributeError\n  match: tan_of"
    assert failures(verifier, table(old, "writes: 7 // 2\n  returns: 3\n  value: the half")) == []
    assert failures(verifier, table(old, "writes: 7 // 2\n  returns: 3.5\n  value: the half")) != []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('since: "0.6.0"', "since: 0.6", "must be text, not 0.6"),
        ("match: tan_of", "", "'raises' needs 'match' beside it"),
        ("raises: AttributeError\n  match: tan_of", "returns: 1", "'returns' needs 'value' beside it"),
        ("source:", "was: 1\n  source:", "'was' needs 'returns' beside it"),
        ("source:", 'requires: {jax: ">=0.7"}\n  source:', "'since' says of which versions of jax this is so"),
        ("source:", 'before: "0.6.0"\n  source:', "must be older than 0.6.0, which is stated above it"),
        ("source:", "needs: {jax: new}\n  source:", "must be versions such as '>=0.6', not 'new'"),
        (
            "source:",
            'earlier: [{since: "0.6.1", warns: DeprecationWarning, match: old}]\n  source:',
            "must be older than 0.6.0, which is stated above it",
        ),
        ("instead:", "insted:", "unknown key 'insted' (did you mean 'instead'?)"),
        ("source:", "requires: {numpy: new}\n  source:", "must be versions such as '>=0.6', not 'new'"),
    ],
)
def test_bad_rows(table: Callable[..., list[Proof]], old: str, new: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        table(old, new)
    assert message in str(caught.value)


def names(verifier: Verifier) -> list[str]:
    catalogue = load_catalogue(find_project())
    return failures(verifier, [name_proof(find_project(), catalogue, verifier.versions)])


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("Use `jnp.where`, `jax.lax.scan`, optax.adamw.", None),
        ("Use `jax.tree_mapp`.", "there is no jax.tree_mapp: correct it, or list it under 'gone'"),
        ("Use `jnp.sumation`.", "there is no jax.numpy.sumation"),
        ("Use `jax.experimental.pjit.pjit`.", "jax.experimental.pjit.pjit is deprecated: "),
        ("Use `jax.tree_map`.\n  gone: [jax.tree_map]", None),
        ("Use `jax.jit`.\n  gone: [jax.jit]", "jax.jit is said to be gone, and is there"),
    ],
)
def test_names_in_prose(verifier: Verifier, edit: Edit, rule: str, message: str | None) -> None:
    edit("pyproject.toml", "[tool.skillkit]", '[tool.skillkit.aliases]\njnp = "jax.numpy"')
    edit("reference/sums.yaml", "rule: Use fsum.", f"rule: {rule}" if "`" not in rule else f"rule: >-\n    {rule}")
    found = names(verifier)
    if message is None:
        assert found == []
    else:
        assert message in found[0]
        assert "reference/sums.yaml:1:3" in found[0]


@pytest.mark.usefixtures("project")
def test_an_old_form_is_found_in_no_right_code(edit: Edit) -> None:
    Path("reference/changes.yaml").write_text(ROW.replace("instead: math.tan(1.0)", "instead: abs(math.tan_of(1.0))"))
    with pytest.raises(BadInput, match=r"changes\.yaml:1:3: 'math\.tan_of\(1\.0\)' is found in its own 'instead' too"):
        project_proofs(find_project(), {}, ["changes"])
    within = "instead: 'with open(\"x\"): math.tan_of(1.0)'"
    Path("reference/changes.yaml").write_text(ROW.replace("instead: math.tan(1.0)", within))
    project_proofs(find_project(), {}, ["changes"])
    Path("reference/changes.yaml").write_text(ROW.replace("math.tan_of(1.0)", "mean([1.0, ...])"))
    project_proofs(find_project(), {})
    edit("reference/sums.yaml", "symbols: [mean]", "symbols: [mean]\n  core: true\n  writes: math.fsum(values)")
    with pytest.raises(BadInput, match=r"'mean\(\[1\.0, \.\.\.\]\)' is found in the block of 'sum-mean' too"):
        project_proofs(find_project(), {})


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("writes: math.tan_of(1.0)", "writes: math.tan_of(", "5:11: not Python: "),
        ("math.tan(1.0)", "'math.tan(1.0'", "8:12: not Python: '(' was never closed"),
        ("math.tan(1.0)", f"math{'.tan' * 5000}", "8:12: not Python: nested too deep"),
        ("    import math", "    9 9", "3:10: not Python: invalid syntax"),
        ("source:", "note: Since 7 years.\n  source:", "9:15: nothing shows '7'"),
    ],
)
def test_a_row_that_says_too_much(table: Callable[..., list[Proof]], old: str, new: str, problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        table(old, new)
    assert str(caught.value).startswith(f"reference/changes.yaml:{problem}")


@pytest.mark.usefixtures("project")
def test_a_row_that_is_stated_twice_is_refused() -> None:
    Path("reference/changes.yaml").write_text(ROW + "\n" + ROW)
    with pytest.raises(BadInput, match=r"changes\.yaml:\d+:\d+: this old form is stated at .*:1:3 too"):
        load_changes(find_project())


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("templates/sums.md.j2", "# Sums\n\nUse jax.lax.scam.\n", "templates/sums.md.j2:3:1"),
        ("outputs/sums.md", "Use jax.lax.scam.\n", "outputs/sums.md:1:1"),
        ("reference/glossary.yaml", "- term: Loop\n  text: As jax.lax.scam.\n  pattern: sum-mean\n", ":2:1"),
    ],
)
def test_names_in_every_published_text(verifier: Verifier, project: Path, name: str, text: str, place: str) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(text)
    (found,) = names(verifier)
    assert f"{place}: there is no jax.lax.scam" in found
    (project / name).write_text(text.replace("jax.lax.scam", "jax.lax.sca*, or `jax.lax.scan`"))
    assert names(verifier) == []


def test_names_in_published_code_are_proven_elsewhere(verifier: Verifier, project: Path) -> None:
    path = project / "outputs" / "sums.md"
    path.parent.mkdir()
    path.write_text("```python\njax.lax.scam\n```\n")
    assert names(verifier) == []


def test_aliases_come_from_settings_and_imports(verifier: Verifier, edit: Edit) -> None:
    edit("reference/sums.yaml", "Use fsum.", "Use fsum, never s.meen or jn.wear.")
    edit("reference/sums.py", "import math", "import math\nimport jax.numpy as jn")
    edit("reference/sums.py", "def mean", "def one():\n    return jn.ones(1)\n\n\ndef mean")
    edit("pyproject.toml", "[tool.skillkit]", '[tool.skillkit.aliases]\ns = "jax.scipy.stats"')
    (found,) = names(verifier)
    assert "there is no jax.numpy.wear" in found
    assert "there is no jax.scipy.stats.meen" in found
