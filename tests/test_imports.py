"""The layers of the package, and what it may import when."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path("skillkit")
QUICK = (
    ["--help"],
    ["--version"],
    ["list"],
    ["show", "prng-dropout-keys"],
    ["find", "dropout"],
    ["cache"],
    ["render", "--check"],
    ["schema", "pattern"],
    ["diagnose", "tests/logs/bad-batches.csv"],
    ["translate", "tests/translations/train.py"],
    ["recommend-optimizer", "--no-input", "--set", "family=mlp"],
    ["recommend-optimizer", "--no-input", "--set", "family=mlp", "--params", "tests/trees/mlp.json"],
)
PROBE = "import sys, atexit; atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))\n"


def imports(path: Path) -> set[str]:
    """Return the modules that a module imports: at its top, late in a function, or for types alone."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "skillkit":
            source = str(node.module).removeprefix("skillkit").removeprefix(".")
            inner = {f"{source}.{alias.name}".strip(".") for alias in node.names}
            found |= {name if name in MODULES else source for name in inner}
        elif isinstance(node, ast.Import):
            found |= {
                alias.name.removeprefix("skillkit.") for alias in node.names if alias.name.startswith("skillkit.")
            }
    return found


def modules() -> dict[str, Path]:
    paths = [path for path in PACKAGE.rglob("*.py") if not path.stem.startswith("__") and "skeleton" not in path.parts]
    return {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in paths}


MODULES = modules()


def floors() -> dict[str, int]:
    """Return on which floor each room stands in the picture of CONTRIBUTING.md, counted from the top."""
    picture = Path("CONTRIBUTING.md").read_text("utf-8").partition("## The house")[2].split("```")[1]
    rooms = {name.partition(".")[0] for name in MODULES}
    lines = enumerate(picture.splitlines())
    return {cell: number for number, line in lines for cell in re.split(r" {2,}", line) if cell in rooms}


def test_every_room_stands_in_the_picture() -> None:
    assert floors().keys() == {name.partition(".")[0] for name in MODULES}


def test_every_module_imports_only_from_the_floors_below_or_its_own_room() -> None:
    floor = floors()
    for name, path in MODULES.items():
        room = name.partition(".")[0]
        for needed in imports(path) - {""}:
            other = needed.partition(".")[0]
            assert other == room or floor[other] > floor[room], f"{name} imports {needed}"


def test_imports_have_no_circle() -> None:
    graph = {name: imports(path) for name, path in MODULES.items()}
    while graph:
        leaves = {name for name, needs in graph.items() if not needs & graph.keys()}
        assert leaves, f"a circle among {sorted(graph)}"
        graph = {name: needs for name, needs in graph.items() if name not in leaves}


def test_no_room_holds_more_than_twenty_modules() -> None:
    rooms = Counter(name.partition(".")[0] for name in MODULES if "." in name)
    assert {room: count for room, count in rooms.items() if count > 20} == {}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("execution.")])
def test_what_runs_under_other_interpreters_needs_the_standard_library_alone(name: str) -> None:
    for node in ast.walk(ast.parse(MODULES[name].read_text())):
        if isinstance(node, ast.Import):
            roots = {alias.name.partition(".")[0] for alias in node.names}
            assert roots <= sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom):
            root, _, rest = str(node.module).partition(".")
            assert root in sys.stdlib_module_names or (root == "skillkit" and rest.startswith("execution"))


@pytest.mark.parametrize("call", ["exec", "eval", "runpy"])
def test_one_module_executes_code(call: str) -> None:
    users = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == call:
                users.add(path.stem)
    assert users <= {"running"}


def test_only_the_command_line_prints_and_exits() -> None:
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                assert ast.unparse(node.func) not in ("print", "sys.exit", "exit", "click.echo"), (
                    f"{path}:{node.lineno}"
                )


def test_the_reference_never_imports_the_toolkit() -> None:
    for path in Path("reference").rglob("*.py"):
        assert not re.search(r"^\s*(import|from) skillkit", path.read_text(), re.MULTILINE), path


def loaded(code: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", PROBE + code], capture_output=True, text=True, check=False)
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", QUICK, ids=" ".join)
def test_quick_commands_do_not_import_jax(arguments: list[str]) -> None:
    found = loaded(f"from skillkit.cli import main; main({arguments!r})")
    assert "click" in found
    assert not found & {"jax", "optax", "numpy", "sklearn", "torch", "tensorboard"}


def test_the_test_above_can_fail() -> None:
    assert {"jax", "numpy"} <= loaded("import jax")
