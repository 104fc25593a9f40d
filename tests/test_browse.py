"""Looking through a catalogue, and looking things up in it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from skillkit.cli import skillkit
from skillkit.errors import BadInput

Edit = Callable[[str, str, str], None]
CHANGES = """- library: click
  since: "8.2"
  writes: click.get_os_args()
  instead: sys.argv[1:]
  raises: AttributeError
  match: has no attribute 'get_os_args'
  note: Use the list itself.
  source: https://click.example
- library: attrs
  since: "25.1"
  writes: attr.old()
  instead: attrs.new()
  raises: AttributeError
  match: has no attribute 'old'
  source: https://attrs.example
"""
GLOSSARY = "- {term: fsum, text: An exact sum of floats., pattern: sum-mean}\n"


def call(*arguments: str) -> Result:
    result = CliRunner().invoke(skillkit, arguments)
    if isinstance(result.exception, BadInput):
        raise result.exception
    return result


@pytest.fixture
def tables(project: Path) -> Path:
    """Return the small project, with changes and a glossary."""
    (project / "reference" / "changes.yaml").write_text(CHANGES)
    (project / "reference" / "glossary.yaml").write_text(GLOSSARY)
    return project


@pytest.mark.usefixtures("project")
def test_patterns_are_listed_under_their_topics() -> None:
    assert call("list").stdout == "sums: Sums: adding numbers\n  sum-mean  A mean\n"
    (entry,) = json.loads(call("list", "--json").stdout)
    assert entry["mistakes"][0]["raises"] == "ZeroDivisionError"


@pytest.mark.usefixtures("tables")
def test_tables_are_listed_as_topics_are() -> None:
    assert call("list", "changes", "glossary").stdout.splitlines() == [
        "changes/click: what fails in newer versions of click",
        "  changes/click: click.get_os_args()  write sys.argv[1:]",
        "changes/attrs: what fails in newer versions of attrs",
        "  changes/attrs: attr.old()  write attrs.new()",
        "glossary: what words mean",
        "  glossary/fsum  An exact sum of floats.",
    ]
    assert [entry["library"] for entry in json.loads(call("list", "changes/click", "--json").stdout)] == ["click"]
    assert call("list").stdout == "sums: Sums: adding numbers\n  sum-mean  A mean\n"


@pytest.mark.usefixtures("tables")
def test_several_are_shown_in_their_order_and_each_once() -> None:
    shown = call("show", "glossary", "sum-mean", "sums").stdout
    assert shown.count("## A mean") == 1
    assert shown.index("### fsum\n\nAn exact sum of floats. Shown by `sum-mean`.") < shown.index("## A mean")


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("sum-mean", ["pattern"]),
        ("changes", ["change", "change"]),
        ("changes/click", ["change"]),
        ("changes/click: click.get_os_args()", ["change"]),
        ("glossary", ["term"]),
        ("glossary/fsum", ["term"]),
        ("FSUM", ["term"]),
    ],
)
def test_what_has_a_name_is_shown(name: str, kinds: list[str]) -> None:
    assert [one["kind"] for one in json.loads(call("show", name, "--json").stdout)] == kinds
    assert call("show", name).stdout.count("\n#") + 1 >= len(kinds)


@pytest.mark.usefixtures("tables")
def test_a_change_says_what_to_write() -> None:
    assert call("show", "changes/click").stdout == (
        "### Not `click.get_os_args()`\n\n"
        "It raises `AttributeError` `has no attribute 'get_os_args'`, from click 8.2 on, not run yet. "
        "**Write `sys.argv[1:]`.** "
        "Use the list itself.\n\nSource: <https://click.example>\n"
    )
    (change,) = json.loads(call("show", "changes/click", "--json").stdout)
    assert change["raises"] == "AttributeError"


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(("name", "near"), [("sum-meen", "sum-mean"), ("glossery", "glossary"), ("change", "changes")])
def test_a_name_that_is_not_there_is_answered(name: str, near: str) -> None:
    with pytest.raises(BadInput, match=rf"{name}: no such pattern \(did you mean '{near}'\?\)"):
        call("show", name)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("mean", "sum-mean"),
        ("Mean of nothing", "sum-mean"),
        ("ZeroDivisionError: division by zero", "sum-mean"),
        ("get_os_args", "changes/click: click.get_os_args()"),
        ("AttributeError: module 'click' has no attribute 'get_os_args'", "changes/click: click.get_os_args()"),
        ("exact floats", "glossary/fsum"),
        ("sys.argv", "changes/click: click.get_os_args()"),
    ],
)
def test_words_and_messages_are_found(words: str, first: str) -> None:
    found = call("find", *words.split())
    assert found.exit_code == 0
    assert found.stdout.startswith(first)
    assert json.loads(call("find", words, "--json").stdout)[0]["id"] == first


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("words", ["quaternion", "quaternion mean of manifolds over bundles", "?", "-- ''"])
def test_nothing_is_found_and_said(words: str) -> None:
    found = call("find", "--", *words.split())
    assert (found.exit_code, found.stdout) == (1, "")
    assert f"nothing here fits '{' '.join(words.split())}'" in found.stderr


@pytest.mark.parametrize(
    ("words", "best"),
    [
        ("dropout keys", "prng-dropout-keys"),
        ("jax.tree_map", "changes/jax: jax.tree_map"),
        ("TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].", "jit-if"),
        ("checkpoint async wait", "ckpt-async-wait"),
    ],
)
def test_the_catalogue_answers(words: str, best: str) -> None:
    """Among the first three; which of several is the best is for nobody to say."""
    found = json.loads(call("find", words, "--json").stdout)
    assert any(best in one["id"] for one in found[:3]), [one["id"] for one in found[:3]]


def test_more_than_ten_are_named_when_asked() -> None:
    few, many = (call("find", "array", *more) for more in ([], ["--all"]))
    assert len(few.stdout.splitlines()) == 10
    assert f"and {len(many.stdout.splitlines()) - 10} more answers: --all names them" in few.stderr
