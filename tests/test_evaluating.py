"""Functions that return parameters, evaluated without computing them, and those that fail."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillkit.cli import skillkit
from skillkit.errors import BadInput
from skillkit.trees.evaluating import evaluated_tree, is_function
from skillkit.trees.leaves import Leaf
from skillkit.trees.opening import read_tree

MODELS = {
    "plain": """
import jax, jax.numpy as jnp
print("on standard output")
def init(key):
    return {"w": jax.random.normal(key, (10**6, 10**6)), "b": jnp.zeros(4, jnp.bfloat16), "key": key}
class Made:
    @staticmethod
    def init(): return {"params": {"w": jnp.ones((2, 3))}, "step": jnp.zeros((), int)}
""",
    "with_nnx": """
from flax import nnx
class Model(nnx.Module):
    def __init__(self, rngs):
        self.layers = nnx.List([nnx.Linear(10**5, 10**5, rngs=rngs) for _ in range(2)])
        self.norm = nnx.BatchNorm(8, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
""",
    "with_linen": """
import jax, jax.numpy as jnp
from flax import linen
def init(key): return linen.Dense(3).init(key, jnp.ones((1, 2)))
""",
    "with_equinox": """
import equinox as eqx
def init(key): return eqx.nn.MLP(4, 4, 8, 1, key=key)
""",
    "wrong": """
import os, sys
def many(a, b): pass
def nothing(): return None
def fails():
    raise ValueError("no such\\nlayer")
def ends(): sys.exit(5)
def dies(): os._exit(7)
def sleeps():
    import time
    time.sleep(60)
def alone(): return 3
number = 3
""",
    "broken": "import no_such_module\n",
    "unwritten": "def f(:\n",
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in MODELS.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))


def test_a_function_of_a_key_is_traced_and_computes_nothing() -> None:
    tree = evaluated_tree("plain:init")
    assert tree.leaves == {"b": Leaf((4,), "bfloat16"), "w": Leaf((10**6, 10**6))}
    assert tree.left_out == {"key": "uint32 has no gradient"}


@pytest.mark.parametrize(
    ("name", "leaves"),
    [
        ("plain:Made.init", {"w": Leaf((2, 3))}),
        ("with_linen:init", {"bias": Leaf((3,)), "kernel": Leaf((2, 3))}),
        (
            "with_nnx:Model",
            {
                **{f"layers/{index}/bias": Leaf((10**5,)) for index in (0, 1)},
                **{f"layers/{index}/kernel": Leaf((10**5, 10**5)) for index in (0, 1)},
                "norm/bias": Leaf((8,)),
                "norm/scale": Leaf((8,)),
            },
        ),
        (
            "with_equinox:init",
            {
                "layers/0/weight": Leaf((8, 4)),
                "layers/0/bias": Leaf((8,)),
                "layers/1/weight": Leaf((4, 8)),
                "layers/1/bias": Leaf((4,)),
            },
        ),
    ],
)
def test_models_of_each_library_are_read(name: str, leaves: dict[str, Leaf]) -> None:
    assert evaluated_tree(name).leaves == leaves


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wrong:many", "wrong:many: TypeError: it takes a, b: name a function that takes nothing, a key or rngs"),
        ("wrong:nothing", "wrong:nothing: returned no array"),
        ("wrong:alone", "wrong:alone: returned an array by itself: return parameters by their names"),
        ("wrong:fails", "wrong.py:6: ValueError: no such"),
        ("wrong:ends", "wrong.py:7: SystemExit: 5"),
        ("wrong:dies", "ended with 7 before it had returned"),
        ("wrong:number", "TypeError: 3 is not a callable object"),
        ("wrong:absent", "AttributeError: module 'wrong' has no attribute 'absent'"),
        ("broken:f", "broken.py:1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("unwritten:f", "SyntaxError: invalid syntax"),
        ("absent:f", "ModuleNotFoundError: No module named 'absent'"),
    ],
)
def test_what_fails_is_said_in_a_line_and_with_its_place(name: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        evaluated_tree(name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_takes_too_long_is_ended() -> None:
    with pytest.raises(BadInput, match="took longer than 5 seconds"):
        evaluated_tree("wrong:sleeps", seconds=5)


def test_nothing_is_imported_without_leave(tmp_path: Path) -> None:
    (tmp_path / "telling.py").write_text("from pathlib import Path\nPath('imported').touch()\n")
    with pytest.raises(BadInput, match="names a function, and no file: --allow-import"):
        read_tree("telling:f")
    assert not Path("imported").exists()
    with pytest.raises(BadInput, match="has no attribute 'f'"):
        read_tree("telling:f", importing=True)
    assert Path("imported").exists()


def test_a_file_of_that_name_is_a_file() -> None:
    Path("plain:init").write_text('{"w": [3]}')
    assert read_tree("plain:init").leaves == {"w": Leaf((3,))}


@pytest.mark.parametrize("name", ["a.b:c", "a:b.c", "_a1:b"])
def test_functions_are_named_so(name: str) -> None:
    assert is_function(name)


@pytest.mark.parametrize("name", ["a", "a:", ":b", "a b:c", "a/b:c", "C:\\x", "1a:b", "a:b:c", "a..b:c"])
def test_other_names_are_none(name: str) -> None:
    assert not is_function(name)


def test_the_command_prints_its_result_alone_and_imports_no_jax() -> None:
    code = (
        "import sys, atexit; atexit.register(lambda: print('jax' in sys.modules, file=sys.stderr))\n"
        "from skillkit.cli import main; main()"
    )
    given = [
        "recommend-optimizer",
        "--set",
        "family=mlp",
        "--params",
        "plain:init",
        "--allow-import",
        "--format",
        "table",
    ]
    done = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("path ")
    assert "on standard output" in done.stderr
    assert done.stderr.splitlines()[-1] == "False"


def test_the_command_says_what_leave_it_needs() -> None:
    error = (
        CliRunner().invoke(skillkit, ["recommend-optimizer", "--set", "family=mlp", "--params", "plain:init"]).exception
    )
    assert isinstance(error, BadInput)
