"""Specs: what they may say of code, and what is said of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.errors import BadInput
from skillkit.places import find_project

Edit = Callable[[str, str, str], None]


def problems() -> list[str]:
    with pytest.raises(BadInput) as caught:
        load_catalogue(find_project())
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.usefixtures("project")
def test_reads_the_small_project() -> None:
    catalogue = load_catalogue(find_project())
    pattern = catalogue.patterns["sum-mean"]
    assert [topic.title for topic in catalogue.topics] == ["Sums: adding numbers"]
    assert pattern.place == "reference/sums.yaml:1:3"
    assert pattern.block.text.endswith("assert mean([1.0, 2.0]) == 1.5\n")
    assert [mistake.kind for mistake in pattern.mistakes] == ["raises", "shows"]


@pytest.mark.usefixtures("project")
def test_the_check_takes_what_the_block_binds_from_the_block() -> None:
    check = load_catalogue(find_project()).patterns["sum-mean"].check
    assert check is not None
    assert "def mean" not in check.text
    assert "TOLERANCE = 1e-9" in check.text
    assert check.text.endswith("check_mean()\n")


def test_all_problems_of_a_spec_at_once(edit: Edit) -> None:
    edit("reference/sums.yaml", "title: A mean", "titel: A mean")
    edit("reference/sums.yaml", "rule: Use fsum.", "rule: 3")
    assert problems() == [
        "reference/sums.yaml:1:3: the key 'title' is missing",
        "reference/sums.yaml:2:3: unknown key 'titel' (did you mean 'title'?)",
        "reference/sums.yaml:4:9: must be text, not 3: put it in quotes, '3'",
    ]


def test_problems_of_several_specs_at_once(project: Path, edit: Edit) -> None:
    edit("reference/sums.yaml", "rule: Use fsum.", "rule: 3")
    (project / "reference" / "more.py").write_text("x = 1\n")
    (project / "reference" / "more.yaml").write_text("[]\n")
    assert problems() == [
        "reference/more.yaml:1:1: must have at least 1 entry",
        "reference/sums.yaml:4:9: must be text, not 3: put it in quotes, '3'",
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[mean]", "[maen]", "5:13: no 'maen' at top level of reference/sums.py (did you mean 'mean'?)"),
        ("example: example_mean", "example: nothing", "6:12: no 'nothing' at top level of reference/sums.py"),
        (
            "symbol: float_sum",
            "symbol: float_some",
            "14:15: no 'float_some' at top level of reference/mistakes/sums.py (did you mean 'float_sum'?)",
        ),
        ("shows: is_false", "shows: is_true", "15:14: no 'is_true' at top level of reference/mistakes/sums.py"),
        (
            "writes: sum(values) / len(values)",
            "writes: sum(v)",
            "10:15: this is not found in 'mean_of_nothing' (reference/mistakes/sums.py:4)",
        ),
        ("match: division by zero", "", "11:7: 'raises' needs 'match' beside it"),
        ("match: division by zero", "match: .", "12:14: would be found in any message"),
        ("match: division by zero", "match: .*", "12:14: would be found in any message"),
        ("match: division by zero", "match: o", "12:14: would be found in any message"),
        ("match: division by zero", r"match: '\S'", "12:14: would be found in any message"),
        ("match: division by zero", "match: '(x|'", "12:14: not a regular expression"),
        ("match: division by zero", "match: '(integer )?division'", "12:14: has words that need not be in the message"),
        ("match: division by zero", "match: 'divisions? by'", "12:14: has words that need not be in the message"),
        ("match: division by zero", "match: 'division (?!by one)'", "12:14: has words that need not be in the message"),
        (
            "match: division by zero",
            "match: 'division (one){0} by'",
            "12:14: has words that need not be in the message",
        ),
        ("raises: ZeroDivisionError", "raises: object", "11:15: 'object' is what anything is"),
        ("raises: ZeroDivisionError", "raises: BaseException", "11:15: 'BaseException' is what anything is"),
        ("symbol: mean_of_nothing", "symbol: is_false", "9:15: proves nothing: 'is_false' needs arguments"),
        ("shows: is_false", "shows: float_sum", "15:14: proves nothing: 'float_sum' takes no argument"),
        ("example: example_mean", "example: mean", "6:12: proves nothing: 'mean' needs arguments"),
        ("check: check_mean", "check: mean", "7:10: proves nothing: 'mean' needs arguments"),
        ("check: check_mean", "check: TOLERANCE", "7:10: proves nothing: 'TOLERANCE' is no function"),
        ("instead: exact_sum", "instead: mean", "19:16: proves nothing: 'mean' needs arguments"),
        ("shows: is_false", "shows: is_false\n      returns: 1", "14:7: needs exactly one of raises, warns, returns"),
        ("rule: Use fsum.", "rule: x\n  requires: {jax: new}", "5:19: must be versions such as '>=0.6', not 'new'"),
        ("id: sum-mean", "id: Sum Mean", '1:7: must be lowercase words joined by hyphens, not "Sum Mean"'),
    ],
)
def test_one_problem(edit: Edit, old: str, new: str, problem: str) -> None:
    edit("reference/sums.yaml", old, new)
    assert any(one.startswith(f"reference/sums.yaml:{problem}") for one in problems()), problems()


@pytest.mark.parametrize(
    ("file", "name", "key"),
    [
        ("sums", "check_mean", "7:10"),
        ("mistakes/sums", "mean_of_nothing", "9:15"),
        ("mistakes/sums", "is_false", "15:14"),
    ],
)
@pytest.mark.parametrize("change", ["async", "yield"])
def test_what_a_call_does_not_run_proves_nothing(edit: Edit, file: str, name: str, key: str, change: str) -> None:
    if change == "async":
        edit(f"reference/{file}.py", f"def {name}(", f"async def {name}(")
    else:
        edit(f"reference/{file}.py", f"def {name}(", f"def {name}(*, late=0, **more): yield\n\n\ndef old_{name}(")
    problem = f"reference/sums.yaml:{key}: proves nothing: a call of '{name}' runs nothing: make it a plain function"
    assert problem in problems()


def test_a_pattern_without_a_mistake_says_why(project: Path) -> None:
    spec = project / "reference" / "sums.yaml"
    spec.write_text(spec.read_text().partition("  mistakes:")[0])
    assert problems() == ["reference/sums.yaml:1:3: needs either 'mistakes' or 'no_mistake' with the reason"]


def test_a_pattern_needs_an_example_or_a_check(edit: Edit) -> None:
    edit("reference/sums.yaml", "  example: example_mean\n  check: check_mean\n", "")
    assert problems() == ["reference/sums.yaml:1:3: needs an 'example' or a 'check', or its block does nothing"]


def test_without_an_example_the_check_ends_the_block(edit: Edit) -> None:
    edit("reference/sums.yaml", "  example: example_mean\n", "")
    block = load_catalogue(find_project()).patterns["sum-mean"].block
    assert block.text.endswith("assert abs(mean([0.1] * 10) - 0.1) < TOLERANCE\n")


def test_equal_ids(project: Path) -> None:
    for folder in ("reference", "reference/mistakes"):
        text = (project / folder / "sums.py").read_text()
        (project / folder / "tums.py").write_text(text)
    (project / "reference" / "tums.yaml").write_text((project / "reference" / "sums.yaml").read_text())
    assert problems() == ["reference/tums.yaml:1:3: the id 'sum-mean' is taken in reference/sums.yaml:1:3"]


def test_a_symbol_that_does_not_slice(edit: Edit) -> None:
    edit("reference/sums.py", "TOLERANCE = 1e-9", "TOLERANCE = 1\nTOLERANCE = 1e-9")
    assert problems()[0].startswith("reference/sums.py:6:1: 'TOLERANCE' is bound twice")


def test_a_block_that_needs_a_name_that_it_lacks(edit: Edit) -> None:
    edit("reference/sums.py", "assert mean([1.0, 2.0]) == 1.5", "assert mean(values) == 1.5")
    assert problems() == ["reference/sums.py:17:1: no symbol 'values' at top level"]


def test_no_specs(project: Path) -> None:
    (project / "reference" / "sums.yaml").unlink()
    assert problems() == [
        "reference: no spec here: a spec is a YAML file beside a module of the same stem",
    ]


@pytest.mark.usefixtures("project")
def test_selecting_by_topic_and_id() -> None:
    catalogue = load_catalogue(find_project())
    assert catalogue.select(["sums"]) == catalogue.select(["sum-mean"]) == catalogue.select([])
    with pytest.raises(BadInput, match="no such pattern \\(did you mean 'sum-mean'\\?\\)"):
        catalogue.select(["sum-men"])
