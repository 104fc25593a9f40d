"""Figures: what the prose says in numbers is run, and must be what the run gives."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.errors import BadInput
from skillkit.places import find_project
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.statements import project_proofs
from skillkit.proof.verification import Verifier
from skillkit.proof.workers import Workers

Edit = Callable[[str, str, str], None]
SHOWN = """def check_mean():"""
FUNCTIONS = """def typed():
    return TOLERANCE + 1.0


def tenth_sum():
    return sum([0.1] * 10)


def is_larger():
    return sum([1, 1]) > 1


def check_mean():"""


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    servers = Workers(sys.executable, (), count=1)
    yield servers
    servers.close()


@pytest.fixture
def failures(workers: Workers) -> Callable[..., dict[str, str]]:
    def run(*ids: str) -> dict[str, str]:
        work = [one for one in project_proofs(find_project(), {}, ids or ["sums"]) if one.kind == "figure"]
        assert work
        report = Verifier(workers, Outcomes(None, {}), {}).verify(work)
        return {result.proof.id: str(result) for result in report.of("fails")}

    return run


@pytest.fixture
def why(edit: Edit) -> Callable[[str, str], None]:
    """Return a function that gives the second mistake a text, and its figures."""
    edit("reference/sums.py", "def check_mean():", FUNCTIONS)

    def write(text: str, figures: str) -> None:
        edit("reference/sums.yaml", "why: A float is rounded.", f"why: {text}\n      figures: {figures}")

    return write


@pytest.mark.parametrize(
    ("text", "figures", "message"),
    [
        ("They sum to 1.00.", '{"1.00": tenth_sum}', None),
        (
            "They sum to 1.01.",
            '{"1.01": tenth_sum}',
            "the prose says '1.01', and 'tenth_sum' returns 0.99999",
        ),
        ("They sum to 1.", '{"1": tenth_sum}', "the prose says '1', and 'tenth_sum' returns 0.99999"),
        ("The sum is larger.", '{"larger": is_larger}', None),
        ("The sum is larger.", '{"larger": tenth_sum}', "the prose says 'larger', and 'tenth_sum' returns 0.99999"),
        ("The sum is false.", '{"false": sums.float_sum}', "the prose says 'false', and 'float_sum' returns False"),
    ],
)
def test_a_figure(
    why: Callable[..., None], failures: Callable[..., dict[str, str]], text: str, figures: str, message: str | None
) -> None:
    why(text, figures)
    found = failures()
    assert len(found) == (message is not None)
    for name, result in found.items():
        assert name.startswith("sum-mean/float_sum/figures/")
        assert message is not None
        assert message in result
        assert result.startswith("reference/")


@pytest.mark.parametrize(
    ("figures", "problem"),
    [
        (
            '{"2.00": tenth_sum}',
            "16:24: nothing shows '1.00': a symbol in 'figures', a source in 'cited', or other words",
        ),
        ('{"1.00": tenth_sum, "2.00": tenth_sum}', "17:36: these words do not stand in the prose beside them"),
        ('{"1.00": tenth}', "17:25: no 'tenth' in the modules of 'sums'"),
        ('{"1.00": mean}', "17:25: shows nothing: 'mean' needs arguments"),
        ('{"1.00": TOLERANCE}', "17:25: shows nothing: 'TOLERANCE' is no function"),
        ('{"1.00": typed}', "17:25: shows nothing: 'typed' calls nothing, so what it returns was typed"),
        ('{"1.00": nothing.tenth_sum}', "17:25: no 'tenth_sum' in the modules of 'nothing'"),
        ('{"1.00": a.b.c}', "17:25: must be a symbol of the topic's module or of its mistakes, or TOPIC.SYMBOL"),
        ("{}", "17:16: must not be empty"),
    ],
)
def test_a_bad_figure(why: Callable[..., None], figures: str, problem: str) -> None:
    why("They sum to 1.00.", figures)
    with pytest.raises(BadInput) as caught:
        load_catalogue(find_project())
    assert str(caught.value).startswith(f"reference/sums.yaml:{problem}")


def test_cited_words_stand_in_the_prose(edit: Edit) -> None:
    edit("reference/sums.yaml", "rule: Use fsum.", "rule: Use fsum.\n  cited: {twice as fast: https://a.org}")
    with pytest.raises(BadInput, match="5:11: these words do not stand in the prose beside them"):
        load_catalogue(find_project())
    edit("reference/sums.yaml", "rule: Use fsum.", "rule: Use fsum, twice as fast.")
    assert load_catalogue(find_project()).patterns["sum-mean"].cited == {"twice as fast": "https://a.org"}


@pytest.mark.usefixtures("why")
def test_figures_of_patterns_remarks_and_changes(
    project: Path, edit: Edit, failures: Callable[..., dict[str, str]]
) -> None:
    edit("reference/sums.yaml", "title: A mean", 'title: A mean of 3\n  figures: {"3": tenth_sum}')
    (project / "reference" / "glossary.yaml").write_text(
        '- {term: sum, text: Some 4., pattern: sum-mean, figures: {"4": tenth_sum}}\n'
    )
    (project / "reference" / "advice.yaml").write_text(
        'decisions:\n  - {text: Some 5., pattern: sum-mean, figures: {"5": tenth_sum}}\n'
        "when_not:\n  - {text: Never., pattern: sum-mean}\n"
    )
    (project / "reference" / "changes.yaml").write_text(
        '- {library: python, since: "3.0", writes: "1 // 0", raises: ZeroDivisionError, match: by zero, instead: "1",\n'
        '   source: "https://a.org", note: Some 6., figures: {"6": sums.tenth_sum}}\n'
    )
    assert sorted(failures()) == [
        "advice/decisions 1/figures/5",
        "glossary/sum/figures/4",
        "sum-mean/figures/3",
    ]
    assert [one.id for one in project_proofs(find_project(), {}, ["changes"])][2:] == [
        "changes/python: 1 // 0/figures/6"
    ]


def test_a_remark_that_names_no_pattern(project: Path) -> None:
    (project / "reference" / "glossary.yaml").write_text("- {term: sum, text: Some., pattern: sum-men}\n")
    with pytest.raises(BadInput, match=r"glossary.yaml:1:37: no such pattern \(did you mean 'sum-mean'\?\)"):
        project_proofs(find_project(), {}, [])


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("writes: sum(values) / len(values)", "writes: sum(...) / ...", None),
        ("      writes: sum([0.1] * 10)\n", "      words: adding floats\n", None),
        ("      writes: sum([0.1] * 10)\n", "", "14:7: says in either 'writes' or 'words' what one must not do"),
        ("      value: the sum is not exact\n", "", "15:7: needs 'value' beside it: what is so"),
        ("      instead: exact_sum\n", "", "15:7: needs 'instead' beside it: what does not do so"),
        ("shows: is_false", "returns: false", "15:7: needs 'right' beside it: what is right"),
        ("writes: sum(values) / len(values)", "writes: sum(values) /", "10:15: not Python: invalid syntax"),
        ("writes: sum(values) / len(values)", "writes: ...", "10:15: says nothing: it would be found in any code"),
        (
            "symbols: [mean]",
            "symbols: [mean]\n  core: title",
            "6:9: what is in the core shows what to write: add 'writes'",
        ),
        ("symbols: [mean]", "symbols: [mean]\n  core: true\n  writes: math.fsum(values)", None),
        ("symbols: [mean]", "symbols: [mean]\n  writes: fsum(values)", "6:11: this is not found in the block"),
        (
            "writes: sum(values) / len(values)",
            "writes: len(...)",
            "9:7: 'len(...)' is found in the block of 'sum-mean' too",
        ),
        (
            "match: division by zero",
            "words: x\n      match: division by zero",
            "9:7: says in either 'writes' or 'words' what one must not do",
        ),
        ("match: division by zero", "value: nothing\n      match: division by zero", "12:14: 'raises' has no value"),
    ],
)
def test_words_and_values(edit: Edit, old: str, new: str, problem: str | None) -> None:
    edit("reference/sums.yaml", old, new)
    if problem is None:
        assert load_catalogue(find_project()).patterns
        return
    with pytest.raises(BadInput) as caught:
        load_catalogue(find_project())
    assert str(caught.value).startswith(f"reference/sums.yaml:{problem}")
