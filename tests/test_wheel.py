"""The built wheel, installed into a clean environment and used from an empty folder."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the installed command; the light core only, so jax cannot be imported here."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    return home / "bin" / "skillkit"


def test_its_only_top_level_name_is_skillkit(wheel: Path) -> None:
    names = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"skillkit"}


def test_it_brings_the_texts_and_their_evidence(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "skillkit/_bundle/reference/prng.yaml",
        "skillkit/_bundle/reference/mistakes/prng.py",
        "skillkit/_bundle/templates/skill-jax-patterns.md.j2",
        "skillkit/_bundle/outputs/evidence.json",
        "skillkit/schemas/pattern.json",
        "skillkit/skeleton/reference/sums.yaml",
        "skillkit/py.typed",
    } <= names
    assert not [name for name in names if name.endswith(".pyc")]


def run(command: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(command), *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_renders_what_the_repository_publishes(command: Path, tmp_path: Path) -> None:
    done = run(command, tmp_path, "render")
    assert done.returncode == 0, done.stderr
    for path in (tmp_path / "outputs").rglob("*.md"):
        published = ROOT / "outputs" / path.relative_to(tmp_path / "outputs")
        assert path.read_text("utf-8") == published.read_text("utf-8")


def test_recommends_and_lists_without_jax(command: Path, tmp_path: Path) -> None:
    done = run(command, tmp_path, "recommend-optimizer", "--no-input", "--set", "family=mlp", "--json")
    assert done.returncode == 0, done.stderr
    assert '"optimizer"' in done.stdout
    assert "prng-dropout-keys" in run(command, tmp_path, "list", "prng").stdout
    assert "jax not installed" in run(command, tmp_path, "--version").stdout


def test_verifying_without_the_libraries_skips_visibly(command: Path, tmp_path: Path) -> None:
    done = run(command, tmp_path, "verify", "prng")
    assert "which is not installed" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
