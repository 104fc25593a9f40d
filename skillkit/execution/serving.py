"""Serving: jobs answered one after the other, each by a child forked from a warm interpreter."""

import contextlib
import importlib
import importlib.metadata
import json
import os
import platform
import types
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from skillkit.execution import forks, namespaces
from skillkit.execution.cells import Cell
from skillkit.execution.confinement import alone
from skillkit.execution.fence import Fence
from skillkit.execution.forks import Fork
from skillkit.execution.processes import adopt_orphans, end_all
from skillkit.execution.programs import Programs
from skillkit.execution.running import Outcome, run
from skillkit.execution.warming import Filters, Interpreter

UNSURE = ("timeout", "died", "left")  # what an answer may say that need not be said of another run


def server_command(python: str, settings: dict[str, Any]) -> list[str]:
    """Return the command line of a server under another interpreter, which needs no skillkit of its own.

    Args:
        python: The interpreter.
        settings: As `serve` takes them.
    """
    path = str(Path(__file__).parents[2])
    start = f"import sys; sys.path.insert(0, {path!r}); from skillkit.execution.serving import serve; del sys.path[0]"
    return [python, "-I", "-c", f"{start}; serve(**{settings!r})"]


def serve(hidden: list[str], sealed: list[str], programs: dict[str, Any] | None = None) -> None:
    """Answer jobs, one JSON object a line on standard input, until it closes.

    Args:
        hidden: Folders of which what runs may read nothing but importable code.
        sealed: Folders of which it may not read that either.
        programs: Compiled programs that runs share: their `folder`, the `files` that they are in, and the `environment`
            that makes libraries look there.
    """
    adopt_orphans()
    has_own_memory = namespaces.isolate()
    cell = Cell(Fence(hidden, sealed), has_own_memory)
    try:
        _Server(cell, Programs(**programs, view=cell.programs) if programs else None).serve()
    except InterruptedError:
        pass
    finally:
        end_all()
        cell.remove()


class _Server:
    def __init__(self, cell: Cell, programs: Programs | None) -> None:
        self.cell = cell
        self.programs = programs
        self.forks: dict[bool, Fork] = {}

    def serve(self) -> None:
        requests, answers = os.dup(0), os.dup(1)
        forks.pipes.update((requests, answers))
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(2, 1)
        with os.fdopen(answers, "w", encoding="utf-8") as written:
            for line in os.fdopen(requests, encoding="utf-8"):
                written.write(json.dumps(self.answer(json.loads(line), requests)) + "\n")
                written.flush()

    def answer(self, request: dict[str, Any], requests: int) -> dict[str, Any]:
        if "libraries" in request:
            return installed(request["libraries"])
        shares = self.programs is not None and not request.get("apart")
        fork = self.forks.get(shares)
        if fork is None or not fork.is_alive:
            fork = self.forks[shares] = Fork(lambda: self.interpreter(shares).answer)
        answer = fork.ask(request, requests)
        if self.programs and shares:
            self.programs.gather(trusted=not any(word in answer for word in UNSURE))
        return answer

    def interpreter(self, shares: bool) -> Interpreter:
        if self.programs and shares:
            self.cell.enter(self.programs.environment, (self.programs.view,))
        else:
            self.cell.enter({})
        return Interpreter(self.cell, self.work, [])

    def work(self, request: dict[str, Any], filters: Filters) -> Outcome:
        if "names" in request:
            return alone(lambda: {"names": resolve(request["names"])}, request["seconds"], self.cell)
        return alone(lambda: run(request, filters), request["seconds"], self.cell)


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
