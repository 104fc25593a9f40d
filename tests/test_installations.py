"""The versions that other people's projects ask for, in each of the files that they may say it in."""

from pathlib import Path

import pytest

from skillkit.errors import BadInput
from skillkit.installations.installation import Installation, project_installation
from skillkit.installations.sources import NAMES
from skillkit.installations.usage import telltales, words_of_code

PIXI = (
    "packages:\n- conda: https://conda.example/linux-64/jax-0.8.1-py311_0.conda\n- pypi: x\n  name: y\n  version: 1.0\n"
)
CASES = [
    ("uv.lock", '[[package]]\nname = "jax"\nversion = "0.8.1"\n'),
    ("poetry.lock", '[[package]]\nname = "JAX"\nversion = "0.8.1"\n'),
    ("pdm.lock", '[[package]]\nname = "jax"\nversion = "0.8.1"\n'),
    ("pylock.toml", '[[packages]]\nname = "jax"\nversion = "0.8.1"\n'),
    ("Pipfile.lock", '{"default": {"jax": {"version": "==0.8.1"}}, "develop": {"numpy": {}}}'),
    ("conda-lock.yml", "package:\n- name: jax\n  version: 0.8.1\n  manager: conda\n"),
    ("pixi.lock", PIXI),
    ("requirements.txt", "# pinned\njax==0.8.1  # why\nnumpy\n--hash=x\n-r other.txt\n"),
    ("requirements.txt", "jax==0.8.1 \\\n  --hash=sha256:0\n"),
    ("requirements.txt", "\ufeffjax==0.8.1\n"),
    ("requirements/base.txt", "jax==0.8.1\n"),
    ("dev-requirements.txt", "jax==0.8.1; os_name ~= 'posix'\n"),
    ("requirements.txt", "jax==0.8.1; 'cuda' in extras\n"),
    ("constraints.txt", "jax==0.8.1\n"),
    ("environment.yml", "dependencies:\n- python=3.11\n- conda-forge::jax=0.8.1=cuda*\n"),
    ("environment.yaml", "dependencies:\n- pip\n- pip:\n  - jax==0.8.1\n"),
    ("conda.yml", "dependencies: [jax=0.8.1]\n"),
    ("Pipfile", '[packages]\njax = "==0.8.1"\n'),
    ("pixi.toml", '[pypi-dependencies]\njax = {version = "==0.8.1", extras = ["cuda12"]}\n'),
    ("pyproject.toml", '[project]\nname = "x"\ndependencies = ["jax==0.8.1", "numpy"]\n'),
    ("pyproject.toml", '[dependency-groups]\ntest = ["jax==0.8.1", {include-group = "x"}]\n'),
    ("pyproject.toml", '[tool.poetry.dependencies]\njax = "0.8.1"\n'),
    ("pyproject.toml", '[tool.poetry.group.gpu.dependencies]\njax = {version = "0.8.1"}\n'),
    ("pyproject.toml", '[tool.uv]\ndev-dependencies = ["jax==0.8.1"]\n'),
    ("pyproject.toml", '[tool.pixi.feature.gpu.dependencies]\njax = "0.8.1"\n'),
    ("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    jax==0.8.1\n\n[other]\n"),
]
RANGES = [
    ("requirements.txt", "jax>=0.8.1,<0.9\n", "<0.9,>=0.8.1"),
    ("requirements.in", "jax[cuda]~=0.8.1\n", "~=0.8.1"),
    ("environment.yml", "dependencies: ['jax >=0.8.1,<1']\n", ">=0.8.1,<1"),
    ("pyproject.toml", '[tool.poetry.dependencies]\njax = "^0.8.1"\n', "^0.8.1"),
    ("pyproject.toml", '[project]\noptional-dependencies = {gpu = ["jax>0.8.1"]}\n', ">0.8.1"),
]


def installed(folder: Path, files: dict[str, str], *libraries: str) -> Installation:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return project_installation(folder, libraries or ("jax",))


@pytest.mark.parametrize(("name", "text"), CASES)
def test_what_pins_a_version(tmp_path: Path, name: str, text: str) -> None:
    assert installed(tmp_path, {name: text}) == Installation({"jax": "0.8.1"}, (name,))


def test_every_kind_of_file_has_a_case() -> None:
    names = {name for name, *_ in (*CASES, *RANGES)}
    assert [pattern for pattern in NAMES if not any(Path(name).match(pattern) for name in names)] == []


@pytest.mark.parametrize(("name", "text", "said"), RANGES)
def test_a_range_is_taken_at_its_lowest_and_says_so(tmp_path: Path, name: str, text: str, said: str) -> None:
    note = f"{name} asks for jax {said}: taken at its lowest, 0.8.1"
    assert installed(tmp_path, {name: text}) == Installation({"jax": "0.8.1"}, (name,), (note,))


def test_a_pin_wins_over_a_range_and_a_lock_over_all(tmp_path: Path) -> None:
    files = {"uv.lock": '[[package]]\nname = "jax"\nversion = "0.9.0"\n', "requirements.txt": "optax>=0.2\njax>=0.7\n"}
    found = installed(tmp_path, files, "jax", "optax")
    assert found.versions == {"jax": "0.9.0", "optax": "0.2"}
    assert found.files == ("uv.lock", "requirements.txt")
    files = {"uv.lock": "", "constraints.txt": "optax==0.2.8\njax==0.9.0\n"}
    assert installed(tmp_path, files, "jax", "optax").versions == {"jax": "0.9.0", "optax": "0.2.8"}


@pytest.mark.parametrize(
    ("files", "note"),
    [
        (
            {"uv.lock": '[[package]]\nname = "jax"\nversion = "0.9.0"\n', "requirements.txt": "jax==0.8.1\n"},
            "requirements.txt asks for jax ==0.8.1, but 0.9.0 counts, of uv.lock",
        ),
        (
            {"requirements.txt": "jax==0.8.1\n", "pyproject.toml": '[project]\ndependencies = ["jax>=0.9"]\n'},
            "pyproject.toml asks for jax >=0.9, but 0.8.1 counts, of requirements.txt",
        ),
        (
            {"uv.lock": "".join(f'[[package]]\nname = "jax"\nversion = "{one}"\n' for one in ("0.9.0", "0.8.1"))},
            "uv.lock asks for jax ==0.9.0, but 0.8.1 counts, of uv.lock",
        ),
    ],
)
def test_files_that_disagree_are_named(tmp_path: Path, files: dict[str, str], note: str) -> None:
    assert installed(tmp_path, files).notes == (note,)


def test_files_that_agree_are_not(tmp_path: Path) -> None:
    files = {"requirements.txt": "jax==0.8.1\n", "pyproject.toml": '[project]\ndependencies = ["jax>=0.8"]\n'}
    assert installed(tmp_path, files | {"environment.yml": "dependencies: [jax=0.8]"}).notes == ()


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("jax", "without a version"),
        ("jax<0.9", "as <0.9"),
        ("jax @ git+https://github.com/jax-ml/jax", "by address"),
    ],
)
def test_a_library_without_a_version_is_said(tmp_path: Path, line: str, how: str) -> None:
    note = f"requirements.txt asks for jax {how}, so which version it has is not known"
    with pytest.raises(BadInput, match=note):
        installed(tmp_path, {"requirements.txt": line})
    found = installed(tmp_path, {"requirements.txt": f"{line}\noptax==0.2.8"}, "jax", "optax")
    assert found == Installation({"optax": "0.2.8"}, ("requirements.txt",), (note,))


def test_what_a_file_includes_is_read_once(tmp_path: Path) -> None:
    files = {
        "requirements.txt": "-r base.txt\n-c https://x.example/c.txt\n",
        "base.txt": "-r requirements.txt\njax==0.8.1",
    }
    assert installed(tmp_path, files).versions == {"jax": "0.8.1"}


def test_a_file_may_be_named_itself(tmp_path: Path) -> None:
    installed(tmp_path, {"requirements.txt": "jax==0.8.1", "constraints.txt": "jax==0.9.0"})
    assert project_installation(tmp_path / "constraints.txt", ["jax"]).versions == {"jax": "0.9.0"}


def test_what_powershell_writes_is_read(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("jax==0.8.1\n", encoding="utf-16")
    assert installed(tmp_path, {}).versions == {"jax": "0.8.1"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "project = 5\n"),
        ("pyproject.toml", "[project]\ndependencies = [5]\noptional-dependencies = []\n"),
        ("pyproject.toml", "tool = {poetry = 5, pixi = [1], uv = 'x', pdm = {dev-dependencies = 1}}\n"),
        ("uv.lock", "package = 5\n"),
        ("uv.lock", '[[package]]\nname = "jax"\nversion = "wat"\n'),
        ("Pipfile.lock", '{"default": {"jax": 5}, "develop": []}'),
        ("Pipfile.lock", "[]"),
        ("environment.yml", "dependencies: 5\n"),
        ("environment.yml", "- a\n"),
        ("pixi.lock", "packages: [5, {conda: wat}, {name: jax}]\n"),
        ("requirements.txt", "jax==0.8.1; python_version < '3'\n"),
        ("setup.cfg", "install_requires = file: requirements.txt\n"),
    ],
)
def test_projects_that_say_it_oddly_say_nothing(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(BadInput, match=r"says no version of jax: looked for uv\.lock, "):
        installed(tmp_path, {name: text})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("uv.lock", "[", "not TOML"),
        ("uv.lock", "a = " + "[" * 9999, "nested too deep"),
        ("Pipfile.lock", "{", "not JSON"),
        ("Pipfile.lock", "[" * 99999, "nested too deep"),
        ("environment.yml", "a: [", "not YAML"),
        ("environment.yml", "[" * 9999, "nested deeper"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=rf"{name}.*{message}"):
        installed(tmp_path, {name: text})


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such folder"):
        project_installation(tmp_path / "none", ["jax"])


def test_the_words_of_a_project_s_own_code(tmp_path: Path) -> None:
    files = {"a.py": "x = jax.tree_map(f)", "b/c.ipynb": '"jnp.foo()"', ".venv/d.py": "hidden", "env/e.py": "installed"}
    for name, text in (files | {"env/pyvenv.cfg": "", "f.txt": "other"}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    assert words_of_code(tmp_path) == {"x", "jax", "tree_map", "f", "jnp", "foo"}


def test_what_tells_an_old_form_from_the_new_one() -> None:
    assert telltales("jax.tree_map(f, x)", "jax.tree.map(f, x)") == {"tree_map"}
    assert telltales("jnp.ones(3, int)", "jnp.ones(3, dtype=int)") == frozenset()
