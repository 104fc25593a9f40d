"""What is in no right code is looked for there once, and again where either has changed."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from skillkit.catalogue import rights
from skillkit.catalogue.catalogues import load_catalogue
from skillkit.errors import BadInput
from skillkit.places import find_project
from skillkit.source.syntax import find

FORMS = ["sum(values) / len(values)", "sum([0.1] * 10)"]
Edit = Callable[[str, str, str], None]


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the forms that are looked for, as it comes to be known."""
    forms: list[str] = []

    def noted(form: Any, code: Any) -> Iterator[tuple[int, int]]:
        forms.append(form.text)
        return find(form, code)

    monkeypatch.setattr(rights, "may_hold", lambda *_: True)
    monkeypatch.setattr(rights, "find", noted)
    return forms


@pytest.mark.usefixtures("project")
def test_nothing_is_looked_for_twice(looked: list[str]) -> None:
    load_catalogue(find_project())
    assert looked == FORMS
    load_catalogue(find_project())
    assert looked == FORMS
    load_catalogue(find_project(), anew=True)
    assert looked == FORMS * 2


@pytest.mark.usefixtures("project")
def test_a_change_of_either_is_seen(looked: list[str], edit: Edit) -> None:
    load_catalogue(find_project())
    edit("reference/sums.py", "# exact", "# nearly exact")
    load_catalogue(find_project())
    assert looked == FORMS * 2
    edit("reference/sums.py", "math.fsum(values)", "sum(values)")
    for _ in range(2):
        with pytest.raises(BadInput, match="is found in the block of 'sum-mean' too"):
            load_catalogue(find_project())
