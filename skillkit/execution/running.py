"""Runs: one piece of code executed in this process, and what became of it.

This and its neighbours up to serving need nothing but the standard library, since they also run under interpreters that
have only what the code is to be proven with. This is the only module that executes code.
"""

import ast
import contextlib
import importlib
import linecache
import os
import sys
import traceback
import types
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from skillkit.execution.watching import watch_asserts, watch_statements

Job = dict[str, Any]
Outcome = dict[str, Any]

STATED_SIZE = 1000  # elements of an array: nobody states more
CODE, CHECK, LAST = "block.py", "check.py", "last.py"


def run(job: Job, filters: Iterable[tuple[Any, ...]] = ()) -> Outcome:
    """Run a job in this process, which should end afterwards.

    Args:
        job: `flags` are set on `jax.config`, then `code` is executed as `__main__`, then `check` in the same
            namespace. After that `last` is executed there, and the value of its last expression kept, or the function
            that `call` names is called. `predicate` names a function of the code `judge` that is given the result.
            `raises` or `warns` is the dotted name of an expected class. With `trace` the lines that were run are kept.
        filters: Warning filters that modules have added which were imported ahead of the job.

    Returns:
        `stage`, the last one entered (flags, code, check, call, predicate); `error` or None, with `type`, `message`,
        `frames` ([file, line, function], innermost last) and whether it is `expected`; `warnings`; `value`, the
        result as plain data; `holds`, the predicate's; `asserted`, the lines of the asserts that held, by file;
        `reached`, of code with a `call` in it, the lines of the statements that were; `lines`, with `trace`, the
        numbers of all lines run, by file.
    """
    outcome: Outcome = {"stage": "flags", "error": None, "value": None, "holds": None, "warnings": []}
    outcome |= {"asserted": {CODE: [], CHECK: []}, "reached": []}
    if job.get("trace"):
        sys.settrace(_tracer(outcome.setdefault("lines", {CODE: [], CHECK: []})))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for action, message, category, module, line in reversed(list(filters)):
            warnings.filterwarnings(action, _pattern(message), category, _pattern(module), line)
        try:
            for stage in _stages(job, outcome):
                outcome["stage"] = stage
        except BaseException as error:
            outcome["error"] = _described(error, job.get("raises"))
    sys.settrace(None)
    outcome["warnings"] = [_warned(one, job.get("warns")) for one in caught]
    return outcome


def _pattern(part: Any) -> str:
    return getattr(part, "pattern", part) or ""


def _stages(job: Job, outcome: Outcome) -> Iterator[str]:
    for flag, value in job.get("flags", {}).items():
        importlib.import_module("jax").config.update(flag, value)
    yield "code"
    space = _main_module().__dict__
    reached = outcome["reached"] if "call" in job else None  # what is published runs as it is
    _execute(job["code"], CODE, space, outcome["asserted"][CODE], reached)
    if "check" in job:
        yield "check"
        _execute(job["check"], CHECK, space, outcome["asserted"][CHECK])
    yield "call"
    result = None
    if "last" in job:
        result = _execute(job["last"], LAST, space)
    elif "call" in job:
        result = space[job["call"]]()
    if "predicate" not in job:
        outcome["value"] = _plain(result)
    else:
        yield "predicate"
        judge: dict[str, Any] = {"__name__": "judge"}
        _execute(job["judge"], "judge.py", judge)
        outcome["holds"] = bool(judge[job["predicate"]](result))


def _tracer(lines: dict[str, list[int]]) -> Any:
    """Return a trace function that notes which lines of the job's own files are run."""

    def enter(frame: types.FrameType, _event: str, _argument: object) -> Any:
        run_lines = lines.get(os.path.basename(frame.f_code.co_filename))
        if run_lines is None:
            return None

        def step(frame: types.FrameType, event: str, _argument: object) -> Any:
            if event == "line" and frame.f_lineno not in run_lines:
                run_lines.append(frame.f_lineno)
            return step

        return step

    return enter


def _warned(one: warnings.WarningMessage, expected: str | None) -> dict[str, Any]:
    return {
        "type": _dotted(one.category),
        "message": str(one.message),
        "file": one.filename,
        "line": one.lineno,
        "deprecation": issubclass(one.category, DeprecationWarning | PendingDeprecationWarning | FutureWarning),
        "expected": _is_expected(one.category, expected),
    }


def _main_module() -> types.ModuleType:
    module = types.ModuleType("__main__")
    module.__file__ = os.path.abspath(CODE)
    sys.modules["__main__"] = module
    return module


def _execute(
    code: str, name: str, space: dict[str, Any], asserted: list[int] | None = None, reached: list[int] | None = None
) -> Any:
    """Execute code from a file of its own, note what it reaches, and return its last line's value if it has one."""
    path = os.path.abspath(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(code)
    linecache.checkcache(path)
    tree = ast.parse(code, path)
    if asserted is not None:
        watch_asserts(tree, space, asserted)
    if reached is not None:
        watch_statements(tree, space, reached)
    last = tree.body[-1] if tree.body else None
    value = last.value if isinstance(last, ast.Expr) else None
    if value:
        del tree.body[-1]
    exec(compile(tree, path, "exec"), space)
    return eval(compile(ast.Expression(value), path, "eval"), space) if value else None


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if isinstance(value, set | frozenset):
        return _sorted([_plain(item) for item in value])
    if "numpy" in sys.modules and isinstance(value, sys.modules["numpy"].dtype):
        return value.name
    if hasattr(value, "tolist") and getattr(value, "size", 1) <= STATED_SIZE:
        with contextlib.suppress(Exception):
            return _plain(value.tolist())
    return repr(value)


def _sorted(items: list[Any]) -> list[Any]:
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=repr)


def _described(error: BaseException, expected: str | None) -> dict[str, Any]:
    frames = [[frame.filename, frame.lineno, frame.name] for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append([error.filename, error.lineno, "<syntax>"])
    return {
        "type": _dotted(type(error)),
        "message": str(error),
        "frames": frames,
        "expected": _is_expected(type(error), expected),
    }


def _is_expected(found: type, expected: str | None) -> bool:
    if expected is None:
        return False
    module, _, name = expected.rpartition(".")
    try:
        wanted = getattr(importlib.import_module(module or "builtins"), name)
    except (ImportError, AttributeError):
        return False
    if wanted in (Exception, BaseException):  # some code of jax raises these themselves; any error is one of them
        return found is wanted
    return isinstance(wanted, type) and issubclass(found, wanted)


def _dotted(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
