"""What the tests share: a small project of another's, made anew for each test."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

MODULE = '''"""Sums: adding numbers."""

import math

TOLERANCE = 1e-9  # of a float64


def mean(values):
    """Return the mean.

    Args:
        values: Numbers.
    """
    return math.fsum(values) / len(values)  # exact


def example_mean():
    assert mean([1.0, 2.0]) == 1.5


def check_mean():
    assert abs(mean([0.1] * 10) - 0.1) < TOLERANCE


def exact_sum():
    return math.fsum([0.1] * 10) == 1.0
'''

MISTAKES = '''"""Sums, wrongly."""


def mean_of_nothing():
    values = []
    return sum(values) / len(values)


def float_sum():
    return sum([0.1] * 10) == 1.0


def is_false(value):
    return value is False
'''

SPEC = """- id: sum-mean
  title: A mean
  when: Numbers are averaged.
  rule: Use fsum.
  symbols: [mean]
  example: example_mean
  check: check_mean
  mistakes:
    - symbol: mean_of_nothing
      writes: sum(values) / len(values)
      raises: ZeroDivisionError
      match: division by zero
      why: There may be no values.
    - symbol: float_sum
      shows: is_false
      why: A float is rounded.
      writes: sum([0.1] * 10)
      value: the sum is not exact
      instead: exact_sum
"""

TEMPLATE = """# Sums

{% for topic in topics %}
{% for pattern in topic.patterns %}
{% include "_pattern.md.j2" %}
{% endfor %}
{% endfor %}
"""

PATTERN = """## {{ pattern.title }}

{{ pattern.rule }}

```python
{{ pattern.block.text }}```
"""


@pytest.fixture(scope="session", autouse=True)
def _interruptible() -> None:
    """Let what the tests start be interrupted, although a shell's background jobs and their children are not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a small project, which is the working directory."""
    files = {
        "pyproject.toml": "[tool.skillkit]\n",
        "reference/sums.py": MODULE,
        "reference/mistakes/sums.py": MISTAKES,
        "reference/sums.yaml": SPEC,
        "templates/sums.md.j2": TEMPLATE,
        "templates/_pattern.md.j2": PATTERN,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def edit(project: Path) -> Callable[[str, str, str], None]:
    """Return a function that replaces words, which must be there, in a file of the small project."""

    def replace(name: str, old: str, new: str) -> None:
        path = project / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return replace
