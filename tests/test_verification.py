"""Proofs and runs: what is broken on purpose is caught."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.errors import BadInput
from skillkit.places import find_project
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.statements import proofs
from skillkit.proof.verification import Report, Verifier
from skillkit.proof.workers import Workers

Edit = Callable[[str, str, str], None]


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    servers = Workers(sys.executable, (), count=1)
    yield servers
    servers.close()


@pytest.fixture
def hiding(project: Path) -> Iterator[Workers]:
    """Workers that hide this project; the others are made once and know of none."""
    assert project == Path.cwd()
    servers = Workers(sys.executable, (), count=1, project=find_project())
    yield servers
    servers.close()


@pytest.fixture
def verify(project: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Report]:
    assert project == Path.cwd()
    monkeypatch.setattr("skillkit.proof.proofs.SECONDS", 5.0)

    def run(folder: Path | None = None, workers: Workers = workers) -> Report:
        catalogue = load_catalogue(find_project())
        versions = {"python": "3.11"}
        return Verifier(workers, Outcomes(folder, versions), versions).verify(
            list(proofs(catalogue, catalogue.select([])))
        )

    return run


def failures(report: Report) -> dict[str, str]:
    return {result.proof.id: f"{result.verdict.place}: {result.verdict.message}" for result in report.of("fails")}


def test_the_small_project_holds(verify: Callable[[], Report]) -> None:
    report = verify()
    assert failures(report) == {}
    assert report.as_data() | {"versions": {}} == {
        "patterns": 1,
        "blocks": 1,
        "mistakes": 2,
        "corrections": 1,
        "changes": 0,
        "earlier versions": 0,
        "figures": 0,
        "names": 0,
        "failed": [],
        "skipped": [],
        "versions": {},
    }


@pytest.mark.parametrize(
    ("old", "new", "failure"),
    [
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    assert mean([1.0, 2.0]) == 2.5",
            "reference/sums.py:18: AssertionError",
            id="a false assertion",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    print(mean([1.0]).lost)",
            "reference/sums.py:18: AttributeError: 'float' object has no attribute 'lost'",
            id="an attribute that it lacks",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    mean([1.0, 2.0])",
            "reference/sums.py:18: asserts nothing, so it shows nothing",
            id="a block that does nothing",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    assert (mean([1.0, 2.0]) == 2.5, 'a half')",
            "reference/sums.py:18: 'assert (mean([1.0, 2.0]) == 2.5, 'a half')' holds whatever is computed",
            id="an assertion of a pair",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    if mean([1.0]) == 2.0:\n        assert mean([1.0, 2.0]) == 2.5",
            "reference/sums.py:19: 'assert mean([1.0, 2.0]) == 2.5' was not reached, did not hold, or asserts no value",
            id="an assertion in a branch that is not taken",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    try:\n        assert mean([1.0, 2.0]) == 2.5\n    except AssertionError:\n        pass",
            "reference/sums.py:19: 'assert mean([1.0, 2.0]) == 2.5' was not reached, did not hold, or asserts no value",
            id="an assertion whose failure is caught",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    def holds():\n        assert mean([1.0, 2.0]) == 2.5\n\n    assert mean([1.0]) == 1.0",
            "reference/sums.py:19: 'assert mean([1.0, 2.0]) == 2.5' was not reached, did not hold, or asserts no value",
            id="an assertion in a function that is not called",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    assert math.fsum",
            "reference/sums.py:18: 'assert math.fsum' was not reached, did not hold, or asserts no value",
            id="an assertion of a function",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    assert math.fsum([1.0]) == 1.0",
            "reference/sums.py:18: asserts nothing of what it defines",
            id="an assertion of something else",
        ),
        pytest.param(
            "    assert abs(mean([0.1] * 10) - 0.1) < TOLERANCE",
            "    assert TOLERANCE < 1",
            "reference/sums.py:22: 'assert TOLERANCE < 1' holds whatever is computed",
            id="a check of a constant",
        ),
        pytest.param(
            "    assert abs(mean([0.1] * 10) - 0.1) < TOLERANCE",
            "    mean([0.1])",
            "reference/sums.py:22: asserts nothing, so it shows nothing",
            id="a check that checks nothing",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    while mean([1.0]):\n        pass",
            "reference/sums.py:3: still running after 5 s, and was ended",
            id="a block that hangs",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    assert open('../../escaped', 'w')",
            "reference/sums.py:18: PermissionError: writes outside its scratch folder: ",
            id="a write outside its folder",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    import os\n\n    assert mean([1.0]) == 1.0\n    os._exit(3)",
            "reference/sums.py:3: the process died (3)",
            id="a process that dies",
        ),
        pytest.param(
            "    assert mean([1.0, 2.0]) == 1.5",
            "    import warnings\n\n    warnings.warn('old', DeprecationWarning)\n    assert mean([1.0]) == 1.0",
            "reference/sums.py:20: DeprecationWarning: old",
            id="a deprecated call",
        ),
        pytest.param(
            "< TOLERANCE",
            "< -TOLERANCE",
            "reference/sums.py:22: AssertionError",
            id="a check that does not hold",
        ),
    ],
)
def test_a_broken_block(verify: Callable[[], Report], edit: Edit, old: str, new: str, failure: str) -> None:
    edit("reference/sums.py", old, new)
    found = failures(verify())
    assert list(found) == ["sum-mean"]
    assert found["sum-mean"].startswith(failure)


def test_a_block_that_leaves_a_process_behind(verify: Callable[[], Report], edit: Edit, tmp_path: Path) -> None:
    started = tmp_path / "pid"
    edit(
        "reference/sums.py",
        "    assert mean([1.0, 2.0]) == 1.5",
        "    import subprocess\n\n    child = subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
        "    assert mean([1.0]) == 1.0\n    print(child.pid)",
    )
    report = verify()
    assert failures(report)["sum-mean"].endswith("leaves behind 1 process")
    assert not started.exists()
    assert _until(lambda: not _sleeping("60"))


def _sleeping(seconds: str) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if entry.read_bytes() == f"sleep\0{seconds}\0".encode():
                found.append(entry.parent.name)
        except OSError:
            continue
    return found


def test_one_block_does_not_help_another(verify: Callable[[], Report], project: Path, edit: Edit) -> None:
    """The second block reads what the first left in a module, in the environment and in the folder."""
    edit(
        "reference/sums.py",
        "    assert mean([1.0, 2.0]) == 1.5",
        "    import os\n\n    os.environ['LEFT'] = 'x'\n    math.left = 1\n"
        "    assert open('left', 'w')\n    assert mean([1.0]) == 1.0",
    )
    other = '"""Other."""\n\nimport math\nimport os\n\n\ndef example():\n'
    lines = ("assert not hasattr(math, 'left')", "assert 'LEFT' not in os.environ", "assert not os.path.exists('left')")
    (project / "reference" / "umbra.py").write_text(other + "".join(f"    {line}\n" for line in lines))
    (project / "reference" / "umbra.yaml").write_text(
        "- {id: umbra, title: T, when: W, rule: R, example: example, no_mistake: It is a test.}\n"
    )
    assert failures(verify()) == {}


@pytest.mark.parametrize(
    ("file", "old", "new", "failure"),
    [
        pytest.param(
            "mistakes/sums.py",
            "values = []",
            "values = [1]",
            "reference/mistakes/sums.py:6: no longer raises ZeroDivisionError: restate the mistake, or delete it",
            id="a mistake that no longer fails",
        ),
        pytest.param(
            "mistakes/sums.py",
            "values = []",
            "values = None",
            "reference/mistakes/sums.py:6: fails in another way, not by ZeroDivisionError: TypeError: ",
            id="a mistake that fails in another way",
        ),
        pytest.param(
            "mistakes/sums.py",
            "def mean_of_nothing():",
            "import nothing_of_that_name\n\n\ndef mean_of_nothing(use=nothing_of_that_name):",
            "reference/mistakes/sums.py:4: fails in its import, not in its own lines: ModuleNotFoundError",
            id="a mistake that fails in its import",
        ),
        pytest.param(
            "sums.yaml",
            "raises: ZeroDivisionError",
            "raises: Exception",
            "reference/mistakes/sums.py:6: fails in another way, not by Exception: ZeroDivisionError: ",
            id="a mistake that is said to raise anything",
        ),
        pytest.param(
            "sums.yaml",
            "match: division by zero",
            "match: division by one",
            "reference/mistakes/sums.py:6: fails with another message, in which 'division by one' is not found",
            id="a mistake with another message",
        ),
    ],
)
def test_a_broken_error(verify: Callable[[], Report], edit: Edit, file: str, old: str, new: str, failure: str) -> None:
    edit(f"reference/{file}", old, new)
    found = failures(verify())
    assert list(found) == ["sum-mean/mean_of_nothing"]
    assert found["sum-mean/mean_of_nothing"].startswith(failure)


def test_a_mistake_that_fails_in_the_right_code(verify: Callable[[], Report], edit: Edit) -> None:
    edit("reference/mistakes/sums.py", '"""Sums, wrongly."""\n', '"""Sums."""\n\nfrom reference.sums import mean\n')
    edit(
        "reference/mistakes/sums.py",
        "    return sum(values) / len(values)",
        "    return mean(values)",
    )
    edit("reference/sums.yaml", "writes: sum(values) / len(values)", "writes: mean(values)")
    assert failures(verify())["sum-mean/mean_of_nothing"].startswith(
        "reference/sums.py:14: fails in a line that is not its own: ZeroDivisionError"
    )


def test_a_silent_mistake_that_shows_nothing(verify: Callable[[], Report], edit: Edit) -> None:
    edit("reference/mistakes/sums.py", "return sum([0.1] * 10) == 1.0", "return sum([0.1] * 10) < 1.0")
    assert failures(verify()) == {
        "sum-mean/float_sum": "reference/mistakes/sums.py:10: 'is_false' does not hold any longer: "
        "restate the mistake, or delete it"
    }


def test_a_predicate_that_holds_of_the_correction_too(verify: Callable[[], Report], edit: Edit) -> None:
    edit("reference/sums.py", "return math.fsum([0.1] * 10) == 1.0", "return math.fsum([0.1] * 10) == 2.0")
    assert list(failures(verify())) == ["sum-mean/float_sum/instead"]


@pytest.mark.parametrize(
    ("stated", "failing"),
    [
        ("returns: false", []),
        ("returns: true", ["sum-mean/float_sum", "sum-mean/float_sum/instead"]),
        ("returns: 0", ["sum-mean/float_sum"]),
    ],
)
def test_a_stated_value(verify: Callable[[], Report], edit: Edit, stated: str, failing: list[str]) -> None:
    edit("reference/sums.yaml", "shows: is_false", f"{stated}\n      right: true")
    assert list(failures(verify())) == failing


@pytest.mark.parametrize(("right", "failing"), [("true", []), ("1", ["sum-mean/float_sum/instead"])])
def test_a_right_value(verify: Callable[[], Report], edit: Edit, right: str, failing: list[str]) -> None:
    edit("reference/sums.yaml", "shows: is_false", f"returns: false\n      right: {right}")
    assert list(failures(verify())) == failing


@pytest.mark.parametrize(
    ("returned", "stated", "holds"),
    [
        ("{10, 9, 1}", "[1, 9, 10]", True),
        ("{10, 9, 1}", "[1, 10, 9]", False),
        ("frozenset({'b', 'a'})", "[a, b]", True),
        ("{'a', 1}", "[a, 1]", True),
        ("(1, [2.0])", "[1, [2.0]]", True),
        ("numpy.arange(3)", "[0, 1, 2]", True),
        ("numpy.float32(0.1)", "0.1000", True),
        ("numpy.float32(0.1)", "0.1000000000", False),
        ("numpy.dtype('float32')", "float32", True),
        ("numpy.dtype('float32')", "float64", False),
        ("numpy.ones((40, 40)).shape", "[40, 40]", True),
    ],
)
def test_what_a_mistake_returns_as_plain_data(
    verify: Callable[[], Report], edit: Edit, returned: str, stated: str, holds: bool
) -> None:
    edit("reference/mistakes/sums.py", "return sum([0.1] * 10) == 1.0", f"return sum([0.1] * 10) and {returned}")
    edit("reference/mistakes/sums.py", 'wrongly."""\n', 'wrongly."""\n\nimport numpy\n')
    edit("reference/sums.yaml", "shows: is_false", f"returns: {stated}\n      right: true")
    assert failures(verify()).keys() == (set() if holds else {"sum-mean/float_sum"})


def test_a_right_value_that_nothing_proves_is_refused(verify: Callable[[], Report], edit: Edit) -> None:
    edit("reference/sums.yaml", "shows: is_false", "returns: false\n      right: true")
    edit("reference/sums.yaml", "instead: exact_sum", "instead: mean")
    with pytest.raises(BadInput, match=r"sums\.yaml:\d+:\d+: proves nothing: 'mean' needs arguments"):
        verify()


def test_a_line_to_write_that_does_not_stand_in_the_block_is_refused(verify: Callable[[], Report], edit: Edit) -> None:
    edit("reference/sums.yaml", "symbols: [mean]", "symbols: [mean]\n  writes: math.fsum(values) / len( values )")
    assert failures(verify()) == {}
    edit("reference/sums.yaml", "/ len( values )", "/ 2")
    with pytest.raises(BadInput, match=r"sums\.yaml:\d+:\d+: this is not found in the block"):
        verify()


def test_a_warning(verify: Callable[[], Report], edit: Edit) -> None:
    edit("reference/sums.yaml", "shows: is_false", "warns: UserWarning\n      match: ten tenths")
    edit("reference/sums.yaml", "      value: the sum is not exact\n", "")
    assert list(failures(verify())) == ["sum-mean/float_sum"]
    edit(
        "reference/mistakes/sums.py",
        "    return sum([0.1] * 10)",
        "    import warnings\n\n    warnings.warn('ten tenths')\n    return sum([0.1] * 10)",
    )
    assert failures(verify())["sum-mean/float_sum"].endswith(
        "fails elsewhere than in what one must not write: sum([0.1] * 10)"
    )
    edit("reference/sums.yaml", "writes: sum([0.1] * 10)", "writes: warnings.warn(...)")
    assert failures(verify()) == {}


@pytest.mark.parametrize(
    ("code", "writes", "is_reached"),
    [
        ("tenths = [0.1] * 10\n    if len(tenths) > 10:\n        return sum(tenths)\n", "sum(tenths)", False),
        ("tenths = [0.1] * 10\n    if len(tenths) > 1:\n        sum(tenths)\n", "sum(tenths)", True),
        ("def total():\n        return sum([0.1] * 10)\n\n", "'def total(): ...'", False),
        ("def total():\n        return sum([0.1] * 10)\n\n    total()\n", "'def total(): ...'", True),
        ("for _ in range(0):\n        sum([0.1] * 10)\n", "'for _ in range(0): sum([0.1] * 10)'", False),
        ("for _ in range(1):\n        sum([0.1] * 10)\n", "'for _ in range(1): sum([0.1] * 10)'", True),
        ("import cmath\n", "import cmath", True),
    ],
)
@pytest.mark.parametrize("warns", [False, True])
def test_a_mistake_reaches_what_one_must_not_write(
    verify: Callable[[], Report], edit: Edit, code: str, writes: str, is_reached: bool, warns: bool
) -> None:
    end = "return math.fsum([0.1] * 10) == 2.0"
    if warns:  # from where no line of the mistake's can be told
        end = "warnings.warn_explicit('no sum', UserWarning, 'elsewhere.py', 1)"
        edit("reference/sums.yaml", "shows: is_false\n", "warns: UserWarning\n      match: no sum\n")
        edit("reference/sums.yaml", "value: the sum is not exact\n      ", "")
    edit("reference/mistakes/sums.py", "return sum([0.1] * 10) == 1.0", f"{code}    {end}")
    edit("reference/mistakes/sums.py", 'wrongly."""\n', 'wrongly."""\n\nimport math\nimport warnings\n')
    edit("reference/sums.yaml", "writes: sum([0.1] * 10)", f"writes: {writes}")
    found = failures(verify())
    assert list(found) == ([] if is_reached else ["sum-mean/float_sum"])
    said = f"does not reach what one must not write: {writes.strip(chr(39))}"
    assert all(one.endswith(said) for one in found.values())


def test_a_failure_comes_from_what_one_must_not_write(verify: Callable[[], Report], edit: Edit) -> None:
    edit("reference/mistakes/sums.py", "values = []", "values = [] or list()")
    edit("reference/sums.yaml", "writes: sum(values) / len(values)", "writes: list()")
    assert failures(verify()) == {
        "sum-mean/mean_of_nothing": "reference/mistakes/sums.py:6: "
        "fails elsewhere than in what one must not write: list()"
    }
    edit("reference/sums.yaml", "writes: list()", "writes: |\n        values = ...\n        return ...")
    assert failures(verify()) == {}


def test_unmet_requirements_are_skipped_and_said(verify: Callable[[], Report], edit: Edit) -> None:
    edit("reference/sums.yaml", "symbols: [mean]", 'symbols: [mean]\n  requires: {python: ">=3.99"}')
    report = verify()
    assert [result.verdict.message for result in report.of("skipped")] == ["needs python>=3.99, not 3.11"] * 4
    assert report.as_data()["blocks"] == 0


def test_known_outcomes_are_not_run_again(
    verify: Callable[..., Report], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify(tmp_path / "cache")
    monkeypatch.setattr(Workers, "ask_all", lambda *_: pytest.fail("ran") if _[1] else iter(()))
    assert failures(verify(tmp_path / "cache")) == {}


def test_a_changed_block_is_run_again(verify: Callable[..., Report], edit: Edit, tmp_path: Path) -> None:
    verify(tmp_path / "cache")
    edit("reference/sums.py", "== 1.5", "== 2.5")
    assert list(failures(verify(tmp_path / "cache"))) == ["sum-mean"]


def test_an_unwritable_cache_is_no_error(verify: Callable[..., Report], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert failures(verify(tmp_path / "cache")) == {}


@pytest.mark.skipif(not os.environ.get("HOME"), reason="without a home there is nothing to hide")
def test_a_block_does_not_see_the_home_folder(verify: Callable[[], Report], edit: Edit) -> None:
    edit(
        "reference/sums.py",
        "    assert mean([1.0, 2.0]) == 1.5",
        "    import os\n\n    assert os.listdir(os.path.expanduser('~')) == ['block.py']\n"
        "    assert mean([1.0]) == 1.0",
    )
    assert failures(verify()) == {}


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        pytest.param("open(r'{root}/pyproject.toml')", "PermissionError", id="a file of the checkout"),
        pytest.param("open(r'{root}/reference/sums.py')", "PermissionError", id="its own source"),
        pytest.param("os.listdir(r'{root}/reference')", "PermissionError", id="a folder of the checkout"),
        pytest.param("open(r'{home}/.profile-of-the-user')", "PermissionError", id="a file of the user's"),
        pytest.param("importlib.import_module('reference.sums')", "ModuleNotFoundError", id="a module of the checkout"),
    ],
)
def test_a_block_does_not_see_what_its_readers_lack(
    verify: Callable[..., Report], hiding: Workers, project: Path, edit: Edit, code: str, failure: str
) -> None:
    home = os.path.expanduser("~")
    line = code.format(root=project, home=home)
    edit(
        "reference/sums.py",
        "    assert mean([1.0, 2.0]) == 1.5",
        f"    import importlib\n    import os\n    import sys\n\n"
        f"    sys.path.insert(0, r'{project}')\n    assert {line} and os and importlib",
    )
    assert failure in failures(verify(workers=hiding))["sum-mean"]


def test_a_block_may_read_what_is_installed_and_what_it_wrote(
    verify: Callable[..., Report], hiding: Workers, edit: Edit
) -> None:
    edit(
        "reference/sums.py",
        "    assert mean([1.0, 2.0]) == 1.5",
        "    import click\n\n    assert open(click.__file__).read()\n    assert open('x', 'w').close() is None\n"
        "    assert open('x').read() == ''\n    assert mean([1.0]) == 1.0",
    )
    assert failures(verify(workers=hiding)) == {}


def test_a_block_deletes_no_tree_outside_its_folder(verify: Callable[..., Report], edit: Edit, tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "inner" / "file"
    kept.parent.mkdir(parents=True)
    kept.write_text("kept")
    edit(
        "reference/sums.py",
        "    assert mean([1.0, 2.0]) == 1.5",
        f"    import os\n    import shutil\n\n    folder = os.open(r'{kept.parent}', os.O_RDONLY)\n    try:\n"
        f"        os.unlink('file', dir_fd=folder)\n    except PermissionError:\n"
        f"        shutil.rmtree(r'{kept.parent.parent}')\n"
        "    assert mean([1.0]) == 1.0",
    )
    assert "PermissionError: writes outside its scratch folder" in failures(verify())["sum-mean"]
    assert kept.read_text() == "kept"


def test_a_block_makes_links_and_temporary_folders(verify: Callable[..., Report], hiding: Workers, edit: Edit) -> None:
    edit(
        "reference/sums.py",
        "    assert mean([1.0, 2.0]) == 1.5",
        "    import os\n    import shutil\n    import sys\n    import tempfile\n\n    os.mkdir('d')\n"
        "    os.symlink('../a', 'd/up')\n    os.symlink(sys.executable, 'python')\n    shutil.rmtree('d')\n"
        "    with tempfile.TemporaryDirectory() as folder:\n        assert os.listdir(folder) == []\n"
        "    assert mean([1.0]) == 1.0",
    )
    assert failures(verify(workers=hiding)) == {}


def test_an_interrupt_ends_what_runs(project: Path, edit: Edit) -> None:
    edit(
        "reference/sums.py",
        "    assert mean([1.0, 2.0]) == 1.5",
        "    import subprocess\n\n    assert subprocess.run(['sleep', '77']).returncode == 0",
    )
    command = [sys.executable, "-m", "skillkit", "verify", "--no-cache", "--jobs", "1"]
    process = subprocess.Popen(command, cwd=project, start_new_session=True, stderr=subprocess.PIPE, text=True)
    assert _until(lambda: bool(_sleeping("77")))
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=20)[1]
    assert (process.returncode, said) == (130, "")
    assert _until(lambda: not _sleeping("77"))


def _until(holds: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


def test_what_ends_by_itself_was_not_left_running(verify: Callable[..., Report], edit: Edit) -> None:
    """The resource tracker of `multiprocessing` ends a moment after the program."""
    edit(
        "reference/sums.py",
        "    assert mean([1.0, 2.0]) == 1.5",
        "    from multiprocessing import resource_tracker\n\n    resource_tracker.ensure_running()\n"
        "    assert resource_tracker._resource_tracker._pid\n    assert mean([1.0]) == 1.0",
    )
    assert failures(verify()) == {}


WRITE_EVERYWHERE = """for one in range(3, 256):
        try:
            os.write(one, b'{"error": null}')
        except OSError:
            pass"""


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        pytest.param(
            "import os\n    if os.fork() == 0:\n        time.sleep(60)",
            "leaves behind 1 process",
            id="a forked process",
        ),
        pytest.param(
            "import multiprocessing\n    context = multiprocessing.get_context('fork')\n"
            "    context.Process(target=time.sleep, args=(60,), daemon=False).start()",
            "still running after 5 s, and was ended",
            id="a process that Python waits for",
        ),
        pytest.param(
            "import os\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n"
            "            time.sleep(60)\n        os._exit(0)",
            "leaves behind 1 process",
            id="a daemon",
        ),
        pytest.param(
            "import threading\n    threading.Thread(target=time.sleep, args=(60,), name='idler').start()",
            "leaves behind the thread 'idler'",
            id="a thread",
        ),
        pytest.param(
            "import threading\n    threading.Thread(target=time.sleep, args=(60,), name='idler', daemon=True).start()",
            "leaves behind the thread 'idler'",
            id="a daemon thread",
        ),
        pytest.param(
            "import atexit\n    atexit.register(lambda: 1 / 0)",
            "leaves behind an exit handler that fails: ZeroDivisionError: division by zero",
            id="an exit handler that fails",
        ),
        pytest.param(
            "import threading\n    threading.Thread(target=lambda: 1 / 0).start()",
            "leaves behind a thread that fails: ZeroDivisionError: division by zero",
            id="a thread that fails",
        ),
        pytest.param(
            "class Sum:\n        def __del__(self):\n            raise ValueError('late')\n\n    Sum()",
            "leaves behind a finalizer that fails: ValueError: late",
            id="a finalizer that fails",
        ),
        pytest.param(
            "import subprocess\n    subprocess.Popen('sleep 0.3; echo late', shell=True)",
            "leaves behind what prints after the end",
            id="output after the end",
        ),
        pytest.param(
            f"import os\n    {WRITE_EVERYWHERE}\n    os._exit(0)",
            "the process died (0)",
            id="an answer of its own",
        ),
        pytest.param(
            "import os\n    import signal\n    os.kill(os.getpid(), signal.SIGSTOP)",
            "still running after 5 s, and was ended",
            id="a process that is stopped",
        ),
    ],
)
def test_what_a_block_leaves_behind(verify: Callable[[], Report], edit: Edit, code: str, failure: str) -> None:
    edit("reference/sums.py", "import math\n", "import math\nimport time\n")
    edit(
        "reference/sums.py", "    assert mean([1.0, 2.0]) == 1.5", f"    assert mean([1.0]) == 1.0 and time\n    {code}"
    )
    assert failures(verify())["sum-mean"].endswith(failure)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("threading.Thread(target=time.sleep, args=(0.2,)).start()", id="a thread that Python waits for"),
        pytest.param("threading.Thread(target=exit).start()", id="a thread that ends itself"),
        pytest.param("ThreadPoolExecutor(2).submit(time.sleep, 0.1)", id="a pool of threads"),
        pytest.param("atexit.register(time.sleep, 0.01)", id="an exit handler"),
        pytest.param("atexit.register(print, 'bye')", id="an exit handler that prints"),
        pytest.param("os.fork() or os._exit(0)", id="a process that ends"),
        pytest.param(WRITE_EVERYWHERE, id="what writes wherever it can"),
    ],
)
def test_what_ends_with_a_block(verify: Callable[[], Report], edit: Edit, code: str) -> None:
    imports = "import atexit\nimport math\nimport os\nimport threading\nimport time\n"
    edit("reference/sums.py", "import math\n", f"{imports}from concurrent.futures import ThreadPoolExecutor\n")
    edit("reference/sums.py", "    assert mean([1.0, 2.0]) == 1.5", f"    assert mean([1.0]) == 1.0\n    {code}")
    assert failures(verify()) == {}


def test_a_server_that_is_stopped_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillkit.proof.workers.PATIENCE", 3.0)
    servers = Workers(sys.executable, (), count=1)
    assert servers.ask({"libraries": ["click"]})["click"]
    process = servers._servers[0].process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    assert servers.ask({"code": "", "seconds": 0.5})["stderr"] == "the server did not answer for 3.5 s"
    assert servers.ask({"libraries": ["click"]})["click"]  # by another server
    servers.close()
