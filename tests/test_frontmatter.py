"""Front matter: what assistants could not load is refused where it is rendered."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skillkit.errors import BadInput
from skillkit.places import find_project
from skillkit.rendering.renderer import Renderer

GOOD = "---\nname: my-skill\ndescription: Adds. Use when sums matter.\n---\n\n# Sums\n"
Edit = Callable[[str, str, str], None]


@pytest.fixture
def skill(project: Path) -> Path:
    """Return the template of a skill that can be loaded."""
    path = project / "templates" / "skills" / "my-skill" / "SKILL.md.j2"
    path.parent.mkdir(parents=True)
    path.write_text(GOOD)
    return path


def problems(skill: Path) -> list[str]:
    with pytest.raises(BadInput) as caught:
        list(Renderer(find_project()).render(["my-skill"]))
    shown = skill.relative_to(Path.cwd())
    return [str(one).removeprefix(f"{shown}:") for one in caught.value.problems]


@pytest.mark.usefixtures("skill")
def test_a_skill_that_can_be_loaded() -> None:
    (text,) = Renderer(find_project()).render(["my-skill"])
    assert text.text.startswith(GOOD)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Adds. Use when sums matter.", "x" * 1025, "3:14: front matter: is 1,025 characters long, and may have 1,024"),
        ("my-skill", "my_skill", '2:7: front matter: must be lowercase words joined by hyphens, not "my_skill"'),
        ("my-skill", "other", "2:7: front matter: must be that of its folder, 'my-skill', not 'other'"),
        ("---\n\n", "---", "4:1: front matter ends in a line of nothing but '---'"),
        ("---\n\n# Sums\n", "", "1:1: front matter ends in a line of nothing but '---'"),
        (
            "Adds.",
            "Use when: sums",
            "3:22: front matter: not YAML: mapping values are not allowed in this context (a text",
        ),
        ("name: my-skill\n", "", "2:1: front matter: the key 'name' is missing"),
        ("Adds.", "", ""),
        ("Adds.", "<b>Adds</b>", "3:14: front matter: must not hold < or >, which some assistants take for a tag"),
        ("Adds.", "Adds --- once", "3:14: front matter: must not hold ---"),
        ("\n---\n", "\nmetadata: {version: 1.0}\n---\n", "4:21: front matter: must be text, not 1.0: put it in quotes"),
        ("name:", "licence: MIT\nname:", "2:1: front matter: unknown key 'licence' (did you mean 'license'?)"),
        (
            "name:",
            "tags: [a]\nname:",
            "2:1: front matter: unknown key 'tags': some assistants refuse a skill with another key than name, "
            "description, license, compatibility, metadata, allowed-tools; metadata may say it, as text",
        ),
        ("---\nname", "name", "1:1: must begin with a line '---'"),
        ("---\nname", "--- \nname", ""),
    ],
)
def test_what_cannot_be_loaded_is_refused(skill: Path, old: str, new: str, message: str) -> None:
    skill.write_text(GOOD.replace(old, new, 1))
    if message:
        (found,) = problems(skill)
        assert found.startswith(message)
    else:
        assert list(Renderer(find_project()).render(["my-skill"]))


def test_the_place_is_the_template_s_line(skill: Path) -> None:
    skill.write_text(GOOD.replace("---\n", "{% set x = 1 %}\n{# why #}\n---\n", 1).replace("Adds.", "{{ 'a' * 1025 }}"))
    assert problems(skill) == ["5:14: front matter: is 1,047 characters long, and may have 1,024"]


def test_of_another_text_only_a_slip_is_refused(edit: Edit) -> None:
    edit("templates/sums.md.j2", "# Sums", "---\nname: adder\ndescription: Adds.\nmodel: any\n---\n# Sums")
    assert list(Renderer(find_project()).render())
    edit("templates/sums.md.j2", "model: any", "licence: MIT")
    with pytest.raises(BadInput, match=r"sums\.md\.j2:4:1: front matter: unknown key 'licence' \(did you mean"):
        list(Renderer(find_project()).render())


def test_other_texts_may_have_other_front_matter(edit: Edit) -> None:
    edit("templates/sums.md.j2", "# Sums", "---\napplyTo: '**/*.py'\n---\n# Sums")
    assert list(Renderer(find_project()).render())
    edit("templates/sums.md.j2", "applyTo: '**/*.py'", "a: b: c")
    with pytest.raises(BadInput, match=r"sums\.md\.j2:2:5: front matter: not YAML"):
        list(Renderer(find_project()).render())
