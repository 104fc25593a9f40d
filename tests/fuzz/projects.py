"""Projects: the small one in which inputs are tried, with a spec and tables that use every field of their formats."""

from pathlib import Path

from tests import conftest

MODULE = '''"""Totals: adding many numbers."""

import math

VALUES = [1e16, 1.0, -1e16]


def total(values):
    """Return the total, rounded once.

    Args:
        values: Numbers.
    """
    return math.fsum(values)


def example_total():
    assert total([0.1] * 10) == 1.0


def check_total():
    assert total(VALUES) == 1.0


def right():
    return total(VALUES)


def digits():
    return round(math.log10(2**53), 2)


def is_twice_as_exact():
    return total(VALUES) == 1.0
'''

MISTAKES = '''"""Totals, wrongly."""

VALUES = [1e16, 1.0, -1e16]


def loop_total():
    total = 0.0
    for value in VALUES:
        total += value
    return total


def loop_total_again():
    return loop_total()


def is_zero(value):
    return value == 0
'''

SPEC = """- id: totals-total
  title: A total that is rounded once
  when: Numbers with 15.95 digits are added.
  rule: Use `math.fsum`, which is twice as exact.
  why: 'It costs more: "a little".'
  core: true
  writes: math.fsum(values)
  figures: {"15.95": digits, twice: is_twice_as_exact}
  cited: {"costs more": "https://x.example/cost"}
  symbols: [total]
  example: example_total
  check: check_total
  gone: [math.gone]
  requires: {python: ">=3.11"}
  changed: ["click: click.old()"]
  mistakes:
    - symbol: loop_total
      writes: |
        for value in ...:
            total += value
      value: the total
      returns: 0.0
      right: 1.0
      instead: right
      under: {flag: true, size: 1}
      why: The small number is lost.
    - symbol: loop_total_again
      words: add in a loop
      value: the total is nothing
      shows: is_zero
      instead: right
      requires: {numpy: ">=1"}
      cited: {"often": somebody}
      why: It is often lost.
  sources: ["https://docs.python.org/3/library/math.html#math.fsum"]
"""

CHANGES = """- library: click
  since: "8.2"
  before: "8.1"
  given: import click
  writes: click.old()
  instead: click.new()
  raises: AttributeError
  match: no attribute 'old'
  earlier: [{since: "8.0", warns: DeprecationWarning, match: will be removed}]
  likewise: {click.older(): click.newer()}
  needs: {click: ">=8"}
  requires: {numpy: ">=1"}
  core: true
  note: See the notes.
  cited: {See: somebody}
  source: https://click.example
- library: python
  since: "3.12"
  before: "3.11"
  writes: round(2.5)
  instead: math.ceil(2.5)
  given: import math
  returns: 2
  was: 3
  value: the rounded number
  source: https://python.example
"""

TABLES = {
    "reference/sums.yaml": conftest.SPEC,
    "reference/totals.yaml": SPEC,
    "reference/changes.yaml": CHANGES,
    "reference/companions.yaml": '- {library: click, until: "8.1", python: "3.11", beside: ["x=={version}", y<2]}\n',
    "reference/glossary.yaml": "- {term: fsum, text: An exact sum., pattern: sum-mean, cited: {exact: somebody}}\n",
    "reference/advice.yaml": "decisions: [{text: Add., pattern: sum-mean}]\n"
    "when_not: [{text: No., pattern: totals-total}]\n",
    "pyproject.toml": '[tool.skillkit]\nreference = "reference"\naliases = {np = "numpy"}\nwarm = ["math"]\n'
    'environment = {A = "b"}\nprograms = {files = ["*-cache"], apart = ["x"], environment = {B = "{folder}"}}\n',
}

TEMPLATE = """# Sums

{{ verified(patterns.values(), changes) }}
{% for topic in topics %}
{% for pattern in topic.patterns %}
{% include "_pattern.md.j2" %}
{{ not_run(pattern.cited) }}
{% for mistake in pattern.mistakes %}{{ mistake | failure }}{{ mistake | message }}{% endfor %}
{% endfor %}
{% endfor %}
{% for change in changes %}{{ change | failure }} {{ when(change, true) }}{% endfor %}
{% for entry in glossary %}{{ entry.text }}{% endfor %}
{{ advice }}
"""


def lay_out(folder: Path) -> None:
    """Lay out the small project that specs, templates and settings are tried in."""
    files = {
        **TABLES,
        "reference/sums.py": conftest.MODULE,
        "reference/mistakes/sums.py": conftest.MISTAKES,
        "reference/totals.py": MODULE,
        "reference/mistakes/totals.py": MISTAKES,
        "templates/sums.md.j2": TEMPLATE,
        "templates/_pattern.md.j2": conftest.PATTERN,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
