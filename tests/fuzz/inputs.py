"""Inputs: each kind of what users give skillkit, as random as they come, and how it is given."""

import contextlib
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from skillkit.cli import COMMANDS
from skillkit.errors import BadInput
from skillkit.installations.installation import project_installation
from skillkit.places import find_project, own_project
from skillkit.proof.companions import load_companions
from skillkit.proof.evidence import load_evidence
from skillkit.proof.sides import sides
from skillkit.proof.statements import project_proofs
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.rendering.renderer import Renderer
from tests import test_installations
from tests.fuzz import arguments, messages, projects, training
from tests.fuzz.mutations import NASTY, mangled, spoilt
from tests.fuzz.trials import Kind, call, held

ROOT = Path(__file__).parents[2]


def _answers(rng: random.Random) -> bytes:
    questionnaire = read_questions(decisions_folder(own_project(Path())))
    lines = [f"family: {rng.choice(questionnaire['family'].choices)}"] if rng.random() < 0.95 else []
    for question in rng.sample(questionnaire.questions, rng.randrange(8)):
        lines.append(f"{question.id}: {_answer(rng, question.choices, question.several)}")
    text = "\n".join(lines)
    if rng.random() < 0.1:
        text = json.dumps(dict(line.split(": ", 1) for line in lines))
    return spoilt(rng, mangled(rng, text) if rng.random() < 0.2 else text)


def _answer(rng: random.Random, choices: tuple[str, ...], several: tuple[str, ...]) -> str:
    if rng.random() < 0.12:
        return rng.choice(NASTY)
    if choices:
        return rng.choice(choices)
    if several:
        return f"[{', '.join(rng.sample(several, rng.randrange(len(several))))}]"
    size = 10.0 ** rng.uniform(-13, 19)
    return rng.choice(
        (f"{size:.3g}", f"{int(size)}", f"{rng.randrange(1, 1000)}{rng.choice('kMBT')}", str(rng.randrange(9)))
    )


def _give_answers(raw: bytes) -> None:
    form = ("python", "yaml", "markdown", "prompt", "optuna", "json")[len(raw) % 6]
    if form == "prompt" and len(raw) % 5:  # the slowest by far
        form = "json"
    call("recommend-optimizer", "--answers", "-", "--format", form, stdin=raw)


CONFIGURATIONS = [path.read_text() for path in sorted((ROOT / "tests" / "configurations").glob("*.yaml"))]


def _configuration(rng: random.Random) -> bytes:
    return spoilt(rng, mangled(rng, rng.choice(CONFIGURATIONS), CONFIGURATIONS))


def _give_configuration(raw: bytes) -> None:
    call("schedule", "-", *(["--json"] if len(raw) % 2 else []), stdin=raw)


SPECS = [path.read_text() for path in sorted((ROOT / "reference").glob("*.yaml"))]


def _spec(name: str) -> Callable[[random.Random], bytes]:
    others = SPECS if "s.yaml" in name else list(projects.TABLES.values())
    return lambda rng: spoilt(rng, mangled(rng, projects.TABLES[name], others))


def _give_spec(name: str) -> Callable[[bytes], None]:
    def give(raw: bytes) -> None:
        with held(name, raw):
            call("list", "--json")
            call("show", "sums", "changes", "glossary", "--json")
            _state()

    return give


VERSIONS = {"python": "3.11.7", "click": "8.2", "numpy": "2.0"}


def _state() -> None:
    """Take everything that the project states as far as a run, and render it."""
    with contextlib.suppress(BadInput):
        project = find_project()
        proofs = project_proofs(project, VERSIONS)
        assert all(proof.hash for proof in proofs)
        for side in sides(proofs, load_companions(project), ["click", "numpy"]):
            assert side.wanted.label
        for text in Renderer(project).render():
            text.text.encode()


MODULES = [path.read_text() for path in sorted((ROOT / "reference").glob("*.py"))]


def _give_settings(raw: bytes) -> None:
    with held("pyproject.toml", raw), contextlib.suppress(BadInput):
        if not find_project().bundled:
            call("list", "sums")


def _module(text: str) -> Callable[[random.Random], bytes]:
    return lambda rng: spoilt(rng, mangled(rng, text, MODULES))


def _give_module(name: str) -> Callable[[bytes], None]:
    def give(raw: bytes) -> None:
        with held(name, raw):
            _state()

    return give


TEMPLATES = [path.read_text() for path in sorted((ROOT / "templates").rglob("*.j2")) if "scripts" not in path.parts]
PIECES = (
    "{{ %s }}",
    "{%% if %s %%}a{%% else %%}b{%% endif %%}",
    "{%% for x in %s %%}{{ x }}{%% endfor %%}",
    "{%% set y = %s %%}{{ y }}",
    "{%% include %s %%}",
    "{%% include %s ignore missing %%}",
    "{%% import %s as m %%}",
    "{%% extends %s %%}",
    "{%% macro m(a) %%}{{ a }}{{ %s }}{%% endmacro %%}{{ m(1) }}",
    "{%% call(z) m(%s) %%}z{%% endcall %%}",
    "{%% filter %s %%}a{%% endfilter %%}",
    "{%% with q = %s %%}{{ q }}{%% endwith %%}",
    "---\nname: %s\ndescription: a\n---\n",
    "{# %s #}",
    "%s",
)
ATOMS = (
    "topics", "patterns", "changes", "glossary", "advice", "tables", "nothing", "self", "loop", "verified",
    "minimum", "1", "0", "-1", "1.5", "'a'", "''", "[]", "{}", "none", "true", "range(9)", "range(10**9)", "10**9",
    "9**9**9", "'_pattern.md.j2'", "'sums.md.j2'", "'../x'", "['a', 'b']", "lipsum()", "cycler(1, 2)", "joiner()",
    "namespace(a=1)", "patterns['sum-mean']", "patterns.values()", "topics[0].patterns[0].block.text",
    "patterns.items()",
)  # fmt: skip
SUFFIXES = (
    "", ".x", "[0]", "['rule']", "()", "(1)", "|length", "|list", "|sum", "|join", "|first", "|int", "|round",
    "|tojson", "|failure", "|oneline", "|cell", "|message", "|groupby('x')", "|map(attribute='x')",
    "|selectattr('x')", "|sort", "|center(99999999)", "|indent(3)", "|batch(2)", "|xmlattr", "|format(1)",
    "|nofilter", " is defined", " is nothing", " + 1", " * 99999999", " ** 99", " // 0", " ~ 'a'", " % 2",
    ".__class__", "|attr('__class__')", ".format(1)", "|urlize", "|wordwrap(1)", "|replace('a', 'b')", "|random",
    "|pprint", "|slice(0)", "|truncate(1)", "|filesizeformat", "|verified",
)  # fmt: skip


def _template(rng: random.Random) -> bytes:
    if rng.random() < 0.4:
        return spoilt(rng, mangled(rng, rng.choice(TEMPLATES), TEMPLATES))
    parts = []
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        expression = rng.choice(ATOMS) + "".join(rng.choice(SUFFIXES) for _ in range(rng.choice((0, 1, 1, 2, 3))))
        part = rng.choice(PIECES) % expression
        parts.append(part if rng.random() < 0.8 else rng.choice(PIECES) % f"'{part}'")
    return spoilt(rng, "\n".join(parts))


def _give_template(raw: bytes) -> None:
    with held("templates/sums.md.j2", raw), contextlib.suppress(BadInput):
        for text in Renderer(find_project()).render(["sums"]):
            text.text.encode()


REQUIREMENTS = [(name, text) for name, text, *_ in (*test_installations.CASES, *test_installations.RANGES)]


def _requirement(rng: random.Random) -> bytes:
    name, text = rng.choice(REQUIREMENTS)
    return f"{name}\n".encode() + spoilt(rng, mangled(rng, text, [other for _, other in REQUIREMENTS]))


def _give_requirement(raw: bytes) -> None:
    name, _, content = raw.partition(b"\n")
    path = Path("other", Path(name.decode()).name if b"/" not in name else "requirements.txt")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    try:
        with contextlib.suppress(BadInput):
            found = project_installation(path.parent, ["jax", "numpy", "python"])
            assert found.versions
    finally:
        path.unlink()


EVIDENCE = (
    '{"format": 2,\n"seal": "x",\n"runs": [\n{"versions": {"python": "3.11.7", "jax": "0.9"},\n'
    '"proofs": {"sum-mean":\n["holds", "abc"]}}]}'
)


def _evidence(rng: random.Random) -> bytes:
    return spoilt(rng, mangled(rng, EVIDENCE))


def _give_evidence(raw: bytes) -> None:
    Path("outputs").mkdir(exist_ok=True)
    with held("outputs/evidence.json", raw), contextlib.suppress(BadInput):
        load_evidence(find_project().evidence)


WORDS = (
    *COMMANDS, "-h", "--help", "-V", "--json", "-q", "--check", "--diff", "--all", "--output", "--for", "--force",
    "--set", "--answers", "--format", "--plot", "--save", "--no-input", "--project", "--clean", "--output-format",
    "github", "sarif", "sum-mean", "sums", "changes", "glossary", "names", "pattern", "answers", "configuration",
    "family=vit", "family=", "=", "-", "--", ".", "/", "reference", "reference/sums.py", "pyproject.toml",
    "jax==0.8", "jax==99", "python", "yaml", "x.svg", "x.png", "?", "*", "a b", "\udcff", "😀", "a\nb", "--with",
    "--python", "steps=10", "batch_size=4k",
)  # fmt: skip
ENVIRONMENTS = (
    ("NO_COLOR", "1"),
    ("FORCE_COLOR", "1"),
    ("FORCE_COLOR", ""),
    ("TERM", "dumb"),
    ("COLUMNS", "1"),
    ("COLUMNS", "wat"),
    ("XDG_CACHE_HOME", ""),
    ("XDG_CACHE_HOME", "/dev/null"),
    ("XDG_CACHE_HOME", "relative"),
    ("HOME", "/nowhere"),
    ("LANG", "xx_YY"),
    ("_SKILLKIT_COMPLETE", "bash_complete"),
    ("COMP_WORDS", "skillkit\nrecommend-optimizer\n--set\nfamily\n=\nv"),
    ("COMP_CWORD", "5"),
    ("COMP_CWORD", "-9"),
)
UNTRIED = ("verify", "init", "--run", "--try")  # what runs code or writes files has tests of its own


def _line(rng: random.Random) -> bytes:
    words = [rng.choice(list(COMMANDS))] if rng.random() < 0.9 else []
    words += [rng.choice(WORDS) if rng.random() < 0.85 else rng.choice(NASTY) for _ in range(rng.randrange(5))]
    words = [word.replace("\0", "") for word in words if word not in UNTRIED]
    environment = dict(rng.sample(ENVIRONMENTS, rng.choice((0, 0, 1, 2, 3))))
    return json.dumps([environment, words]).encode()


def _give_line(raw: bytes) -> None:
    environment, words = json.loads(raw)
    with mock.patch.dict(os.environ, environment):
        call(*words, stdin=rng_stdin(raw))


def rng_stdin(raw: bytes) -> bytes:
    """Return what lies on standard input, by the input itself."""
    return (b"", b"family: vit", b"\xff", raw)[len(raw) % 4]


def _table(name: str) -> tuple[Callable[[random.Random], bytes], str, Callable[[bytes], None]]:
    return _spec(f"reference/{name}"), name, _give_spec(f"reference/{name}")


KINDS = {
    "answers": Kind(7_000, _answers, "answers.yaml", _give_answers),
    "configurations": Kind(7_500, _configuration, "configuration.yaml", _give_configuration),
    "specs": Kind(1_500, *_table("sums.yaml")),
    "full-specs": Kind(2_500, *_table("totals.yaml")),
    "changes": Kind(2_000, *_table("changes.yaml")),
    "companions": Kind(500, *_table("companions.yaml")),
    "glossary": Kind(500, *_table("glossary.yaml")),
    "advice": Kind(500, *_table("advice.yaml")),
    "settings": Kind(1_500, _spec("pyproject.toml"), "pyproject.toml", _give_settings),
    "modules": Kind(2_000, _module(projects.MODULE), "totals.py", _give_module("reference/totals.py")),
    "mistakes": Kind(1_500, _module(projects.MISTAKES), "totals.py", _give_module("reference/mistakes/totals.py")),
    "templates": Kind(4_500, _template, "sums.md.j2", _give_template),
    "requirements": Kind(4_500, _requirement, "requirements", _give_requirement),
    "evidence": Kind(1_000, _evidence, "evidence.json", _give_evidence),
    "lines": Kind(1_500, _line, "line.json", _give_line),
    "parameters": Kind(3_000, training.parameters, "parameters", training.give_parameters),
    "scripts": Kind(2_500, training.script, "train.py", training.give_script),
    "arguments": Kind(1_500, arguments.arguments, "args.yaml", arguments.give_arguments),
    "logs": Kind(3_000, training.log, "log", training.give_log),
    "messages": Kind(1_500, messages.messages, "messages.json", messages.give_messages),
}
