"""Evidence: written by runs, cited by texts, refused when edited."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillkit.cli import skillkit
from skillkit.errors import BadInput
from skillkit.places import find_project
from skillkit.proof.evidence import Evidence, Run, cited_versions, load_evidence
from skillkit.proof.statements import project_proofs
from skillkit.rendering.renderer import Renderer

Edit = Callable[[str, str, str], None]


def run(jax: str, state: str = "holds") -> Run:
    return Run({"python": "3.11", "jax": jax, "optax": "0.2.8"}, {"a": state}, {"a": "1234"})


def test_round_trip(tmp_path: Path) -> None:
    evidence = Evidence().with_run(run("0.10.2")).with_run(run("0.7.2"))
    path = tmp_path / "evidence.json"
    path.write_text(evidence.as_text())
    assert load_evidence(path) == evidence
    assert [one.versions["jax"] for one in evidence.runs] == ["0.7.2", "0.10.2"]
    assert Evidence(evidence.runs).as_text() == evidence.as_text()


def test_a_later_run_under_the_same_versions_replaces_the_earlier() -> None:
    evidence = Evidence().with_run(run("0.10.2")).with_run(run("0.10.2", "fails"))
    assert [one.states for one in evidence.runs] == [{"a": "fails"}]


def test_a_stale_hash_is_no_evidence() -> None:
    assert run("0.10.2").state("a", "1234") == "holds"
    assert run("0.10.2").state("a", "5678") == "unknown"
    assert run("0.10.2").state("b", "1234") == "unknown"


@pytest.mark.parametrize("edit", [("0.10.2", "0.11.0"), ("fails", "holds"), ("1234", "5678")])
def test_evidence_that_was_edited_by_hand_is_refused(tmp_path: Path, edit: tuple[str, str]) -> None:
    path = tmp_path / "evidence.json"
    path.write_text(Evidence().with_run(run("0.10.2", "fails")).as_text().replace(*edit))
    with pytest.raises(BadInput, match="was changed by hand, so it proves nothing"):
        load_evidence(path)


def test_evidence_of_an_older_form_is_none(tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    text = Evidence().with_run(run("0.10.2")).as_text()
    assert '"format": 3' in text
    path.write_text(text.replace('"format": 3', '"format": 2'))
    assert load_evidence(path) == Evidence()
    path.write_text(text.replace('"format": 3', '"format": 4'))
    with pytest.raises(BadInput, match="format 4, not 3"):
        load_evidence(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"runs": [{}], "seal": ""}'])
def test_what_is_no_evidence_at_all(tmp_path: Path, text: str) -> None:
    path = tmp_path / "evidence.json"
    path.write_text(text)
    with pytest.raises(BadInput, match="not a file of evidence"):
        load_evidence(path)


def test_a_run_of_everything_forgets_statements_that_are_gone(edit: Edit, project: Path) -> None:
    def record(*ids: str) -> set[str]:
        done = CliRunner().invoke(skillkit, ["verify", *ids, "--record", "--no-cache", "-q"])
        assert done.exit_code == 0, done.output
        (only,) = load_evidence(project / "outputs" / "evidence.json").runs
        return set(only.states)

    record()
    edit("reference/sums.yaml", "id: sum-mean", "id: sum-average")
    assert {"sum-mean", "sum-average"} <= record("sum-average")
    assert "sum-mean" not in record()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("match: division by zero", "match: by zero"),
        ("shows: is_false", "returns: false\n      right: true"),
        ("ZeroDivision", "Arithmetic"),
    ],
)
def test_evidence_is_for_what_was_stated(edit: Edit, project: Path, old: str, new: str) -> None:
    (project / "templates" / "sums.md.j2").write_text("{{ verified(patterns.values()) }}")
    CliRunner().invoke(skillkit, ["verify", "--record", "--no-cache", "-q"])
    assert next(iter(Renderer(find_project()).render())).text.startswith("All of this was run with")
    edit("reference/sums.yaml", old, new)
    assert next(iter(Renderer(find_project()).render())).text.startswith("Not verified.")


@pytest.mark.parametrize(
    ("old", "new", "stale"),
    [
        ("match: division by zero", "match: by zero", ["sum-mean/mean_of_nothing"]),
        ("writes: sum(values) / len(values)", "writes: sum(values)", ["sum-mean/mean_of_nothing"]),
        ("writes: sum(values) / len(values)", "words: no values", ["sum-mean/mean_of_nothing"]),
        ("value: the sum is not exact", "value: one is missing", ["sum-mean/float_sum", "sum-mean/float_sum/instead"]),
        (
            "shows: is_false",
            'shows: is_false\n      requires: {python: ">=3"}',
            ["sum-mean/float_sum", "sum-mean/float_sum/instead"],
        ),
        ("rule: Use fsum.", "rule: Use fsum.\n  changed: ['python: x']", ["sum-mean"]),
        ("rule: Use fsum.", "rule: Use fsum.\n  writes: math.fsum(values)", ["sum-mean"]),
        (
            "rule: Use fsum.",
            'rule: Use fsum.\n  requires: {python: ">=3"}',
            ["sum-mean", "sum-mean/mean_of_nothing", "sum-mean/float_sum", "sum-mean/float_sum/instead"],
        ),
        ("rule: Use fsum.", "rule: Use math.fsum.", []),
        ('since: "3.0"', 'since: "3.1"', ["changes/python: 1 // 0", "changes/python: 1 // 0/instead"]),
        ("match: by zero", "match: zero", ["changes/python: 1 // 0"]),
    ],
)
def test_a_hash_is_of_what_is_stated_and_for_which_versions(
    edit: Edit, project: Path, old: str, new: str, stale: list[str]
) -> None:
    changes = project / "reference" / "changes.yaml"
    changes.write_text(
        '- {library: python, since: "3.0", writes: "1 // 0", raises: ZeroDivisionError, match: by zero, instead: "1",\n'
        '   source: "https://a.org"}\n'
    )
    before = {one.id: one.hash for one in project_proofs(find_project(), {})}
    edit(f"reference/{'changes' if old in changes.read_text() else 'sums'}.yaml", old, new)
    after = {one.id: one.hash for one in project_proofs(find_project(), {})}
    assert [name for name in before if before[name] != after[name]] == stale


def test_a_statement_that_was_skipped_in_every_run_is_not_verified(edit: Edit, project: Path) -> None:
    (project / "templates" / "sums.md.j2").write_text("{{ verified(patterns.values()) }}")
    edit("reference/sums.yaml", "symbols: [mean]", 'symbols: [mean]\n  requires: {python: ">=3.99"}')
    CliRunner().invoke(skillkit, ["verify", "--record", "--no-cache", "-q"])
    assert load_evidence(project / "outputs" / "evidence.json").runs
    assert next(iter(Renderer(find_project()).render())).text.startswith("Not verified.")


@pytest.mark.parametrize("requires", ["", '  requires: {python: ">=3.9"}\n'])
def test_evidence_is_for_the_versions_that_were_stated(edit: Edit, project: Path, requires: str) -> None:
    (project / "templates" / "sums.md.j2").write_text("{{ verified(patterns.values()) }}")
    edit("reference/sums.yaml", "  symbols: [mean]\n", f"  symbols: [mean]\n{requires}")
    CliRunner().invoke(skillkit, ["verify", "--record", "--no-cache", "-q"])
    assert next(iter(Renderer(find_project()).render())).text.startswith("All of this was run with")
    edit("reference/sums.yaml", f"  symbols: [mean]\n{requires}", '  symbols: [mean]\n  requires: {python: ">=3.10"}\n')
    assert next(iter(Renderer(find_project()).render())).text.startswith("Not verified.")


MARKED = """{% for pattern in patterns.values() %}
{% for mistake in pattern.mistakes %}
{{ mistake.symbol }}{{ needs(mistake) }}
{% endfor %}
{% endfor %}
{{ verified(patterns.values()) }}
"""
NEEDING, BOTH_MISTAKES = "why: There may be no values.", ["mean_of_nothing (`jax >=0.9`)", "float_sum"]
EXCEPT = " but for what is marked with a later version (as `jax >=0.9`)."


@pytest.fixture
def told(edit: Edit, project: Path) -> Callable[..., list[str]]:
    """Return a function that gives a text's lines, where some runs skipped a mistake that needs jax 0.9."""
    (project / "templates" / "sums.md.j2").write_text(MARKED)
    edit("reference/sums.yaml", NEEDING, 'requires: {jax: ">=0.9"}\n      why: There may be none.')
    edit("reference/sums.py", "import math\n", "import math\n\nimport jax\n")
    edit(
        "reference/sums.py", "    assert mean([1.0, 2.0]) == 1.5", "    assert mean([1.0, jax.numpy.float32(2)]) == 1.5"
    )

    def tell(*runs: str, skipped: str = "", **asked: str) -> list[str]:
        evidence = Evidence()
        proofs = Renderer(find_project()).edition.proofs["sum-mean"]
        for jax in runs:
            states = {one.id: "skipped" if one.requires and jax == skipped else "holds" for one in proofs}
            evidence = evidence.with_run(
                Run({"python": "3.11", "jax": jax}, states, {one.id: one.hash for one in proofs})
            )
        (project / "outputs").mkdir(exist_ok=True)
        (project / "outputs" / "evidence.json").write_text(evidence.as_text())
        text = next(iter(Renderer(find_project(), asked).render())).text
        return text.partition("\n\n<!--")[0].splitlines()

    return tell


def test_what_is_said_at_the_head_is_true_of_all_below(told: Callable[..., list[str]]) -> None:
    run = "All of this was run with jax "
    assert told("0.8.3", "0.9.2", "0.10.2", skipped="0.8.3") == [
        *BOTH_MISTAKES,
        f"{run}0.10.2; and with jax 0.8.3 and 0.9.2{EXCEPT}",
    ]
    assert told("0.9.2", "0.10.2")[-1] == f"{run}0.10.2; and with jax 0.9.2."
    assert told("0.9.2")[-1] == f"{run}0.9.2."
    assert told("0.8.3", skipped="0.8.3")[-1] == "Not verified."


def test_a_skip_that_the_mark_does_not_explain_speaks_against_a_run(told: Callable[..., list[str]]) -> None:
    assert told("0.9.2", skipped="0.9.2")[-1] == "Not verified."
    assert told("0.9.2", "0.10.2", skipped="0.10.2")[-1] == "All of this was run with jax 0.9.2."


def test_a_text_for_a_version_has_no_mistake_of_another(told: Callable[..., list[str]]) -> None:
    assert told("0.8.3", skipped="0.8.3", jax="0.8") == ["float_sum", "All of this was run with jax 0.8.3."]
    assert told("0.9.2", jax="0.9.2") == [*BOTH_MISTAKES, "All of this was run with jax 0.9.2."]


def test_a_text_for_a_version_cites_runs_with_that_version(project: Path) -> None:
    (project / "templates" / "sums.md.j2").write_text("{{ verified(patterns.values()) }}")
    proofs = Renderer(find_project()).edition.proofs["sum-mean"]
    evidence = Evidence()
    for jax in ("0.8.3", "0.10.2"):
        states = {proof.id: "holds" for proof in proofs}
        evidence = evidence.with_run(
            Run({"python": "3." + jax, "jax": jax}, states, {one.id: one.hash for one in proofs})
        )
    (project / "outputs").mkdir(exist_ok=True)
    (project / "outputs" / "evidence.json").write_text(evidence.as_text())

    def cited(**versions: str) -> str:
        return next(iter(Renderer(find_project(), versions).render())).text.partition("\n")[0]

    assert cited() == "All of this was run with python 3.0.10.2; and with python 3.0.8.3."
    assert cited(jax="0.8") == "All of this was run with python 3.0.8.3."
    assert cited(jax="0.9") == "Not verified."


def test_runs_for_some_versions_had_all_of_them() -> None:
    evidence = Evidence().with_run(run("0.9.2")).with_run(run("0.10.2"))
    assert evidence.runs_for({}) == evidence.runs
    assert [one.versions["jax"] for one in evidence.runs_for({"jax": "0.10.0"})] == ["0.10.2"]
    assert evidence.runs_for({"jax": "0.10", "flax": "0.12"}) == ()


def test_sides_are_kept_for_what_is_still_stated() -> None:
    evidence = Evidence().with_run(run("0.10.2")).with_side(run("0.9.2"))
    assert evidence.only({"a": "1234", "b": "5678"}) == evidence
    assert evidence.only({"a": "5678"}) == evidence.only({}) == Evidence(evidence.runs)


def test_versions_in_words() -> None:
    runs = [run("0.10.2"), run("0.7.2"), run("0.9.0")]
    assert cited_versions(runs) == "jax 0.7.2, 0.9.0 and 0.10.2; optax 0.2.8"
    assert cited_versions(runs[:1]) == "jax 0.10.2, optax 0.2.8"
    assert cited_versions([]) == ""


def test_texts_cite_a_run_until_their_code_changes(edit: Edit, project: Path) -> None:
    template = project / "templates" / "sums.md.j2"
    template.write_text("{{ verified(patterns.values()) }}")

    def cited() -> str:
        return next(iter(Renderer(find_project()).render())).text.partition("\n")[0]

    assert cited() == "Not verified."
    done = CliRunner().invoke(skillkit, ["verify", "--record", "--no-cache", "-q"])
    assert done.exit_code == 0, done.output
    assert json.loads((project / "outputs" / "evidence.json").read_text())["runs"]
    assert cited().startswith("All of this was run with ")
    edit("reference/sums.py", "== 1.5", "== 3 / 2")
    assert cited() == "Not verified."
