"""Texts: what templates may do, and what is written."""

import os
import stat
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillkit.cli import skillkit
from skillkit.errors import BadInput
from skillkit.kept import keep
from skillkit.places import Project, find_project
from skillkit.rendering import contexts
from skillkit.rendering.contexts import GROUP
from skillkit.rendering.renderer import Renderer
from skillkit.rendering.subjects import plain
from skillkit.rendering.texts import MARK
from skillkit.rendering.words import failure, message, not_run, oneline

Edit = Callable[[str, str, str], None]


def render(*arguments: str) -> Result:
    result = CliRunner().invoke(skillkit, ["render", *arguments])
    if isinstance(result.exception, BadInput):
        raise result.exception
    return result


def refusal(*arguments: str) -> str:
    with pytest.raises(BadInput) as caught:
        render(*arguments)
    return str(caught.value)


def test_renders_and_is_then_fresh(project: Path) -> None:
    assert render().stderr.splitlines()[0] == "wrote outputs/sums.md"
    text = (project / "outputs" / "sums.md").read_text()
    assert "```python\nimport math\n" in text
    assert text.endswith(f"{MARK}\n")
    before = os.stat("outputs/sums.md").st_mtime_ns
    assert render().stderr.splitlines()[0] == "fresh outputs/sums.md"
    assert os.stat("outputs/sums.md").st_mtime_ns == before


@pytest.mark.usefixtures("project")
def test_check_of_fresh_missing_and_edited_texts() -> None:
    assert render("--check").exit_code == 1
    render()
    assert render("--check").exit_code == 0
    path = Path("outputs/sums.md")
    path.write_text(path.read_text().replace("Use fsum.", "Use sum."))
    result = render("--check", "--diff")
    assert (result.exit_code, result.stderr) == (1, "outputs/sums.md: not as rendered\n")
    assert "-Use sum.\n+Use fsum.\n" in result.stdout
    assert "Use sum." in path.read_text()
    assert render("--diff").exit_code == 0


@pytest.mark.usefixtures("project")
def test_a_text_that_is_no_longer_rendered_is_removed() -> None:
    render()
    stale, own = Path("outputs/old.md"), Path("outputs/mine.md")
    stale.write_text(f"old\n{MARK}\n")
    own.write_text("mine\n")
    assert render("--check").stderr == "outputs/old.md: no longer rendered\n"
    render()
    assert (stale.exists(), own.exists()) == (False, True)


@pytest.mark.usefixtures("project")
def test_a_file_of_the_users_is_not_overwritten() -> None:
    path = Path("outputs/sums.md")
    path.parent.mkdir()
    path.write_text("mine\n")
    assert refusal() == "outputs/sums.md: was not written by skillkit: move it away, or use --force"
    assert path.read_text() == "mine\n"
    assert render("--force").exit_code == 0
    assert path.read_text() != "mine\n"


@pytest.mark.usefixtures("project")
def test_output_names_another_folder() -> None:
    render("sums", "--output", "elsewhere", "-q")
    assert Path("elsewhere/sums.md").exists()
    assert not Path("outputs").exists()


@pytest.mark.usefixtures("project")
def test_unknown_text() -> None:
    assert refusal("sum") == "sum: no such text (did you mean 'sums'?): one of sums"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# Sums", "# {{ tittle }}", "templates/sums.md.j2:1:1: 'tittle' is undefined"),
        ("# Sums", "{% if %}", "templates/sums.md.j2:1:1: not a Jinja template: Expected an expression"),
        ("# Sums", "{{ topics[0].nme.x }}", "templates/sums.md.j2:1:1: "),
        ("# Sums", "\n{{ ''.__class__.__mro__ }}", "templates/sums.md.j2:2:1: access to attribute '__class__' of"),
        ("# Sums", "\n{% include '../pyproject.toml' %}", "templates/sums.md.j2:2:1: there is no template '.."),
        ("# Sums", "{% include '/etc/passwd' %}", "templates/sums.md.j2:1:1: there is no template '/etc"),
        ("# Sums", "{{ topics | nofilter }}", "templates/sums.md.j2:1:1: not a Jinja template: No filter named"),
    ],
)
def test_template_errors_say_where(edit: Edit, old: str, new: str, message: str) -> None:
    edit("templates/sums.md.j2", old, new)
    assert refusal().startswith(message)


def test_an_error_in_an_included_template_is_placed_there(edit: Edit) -> None:
    edit("templates/_pattern.md.j2", "{{ pattern.rule }}", "{{ pattern.ruel }}")
    assert refusal().startswith("templates/_pattern.md.j2:3:1: ")


def test_a_failed_rendering_writes_nothing(edit: Edit, project: Path) -> None:
    (project / "templates" / "a.md.j2").write_text("fine\n")
    edit("templates/sums.md.j2", "# Sums", "# {{ tittle }}")
    refusal()
    assert not (project / "outputs").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere; the next test stands in for it")
@pytest.mark.usefixtures("project")
def test_read_only_folder() -> None:
    Path("outputs").mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    assert refusal().startswith("outputs/sums.md: cannot be written: Permission denied; --output names another")


@pytest.mark.usefixtures("project")
def test_a_file_where_the_folder_should_be() -> None:
    Path("outputs").write_text("a file")
    assert refusal().startswith("outputs/sums.md: cannot be ")
    assert Path("outputs").read_text() == "a file"


@pytest.mark.usefixtures("project")
def test_a_write_that_fails_leaves_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    render()
    path = Path("outputs/sums.md")
    path.write_text(f"older\n{MARK}\n")

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "replace", refuse)
    assert refusal().startswith("outputs/sums.md: cannot be written: Read-only file system; --output names another")
    assert path.read_text() == f"older\n{MARK}\n"
    assert [item.name for item in path.parent.iterdir()] == ["sums.md"]


@pytest.mark.parametrize("name", ["{topic}-{x}.md.j2", "{x}.md.j2", "{.md.j2", "{topic!r}.md.j2"])
def test_a_template_s_name_has_one_brace_and_no_other(project: Path, name: str) -> None:
    (project / "templates" / name).write_text("x")
    assert refusal().startswith(f"templates/{name}: a template's name may hold {{topic}}, and no other brace")


def test_two_templates_of_one_text_are_refused(project: Path) -> None:
    (project / "templates" / "{topic}.md.j2").write_text("x")
    assert refusal() == "templates/{topic}.md.j2: renders sums.md, as sums.md.j2 does: rename one of them"


@pytest.mark.usefixtures("project")
def test_rendering_is_deterministic_to_the_byte() -> None:
    first = [text.text for text in Renderer(find_project()).render()]
    assert [text.text for text in Renderer(find_project()).render()] == first


def test_unchanged_texts_come_from_the_cache_and_changed_ones_do_not(
    edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    render()
    with monkeypatch.context() as patch:
        patch.setattr(Renderer, "render", lambda *_: pytest.fail("rendered again"))
        assert render("--check").exit_code == 0
    for file, old, new in (
        ("reference/sums.py", "# exact", "# exactly"),
        ("reference/sums.yaml", "rule: Use fsum.", "rule: Use math.fsum."),
        ("templates/_pattern.md.j2", "## {{", "### {{"),
    ):
        edit(file, old, new)
        assert render("--check").exit_code == 1
        render()


def test_texts_in_the_cache_are_of_the_settings_that_they_speak_of(edit: Edit, project: Path) -> None:
    edit("pyproject.toml", "[tool.skillkit]\n", '[tool.skillkit.aliases]\nm = "math"\n')
    edit("templates/sums.md.j2", "# Sums", "# {{ aliases.m }}")
    render()
    edit("pyproject.toml", '"math"', '"cmath"')
    render()
    assert (project / "outputs" / "sums.md").read_text().startswith("# cmath\n")


def test_what_lies_in_a_linked_folder_is_looked_at_too(project: Path, edit: Edit) -> None:
    (project / "reference" / "mistakes").rename(project / "wrong")
    (project / "reference" / "mistakes").symlink_to(project / "wrong")
    (project / "reference" / "again").symlink_to(project / "reference")
    edit("templates/sums.md.j2", "# Sums", "# {{ verified(patterns.values()) }}")
    render()
    assert render("--check").exit_code == 0
    edit("wrong/sums.py", "def mean_of_nothing", "def mean_of_none")
    assert "no 'mean_of_nothing'" in refusal("--check")


@pytest.mark.parametrize(("package", "kept"), [("skillkit.greetings", 1), ("greetings", 0)])
def test_texts_are_not_kept_where_another_s_code_makes_them(
    project: Path, monkeypatch: pytest.MonkeyPatch, package: str, kept: int
) -> None:
    entry = EntryPoint("greetings", f"{package}:context", GROUP)
    monkeypatch.setattr(contexts, "entry_points", lambda **_: [entry])
    monkeypatch.setattr("skillkit.rendering.renderer.context_data", lambda *_: {})
    (project / "pyproject.toml").write_text('[tool.skillkit]\ncontexts = ["greetings"]\n')
    assert render().exit_code == 0
    texts = project / "cache" / "skillkit" / "texts"
    assert len(list(texts.glob("*.kept"))) == kept


@pytest.mark.parametrize(
    "data",
    [
        "",
        [],
        [1, []],
        [[["sums", "../elsewhere.md", "x"]], []],
        [[["sums", "/tmp/elsewhere.md", "x"]], []],
        [[["sums", "a/../../elsewhere.md", "x"]], []],
    ],
)
def test_what_is_kept_of_texts_is_not_believed_where_it_leaves_the_outputs(project: Path, data: Any) -> None:
    render()
    (path,) = (project / "cache" / "skillkit" / "texts").iterdir()
    keep(path, data)
    assert render().exit_code == 0
    assert [one.name for one in project.rglob("*.md")] == ["sums.md"]
    assert not Path("/tmp/elsewhere.md").exists()


@pytest.mark.usefixtures("project")
def test_an_unwritable_cache_costs_only_time(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    (project / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(project / "file"))
    assert render().exit_code == 0
    assert render("--check").exit_code == 0


VARIANT = """
- id: sum-before
  title: A mean, before
  when: Numbers are averaged.
  rule: Use sum.
  requires: {jax: "<0.9"}
  example: example_mean
  no_mistake: It is a test.
"""


@pytest.mark.parametrize(
    ("versions", "rendered"),
    [
        ({}, "sum-mean"),
        ({"jax": "0.9.0"}, "sum-mean"),
        ({"jax": "0.8.3"}, "sum-before"),
        ({"jax": "0.8"}, "sum-before"),
    ],
)
def test_a_text_shows_the_variant_for_its_versions(
    edit: Edit, project: Path, versions: dict[str, str], rendered: str
) -> None:
    """Without versions it is for the newest, whichever that is."""
    edit("reference/sums.yaml", "symbols: [mean]", 'symbols: [mean]\n  requires: {jax: ">=0.9"}')
    spec = project / "reference" / "sums.yaml"
    spec.write_text(spec.read_text() + VARIANT)
    (project / "templates" / "sums.md.j2").write_text("{{ patterns | join(' ') }}")
    (text,) = Renderer(find_project(), versions).render()
    assert text.text.partition("\n")[0] == rendered


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"stated": "60.0", "right": "7.5"}, "silently gives `60.0`, not `7.5`"),
        ({"stated": "0.0"}, "silently gives `0.0`"),
        ({"stated": 1, "right": 5, "value": "the number of draws"}, "the number of draws is silently `1`, not `5`"),
        ({"stated": "float32", "right": "bfloat16", "value": "x"}, "x is silently `float32`, not `bfloat16`"),
        (
            {"kind": "shows", "stated": "masks_are_equal", "value": "all masks are equal"},
            "silently all masks are equal",
        ),
        ({"kind": "raises", "stated": "jax.errors.E", "match": "got"}, "raises `E`"),
        ({"kind": "warns", "stated": "UserWarning", "match": ""}, "warns `UserWarning`"),
    ],
)
def test_what_a_mistake_does_in_words(fields: dict[str, object], words: str) -> None:
    assert failure({"kind": "returns", **fields}) == words


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (r"got \d+ \(not .*\)$", " `got … (not …)`"),
        (r"^'x' is (?:gone|no more)\.", " `'x' is gone/no more.`"),
        ("hstack|vstack", " `hstack` or `vstack`"),
        (r"a \|b|c", " `a |b` or `c`"),
        ("say `x`", ' "say `x`"'),
        ("", ""),
    ],
)
def test_the_words_of_a_message(match: str, words: str) -> None:
    assert message({"match": match}) == words


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("f(x)\n", "f(x)"),
        ("a = f(x)\nb = f(x)\n", "a = f(x); b = f(x)"),
        ("for step in range(5):\n    a = f(x)\n    b = f(x)\n", "for step in range(5): a = f(x); b = f(x)"),
        ("@jax.jit\ndef f(x):\n    return x\n", "@jax.jit def f(x): return x"),
    ],
)
def test_code_on_one_line(code: str, line: str) -> None:
    assert oneline(code) == line


def test_what_no_run_shows_is_said_with_its_source() -> None:
    assert not_run({}) == ""
    said = not_run({"twice as fast on TPU": "https://example.org", "20 tokens": "Hoffmann et al. 2022"})
    assert said == 'Not run here: "twice as fast on TPU" (<https://example.org>), "20 tokens" (Hoffmann et al. 2022).'


@pytest.mark.parametrize("reach", ["block.lines[0].path", "block.lines", "__class__", "place.__class__.__mro__"])
def test_a_template_reaches_nothing_but_texts(project: Path, reach: str) -> None:
    (project / "templates" / "sums.md.j2").write_text(f"{{{{ (patterns.values() | list)[0].{reach} }}}}")
    assert "templates/sums.md.j2:1:1: " in refusal()


def test_subjects_hold_no_objects() -> None:
    with pytest.raises(TypeError, match="a template can't be given PosixPath"):
        plain({"inner": [Path()]})


def test_what_a_project_s_context_gives_is_computed_once_and_only_where_it_is_asked_for(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def registered(name: str, _: Project) -> dict[str, str]:
        asked.append(name)
        return {"greeting": "Hello."}

    monkeypatch.setattr("skillkit.rendering.renderer.context_data", registered)
    (project / "pyproject.toml").write_text('[tool.skillkit]\ncontexts = ["greetings"]\n')
    (project / "templates" / "{topic}-more.md.j2").write_text("{{ topic.title }}")
    assert [text.name for text in Renderer(find_project()).render(["{topic}-more"])] == ["{topic}-more"]
    assert asked == []
    for name in ("one", "other"):
        (project / "templates" / f"{name}.md.j2").write_text("{{ greeting }}")
    texts = {text.name: text.text for text in Renderer(find_project()).render()}
    assert texts["one"].startswith("Hello.")
    assert asked == ["greetings"]
