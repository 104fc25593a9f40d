"""The technical notes that correct the lesson: each requirement is held on the published texts or on a pattern."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.catalogue.changes import load_changes
from skillkit.catalogue.patterns import Pattern
from skillkit.places import find_project
from skillkit.proof.workers import clean_environment
from skillkit.reading import read

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "reference"
CORRECTIONS: list[dict[str, Any]] = read(REFERENCE / "corrections.yaml").value
GLOSSARY: dict[str, str] = {entry["term"]: entry["text"] for entry in read(REFERENCE / "glossary.yaml").value}
ADVICE: dict[str, list[dict[str, str]]] = read(REFERENCE / "advice.yaml").value
PATTERNS = load_catalogue(find_project(ROOT)).patterns
CHANGES = load_changes(find_project(ROOT))

FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Phrases that a correction forbids, each with a sentence that it is there to catch.
FORBIDDEN: dict[int, list[tuple[str, str]]] = {
    1: [
        (r"540[ -]?(billion|B\b)", "PaLM has 540 billion parameters."),
        (r"2,?048 (TPU|chip)", "It was trained on 2,048 TPUs."),
        (r"(each|every) op\w* [^.]*(kernel|launch)", "PyTorch launches each operation as its own kernel."),
    ],
    2: [
        (r"\b(DeepMind|Anthropic)\b", "DeepMind chose JAX."),
        (r"largest (training|models?)", "It powers the largest training runs on Earth."),
    ],
    3: [
        (r"automatically (differentiat|compil|vectori[sz]|paralleli[sz])", "JAX automatically vectorizes your code."),
        (r"without (changing|modifying) (the|your) (function|code)", "It does so without changing your code."),
    ],
    4: [
        (r"\d+ ?[x×] (fast|speed|slow)|\d+[–-]\d+ ?[x×]|\d+ times (fast|slow)", "jit makes it 100x faster."),
        (r"jit \w*requires? (pure|purity)", "jit requires pure functions."),
    ],
    5: [
        (r"\blives? on (the |a )?(GPU|TPU|accelerator)", "JAX arrays live on the GPU."),
        (r"(identical to|same as|drop-in replacement for) NumPy", "jax.numpy is identical to NumPy."),
    ],
    6: [(r"bolted|\bhacks?\b|PyTorch (lacks|has no|cannot)", "In PyTorch these are bolted on.")],
    7: [
        (r"records? [^.]*without (executing|running)", "Tracing records operations without executing them."),
        (
            r"(?i)\b(all|every) [^.]*\b(if|for|loops?|branch\w*)\b[^.]* must",
            "All if and for must become lax primitives.",
        ),
    ],
    8: [
        (r"(almost )?impossible in PyTorch", "Per-example gradients are almost impossible in PyTorch."),
        (r"vmap[^.]*\bfus(es|ed|ion)\b", "vmap fuses the loop into one kernel."),
    ],
    9: [(r"\bGemini\b", "Gemini is trained with pmap."), (r"pmap[^.]* splits the batch", "pmap splits the batch.")],
    10: [
        (r"(?m)^\|.*\bJAX\b.*\bPyTorch\b|^\|.*\bPyTorch\b.*\bJAX\b", "| | JAX | PyTorch |\n|---|---|---|\n"),
        (r"\bhiring\b", "PyTorch is better for hiring."),
    ],
    11: [
        (r"same (numbers|results?|values?) (on|across) (every|any|all|different)", "The same numbers on every device."),
        (r"PyTorch [^.]*(not|never|cannot) [^.]*reproduc", "PyTorch runs are not reproducible."),
    ],
    12: [(r"batchnorm-effect", "![Figure](batchnorm-effect.png)")],
    16: [(r"[~≈]\s?\d\d(\.\d)?\s?%", "It reaches ~97% on MNIST."), (r"accuracy of \d", "It has an accuracy of 97 %.")],
    18: [(r"Flax (model|module)s? (is|are) stateless", "A Flax model is stateless.")],
    19: [(r"jax\[\w+\]|libtpu_releases", "pip install -U 'jax[cuda12]'")],
    20: [
        (r"(?i)print\(?\)?`? (does not|doesn't) work", "print() does not work inside jit."),
        (
            r"PREALLOCATE[^.]*(?<!no )\b(fast|speed|optimi|perform)",
            "Set XLA_PYTHON_CLIENT_PREALLOCATE=false for performance.",
        ),
    ],
    23: [(r"(Raffel|Know JAX)(?![^.\n]*2019)", "See Colin Raffel's You Don't Know JAX (2020).")],
    24: [
        (r"skips? Python (entirely|altogether)|without touching Python", "Later calls skip Python entirely."),
        (r"C\+\+ speed", "They run at C++ speed."),
    ],
    25: [(r"(?<!no )(?<!not a )training framework", "JAX is a training framework.")],
    26: [(r"(a|one) single (fused )?kernel|into one kernel", "The step is compiled to a single kernel.")],
    30: [(r"(all|whole|everything) of NumPy", "jax.numpy covers all of NumPy.")],
    34: [(r"(JAX|PyTorch) is (always |simply |much )?(faster|better|superior)", "JAX is faster than PyTorch.")],
    36: [(r"(?i)always split", "Always split the key before use.")],
    37: [(r"entire training step", "jit compiles the entire training step to a single kernel.")],
    38: [(r"called more than once\? (Add|Use)", "Is the function called more than once? Add @jax.jit.")],
    40: [(r"same as `?jit\(grad|grad\(jit\(f\)\)[^.]*same", "grad(jit(f)): same as jit(grad(f)).")],
    41: [(r"debugging ease|Your team is", "Your team is at a company that uses JAX.")],
}
# Code that no published block may hold: it may stand in the lines that say what not to write.
FORBIDDEN_CODE: dict[int, list[tuple[str, str]]] = {
    9: [(r"\bpmap\(", "jax.pmap(step)(batch)")],
    13: [(r"fetch_\w+\(|urlretrieve|requests\.get|load_dataset\(|tfds\.", "fetch_openml('mnist_784')")],
    15: [(r"log\((jax\.)?(nn\.)?softmax\(", "jnp.log(jax.nn.softmax(logits))")],
    21: [(r"PyTreeCheckpointer|[\"']/tmp", "PyTreeCheckpointer().save('/tmp/model', params)")],
    22: [(r"(depth|layers) = len\((jax\.)?tree", "depth = len(jax.tree.leaves(params))")],
    36: [(r"PRNGKey\(", "key = jax.random.PRNGKey(0)")],
}
MUST_NOT = {
    number: [*FORBIDDEN.get(number, []), *FORBIDDEN_CODE.get(number, [])] for number in FORBIDDEN | FORBIDDEN_CODE
}


@pytest.fixture(scope="session")
def published() -> dict[Path, str]:
    """Every Markdown file that people paste or install."""
    texts = {path: path.read_text("utf-8") for path in sorted((ROOT / "outputs").rglob("*.md"))}
    assert ROOT / "outputs" / "skill-jax-patterns.md" in texts
    return texts


@pytest.fixture(scope="session")
def prose(published: dict[Path, str]) -> dict[Path, str]:
    """The texts without their blocks of code and the addresses of their sources."""
    return {path: re.sub(r"https?://\S+", "", FENCE.sub("", text)) for path, text in published.items()}


@pytest.fixture(scope="session")
def blocks(published: dict[Path, str]) -> list[str]:
    """Every different block of code."""
    found = sorted({block for text in published.values() for block in FENCE.findall(text)})
    assert found
    return found


@pytest.fixture(scope="session")
def facts() -> dict[str, Any]:
    """What JAX says itself, asked in a process of its own."""
    return dict(json.loads(run(FACTS)))


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=clean_environment(os.environ),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


FACTS = """
import json, re
import jax, jax.numpy as jnp

def loop_equals_vmap(implementation):
    keys = jax.random.split(jax.random.key(0, impl=implementation), 4)
    looped = jnp.stack([jax.random.normal(key, (3,)) for key in keys])
    return bool((jax.vmap(lambda key: jax.random.normal(key, (3,)))(keys) == looped).all())

def loss(params, x):
    for weight in params:
        x = jax.nn.relu(x @ weight)
    return (x**2).mean()

params, x = [jnp.full((8, 8), 0.1)] * 3, jnp.ones((4, 8))
step = lambda params, x: jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, x))
program = jax.jit(step).lower(params, x).compile().as_text()
inside, outside = jax.grad(jax.jit(loss))(params, x), jax.jit(jax.grad(loss))(params, x)
print(json.dumps({
    "threefry": loop_equals_vmap("threefry2x32"),
    "rbg": loop_equals_vmap("rbg"),
    "unsafe_rbg": loop_equals_vmap("unsafe_rbg"),
    "parts": len(re.findall(r" (?:fusion|dot|custom-call)\\(", program)),
    "same_gradient": all(bool(jnp.allclose(a, b, rtol=1e-6)) for a, b in zip(inside, outside)),
}))
"""


def never_says(number: int, texts: dict[Path, str]) -> None:
    for phrase, _ in FORBIDDEN[number]:
        for path, text in texts.items():
            found = re.search(phrase, text)
            assert not found, f"{path.relative_to(ROOT)}: {text[found.start() : found.end()]}"


def never_shows(number: int, blocks: list[str]) -> None:
    for phrase, _ in FORBIDDEN_CODE[number]:
        assert [block for block in blocks if re.search(phrase, block)] == []


def says(published: dict[Path, str], phrase: str) -> None:
    assert any(re.search(phrase, text) for text in published.values()), f"no text says {phrase}"


def explains(published: dict[Path, str], term: str, phrase: str) -> None:
    """Hold that the glossary's entry has the phrase and is published."""
    assert re.search(phrase, GLOSSARY[term])
    assert any(GLOSSARY[term] in text for text in published.values()), f"the entry of {term} is in no text"


def proves(published: dict[Path, str], *names: str) -> list[Pattern]:
    """Hold that the patterns are published with a mistake that is proven."""
    found = [PATTERNS[name] for name in names]
    for pattern in found:
        assert pattern.mistakes, pattern.id
        assert any(pattern.rule in text and pattern.block.text in text for text in published.values()), pattern.id
    return found


@pytest.mark.parametrize("number", MUST_NOT)
def test_what_is_forbidden_would_be_found(number: int) -> None:
    for phrase, example in MUST_NOT[number]:
        assert re.search(phrase, example), example


def test_01_no_unsourced_scale_and_no_eager_pytorch(prose: dict[Path, str]) -> None:
    never_says(1, prose)
    lines = [line for text in prose.values() for line in text.splitlines()]
    assert all("torch.compile" in line for line in lines if "PyTorch" in line and re.search(r"\beager", line))


def test_02_no_company_is_an_argument(prose: dict[Path, str]) -> None:
    never_says(2, prose)


def test_03_transformations_are_composed_by_the_user(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(3, prose)
    explains(published, "JAX", "transformations of Python functions that one composes")
    (compose, *_) = proves(published, "transform-compose", "vmap-in-axes", "par-data-parallel")
    assert re.search(r"jax\.jit\(jax\.vmap\(jax\.grad\(", compose.rule + compose.block.text)


def test_04_no_universal_factor_and_effects_have_their_own_rules(
    published: dict[Path, str], prose: dict[Path, str]
) -> None:
    never_says(4, prose)
    explains(published, "pure function", "side effects in a transformed function happen at tracing only")
    callback, printed, ref = proves(published, "dbg-host-callback", "dbg-print", "pure-ref")
    assert "io_callback" in callback.rule
    assert "jax.debug.print" in printed.rule
    assert "new_ref" in ref.block.text


def test_05_default_device_and_what_differs_from_numpy(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(5, prose)
    explains(published, "JAX", "default device, a CPU, GPU or TPU")
    proves(published, "arr-x64", "arr-immutable", "arr-oob-read", "arr-int32-overflow")
    lists = [change for change in CHANGES if "[[" in change.writes and "ndarray or scalar" in change.match]
    assert lists, "no row says that jax.numpy takes no lists"


def test_06_functional_transforms_of_pytorch_are_not_belittled(prose: dict[Path, str]) -> None:
    never_says(6, prose)


def test_07_tracing_runs_python_on_abstract_values(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(7, prose)
    explains(published, "tracing", "Running the Python function on abstract values")
    explains(published, "tracing", "over static values run")
    explains(published, "jit", "shapes, dtypes, weak types, static values")
    proves(published, "cf-static-python-ok", "jit-ragged-batch", "jit-weak-type-retrace", "jit-static-recompile")


def test_08_what_vmap_gains_depends(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(8, prose)
    explains(published, "vmap", "[Gg]ain[^.]* depends")
    proves(published, "vmap-memory", "vmap-per-example-grad")


def test_09_pmap_is_legacy(published: dict[Path, str], prose: dict[Path, str], blocks: list[str]) -> None:
    never_says(9, prose)
    never_shows(9, blocks)
    explains(published, "pmap", "does not split a batch.*maintenance mode.*sharded arrays, or `jax.shard_map`")
    proves(published, "par-pmap-batch", "par-data-parallel", "par-shard-map-api")


def test_10_no_table_of_verdicts(prose: dict[Path, str]) -> None:
    never_says(10, prose)


def test_11_keys_promise_numbers_under_one_version_only(
    published: dict[Path, str], prose: dict[Path, str], facts: dict[str, Any]
) -> None:
    never_says(11, prose)
    explains(published, "PRNG key", "under the same version and implementation")
    (numbers,) = proves(published, "rng-same-numbers")
    assert "0.5.0" in numbers.rule + numbers.why
    assert (facts["threefry"], facts["rbg"], facts["unsafe_rbg"]) == (True, False, False)


def test_12_batch_statistics_are_state(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(12, prose)
    proves(published, "bn-linen-mutable", "bn-nnx-jit", "bn-eval-mode")


DISTRIBUTIONS = {"sklearn": "scikit-learn", "orbax": "orbax-checkpoint"}


def test_13_dependencies_are_named_and_nothing_is_downloaded(blocks: list[str]) -> None:
    never_shows(13, blocks)
    for pattern in PATTERNS.values():
        imported = {name.partition(".")[0] for name in imports(pattern.block.text)}
        others = imported - sys.stdlib_module_names - {"jax", "jaxlib", "numpy", "optax"}
        assert {DISTRIBUTIONS.get(name, name) for name in others} <= pattern.requires.keys(), pattern.id


def imports(code: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(code)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


@pytest.mark.parametrize("name", ["mlp-init", "mlp-train-step", "rng-init-layers", "rng-per-step"])
def test_14_initialisation_fits_the_layer_and_no_key_is_used_twice(name: str) -> None:
    initialisation = PATTERNS["mlp-init"].block.text
    assert "he_normal" in initialisation
    assert re.search("glorot|lecun", initialisation)
    run("import jax\njax.config.update('jax_debug_key_reuse', True)\n" + PATTERNS[name].block.text)


def test_15_losses_take_logits(published: dict[Path, str], blocks: list[str]) -> None:
    never_shows(15, blocks)
    loss, labels = proves(published, "mlp-cross-entropy", "opt-int-labels")
    assert "log_softmax" in loss.rule
    assert "logits" in labels.rule


def test_16_no_promised_accuracy_no_lost_tail_no_false_clock(
    published: dict[Path, str], prose: dict[Path, str], blocks: list[str]
) -> None:
    never_says(16, prose)
    proves(published, "data-drop-remainder", "perf-block")
    assert re.search(r"once.*block_until_ready", PATTERNS["perf-block"].rule)
    clocks = [block for block in blocks if "perf_counter" in block]
    assert clocks
    assert all("block_until_ready" in block for block in clocks)


def test_17_nothing_is_chosen_on_the_test_set(published: dict[Path, str], blocks: list[str]) -> None:
    says(published, r"[Vv]alidation")
    for block in blocks:
        assert not touched_in_a_loop(block, "test_"), block


def touched_in_a_loop(code: str, prefix: str) -> list[str]:
    loops = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.For | ast.While)]
    names = [node.id for loop in loops for node in ast.walk(loop) if isinstance(node, ast.Name)]
    return [name for name in names if name.startswith(prefix)]


def test_17_would_find_an_evaluation_each_epoch() -> None:
    assert touched_in_a_loop("for epoch in range(9):\n    best = max(best, score(test_images))", "test_")
    assert not touched_in_a_loop("for epoch in range(9):\n    train(images)\nscore(test_images)", "test_")


def test_18_linen_and_nnx_are_told_apart(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(18, prose)
    explains(published, "Flax", "NNX, which its documentation advises for new code")
    for pattern in PATTERNS.values():
        told = " ".join([pattern.title, pattern.when, pattern.rule, pattern.why])
        if "flax.linen" in imports(pattern.block.text) or re.search(r"from flax import .*linen", pattern.block.text):
            assert "Linen" in told, pattern.id


def test_19_installation_is_not_pinned_and_versions_are_stated(
    published: dict[Path, str], prose: dict[Path, str]
) -> None:
    never_says(19, prose)
    with_code = {path: text for path, text in published.items() if "jax-patterns" in str(path) and FENCE.search(text)}
    assert with_code
    for path, text in with_code.items():
        assert re.search(r"[Jj][Aa][Xx],? \d+\.\d+\.\d", text), path


def test_20_print_shows_tracers_and_variables_come_first(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(20, prose)
    printed, variables = proves(published, "dbg-print", "mem-env-before-init")
    assert re.search("tracers?, once", printed.why)
    assert "before" in variables.rule


def test_21_checkpoints_by_orbax_v1_onto_a_target(published: dict[Path, str], blocks: list[str]) -> None:
    never_shows(21, blocks)
    step_managed, target, path = proves(published, "ckpt-overwrite", "ckpt-target", "ckpt-absolute-path")
    assert "from orbax.checkpoint import v1 as ocp" in step_managed.block.text
    assert "sharding" in target.rule
    assert "absolute" in path.rule


def test_22_depth_is_not_counted_in_leaves(published: dict[Path, str], blocks: list[str]) -> None:
    never_shows(22, blocks)
    proves(published, "tree-depth", "tree-key-order")


def test_23_a_citation_has_its_year(prose: dict[Path, str]) -> None:
    never_says(23, prose)


def test_24_compiled_calls_while_the_signature_fits(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(24, prose)
    explains(published, "jit", "While a call fits, the compiled program runs and the Python body does not")


def test_25_jax_is_no_training_framework(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(25, prose)
    explains(published, "JAX", "no training framework; Flax, Equinox and Optax are libraries on top")


def test_26_a_step_is_several_kernels(
    published: dict[Path, str], prose: dict[Path, str], facts: dict[str, Any]
) -> None:
    never_says(26, prose)
    explains(published, "XLA", "CPU, GPU and TPU.*several kernels")
    assert facts["parts"] > 1


def test_27_a_jaxpr_can_be_looked_at(published: dict[Path, str]) -> None:
    assert ".trace(x).jaxpr" in PATTERNS["dbg-jaxpr"].rule
    says(published, re.escape("`jax.jit(f).trace(x).jaxpr`"))


def test_28_one_function_is_differentiated_compiled_and_batched(published: dict[Path, str]) -> None:
    (pattern,) = proves(published, "vmap-per-example-grad")
    assert "jax.vmap(jax.grad(" in pattern.rule


def test_29_no_state_hides_in_a_global(published: dict[Path, str]) -> None:
    proves(published, "pure-global-captured", "rng-reuse", "rng-per-step", "rng-global-key")


def test_30_not_all_of_numpy_traces(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(30, prose)
    proves(published, "jit-bool-mask", "jit-nonzero-size")


def test_31_automatic_differentiation_in_both_modes(published: dict[Path, str]) -> None:
    explains(published, "functional autodiff", "`jax.jvp` in forward mode, `jax.vjp` in reverse mode")
    explains(published, "functional autodiff", "no finite differences")
    (pattern,) = proves(published, "grad-hvp")
    assert "jax.jvp(jax.grad(" in re.sub(r"\s", "", pattern.block.text)


def test_32_pure_functions_take_keys(published: dict[Path, str]) -> None:
    explains(published, "pure function", "returns the same for the same arguments")
    explains(published, "PRNG key", "`jax.random.split` and `jax.random.fold_in` derive keys; each is used once")


def test_33_when_jax_does_not_fit(published: dict[Path, str]) -> None:
    for phrase in ("objects and shapes that change", "frequent side effects", "small one-off computations"):
        (entry,) = [line for line in ADVICE["when_not"] if phrase in line["text"]]
        says(published, re.escape(entry["text"]))
        assert entry["pattern"] in PATTERNS


def test_34_no_absolute_verdict(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(34, prose)
    says(published, "depends on the workload: measure")


def test_35_several_devices_are_a_mesh(published: dict[Path, str]) -> None:
    (line,) = [line for line in ADVICE["decisions"] if line["text"].startswith("Several devices?")]
    assert line["pattern"] == "par-data-parallel"
    assert re.search(r"mesh.*not `jax.pmap`", line["text"])
    says(published, re.escape(line["text"]))


def test_36_typed_keys_folded_per_step(published: dict[Path, str], prose: dict[Path, str], blocks: list[str]) -> None:
    never_says(36, prose)
    never_shows(36, blocks)
    typed, folded = proves(published, "rng-typed-key", "rng-per-step")
    assert "jax.random.key(" in typed.rule
    assert "fold_in" in folded.rule


def test_37_no_training_step_in_one_kernel(prose: dict[Path, str]) -> None:
    never_says(37, prose)


def test_38_jit_the_outermost_step_once(published: dict[Path, str], prose: dict[Path, str]) -> None:
    never_says(38, prose)
    outermost, once = proves(published, "transform-jit-outermost", "jit-in-loop")
    assert "outermost" in outermost.rule
    assert "once" in once.rule


def test_39_every_prohibition_has_its_failing_twin() -> None:
    failing = [pattern for pattern in PATTERNS.values() if pattern.mistakes]
    assert len(PATTERNS) >= 120
    assert len(failing) >= 110
    for pattern in PATTERNS.values():
        if not pattern.mistakes:
            assert pattern.no_mistake, pattern.id
            assert not re.search(r"\b([Nn]ever|[Nn]ot|[Dd]on't)\b", pattern.rule), pattern.id


def test_40_grad_of_jit_has_the_value_not_the_cost(prose: dict[Path, str], facts: dict[str, Any]) -> None:
    never_says(40, prose)
    assert facts["same_gradient"]
    assert "undecorated" in PATTERNS["transform-jit-outermost"].rule


def test_41_nobody_s_employer_decides(prose: dict[Path, str]) -> None:
    never_says(41, prose)


def test_42_every_name_in_a_block_is_defined(blocks: list[str], tmp_path: Path) -> None:
    for number, block in enumerate(blocks):
        (tmp_path / f"block_{number}.py").write_text(block)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821,F811", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


MISSING_THEN = {
    "retracing": "jit-static-recompile",
    "dtypes": "arr-x64",
    "data": "data-mean-of-means",
    "optimizer traps": "opt-clip-order",
    "donation": "mem-donate-reuse",
    "remat": "mem-remat",
    "NNX": "nnx-optimizer",
    "checkpoint": "ckpt-full-state",
    "sharding": "par-mesh-explicit",
    "export": "exp-batch",
    "debugging flags": "dbg-nans",
    "PyTorch equivalence": "torch-train-step",
}


@pytest.mark.parametrize("subject", MISSING_THEN)
def test_43_what_was_missing_is_there(published: dict[Path, str], subject: str) -> None:
    proves(published, MISSING_THEN[subject])


def test_the_table_is_complete_and_names_tests_that_exist() -> None:
    assert [entry["id"] for entry in CORRECTIONS] == list(range(1, 44))
    for entry in CORRECTIONS:
        path, _, name = entry["test"].partition("::")
        assert ROOT / path == Path(__file__)
        assert callable(globals().get(name)), entry["test"]
        assert name.startswith(f"test_{entry['id']:02}_"), entry["test"]
        assert entry["must"].endswith(".")
