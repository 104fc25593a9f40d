"""What templates ask for is kept while none of them changes."""

from pathlib import Path

import pytest

from skillkit.errors import BadInput
from skillkit.rendering.templates import Templates


def wanted(project: Path) -> set[str]:
    return Templates(project / "templates", {}, {}).wanted("sums.md.j2")


def test_a_template_is_looked_through_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "templates" / "sums.md.j2").write_text("{{ topics }}{% include 'more.md.j2' %}")
    (project / "templates" / "more.md.j2").write_text("{{ glossary }}")
    found = wanted(project)
    monkeypatch.setattr(Templates, "_look", lambda *_: pytest.fail("it is looked through again"))
    assert found == wanted(project) == {"topics", "glossary"}


def test_and_again_where_what_it_includes_has_changed(project: Path) -> None:
    (project / "templates" / "sums.md.j2").write_text("{{ topics }}{% include 'more.md.j2' %}")
    more = project / "templates" / "more.md.j2"
    more.write_text("{{ glossary }}")
    wanted(project)
    more.write_text("{{ advice }}")
    assert wanted(project) == {"topics", "advice"}
    more.unlink()
    with pytest.raises(BadInput, match=r"there is no template 'more\.md\.j2'"):
        wanted(project)
