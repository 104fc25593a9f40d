"""Training: what a user has of a training run, that is its parameters' shapes, its script and its log."""

import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from skillkit.translation.kinds import KINDS
from skillkit.translation.tables import entries
from tests.fuzz.mutations import NASTY, mangled, spoilt, warped
from tests.fuzz.trials import call

TESTS = Path(__file__).parents[1]
LEAF = {"shape": [4, 8], "dtype": "float32"}
TREES: tuple[Any, ...] = (
    json.loads((TESTS / "trees" / "mlp.json").read_text()),
    {"layers": [{"w": LEAF, "b": [8]}, {"w": LEAF, "b": [8]}], "norm": {"scale": [8], "mean": [8], "var": [8]}},
    {
        "params": {"dense": {"kernel": {"value": LEAF}}},
        "opt_state": [{"mu": LEAF}],
        "step": {"shape": [], "dtype": "int32"},
    },
)
CONFIGS = [case["config"] for case in json.loads((TESTS / "trees" / "huggingface.json").read_text())["cases"]]
HEADER = {
    "__metadata__": {"format": "pt"},
    "h.0.attn.weight": {"dtype": "F32", "shape": [4, 8], "data_offsets": [0, 128]},
    "h.1.attn.weight": {"dtype": "BF16", "shape": [8], "data_offsets": [128, 144]},
    "h.0.attn.bias": {"dtype": "I64", "shape": [], "data_offsets": [144, 152]},
}
INDEX = {
    "metadata": {"total_size": 152},
    "weight_map": {name: "beside.safetensors" for name in HEADER if name != "__metadata__"},
}
METADATA = {
    "tree_metadata": {
        f"('{name}',)": {
            "key_metadata": [{"key": name, "key_type": 2}],
            "value_metadata": {"value_type": "jax.Array", "skip_deserialize": False, "write_shape": [4, 8]},
        }
        for name in ("kernel", "bias")
    },
    "use_zarr3": False,
}
ZARR = {"chunks": [4, 8], "dtype": "<f4", "shape": [4, 8], "zarr_format": 2}


def parameters(rng: random.Random) -> bytes:
    """Return the name of a file that says which parameters there are, a line's end, and its content."""
    name, make = rng.choice(_FILES)
    return f"{name}\n".encode() + make(rng)


def _json(*values: Any) -> Callable[[random.Random], bytes]:
    def made(rng: random.Random) -> bytes:
        value = rng.choice(values)
        text = json.dumps(warped(rng, value) if rng.random() < 0.8 else value, indent=rng.choice((None, 1)))
        return spoilt(rng, mangled(rng, text) if rng.random() < 0.3 else text)

    return made


def _safetensors(rng: random.Random) -> bytes:
    return _headed(_json(HEADER)(rng), rng.choice((0, 0, 0, 0, -1, 1, 10**6, 10**18)))


def _headed(header: bytes, off: int = 0) -> bytes:
    return (max(len(header) + off, 0)).to_bytes(8, "little") + header + bytes(152)


_FILES = (
    ("params.json", _json(*TREES)),
    ("config.json", _json(*CONFIGS)),
    ("model.safetensors", _safetensors),
    ("model.safetensors.index.json", _json(INDEX)),
    ("_METADATA", _json(METADATA)),
    ("kernel/.zarray", _json(ZARR)),
)


def give_parameters(raw: bytes) -> None:
    """Have an optimizer recommended for a folder or a file of parameters, or for a configuration of them."""
    name, _, content = raw.partition(b"\n")
    files = {"beside.safetensors": _headed(json.dumps(HEADER).encode())}
    if name in (b"_METADATA", b"kernel/.zarray"):
        files = {"_METADATA": json.dumps(METADATA).encode(), "_sharding": b"{}"}
        files |= {f"{leaf}/.zarray": json.dumps(ZARR).encode() for leaf in ("kernel", "bias")}
    path = Path("model", name.decode())
    with_files({**files, path.relative_to("model").as_posix(): content})
    asked = path.parent if path.name == "_METADATA" or len(raw) % 3 == 0 else path
    asked = Path("model") if path.name == ".zarray" else asked
    form = ("table", "json", "python")[len(raw) % 3]
    try:
        call("recommend-optimizer", "--no-input", "--set", "family=mlp", "--params", str(asked), "--format", form)
    finally:
        with_files({})


def with_files(files: Mapping[str, bytes]) -> None:
    """Have these files in the folder `model`, and no others."""
    for path in sorted(Path("model").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for name, content in files.items():
        path = Path("model", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


# ---- scripts

PYTORCH = (TESTS / "translations" / "train.py").read_text()
SCRIPTS = (
    PYTORCH,
    """import argparse, math
import torch
from torch.optim.lr_scheduler import LambdaLR, OneCycleLR
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=3e-4)
args = parser.parse_args()
config = {"steps": 2000, "warmup": 0.1}
decay = [p for p in model.parameters() if p.ndim > 1]
other = [p for p in model.parameters() if p.ndim <= 1]
groups = [{"params": decay, "weight_decay": 1e-4}, {"params": other, "weight_decay": 0.0}]
optimizer = torch.optim.SGD(groups, args.lr, 0.9)
critic = torch.optim.Adam(critic.parameters(), lr=4 * args.lr, eps=1e-5)
curve = lambda step: min(1.0, step / 100) * 0.5 * (1 + math.cos(math.pi * step / config["steps"]))
scheduler = LambdaLR(optimizer, curve)
other = OneCycleLR(critic, max_lr=0.1, epochs=90, steps_per_epoch=100)
for epoch in range(90):
    for i, batch in enumerate(loader):
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
    scheduler.step()
""",
    """from transformers import Trainer, TrainingArguments, get_cosine_schedule_with_warmup
arguments = TrainingArguments(
    "out", learning_rate=2e-5, num_train_epochs=3, warmup_ratio=0.1, weight_decay=0.01, max_steps=500,
    per_device_train_batch_size=16, gradient_accumulation_steps=4, lr_scheduler_type="cosine", optim="adamw_torch",
)
trainer = Trainer(model, arguments, train_dataset=data)
""",
    """learning_rate = 6e-4
max_iters = 600000
weight_decay = 1e-1
beta1 = 0.9
beta2 = 0.95
grad_clip = 1.0
decay_lr = True
warmup_iters = 2000
lr_decay_iters = 600000
min_lr = 6e-5
gradient_accumulation_steps = 5 * 8
""",
    """import keras
schedule = keras.optimizers.schedules.CosineDecay(0.0, 1000, warmup_target=1e-3, warmup_steps=100)
optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.004, beta_1=0.9, clipnorm=1.0, use_ema=True)
model.compile(optimizer=optimizer, loss="mse")
model.fit(x, y, epochs=10, batch_size=32)
""",
)
NUMBERS = re.compile(r"(?<![\w.])\d[\w.]*(?:e-?\d+)?")
EXPRESSIONS = (
    "0", "-1", "1e-320", "1e308", "1e400", "-1e400", "float('nan')", "10**400", "9**9**9", "2**70", "None",
    "True", "'1e-3'", "''",
    "()", "[]", "[1]", "{}", "(1, 2, 3)", "1 / 0", "1 % 0", "rate", "args.lr", "config['lr']", "int('x')",
    "int(1e400)", "round(1.5)",
    "len(loader)", "max()", "min(1, 'a')", "lambda step: 1 / step", "lambda: 0", "lambda a, b: a",
    "lambda step: step ** step",
    "[0.1] * 10**9", "'a' * 10**9", "1 << 10**9", "1j", "b'x'", "...", "f'{1}'", "x := 1", "*a", "**a",
    "-(-(-1))", "not 1", "1 if a else 2",
    "math.cos(1e400)", "math.sqrt(-1)", "math.exp(1000)", "abs(-1e-3)", "sum([])", "10 ** -400", "1_000",
    "0x10", "torch.tensor(1.0)",
)  # fmt: skip
NAMES = (
    "lr",
    "betas",
    "eps",
    "weight_decay",
    "momentum",
    "T_max",
    "gamma",
    "milestones",
    "total_iters",
    "step_size",
    "last_epoch",
)


def script(rng: random.Random) -> bytes:
    """Return a script of training whose numbers, names and lines are others."""
    text = rng.choice(SCRIPTS) if rng.random() < 0.6 else _called(rng)
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        text = _renumbered(rng, text)
    if rng.random() < 0.3:
        found = list(re.finditer(r"\(", text))
        at = rng.choice(found).end() if found else 0
        text = f"{text[:at]}{rng.choice((*NAMES, '*', '**'))}={rng.choice(EXPRESSIONS)}, {text[at:]}"
    return spoilt(rng, mangled(rng, text, SCRIPTS) if rng.random() < 0.5 else text)


def _called(rng: random.Random) -> str:
    """Return a script of any optimizer and any scheduler that are known, with some of their arguments."""
    optimizer, scheduler = (rng.choice(sorted(entries(part))) for part in ("optimizers", "schedulers"))
    lines = ["import torch, transformers, keras", f"o = {_call(rng, 'optimizers', optimizer, 'p')}"]
    lines.append(f"s = {_call(rng, 'schedulers', scheduler, 'o')}")
    return "\n".join([*lines, "for step in range(1000):", "    o.step()", "    s.step()"])


def _call(rng: random.Random, part: str, name: str, first: str) -> str:
    arguments = entries(part)[name].arguments
    chosen = [one for one in arguments if arguments[one].required or rng.random() < 0.3]
    given = (f"{one}={rng.choice(rng.choice((EXPRESSIONS, *[_USUAL] * 4)))}" for one in chosen)
    return f"{name}({', '.join([first, *given])})"


_USUAL = (
    "1",
    "10",
    "100",
    "1000",
    "0.1",
    "0.9",
    "1e-3",
    "(0.9, 0.999)",
    "[10, 100]",
    "True",
    "False",
    "'min'",
    "'linear'",
    "[s, s]",
)


def _renumbered(rng: random.Random, text: str) -> str:
    found = list(NUMBERS.finditer(text))
    if not found:
        return text
    one = rng.choice(found)
    return f"{text[: one.start()]}{rng.choice((*EXPRESSIONS, rng.choice(NASTY)))}{text[one.end() :]}"


def give_script(raw: bytes) -> None:
    """Have a script translated."""
    form = ("text", "json", "config", "python")[len(raw) % 4]
    options = (
        ("--set", "family=mlp"),
        ("--updates-per-epoch", "100"),
        ("--from", KINDS[len(raw) % len(KINDS)]),
        (),
        (),
    )[len(raw) % 5]
    call("translate", "-", "--format", form, *options, stdin=raw)


# ---- logs

CELLS = (
    "", "nan", "NaN", "inf", "-inf", "1e308", "-1e308", "1e400", "1e-320", "-1", "0", "-0.0", "x", "N/A",
    "None", "tensor(1.)", "1,5", "'2'",
    '"', '"a""b"', "9" * 400, "1_0", "０", "\x1b[31m", "a\rb", "é", "=1+1",
)  # fmt: skip
HEADS = (
    "step",
    "loss",
    "lr",
    "grad_norm",
    "val_loss",
    "epoch",
    "train/loss",
    "eval/loss",
    "run",
    "name",
    "_step",
    "x",
    "",
    "1",
    "é",
)


def log(rng: random.Random) -> bytes:
    """Return a log in one of the forms that training leaves, with numbers that go wrong somewhere."""
    heads = (
        ["step", "loss", *rng.sample(HEADS, rng.randrange(4))]
        if rng.random() < 0.9
        else rng.sample(HEADS, rng.randrange(1, 6))
    )
    rows = [[_number(rng, head, row) for head in heads] for row in range(rng.choice((0, 1, 2, 3, 10, 50, 300)))]
    for _ in range(rng.choice((0, 0, 1, 5, 40)) if rows else 0):
        rng.choice(rows)[rng.randrange(len(heads))] = rng.choice(CELLS)
    if rows and rng.random() < 0.1:
        rows += rng.sample(rows, len(rows) // 2)
    text = _in_form(rng, heads, rows)
    return spoilt(rng, mangled(rng, text) if rng.random() < 0.3 else text)


def _number(rng: random.Random, head: str, row: int) -> str:
    if head in ("step", "_step", "epoch"):
        return str(row * rng.choice((1, 1, 1, 1, 1, 1, 10)))
    if head in ("run", "name"):
        return rng.choice("ab")
    scale = 1e300 if rng.random() < 0.002 else 100.0 if rng.random() < 0.02 else 1.0
    return f"{scale * (2 / (1 + row / 20) + rng.gauss(0, 0.05)):.5g}"


def _in_form(rng: random.Random, heads: list[str], rows: list[list[str]]) -> str:
    form = rng.randrange(5)
    if form < 2:
        between = rng.choice(",,,;\t|")
        return "\n".join(between.join(row) for row in [heads, *rows])
    objects: list[Any] = [{head: _value(cell) for head, cell in zip(heads, row, strict=True)} for row in rows]
    if form == 2:
        return "\n".join(json.dumps(warped(rng, one) if rng.random() < 0.02 else one) for one in objects)
    whole: Any = {"log_history": objects} if form == 3 else rng.choice((objects, {"history": objects}))
    if form == 4 and rng.random() < 0.5:
        whole = {head: [one[head] for one in objects] for head in heads}
    return json.dumps(warped(rng, whole) if rng.random() < 0.5 else whole, indent=rng.choice((None, 1)))


def _value(cell: str) -> Any:
    try:
        return float(cell)
    except ValueError:
        return cell


def give_log(raw: bytes) -> None:
    """Have a log diagnosed."""
    options = (("--json",), (), ("--set", "classes=10"), ("--column", "loss=x"), ("--run", "a"), ("-q",))[len(raw) % 6]
    call("diagnose", "-", *options, stdin=raw)
