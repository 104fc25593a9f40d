"""Templates of others: what they get wrong is said with its place, and none can hang or fill the machine."""

import time
from pathlib import Path

import pytest

from skillkit.errors import BadInput
from skillkit.rendering import limits
from skillkit.rendering.templates import Templates


def fill(folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.j2").write_text(text, encoding="utf-8")
    return Templates(folder, {"shout": str.upper}, {}).fill("main.j2", {"pattern": {"rule": "x"}, "words": ["a"]})


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ 1/0 }}", "main.j2:1:1: division by zero"),
        ("\n{{ range(1000000) }}", "main.j2:2:1: Range too big. The sandbox blocks ranges larger than"),
        ("{{ 10 ** (10 ** 10) }}", "main.j2:1:1: a number of more than 10,000 digits"),
        ("{{ 7.5 ** 9999 }}", "main.j2:1:1: (34, 'Numerical result out of range')"),
        ("{{ 'a' * 10 ** 9 }}", "main.j2:1:1: a repetition of more than 10,000,000 parts"),
        ("{{ [1] * 10 ** 9 }}", "main.j2:1:1: a repetition of more than 10,000,000 parts"),
        ("{{ 'a' | center(10 ** 11) | length }}", "main.j2:1:1: takes more memory than a template may"),
        ("{{ 'a'.ljust(10 ** 11) | length }}", "main.j2:1:1: takes more memory than a template may"),
        ("{{ 'a' | center(2 * 10 ** 7) }}", "main.j2: gives more than 10,000,000 characters"),
        ("{% include 'main.j2' %}", "main.j2:1:1: includes or calls itself without end"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "main.j2:1:1: includes or calls itself without end"),
        ("{{ 1 | round('x') }}", "main.j2:1:1: "),
        ("{{ words | join(1, 2, 3, 4) }}", "main.j2:1:1: "),
        ("{{ words | sum }}", "main.j2:1:1: unsupported operand type(s) for +: 'int' and 'str'"),
        ("{{ 5 | list }}", "main.j2:1:1: 'int' object is not iterable"),
        ("{{ '%d' | format('x') }}", "main.j2:1:1: %d format: a real number is required, not str"),
        ("{{ ().__class__ }}", "main.j2:1:1: access to attribute '__class__'"),
        ("{% for a in b %}" * 30 + "{% endfor %}" * 30, "main.j2: nests its blocks too deep: too many statically"),
        ("{{ " + "(" * 5000 + ")" * 5000 + " }}", "main.j2: includes or calls itself without end, or is nested too"),
        ("{{ words | shoot }}", "not a Jinja template: No filter named 'shoot'. (did you mean 'shout'?)"),
        ("{% if 1 is define %}{% endif %}", "No test named 'define' found. (did you mean 'defined'?)"),
        ("{{ patern }}", "main.j2:1:1: 'patern' is undefined (did you mean 'pattern'?)"),
        ("{{ pattern.ruel }}", "main.j2:1:1: there is no 'ruel' here (did you mean 'rule'?)"),
        ("{% extends 'gone.j2' %}", "there is no template 'gone.j2' in"),
        ("{% if %}", "main.j2:1:1: not a Jinja template: "),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, template: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        fill(tmp_path, main=template)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SECONDS", 0.5)
    loops = "{% for a in range(99999) %}" * 4 + "{% endfor %}" * 4
    began = time.process_time()
    with pytest.raises(BadInput, match=r"main\.j2:1:1: takes more than 0\.5 s, and was ended"):
        fill(tmp_path, main=loops)
    assert time.process_time() - began < 5
    assert fill(tmp_path, main="{{ 2 ** 8 }}{{ 'a' * 3 }}") == "256aaa"


def test_a_byte_order_mark_is_not_published(tmp_path: Path) -> None:
    assert fill(tmp_path, main="\ufeff# Title") == "# Title"


@pytest.mark.parametrize(
    "include",
    ["{% include 'part.j2' %}", "{% include ['none.j2', 'part.j2'] %}", "{% set n = 'part' %}{% include n ~ '.j2' %}"],
)
def test_what_is_included_is_asked_what_it_speaks_of(tmp_path: Path, include: str) -> None:
    assert fill(tmp_path, main=include, part="{{ pattern.rule }}") == "x"
    assert Templates(tmp_path, {}, {}).wanted("main.j2") == {"pattern"}


def test_an_include_may_be_optional(tmp_path: Path) -> None:
    assert fill(tmp_path, main="a{% include 'none.j2' ignore missing %}") == "a"
    assert Templates(tmp_path, {}, {}).wanted("main.j2") == set()


@pytest.mark.parametrize("include", ["'none.j2'", "['none.j2', 'neither.j2']"])
def test_what_is_included_must_be_there(tmp_path: Path, include: str) -> None:
    (tmp_path / "main.j2").write_text("\n{% include " + include + " %}")
    with pytest.raises(BadInput, match=r"main\.j2:2:1: there is no template 'none\.j2"):
        Templates(tmp_path, {}, {}).wanted("main.j2")


def test_templates_that_include_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_text("{{ x }}{% if n %}{% include 'b.j2' %}{% endif %}")
    (tmp_path / "b.j2").write_text("{{ y }}{% include 'a.j2' %}")
    assert Templates(tmp_path, {}, {}).wanted("a.j2") == {"n", "x", "y"}


def test_a_link_out_of_the_folder_is_no_template(tmp_path: Path) -> None:
    folder = tmp_path / "templates"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    (folder / "part.j2").symlink_to(tmp_path / "secret")
    with pytest.raises(BadInput, match="there is no template"):
        fill(folder, main="{% include 'part.j2' %}")
