"""Warming: interpreters that have imported what many runs begin with, each forked from one that had imported less.

A run that begins with `import jax` and `from flax import nnx` is forked from an interpreter that has done just this: it
meets what a fresh one would be after these lines. Imports that leave a trace elsewhere (a warning, output, a thread, a
file) are left to the runs. No backend of a library may be started here: a child that is forked after that hangs.
"""

import gc
import importlib
import importlib.util
import os
import sys
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from skillkit.execution.cells import Cell
from skillkit.execution.forks import Fork

KEPT = 4  # interpreters forked from one: those that were used last

Request = dict[str, Any]
Filters = list[tuple[Any, ...]]
Work = Callable[[Request, Filters], dict[str, Any]]


class Interpreter:
    """This process, as one that has imported some modules and forks others that import more.

    Args:
        cell: Where imports and runs take place.
        work: Answers a request, given the warning filters that imports have added.
        filters: Those so far.
    """

    def __init__(self, cell: Cell, work: Work, filters: Filters) -> None:
        self.cell = cell
        self.work = work
        self.filters = filters
        self.forks: OrderedDict[tuple[str, ...], Fork] = OrderedDict()
        self.refused: set[tuple[str, ...]] = set()

    def answer(self, request: Request) -> dict[str, Any]:
        """Answer a request in the interpreter that has imported what its `warm` lists, making it where there is none.

        Args:
            request: `warm` has groups of modules, each imported at once.
        """
        for group in map(tuple, request.get("warm", ())):
            if group not in self.refused and any(map(_is_missing, group)) and (fork := self.fork(group)):
                return fork.ask(request)
        return self.work(request, self.filters)

    def fork(self, group: tuple[str, ...]) -> Fork | None:
        """Return the interpreter that has imported a group beside, or None where that can't be done ahead."""
        known = self.forks.pop(group, None)
        fork = known if known and known.is_alive else Fork(lambda: self.grown(group))
        if not fork.is_ready:
            self.refused.add(group)
            return None
        self.forks[group] = fork
        while len(self.forks) > KEPT:
            self.forks.popitem(last=False)[1].end()
        return fork

    def grown(self, group: Sequence[str]) -> Callable[[Request], dict[str, Any]] | None:
        """Import a group, and return what then answers, or None where that was not silent."""
        with warnings.catch_warnings(record=True) as caught, self.cell.output() as said:
            warnings.simplefilter("always")
            mark = list(warnings.filters)
            try:
                for name in filter(_is_missing, group):
                    importlib.import_module(name)
            except Exception:
                return None
            added = warnings.filters[: len(warnings.filters) - len(mark)]
        if caught or said() or self.cell.is_used() or _threads() > 1:
            self.cell.empty()
            return None
        gc.collect()
        gc.freeze()  # else each child copies the pages of what it inherits as soon as it collects
        return Interpreter(self.cell, self.work, [*added, *self.filters]).answer


def _is_missing(name: str) -> bool:
    """Return whether importing a name would find a module that is not imported yet."""
    if name in sys.modules:
        return False
    parent, _, last = name.rpartition(".")
    if parent and (parent not in sys.modules or last in vars(sys.modules[parent])):
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _threads() -> int:
    """Return how many threads a child would be forked from: some end before a fork, as those of OpenBLAS do."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:  # not Linux
        return 1
