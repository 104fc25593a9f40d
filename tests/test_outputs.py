"""The published texts, read back: what is tested is what people paste."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.places import find_project
from skillkit.proof.workers import clean_environment
from skillkit.reading import parse

OUTPUTS = Path(__file__).parent.parent / "outputs"
TEXTS = sorted(OUTPUTS.rglob("*.md"))
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KEYS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
CORE = [OUTPUTS / "skill-jax-patterns.md", OUTPUTS / "prompt-jax-optimizer.md"]
PROVEN = {pattern.block.text for pattern in load_catalogue(find_project(OUTPUTS)).patterns.values()}
BLOCKS = [
    pytest.param(block, id=f"{path.stem}-{number}")
    for path in TEXTS
    for number, block in enumerate(FENCE.findall(path.read_text("utf-8")))
    if path in CORE or block not in PROVEN  # a pattern's block is run by its proof
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_runs_as_pasted_in_a_fresh_interpreter(block: str, tmp_path: Path) -> None:
    """By itself, without the toolkit: as the reader would."""
    path = tmp_path / "pasted.py"
    path.write_text(block)
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error::DeprecationWarning:__main__", str(path)],
        cwd=tmp_path,
        env=clean_environment(os.environ),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() or any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(block)))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_fence_is_closed_and_says_its_language(path: Path) -> None:
    fences = re.findall(r"^ *```(\w*)$", path.read_text("utf-8"), re.MULTILINE)
    assert all(opening and not closing for opening, closing in zip(fences[::2], fences[1::2], strict=True))


def front(path: Path) -> dict[str, object]:
    text = path.read_text("utf-8")
    assert text.startswith("---\n")
    return dict(parse(text.split("---\n")[1], path.name).value)


@pytest.mark.parametrize(
    "path", [*CORE, *OUTPUTS.rglob("SKILL.md")], ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_frontmatter_is_what_the_specification_allows(path: Path) -> None:
    """Agent Skills specification: six keys, limits on name and description, metadata from text to text."""
    data = front(path)
    name, description, metadata = data["name"], data["description"], data.get("metadata", {})
    assert data.keys() <= KEYS
    assert isinstance(name, str)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) <= 64
    assert isinstance(description, str)
    assert 1 <= len(description) <= 1024
    assert not set("<>") & set(description)
    assert "---" not in description
    assert "Use when" in description or "Use it when" in description
    assert isinstance(metadata, dict)
    assert all(isinstance(value, str) for value in metadata.values())
    if path.name == "SKILL.md":
        assert name == path.parent.name


@pytest.mark.parametrize(
    "path", [*CORE, *OUTPUTS.rglob("SKILL.md")], ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_length_of_what_is_read_at_once(path: Path) -> None:
    """At most 500 lines and 5,000 tokens, counted conservatively as 2.3 characters each."""
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 500
    assert len(text) / 2.3 <= (4000 if path.stem.startswith("prompt") else 5000)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_nothing_that_an_assistant_would_execute_while_loading(path: Path) -> None:
    """Claude Code runs bang-backtick and replaces $ARGUMENTS even inside fences (anthropics/claude-code#12178)."""
    text = path.read_text("utf-8")
    assert "!`" not in text
    assert not re.search(r"\$(ARGUMENTS|[0-9])", text)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_nothing_that_an_assistant_would_import(path: Path) -> None:
    """`@name` outside of code is taken for a file to read (Claude Code's memory imports)."""
    plain = re.sub(r"```.*?```|(`+).*?\1", "", path.read_text("utf-8"), flags=re.DOTALL)
    assert re.findall(r"(?<!\w)@[\w./~-]+", plain) == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_links_between_the_texts_exist(path: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", prose):
        assert (path.parent / target).exists(), target
