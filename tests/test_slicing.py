"""Slices: what is cut, and what is refused."""

import subprocess
import sys
from pathlib import Path

import pytest

from skillkit.errors import BadInput
from skillkit.source.shelf import Shelf
from skillkit.source.slicing import cut


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "reference")


def write(shelf: Shelf, code: str, name: str = "topic") -> None:
    path = shelf.folder.joinpath(*name.split(".")).with_suffix(".py")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code)


def refusal(shelf: Shelf, code: str, *symbols: str, body: str | None = None) -> str:
    write(shelf, code)
    with pytest.raises(BadInput) as caught:
        cut(shelf, "topic", symbols, body)
    return str(caught.value).replace(str(shelf.folder), "reference")


def test_takes_what_is_read_and_no_more(shelf: Shelf) -> None:
    write(
        shelf,
        '''"""Topic."""
import math
import os
from collections import OrderedDict, defaultdict

# half of it
HALF = 0.5  # exactly
UNUSED = os.sep


def helper(x):
    return math.sqrt(x) * HALF


@staticmethod  # a decorator is part of the definition
def wanted(x, table=defaultdict(int)):
    """Say.

    Args:
        x: Gone.
    """
    # a comment that must survive
    return helper(x)  # at the line, too


def other():
    return OrderedDict()
''',
    )
    assert (
        cut(shelf, "topic", ["wanted"]).text
        == '''import math
from collections import defaultdict

# half of it
HALF = 0.5  # exactly


def helper(x):
    return math.sqrt(x) * HALF


@staticmethod  # a decorator is part of the definition
def wanted(x, table=defaultdict(int)):
    """Say."""
    # a comment that must survive
    return helper(x)  # at the line, too
'''
    )


def test_local_names_are_not_taken_for_global_ones(shelf: Shelf) -> None:
    write(shelf, "step = 1\n\n\ndef count():\n    step = 2\n    return [step for step in range(step)]\n")
    assert "step = 1" not in cut(shelf, "topic", ["count"]).text


def test_names_in_nested_functions_classes_and_annotations_are_taken(shelf: Shelf) -> None:
    code = """A = B = C = D = 1


def outer(x: "int", y: type(A)):
    def inner():
        return B

    class Inner:
        value = C

    return lambda: D
"""
    write(shelf, code)
    assert cut(shelf, "topic", ["outer"]).text == code


def test_body_is_dedented_and_ends_the_slice(shelf: Shelf) -> None:
    write(
        shelf,
        '''import math


def area(r):
    return math.pi * r**2


def example():
    """Not published."""
    # as it is
    for r in (1, 2):
        assert area(r) > 0
''',
    )
    block = cut(shelf, "topic", [], "example")
    assert block.text.endswith("\n\n# as it is\nfor r in (1, 2):\n    assert area(r) > 0\n")
    assert [line.number for line in block.lines][-3:] == [10, 11, 12]
    subprocess.run([sys.executable, "-I", "-c", block.text], check=True)


def test_imports_from_the_shelf_are_sliced_through(shelf: Shelf) -> None:
    write(shelf, "import math\n\n\ndef area(r):\n    return math.pi * r * r\n", "shapes")
    write(shelf, "from reference.shapes import area\n\n\ndef volume(r, h):\n    return area(r) * h\n")
    text = cut(shelf, "topic", ["volume"]).text
    assert "reference" not in text
    assert text.index("def area") < text.index("def volume")
    assert text.startswith("import math\n")


def test_submodules_are_imported_where_they_are_used(shelf: Shelf) -> None:
    write(
        shelf,
        "import os\nimport os.path\n\n\ndef near():\n    return os.sep\n\n\ndef far():\n    return os.path.sep\n",
    )
    assert "os.path" not in cut(shelf, "topic", ["near"]).text
    assert "import os.path\n" in cut(shelf, "topic", ["far"]).text


def test_known_names_are_left_out(shelf: Shelf) -> None:
    write(shelf, "import math\n\n\ndef a():\n    return math.pi\n\n\ndef b():\n    return a()\n")
    assert cut(shelf, "topic", ["b"], known=frozenset({"a", "math"})).text == "def b():\n    return a()\n"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x = 1\nx = 2\n", "reference/topic.py:2:1: 'x' is bound twice, so it can't be sliced: rename one of them"),
        ("import a\na = 2\n", "reference/topic.py:2:1: 'a' is bound twice"),
        ("import a.b as x\nimport c as x\n", "reference/topic.py:2:1: 'x' is bound twice"),
        ("from os import *\n", "reference/topic.py:1:1: 'from os import *' can't be sliced: import the names"),
        ("from . import a\n", "reference/topic.py:1:1: a relative import can't be sliced"),
        ("if True:\n    x = 1\n", "reference/topic.py:1:1: a statement with effects at top level can't be sliced"),
        ("print(1)\n", "reference/topic.py:1:1: a statement with effects at top level can't be sliced"),
        ("a, b = 1, 2\n", "reference/topic.py:1:1: an assignment at top level must bind plain names"),
        ("a = 1; b = 2\n", "reference/topic.py:1:8: two statements on one line can't be sliced"),
        ("def f(:\n", "reference/topic.py:1:7: not Python: "),
        ("def near():\n    pass\n", "reference/topic.py: no symbol 'nearr' at top level (did you mean 'near'?)"),
    ],
)
def test_refused_modules(shelf: Shelf, code: str, message: str) -> None:
    assert refusal(shelf, code, "nearr").startswith(message)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def body(x):\n    print(x)\n", "reference/topic.py:1:1: 'body' ends a published block, so it can't have par"),
        ("def body():\n    return 1\n", "reference/topic.py:2:5: 'body' ends a published block, so it can't return"),
        ("def body():\n    yield 1\n", "reference/topic.py:2:5: 'body' ends a published block, so it can't return"),
        ('def body():\n    """Only words."""\n', "reference/topic.py:1:1: 'body' has no body to publish"),
        (
            "def body():\n    n = 0\n\n    def f():\n        nonlocal n\n        n = 1\n\n    assert f() or n\n",
            "reference/topic.py:5:1: 'body' can't stand at top level, where its block puts it: no binding for nonlocal",
        ),
        ("def body():\n    print(unknwon)\n", "reference/topic.py:1:1: no symbol 'unknwon' at top level"),
        (
            "def f():\n    return 1\n\n\ndef g():\n    return f()\n\n\ndef body():\n    f = 2\n    print(g(), f)\n",
            "reference/topic.py:9:1: 'body' rebinds 'f', which its block defines",
        ),
    ],
)
def test_refused_bodies(shelf: Shelf, code: str, message: str) -> None:
    assert refusal(shelf, code, body="body").startswith(message)


def test_a_return_inside_a_nested_function_is_fine(shelf: Shelf) -> None:
    write(shelf, "def body():\n    def f():\n        return 1\n\n    assert f() == 1\n")
    assert cut(shelf, "topic", [], "body").text == "def f():\n    return 1\n\nassert f() == 1\n"


def test_main_guard_is_passed_over(shelf: Shelf) -> None:
    write(shelf, "x = 1\n\nif __name__ == '__main__':\n    print(x)\n")
    assert cut(shelf, "topic", ["x"]).text == "x = 1\n"


def test_one_name_for_two_things_is_refused(shelf: Shelf) -> None:
    write(shelf, "def scale():\n    return 1\n\n\ndef a():\n    return scale()\n", "other")
    code = "from reference.other import a\n\n\ndef scale():\n    return 2\n\n\ndef b():\n    return a() + scale()\n"
    message = refusal(shelf, code, "b")
    assert message.endswith("'scale' means another thing in other: rename one to slice them together")


def test_missing_module(shelf: Shelf) -> None:
    with pytest.raises(BadInput, match="no such file"):
        cut(shelf, "none", ["x"])


@pytest.mark.parametrize("character", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_a_newline_ends_a_line(shelf: Shelf, character: str) -> None:
    start = f'"""Topic."""\n\nTEXT = "a{character}b"\n# a{character}b\n\n\n'
    write(shelf, f"{start}def body():\n    assert TEXT\n    assert 1 == 2\n")
    lines = cut(shelf, "topic", [], "body").lines
    assert [(line.text, line.number) for line in lines][-2:] == [("assert TEXT", 8), ("assert 1 == 2", 9)]


@pytest.mark.parametrize(
    ("docstring", "first"),
    [
        ("'''Say.\n\n    More.\n    '''", "'''Say.'''"),
        ('"""Say "so"\n    and more."""', '"""Say "so" """'),
        ("'''It is a dogs'\n    life.'''", "'''It is a dogs' '''"),
        ('"""Say \\\n    more."""', '"""Say"""'),
        ('"""\n    Say.\n    """', '"""Say."""'),
        ('"""\\\n    Say."""', '"""Say."""'),
        ('"""\n    Say."""', '"""Say."""'),
        ('r"""Say \\d.\n    """', 'r"""Say \\d."""'),
        ('"Say \\\n    more."', '"Say"'),
        ('"""Sag üß.\n    """', '"""Sag üß."""'),
        ('"""Say.\n    """; x = 1', '"""Say.\n    """; x = 1'),
        ('"""Say."""', '"""Say."""'),
    ],
)
def test_docstrings_are_cut_whatever_their_quotes(shelf: Shelf, docstring: str, first: str) -> None:
    write(shelf, f"def f():\n    {docstring}\n    return 1\n")
    code = cut(shelf, "topic", ["f"])
    assert code.text == f"def f():\n    {first}\n    return 1\n"
    compile(code.text, "topic", "exec")
    assert code.lines[-1].number == 3 + docstring.count("\n")


def test_a_byte_order_mark_is_no_part_of_a_module(shelf: Shelf) -> None:
    shelf.folder.mkdir()
    (shelf.folder / "topic.py").write_bytes("\ufeff# of it\nX = 1\n".encode())
    assert cut(shelf, "topic", ["X"]).text == "# of it\nX = 1\n"


def test_a_body_keeps_what_stands_above_its_first_statement(shelf: Shelf) -> None:
    write(
        shelf,
        "def body() -> None:\n\n    # as it is\n    @staticmethod\n    def f():\n        return 1\n\n    assert f()\n",
    )
    text = "# as it is\n@staticmethod\ndef f():\n    return 1\n\nassert f()\n"
    assert cut(shelf, "topic", [], "body").text == text


def test_a_text_over_lines_keeps_its_margin(shelf: Shelf) -> None:
    first = 'def body():\n    x = """\n    a\n  b  \n"""\n'
    write(shelf, first + '    y = (\n        "c"\n        f"""{x}\n    """\n    )\n    assert x, y\n')
    text = 'x = """\n    a\n  b  \n"""\ny = (\n    "c"\n    f"""{x}\n    """\n)\nassert x, y\n'
    assert cut(shelf, "topic", [], "body").text == text


@pytest.mark.parametrize("code", ["def body(): assert 1\n", 'def body():\n    """Say."""; assert 1\n'])
def test_a_body_on_the_line_of_its_header_is_refused(shelf: Shelf, code: str) -> None:
    assert "'body' ends a published block: give its body lines of its own" in refusal(shelf, code, body="body")
