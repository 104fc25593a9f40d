"""States: the arrays that a transformation's `init` returns, in closed form and without jax."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from skillkit.configuration import masks
from skillkit.configuration.arrays import Array, like, lowest, scalar
from skillkit.configuration.expressions import Call, Name, Setting
from skillkit.configuration.optimizers import OPTIMIZERS
from skillkit.trees.leaves import Leaf, Leaves, Shape


def state(call: Call, leaves: Leaves) -> Iterator[Array]:
    """Yield what a transformation's `init` returns for parameters of these shapes and dtypes."""
    keywords = {key: _value(value) for key, value in call.keywords.items()}
    name = call.function.removeprefix("optax.")
    if name in _WRAPPERS:
        yield from _WRAPPERS[name](call, keywords, leaves)
    elif name in _STATES:
        known = OPTIMIZERS[name].keywords | keywords if name in OPTIMIZERS else keywords
        yield from _STATES[name](known, leaves)
        if isinstance(keywords.get("learning_rate"), Name):
            yield scalar()  # the schedule's count


def _value(value: Any) -> Any:
    return value.value if isinstance(value, Setting) else value


# ---- transformations around others


def _chain(call: Call, _: Any, leaves: Leaves) -> Iterator[Array]:
    for part in call.positional:
        yield from state(part, leaves)


def _partition(call: Call, keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    labels = {path: _label(call, path, leaf.shape) for path, leaf in leaves.items()}
    for label, part in keywords["transforms"].items():
        yield from state(part, {path: leaf for path, leaf in leaves.items() if labels[path] == label})


def _label(partition: Call, name: str, shape: Shape) -> str:
    chosen: Mapping[str, Name] = partition.keywords["param_labels"].keywords
    return next(label for label, takes in chosen.items() if getattr(masks, takes.name)(name, len(shape)))


def is_frozen(call: Call, name: str, shape: Shape) -> bool:
    """Return whether a transformation leaves a parameter as it is."""
    partition = next(_partitions(call), None)
    return partition is not None and _label(partition, name, shape) == "frozen"


def _partitions(call: Any) -> Iterator[Call]:
    if isinstance(call, Call):
        if call.function == "optax.partition":
            yield call
        for part in (*call.positional, *call.keywords.values()):
            yield from _partitions(part)


def _multi_steps(_: Call, keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    yield from like(leaves, "float32", "accumulator")
    yield from (scalar(), scalar())  # micro-batches and updates so far
    yield from (scalar(), scalar(1))  # what was not finite, and whether the last was
    yield from state(keywords["opt"], leaves)


def _accumulate(_: Call, keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    yield from like(leaves, "float32", "accumulator")
    yield scalar()
    yield from state(keywords["transformation"], leaves)


def _master(_: Call, keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    yield from like(leaves, "float32", "master_copy")
    yield from state(keywords["transformation"], {path: Leaf(leaf.shape) for path, leaf in leaves.items()})


def _schedule_free(_: Call, keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    yield from like(leaves, keywords.get("state_dtype"))
    yield scalar()  # the count
    yield from (scalar(lowest(leaves)) for _ in ("b1", "weight_sum", "max_lr"))
    yield from state(keywords["base_optimizer"], leaves)


_WRAPPERS: dict[str, Callable[[Call, dict[str, Any], Leaves], Iterator[Array]]] = {
    "chain": _chain,
    "partition": _partition,
    "MultiSteps": _multi_steps,
    "accumulate": _accumulate,
    "keep_master_copy": _master,
    "contrib.schedule_free": _schedule_free,
    "skip_bad_gradients": lambda _, keywords, leaves: state(keywords["transformation"], leaves),
}


# ---- transformations with a state of their own


def _two_moments(keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    yield from like(leaves, keywords.get("mu_dtype"))
    yield from like(leaves)
    yield scalar()


def _one_moment(keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    yield from like(leaves, keywords.get("mu_dtype"))
    yield scalar()


def _momentum(keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    if keywords.get("momentum") is not None:
        yield from like(leaves, keywords.get("accumulator_dtype"))


def _rmsprop(keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    for _ in range(1 + bool(keywords.get("centered"))):
        yield from like(leaves)
    if keywords.get("bias_correction"):
        yield scalar()
    yield from _momentum(keywords, leaves)


def _adafactor(keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    yield scalar()
    for path, leaf in leaves.items():
        yield from (Array("optimizer_state", part, leaf.itemsize, path) for part in _factors(keywords, leaf.shape))
    if keywords["momentum"] is not None:
        yield from like(leaves, keywords["dtype_momentum"])
        yield scalar()


def _factors(keywords: dict[str, Any], shape: Shape) -> tuple[Shape, Shape, Shape]:
    """Return the shapes of the row's, the column's and the whole second moment."""
    order = sorted(range(len(shape)), key=lambda axis: shape[axis])
    if not keywords["factored"] or len(shape) < 2 or shape[order[-2]] < keywords["min_dim_size_to_factor"]:
        return (1,), (1,), shape
    longest, second = order[-1], order[-2]
    row, column = (tuple(size for axis, size in enumerate(shape) if axis != gone) for gone in (longest, second))
    return row, column, (1,)


def _muon(keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    yield from _one_moment(keywords, leaves)
    yield Array("optimizer_state", (3,), 4)  # the polynomial's coefficients
    yield from (scalar(), scalar())  # the counts of an Adam that has no parameters


def _prodigy(_: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    for _copy in range(4):  # both moments, the sum of gradients, and where training began
        yield from like(leaves)
    yield from (scalar(lowest(leaves)) for _ in ("estim_lr", "numerator_weighted"))


def _lbfgs(keywords: dict[str, Any], leaves: Leaves) -> Iterator[Array]:
    memory = keywords["memory_size"]
    for _ in range(2):
        for path, leaf in leaves.items():
            yield Array("optimizer_state", (memory, *leaf.shape), leaf.itemsize, path)
    for _ in range(3):  # the last parameters, the last gradient, and the line search's gradient
        yield from like(leaves)
    yield Array("optimizer_state", (memory,), 4)
    yield from (scalar() for _ in range(4))
    highest = max((leaf.itemsize for leaf in leaves.values()), default=4)
    yield from (scalar(highest) for _ in ("learning_rate", "value"))


_STATES: dict[str, Callable[[dict[str, Any], Leaves], Iterator[Array]]] = {
    "adabelief": _two_moments,
    "adadelta": lambda _, leaves: chain(like(leaves), like(leaves)),
    "adafactor": _adafactor,
    "adagrad": lambda _, leaves: like(leaves),
    "adam": _two_moments,
    "adamax": _two_moments,
    "adamw": _two_moments,
    "contrib.differentially_private_aggregate": lambda *_: iter([scalar(8)]),  # a PRNG key
    "contrib.muon": _muon,
    "contrib.prodigy": _prodigy,
    "lamb": _two_moments,
    "lars": _momentum,
    "lbfgs": _lbfgs,
    "lion": _one_moment,
    "nadamw": _two_moments,
    "radam": _two_moments,
    "rmsprop": _rmsprop,
    "scale_by_learning_rate": lambda *_: iter([]),
    "scale_by_rms": _rmsprop,
    "sgd": _momentum,
}
