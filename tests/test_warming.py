"""Warming: a run meets what a fresh interpreter would be after its imports, whoever has imported them."""

import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillkit.execution.beginnings import beginning, together
from skillkit.execution.cells import Cell
from skillkit.execution.fence import Fence
from skillkit.execution.warming import Filters, Interpreter
from skillkit.proof.workers import Workers

MODULES = {
    "silent": "",
    "other": "",
    "package/__init__": "",
    "package/part": "",
    "prints": "import os\nos.write(1, b'hello')",
    "warns": "import warnings\nwarnings.warn('old', DeprecationWarning, stacklevel=2)",
    "fails": "1 / 0",
    "writes": "open('file', 'w').close()",
    "threads": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    "filters": "import warnings\nwarnings.filterwarnings('ignore', message='^quiet')",
}


@pytest.fixture
def interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Interpreter]:
    for name, code in MODULES.items():
        path = tmp_path / "modules" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    cell = Cell(Fence([], []), has_own_memory=False)
    monkeypatch.chdir(cell.scratch)
    one = Interpreter(cell, answered, [])
    yield one
    for fork in one.forks.values():
        fork.end()
    cell.remove()


def answered(_: dict[str, Any], filters: Filters) -> dict[str, Any]:
    found = {name.replace("/", ".").removesuffix(".__init__") for name in MODULES} & sys.modules.keys()
    return {"modules": sorted(found), "process": os.getpid(), "filters": [str(one[1].pattern) for one in filters]}


def ask(interpreter: Interpreter, *names: str) -> dict[str, Any]:
    return interpreter.answer({"warm": [[name] for name in names]})


def test_it_answers_where_just_these_are_imported(interpreter: Interpreter) -> None:
    assert ask(interpreter)["modules"] == []
    assert ask(interpreter, "silent")["modules"] == ["silent"]
    assert ask(interpreter, "other", "silent")["modules"] == ["other", "silent"]
    assert ask(interpreter, "other")["modules"] == ["other"]


def test_the_same_interpreter_answers_again(interpreter: Interpreter) -> None:
    first, second = ask(interpreter, "silent"), ask(interpreter, "silent")
    assert first["process"] == second["process"] != os.getpid()


def test_names_that_are_no_modules_are_passed_over(interpreter: Interpreter) -> None:
    names = ("package", "package.part", "package.nothing", "absent", "absent.part", "silent", "silent.name")
    assert ask(interpreter, *names)["modules"] == ["package", "package.part", "silent"]


@pytest.mark.parametrize("name", ["prints", "warns", "fails", "writes", "threads"])
def test_what_is_not_silent_is_left_to_the_run(interpreter: Interpreter, name: str) -> None:
    answer = ask(interpreter, name, "silent")
    assert answer["modules"] == ["silent"]
    for path in Path(interpreter.cell.scratch).iterdir():
        path.unlink()


def test_filters_are_handed_on(interpreter: Interpreter) -> None:
    before = list(warnings.filters)
    assert ask(interpreter, "filters", "silent")["filters"] == ["^quiet"]
    assert warnings.filters == before


def test_one_that_was_ended_is_made_anew(interpreter: Interpreter) -> None:
    first = ask(interpreter, "silent")
    interpreter.forks[("silent",)].end()
    assert ask(interpreter, "silent")["process"] != first["process"]


def test_of_many_the_last_are_kept(interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillkit.execution.warming.KEPT", 2)
    for name in ("silent", "other", "package"):
        ask(interpreter, name)
    assert list(interpreter.forks) == [("other",), ("package",)]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("", []),
        ("import a\n", ["a"]),
        ('"""Doc."""\nimport os\nimport a.b as c\n', ["a", "a.b"]),
        ("from a.b import c, d as e\n", ["a", "a.b", "a.b.c", "a.b.d"]),
        ("import os\nos.environ['A'] = '1'\nimport a\n", []),
        ("import a\nx = 1\nimport b\n", ["a"]),
        ("if True:\n    import a\n", []),
        ("from . import a\n", []),
        ("from __future__ import annotations\nimport a\n", ["a"]),
        ("from a import *\n", ["a", "a.*"]),
        ("not python", []),
    ],
)
def test_the_imports_that_code_begins_with(code: str, names: list[str]) -> None:
    assert beginning(code) == [[name] for name in names]


def test_modules_together() -> None:
    assert together(["a.b", "a", "c"]) == [["a", "a.b", "c"]]
    assert together([]) == []


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    servers = Workers(sys.executable, ["click"], count=1)
    yield servers
    servers.close()


@pytest.mark.parametrize(
    ("job", "found"),
    [
        ({"code": "import yaml\nimport sys\n"}, ["click", "yaml"]),
        ({"code": "import sys\n"}, []),
        ({"code": "import os\nimport sys\n\nos.environ['A'] = '1'\nimport yaml\n"}, ["yaml"]),
    ],
    ids=["what it imports, and what is warm", "nothing", "what it imports later"],
)
def test_a_run_finds_nothing_else_imported(workers: Workers, job: dict[str, Any], found: list[str]) -> None:
    workers.ask({"code": "import packaging\n", "seconds": 20.0})
    code = f"{job['code']}print(sorted({{'click', 'packaging', 'yaml'}} & sys.modules.keys()))\n"
    assert workers.ask({"code": code, "seconds": 20.0})["stdout"].strip() == str(found)


def test_a_filter_of_an_import_is_in_force(workers: Workers) -> None:
    """NumPy adds some; what is warned of after its import must not depend on who has imported it."""
    code = "import numpy\nimport warnings\n\nwarnings.warn('numpy.dtype size changed, may be', stacklevel=1)\n"
    assert workers.ask({"code": code, "seconds": 20.0})["warnings"] == []
    other = code.replace("numpy.dtype", "another")
    assert len(workers.ask({"code": other, "seconds": 20.0})["warnings"]) == 1
