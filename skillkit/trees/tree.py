"""Trees: all parameters of a model by their paths, checked, and without what is not trained."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from skillkit.errors import BadInput, Problem, bad_input, counted
from skillkit.reading import Key, shown
from skillkit.scalars import UNSEEN
from skillkit.trees.dtypes import dtype_named
from skillkit.trees.leaves import FLOATING, Leaf, Leaves


@dataclass(frozen=True)
class Tree:
    """The parameters of a model.

    Args:
        source: What it was read from, as the user would write it.
        form: What that is, in words.
        leaves: What is trained, by path.
        left_out: What else stands there, by path, and why it is not trained.
        stored: Whether the dtypes are those of a file to load from, which need not be those to train in.
        notes: What was assumed in reading it.
        active: How many of the parameters one token uses, where the source says that it passes some experts by.
    """

    source: str
    form: str
    leaves: Leaves
    left_out: Mapping[str, str]
    stored: bool = False
    notes: tuple[str, ...] = ()
    active: int | None = None

    @property
    def parameters(self) -> int:
        """How many numbers are trained, those of frozen parameters too."""
        return sum(leaf.size for leaf in self.leaves.values())

    def cast(self, dtype: str) -> "Tree":
        """Return the tree with all of its leaves in one dtype."""
        return replace(self, leaves={path: replace(leaf, dtype=dtype) for path, leaf in self.leaves.items()})

    def below(self, name: str) -> "Tree":
        """Return what stands below one of the names at the top."""
        return replace(self, leaves=_below(name, self.leaves), left_out=_below(name, self.left_out))


@dataclass(frozen=True)
class Entry:
    """What a file says of one parameter.

    Args:
        path: The keys and indices that lead to it.
        shape: Its shape, as it stands there.
        dtype: Its dtype, as it stands there.
    """

    path: Key
    shape: Any
    dtype: Any

    @property
    def name(self) -> str:
        """The path as one name, as the optimizer's masks see it."""
        return "/".join(map(str, self.path)).removesuffix("/value")  # flax.nnx wraps each leaf in a variable


Locate = Callable[[Entry, str], Problem]


def grow(source: str, form: str, entries: Iterable[Entry], locate: Locate | None = None, **about: Any) -> Tree:
    """Return the tree of some entries.

    Args:
        source: What they were read from.
        form: What that is, in words.
        entries: One for each array.
        locate: Returns the problem with an entry at its place; without it, its path is named.
        about: Further fields of the tree.

    Raises:
        BadInput: With each entry that no parameter can have, the first hundred of them; or there is none to train.
    """
    known: dict[str, Leaf] = {}
    problems: list[Problem] = []
    for entry in entries:
        try:
            name = _named(entry, known)
            known[name] = Leaf(_shape(entry.shape), dtype_named(entry.dtype))
        except ValueError as error:
            at = locate or (lambda entry, message: Problem(source, 0, 0, f"{shown(entry.name)}: {message}"))
            problems.append(at(entry, str(error)))
            if len(problems) == _MOST:
                break
    if problems:
        raise BadInput(problems)
    inner, beside = _inner(known)
    left_out = beside | dict(_untrained(inner))
    leaves = {name: leaf for name, leaf in inner.items() if name not in left_out}
    if not leaves:
        raise bad_input(source, f"there is no parameter in it: of {counted(len(known), 'array')} none is trained")
    return Tree(source, form, leaves, left_out, **about)


_MOST = 100  # of the problems of one file; who has more wrote them by one mistake
_LARGEST = 10**18  # elements; of an axis too, so that no product is long to compute


def _named(entry: Entry, known: Mapping[str, Leaf]) -> str:
    name = entry.name
    if "" in entry.path or not name:
        raise ValueError("a part of the path is empty")
    if UNSEEN.search(name) or re.search(r"[\t\r\n]", name):
        raise ValueError("the path holds a control character")
    if name in known:
        raise ValueError("there are two parameters of this path")
    return name


def _shape(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"a shape must be a list of sizes as [512, 512], not {shown(value)}")
    if len(value) > 32:
        raise ValueError(f"a shape has at most 32 axes, not {len(value)}")
    size = 1
    for axis in value:
        if isinstance(axis, bool) or not isinstance(axis, int) or axis < 0:
            raise ValueError(f"a size must be a whole number of at least 0, not {shown(axis)}")
        size = min(size, _LARGEST) * axis
        if axis > _LARGEST or size > _LARGEST:
            raise ValueError(f"a parameter has at most {_LARGEST:g} elements")
    return tuple(value)


# ---- what is trained


def _inner(leaves: Leaves) -> tuple[Leaves, dict[str, str]]:
    """Return the parameters of a training's whole state, and what stands beside them."""
    for top in ("params", "model"):
        others = {path.partition("/")[0] for path in leaves} - {top}
        alone = top == "params" or others & _STATE
        if _below(top, leaves) and alone:
            left = {path: f"beside {top}" for path in leaves if path.partition("/")[0] != top}
            inner, more = _inner(_below(top, leaves))
            return inner, left | {f"{top}/{path}": why for path, why in more.items()}
    return leaves, {}


_STATE = {"optimizer", "optimizers", "opt_state", "step", "ema", "rngs", "loss_scale"}


def _below(top: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {path.removeprefix(f"{top}/"): value for path, value in values.items() if path.startswith(f"{top}/")}


def _untrained(leaves: Leaves) -> Iterator[tuple[str, str]]:
    for path, leaf in leaves.items():
        last = re.split("[/.]", path)[-1]
        sibling = {"mean": "var", "var": "mean"}.get(last)
        if leaf.dtype not in FLOATING:
            yield path, f"{leaf.dtype} has no gradient"
        elif last in ("running_mean", "running_var") or (sibling and path.removesuffix(last) + sibling in leaves):
            yield path, "a running statistic"
        elif last == "inv_freq" or (path.endswith("attn.bias") and len(leaf.shape) == 4):
            yield path, "a constant"
