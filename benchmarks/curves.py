"""Loss curves with a known cause, and healthy ones, made by training small models in NumPy.

A run is described by its seed: the task, the model, the optimizer, the schedule, the length, how it is logged. The
rate is tuned for each by a short search, so that a healthy run is one whose rate is right. A cause is put in on
purpose, and kept as one only where the paired run shows that it did harm: what does no harm cannot be seen.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

Array = Any
TASKS = ("classes", "regression", "tokens", "image")
CAUSES = (
    "rate-too-large",
    "nan",
    "lost-state",
    "no-warmup",
    "noise",
    "rate-too-small",
    "overfitting",
    "chance",
    "floor",
    "bad-batches",
)


@dataclass(frozen=True)
class Setup:
    """All that a run depends on."""

    seed: int
    task: str = "classes"
    hidden: tuple[int, ...] = (32,)
    relu: bool = True
    classes: int = 10
    batch: int = 32
    steps: int = 1000
    optimizer: str = "adam"
    b2: float = 0.999
    rate: float = 1e-3
    warmup: int = 50
    schedule: str = "cosine"
    total: int = 0  # of the schedule; 0 is the run's
    clip: float = 0.0
    data: int = 0  # of examples; 0 draws new ones
    label_noise: float = 0.0
    scale: float = 1.0  # of the first parameters
    start: tuple[Array, ...] | None = None
    bad: dict[int, float] = field(default_factory=dict)  # at which update inputs are multiplied by what
    lose: dict[int, str] = field(default_factory=dict)  # at which update which state is lost
    mute: str = ""  # what keeps it from learning


@dataclass
class Trace:
    """What a run did: a number for each update, and the validation loss at some."""

    loss: list[float]
    gradient: list[float]
    rate: list[float]
    validation: dict[int, float]
    params: tuple[Array, ...]


@dataclass(frozen=True)
class Made:
    """A log with what is known of it: its cause, or none."""

    cause: str
    seed: int
    text: str
    classes: int | None


class _Task:
    """A teacher whose examples a model learns: classes, numbers, the next of a chain of tokens, or blobs."""

    def __init__(self, setup: Setup) -> None:
        rng = np.random.default_rng([setup.seed, 1])
        self.setup, self.inputs = setup, 16
        self.out = setup.classes if setup.task != "regression" else 1
        if setup.task == "tokens":
            self.inputs = self.out
            self.chain = rng.dirichlet(np.full(self.out, 0.3), self.out)
        elif setup.task == "image":
            self.centres = rng.normal(size=(self.out, self.inputs)) * 1.2
        else:
            self.first = rng.normal(size=(self.inputs, 24)) / 4
            self.second = rng.normal(size=(24, self.out)) / math.sqrt(24) * 3
        self.fixed = self._new(np.random.default_rng([setup.seed, 2]), setup.data) if setup.data else None
        self.held = self._new(np.random.default_rng([setup.seed, 3]), 1024)

    def _new(self, rng: Any, count: int) -> tuple[Array, Array]:
        setup = self.setup
        if setup.task == "tokens":
            before = rng.integers(self.out, size=count)
            draws = rng.random((count, 1))
            after = (self.chain[before].cumsum(1) < draws).sum(1).clip(0, self.out - 1)
            inputs, targets = np.eye(self.out)[before], after
        elif setup.task == "image":
            targets = rng.integers(self.out, size=count)
            inputs = self.centres[targets] + rng.normal(size=(count, self.inputs))
        else:
            inputs = rng.normal(size=(count, self.inputs))
            scores = np.tanh(inputs @ self.first) @ self.second
            if setup.task == "regression":
                return inputs, scores + setup.label_noise * 2 * rng.normal(size=scores.shape) + 0.1 * rng.normal(
                    size=scores.shape
                )
            targets = scores.argmax(1)
        wrong = rng.random(count) < setup.label_noise
        return inputs, np.where(wrong, rng.integers(self.out, size=count), targets)

    def batch(self, rng: Any) -> tuple[Array, Array]:
        if self.fixed is None:
            return self._new(rng, self.setup.batch)
        chosen = rng.integers(self.setup.data, size=self.setup.batch)
        return self.fixed[0][chosen], self.fixed[1][chosen]


def _first_params(setup: Setup, task: _Task) -> tuple[Array, ...]:
    rng = np.random.default_rng([setup.seed, 4])
    sizes = (task.inputs, *setup.hidden, task.out)
    params: list[Array] = []
    for inner, outer in pairwise(sizes):
        params += [rng.normal(size=(inner, outer)) * setup.scale / math.sqrt(inner), np.zeros(outer)]
    params[-2] *= 0.3
    return tuple(params)


def _loss(params: tuple[Array, ...], inputs: Array, targets: Array, setup: Setup) -> tuple[float, list[Array]]:
    """Return the loss and its gradients."""
    values, count = [inputs], len(inputs)
    for index in range(0, len(params) - 2, 2):
        value = values[-1] @ params[index] + params[index + 1]
        values.append(np.maximum(value, 0) if setup.relu else np.tanh(value))
    out = values[-1] @ params[-2] + params[-1]
    if setup.task == "regression":
        error = out - targets
        loss, grad = float((error**2).mean()), 2 * error / count
    else:
        shifted = out - out.max(1, keepdims=True)
        exponentials = np.exp(shifted)
        sums = exponentials.sum(1, keepdims=True)
        loss = float((np.log(sums[:, 0]) - shifted[np.arange(count), targets]).mean())
        grad = exponentials / sums
        grad[np.arange(count), targets] -= 1
        grad /= count
    grads: list[Array] = []
    for index in range(len(params) - 2, -1, -2):
        value = values[index // 2]
        grads += [grad.sum(0), value.T @ grad]
        if index:
            grad = grad @ params[index].T
            grad = grad * ((value > 0) if setup.relu else (1 - value**2))
    return loss, grads[::-1]


def _rate(setup: Setup, step: int) -> float:
    total = setup.total or setup.steps
    if step < setup.warmup:
        return setup.rate * (step + 1) / setup.warmup
    share = min(1.0, (step - setup.warmup) / max(1, total - setup.warmup))
    shapes: dict[str, Callable[[], float]] = {
        "constant": lambda: 1.0,
        "cosine": lambda: (1 + math.cos(math.pi * share)) / 2,
        "tenth": lambda: 0.1 + 0.9 * (1 + math.cos(math.pi * share)) / 2,
        "linear": lambda: 1 - share,
        "wsd": lambda: min(1.0, (1 - share) / 0.2),
        "steps": lambda: 0.1 ** int(share * 3) if share < 1 else 0.01,
    }
    return setup.rate * shapes[setup.schedule]()


def train(setup: Setup) -> Trace:
    """Train a model and return what is seen of it."""
    with np.errstate(all="ignore"):
        return _train(setup)


def _train(setup: Setup) -> Trace:
    task = _Task(setup)
    rng = np.random.default_rng([setup.seed, 5])
    params = [array.copy() for array in setup.start or _first_params(setup, task)]
    first = [np.zeros_like(array) for array in params]
    second = [np.zeros_like(array) for array in params]
    count, offset, kept = 0, 0, [array.copy() for array in params]
    trace = Trace([], [], [], {}, ())
    for step in range(setup.steps):
        lost = setup.lose.get(step, "")
        if "moments" in lost:
            first, second, count = [0 * array for array in first], [0 * array for array in second], 0
        if "count" in lost:
            offset = step
        if "params" in lost:
            params = [array.copy() for array in kept]
        if step % 100 == 0:
            kept = [array.copy() for array in params] if step < setup.steps // 10 else kept
        inputs, targets = task.batch(rng)
        if step in setup.bad:
            inputs = inputs * setup.bad[step]
        if setup.mute == "labels":
            targets = rng.permutation(targets)
        loss, grads = _loss(tuple(params), inputs, targets, setup)
        norm = math.sqrt(sum(float((grad**2).sum()) for grad in grads))
        if setup.clip and norm > setup.clip:
            grads = [grad * (setup.clip / norm) for grad in grads]
        if setup.mute == "gradients":
            grads, norm = [0 * grad for grad in grads], 0.0
        rate, count = _rate(setup, step - offset), count + 1
        trace.loss.append(loss)
        trace.gradient.append(norm)
        trace.rate.append(rate)
        for index, grad in enumerate(grads):
            if setup.optimizer == "adam":
                first[index] = 0.9 * first[index] + 0.1 * grad
                second[index] = setup.b2 * second[index] + (1 - setup.b2) * grad**2
                size = np.sqrt(second[index] / (1 - setup.b2**count)) + 1e-8
                params[index] = params[index] - rate * first[index] / (1 - 0.9**count) / size
            else:
                first[index] = (0.9 if setup.optimizer == "momentum" else 0.0) * first[index] + grad
                params[index] = params[index] - rate * first[index]
        if step % max(1, setup.steps // 40) == 0 or step == setup.steps - 1:
            trace.validation[step] = _loss(tuple(params), *task.held, setup)[0]
    trace.params = tuple(params)
    return trace


_RATES = {
    "adam": [0.0003, 0.001, 0.003, 0.01, 0.03],
    "momentum": [0.001, 0.003, 0.01, 0.03, 0.1],
    "sgd": [0.01, 0.03, 0.1, 0.3, 1.0],
}


_WARMUP = 30  # updates, with which the rate is found and which no run falls below


def tuned(setup: Setup) -> float:
    """Return the rate of a short search with which the held-out loss is lowest."""
    best, found = math.inf, _RATES[setup.optimizer][0]
    for rate in _RATES[setup.optimizer]:
        short = replace(setup, rate=rate, steps=300, warmup=_WARMUP, total=0, schedule="cosine")
        value = list(train(short).validation.values())[-1]
        if value < best:
            best, found = value, rate
    return found


def drawn(seed: int) -> Setup:
    """Return a setup whose rate is right."""
    rng = np.random.default_rng([seed, 0])

    def pick(*choices: Any) -> Any:
        return choices[int(rng.integers(len(choices)))]

    steps = int(math.exp(rng.uniform(math.log(400), math.log(2500))))
    setup = Setup(
        seed,
        task=pick(*TASKS),
        hidden=pick((), (24,), (32, 32), (24, 24, 24)),
        relu=bool(pick(True, False)),
        classes=pick(2, 4, 10, 30),
        batch=pick(8, 16, 64, 128),
        steps=steps,
        optimizer=pick("adam", "adam", "momentum", "sgd"),
        b2=pick(0.999, 0.95),
        warmup=max(_WARMUP, pick(steps // 50, steps // 20, steps // 10)),
        schedule=pick("constant", "cosine", "tenth", "linear", "wsd", "steps"),
        clip=pick(0.0, 1.0),
        label_noise=pick(0.0, 0.05, 0.2),
    )
    return replace(setup, rate=tuned(setup) * rng.uniform(0.3, 0.8))


def healthy(seed: int) -> Made:
    """Return the log of a run whose rate is right, sometimes stopped and resumed as it should be."""
    setup = drawn(seed)
    trace = train(setup)
    rng = np.random.default_rng([seed, 6])
    repeats = {}
    if rng.random() < 0.25:
        at = int(setup.steps * rng.uniform(0.2, 0.9))
        repeats[at] = int(rng.integers(0, max(2, setup.steps // 10)))
    return _made("", setup, trace, repeats)


def caused(cause: str, seed: int) -> Made | None:
    """Return the log of a run with a cause, or None where it did no harm."""
    rng = np.random.default_rng([seed, 7])
    setup = drawn(seed)
    return _CAUSES[cause](setup, rng)


def _made(
    cause: str,
    setup: Setup,
    trace: Trace,
    repeats: dict[int, int] | None = None,
    needs: str = "",
    before: Trace | None = None,
) -> Made:
    """Return what a logger would have written of a trace.

    Args:
        cause: The cause.
        setup: Its setup.
        trace: What it did.
        repeats: At which updates it was resumed, and how many before that had been logged beyond the checkpoint.
        needs: A column that is always there.
        before: What it did until it was stopped; the same.
    """
    rng = np.random.default_rng([setup.seed, 8])
    interval = int(rng.choice([1, 1, 2, 5, 10]))
    while setup.steps / interval < 80:
        interval = max(1, interval // 2)
    averaged = bool(rng.random() < 0.5)
    columns = {name for name, share in (("lr", 0.7), ("grad_norm", 0.6), ("val_loss", 0.5)) if rng.random() < share}
    columns |= {needs} - {""}
    names = [
        {"step": "step", "loss": "loss", "lr": "lr", "grad_norm": "grad_norm", "val_loss": "val_loss"},
        {
            "step": "_step",
            "loss": "train/loss",
            "lr": "train/lr",
            "grad_norm": "train/grad_norm",
            "val_loss": "val/loss",
        },
        {"step": "iter", "loss": "train_loss", "lr": "learning_rate", "grad_norm": "gnorm", "val_loss": "valid_loss"},
    ][int(rng.integers(3))]
    rows: list[dict[str, Any]] = []
    after = trace
    for step, again in _order(setup.steps, repeats or {}):
        trace, row = after if again else before or after, {}
        if (step + 1) % interval == 0:
            window = trace.loss[max(0, step + 1 - interval) : step + 1] if averaged else trace.loss[step : step + 1]
            row["loss"] = _round(sum(window) / len(window))
            row |= {"lr": trace.rate[step]} if "lr" in columns else {}
            row |= {"grad_norm": _round(trace.gradient[step])} if "grad_norm" in columns else {}
        if step in trace.validation and "val_loss" in columns:
            row["val_loss"] = _round(trace.validation[step])
        if row:
            rows.append({names["step"]: step} | {names[name]: value for name, value in row.items()})
    classes = setup.classes if setup.task != "regression" and rng.random() < 0.5 else None
    return Made(cause, setup.seed, _written(rows, names, columns, bool(rng.random() < 0.5)), classes)


def _order(steps: int, repeats: dict[int, int]) -> Iterator[tuple[int, bool]]:
    """Yield the updates as they are logged, and whether that is after the last resume."""
    begin = 0
    for at, more in sorted(repeats.items()):
        yield from ((step, False) for step in range(begin, min(steps, at + more)))
        begin = at
    yield from ((step, True) for step in range(begin, steps))


def _round(value: float) -> float:
    return float(f"{value:.5g}")


def _written(rows: list[dict[str, Any]], names: dict[str, str], columns: set[str], lines: bool) -> str:
    if lines:
        return "".join(json.dumps(row) + "\n" for row in rows)
    header = [name for key, name in names.items() if key in columns | {"step", "loss"}]
    out = io.StringIO()
    writer = csv.DictWriter(out, header, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _end(trace: Trace) -> float:
    return float(np.mean(trace.loss[-max(5, len(trace.loss) // 10) :]))


def _fell(trace: Trace) -> float:
    return float(np.mean(trace.loss[:3])) - _end(trace)


def _rate_too_large(setup: Setup, rng: Any) -> Made | None:
    times = {"adam": (30, 300), "momentum": (8, 60), "sgd": (8, 60)}[setup.optimizer]
    fair = train(setup)
    trace = train(replace(setup, rate=setup.rate * math.exp(rng.uniform(*map(math.log, times))), clip=0.0))
    harmed = not math.isfinite(_end(trace)) or _end(trace) > _end(fair) + 0.5 * _fell(fair)
    return _made("rate-too-large", setup, trace) if harmed else None


def _nan(setup: Setup, rng: Any) -> Made | None:
    at = int(setup.steps * rng.uniform(0.1, 0.95))
    return _made("nan", setup, train(replace(setup, bad={at: math.nan})))


def _lost_state(setup: Setup, rng: Any) -> Made | None:
    setup = replace(setup, optimizer="adam", b2=0.999) if setup.optimizer != "adam" else setup
    setup = replace(setup, rate=tuned(setup) * rng.uniform(0.5, 1.0))
    at = int(setup.steps * rng.uniform(0.25, 0.75))
    lost = str(rng.choice(["moments", "count", "moments count", "params"]))
    fair, trace = train(setup), train(replace(setup, lose={at: lost}))
    after = slice(at, at + max(10, setup.steps // 50))
    harm = float(np.mean(trace.loss[after]) - np.mean(fair.loss[after]))
    restarts = "count" in lost and (setup.warmup > 5 or setup.schedule != "constant")
    if harm < 0.1 * abs(_fell(fair)) and not restarts:
        return None
    more = int(rng.integers(0, max(2, setup.steps // 10)))
    return _made("lost-state", setup, trace, {at: more}, "lr" if restarts else "", fair)


def _no_warmup(setup: Setup, rng: Any) -> Made | None:
    times = math.exp(rng.uniform(math.log(2), math.log(20)))
    setup = replace(setup, optimizer="adam", hidden=(32, 32, 32), clip=0.0)
    setup = replace(setup, warmup=0, rate=tuned(setup) * times)
    trace = train(setup)
    end = _end(trace)
    if max(trace.loss[: setup.steps // 10]) < trace.loss[0] + 0.25 * (trace.loss[0] - end):
        return None
    gentle = train(replace(setup, warmup=setup.steps // 5))
    begin, noise = float(np.mean(gentle.loss[:10])), float(np.std(trace.loss[setup.steps // 4 : setup.steps // 2]))
    # what is over within ten updates, or lower than the scatter, is in no log
    high, eased = (
        float(np.convolve(one.loss[: setup.steps // 5], np.full(10, 0.1), "valid").max()) for one in (trace, gentle)
    )
    harmed = high > begin + max(0.25 * (begin - end), noise) and eased < begin + 0.15 * (begin - end)
    return _made("no-warmup", setup, trace) if harmed and end < begin - 0.1 * abs(begin) else None


def _noise(setup: Setup, rng: Any) -> Made | None:
    before = train(setup)
    steps = int(rng.integers(150, 600))
    setup = replace(
        setup,
        start=before.params,
        batch=int(rng.choice([1, 2, 4])),
        steps=steps,
        warmup=0,
        rate=setup.rate * 0.1,
        schedule="constant",
    )
    trace = train(setup)
    held = list(trace.validation.values())
    made = _made("noise", setup, trace)
    harmed = np.std(trace.loss) > 0.3 * abs(np.mean(trace.loss)) and abs(held[0] - held[-1]) < 0.1 * np.std(trace.loss)
    return made if harmed else None


def _rate_too_small(setup: Setup, rng: Any) -> Made | None:
    fair = train(setup)
    trace = train(replace(setup, rate=setup.rate * math.exp(rng.uniform(math.log(0.003), math.log(0.03)))))
    return _made("rate-too-small", setup, trace) if _fell(trace) < 0.5 * _fell(fair) else None


def _overfitting(setup: Setup, rng: Any) -> Made | None:
    setup = replace(setup, data=int(rng.integers(30, 300)), hidden=(64, 32), schedule="constant", label_noise=0.1)
    trace = train(replace(setup, steps=max(setup.steps, 800)))
    setup = replace(setup, steps=max(setup.steps, 800))
    held = list(trace.validation.values())
    best = int(np.argmin(held))
    harmed = best < 0.7 * len(held) and held[-1] > 1.1 * held[best]
    return _made("overfitting", setup, trace, needs="val_loss") if harmed else None


def _chance(setup: Setup, rng: Any) -> Made | None:
    task = "classes" if setup.task == "regression" else setup.task
    setup = replace(setup, task=task, mute=str(rng.choice(["labels", "gradients"])), label_noise=0.0)
    return _made("chance", setup, train(setup))


def _floor(setup: Setup, rng: Any) -> Made | None:
    setup = replace(setup, schedule=str(rng.choice(["cosine", "linear"])))
    setup = replace(setup, total=int(setup.steps * rng.uniform(0.25, 0.65)))
    fair = train(replace(setup, total=0))
    trace = train(setup)
    return _made("floor", setup, trace, needs="lr") if _end(trace) > _end(fair) - 0.05 * _fell(fair) else None


def _bad_batches(setup: Setup, rng: Any) -> Made | None:
    count = int(rng.integers(1, 4))
    at = sorted(int(setup.steps * rng.uniform(0.15, 0.9)) for _ in range(count))
    bad = {step + more: float(rng.uniform(8, 60)) for step in at for more in range(int(rng.integers(1, 4)))}
    fair, trace = train(setup), train(replace(setup, bad=bad))
    # some of it must last until the next row
    rises = [np.mean(trace.loss[step : step + 10]) - np.mean(fair.loss[step : step + 10]) for step in at]
    seen = max(0.2 * _fell(fair), 2 * float(np.std(fair.loss[-100:])))
    harmed = any(not float(rise) < seen for rise in rises)
    return _made("bad-batches", setup, trace) if harmed else None


_CAUSES: dict[str, Callable[[Setup, Any], Made | None]] = {
    "rate-too-large": _rate_too_large,
    "nan": _nan,
    "lost-state": _lost_state,
    "no-warmup": _no_warmup,
    "noise": _noise,
    "rate-too-small": _rate_too_small,
    "overfitting": _overfitting,
    "chance": _chance,
    "floor": _floor,
    "bad-batches": _bad_batches,
}
