"""What shells offer, and how quickly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "skillkit"]


def offered(line: str, shell: str = "zsh", folder: Path | None = None) -> list[str]:
    """Return the words that are offered for the last word of a line, which are separated by one blank each."""
    words = ["skillkit", *line.split(" ")]
    environment = os.environ | {
        "_SKILLKIT_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(COMMAND, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    return lines[1::3] if shell == "zsh" else [line.partition(",")[2] for line in lines]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("sh", "show"),
        ("show prng-dro", "prng-dropout-keys"),
        ("show glossary/py", "glossary/pytree"),
        ("list prn", "prng"),
        ("show changes/op", "changes/optax"),
        ("render --for jax==0.8", "jax==0.8.3"),
        ("render skill-j", "skill-jax-patterns"),
        ("schema pat", "pattern"),
        ("recommend-optimizer --set fam", "family="),
        ("recommend-optimizer --set family=vi", "family=vit"),
        ("recommend-optimizer --set issues=na", "issues=nan"),
        ("recommend-optimizer --format opt", "optuna"),
    ],
)
def test_words_are_offered(line: str, word: str) -> None:
    assert word in offered(line)


def test_the_cache_s_own_parts_are_offered(project: Path) -> None:
    assert offered("cache ", folder=project) == []
    (project / "cache" / "skillkit" / "texts").mkdir(parents=True)
    assert offered("cache te", folder=project) == ["texts"]


def test_bash_splits_at_the_equals_sign_and_is_answered_so() -> None:
    assert "vit" in offered("recommend-optimizer --set family = vi", "bash")
    assert "from-scratch" in offered("recommend-optimizer --set family = vit --set stage =", "bash")
    assert "family=" in offered("recommend-optimizer --set fam", "bash")


def test_nothing_is_offered_for_what_is_not_there_and_broken_projects_offer_nothing(project: Path) -> None:
    assert offered("recommend-optimizer --set nothing=x") == []
    assert offered("show sum", folder=project) == ["sums", "sum-mean"]
    (project / "pyproject.toml").write_text("[")
    assert offered("show sum", folder=project) == []
    assert offered("render s", folder=project) == []
