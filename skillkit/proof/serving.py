"""Serving: jobs answered one after the other, each by a child forked from a warm interpreter.

The server imports its warm libraries once. A block that starts with `import jax` then meets, in its forked child, the
interpreter that a fresh one would be after that line. No JAX backend may be started here: a child that is forked after
that hangs at its first computation.
"""

import contextlib
import importlib
import importlib.metadata
import json
import os
import platform
import sys
import types
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from skillkit.proof.confinement import adopt_orphans, alone
from skillkit.proof.fence import Fence
from skillkit.proof.running import Outcome, run


def server_command(python: str, warm: list[str], hidden: list[str], sealed: list[str]) -> list[str]:
    """Return the command line of a server under another interpreter, which needs no skillkit of its own."""
    path = str(Path(__file__).parents[2])
    start = f"import sys; sys.path.insert(0, {path!r}); from skillkit.proof.serving import serve; del sys.path[0]"
    code = f"{start}; serve({warm!r}, {hidden!r}, {sealed!r})"
    return [python, "-I", "-c", code]


def serve(warm: list[str], hidden: list[str], sealed: list[str]) -> None:
    """Answer jobs, one JSON object a line on standard input, until it closes.

    Args:
        warm: Libraries to import first; those that are not installed are passed over.
        hidden: Folders of which what runs may read nothing but importable code.
        sealed: Folders of which it may not read that either.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    adopt_orphans()
    warnings.simplefilter("ignore")
    for library in warm:
        with contextlib.suppress(ImportError):
            importlib.import_module(library)
    fence = Fence(hidden, sealed)
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps(_answer(request, fence)) + "\n")
        answers.flush()


def _answer(request: dict[str, Any], fence: Fence) -> Outcome:
    if "libraries" in request:
        return installed(request["libraries"])
    if "names" in request:
        return alone(lambda: {"names": resolve(request["names"])}, request["seconds"], fence)
    return alone(lambda: run(request), request["seconds"], fence)


def resolve(names: list[str]) -> dict[str, str]:
    """Return for each dotted name `fine`, `absent`, or the text of the deprecation warning that reading it gives."""
    return {name: _resolved(name) for name in names}


def _resolved(name: str) -> str:
    with contextlib.suppress(ImportError):
        importlib.import_module(name.partition(".")[0])  # what a library does at its import is not about the name
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            _reach(name)
        except (ImportError, AttributeError):
            return "absent"
    for one in caught:
        if issubclass(one.category, DeprecationWarning | FutureWarning):
            return str(one.message)
    return "fine"


def _reach(name: str) -> Any:
    head, *rest = name.split(".")
    value = importlib.import_module(head)
    for index, part in enumerate(rest):
        try:
            value = getattr(value, part)
        except AttributeError:
            if not isinstance(value, types.ModuleType):
                raise
            value = importlib.import_module(".".join([head, *rest[: index + 1]]))
    return value


def installed(libraries: Iterable[str]) -> dict[str, str]:
    """Return the versions of this interpreter, its platform, and those of the libraries that it has."""
    versions = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    for library in libraries:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[library] = importlib.metadata.version(library)
    return versions
