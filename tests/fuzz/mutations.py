"""Mutations: text made worse, and the values that break programs."""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

NASTY = (
    "",
    "~",
    "true",
    "no",
    "0",
    "-0",
    "-1",
    "0.0",
    "1e-12",
    "1e-320",
    "1e300",
    "1e400",
    "-1e400",
    ".nan",
    ".inf",
    "-.inf",
    "9" * 20,
    "9" * 400,
    "9" * 5000,
    "0x" + "f" * 5000,
    "125M",
    "4k",
    "1e18M",
    "10T",
    "1_000",
    "1:30",
    "2026-11-30",
    "{}",
    "[]",
    "[[]]",
    "[1, a, {b: c}]",
    "{a: {b: c}}",
    "[" * 300,
    "{a: " * 80,
    "'x'",
    '"\\ud800"',
    '"\\0"',
    '"\\x1b[31m"',
    "é",
    "😀",
    "\u2028",
    "\x85",
    "\x0c",
    "\ufeff",
    "a: b: c",
    "- x",
    "*a",
    "&a b",
    "!!python/object:os.system x",
    "%",
    "@",
    "`",
    "|",
    ">",
    "#",
    "\t",
    "<<: x",
    "{{ x }}",
    "{% raw %}",
    "../../etc/passwd",
    "/",
    "..",
    "a" * 3000,
    "a.b.c",
    "(a+)+$",
    "a*" * 40,
    "(" * 200,
    "lambda: 0",
    "__import__('os')",
)
LETTERS = "\t\n\r\x00\x0b\x0c\x1b\x7f\x85\u2028\ufeff{}[]()<>:,;#&*!|'\"%@`-+~=/\\.$^?_ 0aZé😀"


def mangled(rng: random.Random, text: str, others: Sequence[str] = ()) -> str:
    """Return a text with one to four mutations.

    Args:
        rng: Decides.
        text: What is mutated.
        others: Texts of which lines may be taken.
    """
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        text = rng.choice(_MUTATIONS)(rng, text, others)
    return text


NASTY_JSON: tuple[Any, ...] = (
    None, True, 0, -1, 1, 1.5, -0.0, 1e-320, 1e300, float("nan"), float("inf"), 10**19, 10**400, "", "x", "é",
    "\0", "\x1b[31m",
    "\ud800", "a\nb", "\u2028", "..", "../x", "/", "a/b", "a" * 3000, "1e3", "NaN", "9" * 5000, [], {}, [[]],
    [0], [-1], [1.5], [None],
    ["a"], [True], [10**19], [10**10] * 40, [2] * 33, {"": 1}, {"a": {}}, {"shape": None}, {"shape": [2]},
    {"dtype": "float32"},
    {"shape": [2], "dtype": None}, {"shape": [2], "dtype": "int4"}, [{}], [[1], [2]],
)  # fmt: skip


def warped(rng: random.Random, value: Any) -> Any:
    """Return a JSON value of which one to three parts, at whatever depth, are others."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        value = _warped(rng, value)
    return value


def _warped(rng: random.Random, value: Any) -> Any:
    inner = value and isinstance(value, dict | list)
    if not inner or rng.random() < 0.08:
        return (
            json.loads(json.dumps(rng.choice(NASTY_JSON))) if rng.random() < 0.9 else [value] * rng.choice((1, 2, 50))
        )
    parts: dict[Any, Any] = value if isinstance(value, dict) else dict(enumerate(value))
    at, kind = rng.choice(list(parts)), rng.random()
    if kind < 0.6:
        parts = parts | {at: _warped(rng, parts[at])}
    elif kind < 0.75:
        parts = {name: part for name, part in parts.items() if name != at}
    elif kind < 0.9:
        other = str(rng.choice((*_NAMES, *map(str, parts))))
        parts = {(other if name == at else name): part for name, part in parts.items()}
    else:
        parts = parts | {rng.choice(_NAMES): parts[at]}
    return parts if isinstance(value, dict) else list(parts.values())


_NAMES = (
    "",
    "a",
    "0",
    "shape",
    "dtype",
    "params",
    "model",
    "value",
    "step",
    "loss",
    "a/b",
    "a.b",
    "\0",
    "é",
    "\ud800",
    "\x1b[2J",
    "k" * 999,
)


def spoilt(rng: random.Random, text: str) -> bytes:
    """Return a text as bytes, now and then in another encoding, cut, or with a byte that is none of it."""
    kind = rng.random()
    raw = text.encode("utf-16" if kind < 0.02 else "utf-8", errors="surrogatepass")
    if kind > 0.97:
        return raw[: rng.randrange(len(raw) + 1)] + bytes([rng.randrange(256)])
    return b"\xef\xbb\xbf" + raw if 0.02 < kind < 0.04 else raw


def _value(rng: random.Random, text: str, _: Sequence[str]) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    head, colon, _ = lines[at].partition(":")
    lines[at] = f"{head}: {rng.choice(NASTY)}" if colon else rng.choice(NASTY)
    return "\n".join(lines)


def _key(rng: random.Random, text: str, _: Sequence[str]) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    lines[at] = f"{lines[at][: rng.randrange(6)]}{rng.choice(NASTY)}: {lines[at].partition(':')[2]}"
    return "\n".join(lines)


def _delete(rng: random.Random, text: str, _: Sequence[str]) -> str:
    lines = text.split("\n")
    start = rng.randrange(len(lines))
    del lines[start : start + rng.choice((1, 1, 2, 5))]
    return "\n".join(lines)


def _double(rng: random.Random, text: str, _: Sequence[str]) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    return "\n".join([*lines[: at + 1], lines[at] * rng.choice((1, 2)), *lines[at + 1 :]])


def _swap(rng: random.Random, text: str, _: Sequence[str]) -> str:
    lines = text.split("\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _indent(rng: random.Random, text: str, _: Sequence[str]) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    lines[at] = lines[at].lstrip() if rng.random() < 0.5 else " " * rng.choice((1, 2, 40)) + lines[at]
    return "\n".join(lines)


def _letter(rng: random.Random, text: str, _: Sequence[str]) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(LETTERS) * rng.choice((1, 1, 3, 200)) + text[at + rng.choice((0, 1)) :]


def _cut(rng: random.Random, text: str, _: Sequence[str]) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _insert(rng: random.Random, text: str, _: Sequence[str]) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(NASTY) + text[at:]


def _splice(rng: random.Random, text: str, others: Sequence[str]) -> str:
    if not others:
        return text
    lines, taken = text.split("\n"), rng.choice(others).split("\n")
    at, start = rng.randrange(len(lines) + 1), rng.randrange(len(taken))
    return "\n".join([*lines[:at], *taken[start : start + rng.choice((1, 3, 10))], *lines[at:]])


_MUTATIONS: tuple[Callable[[random.Random, str, Sequence[str]], str], ...] = (
    _value,
    _value,
    _key,
    _delete,
    _double,
    _swap,
    _indent,
    _letter,
    _cut,
    _insert,
    _splice,
)
