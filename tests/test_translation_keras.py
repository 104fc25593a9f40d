"""Equality with Keras: what a translation calls equal takes the same steps, and what it says differs does not."""

import json
import os
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from skillkit.configuration.schedules import value
from skillkit.reading import parse
from skillkit.translation.keras import recipe
from skillkit.translation.tables import entries
from skillkit.translation.translating import Translation, translate
from tests.stepping import EQUAL, UPDATES, difference, drawn, gradients, optax_run, start

pytest.importorskip("torch", reason="Keras computes with PyTorch here, as JAX under Keras has no float64")
os.environ.setdefault("KERAS_BACKEND", "torch")
keras: Any = pytest.importorskip("keras", reason="Keras is not installed: pip install keras, to step both side by side")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:__array__ implementation"),  # of Keras' own variables, under numpy 2
]
Settings = dict[str, Any]


@pytest.fixture(autouse=True)
def _in_float64() -> Any:
    before = keras.backend.floatx()
    keras.backend.set_floatx("float64")
    yield
    keras.backend.set_floatx(before)


def adams(rng: random.Random) -> Settings:
    return {
        "beta_1": rng.choice((0.0, 0.9)),
        "beta_2": rng.choice((0.9, 0.999)),
        "epsilon": drawn(rng, 1e-9, 1e-3),
        "weight_decay": rng.choice((None, 0.01)),
    }


DRAW: Mapping[str, Callable[[random.Random], Settings]] = {
    "SGD": lambda rng: {
        "momentum": rng.choice((0.0, 0.9)),
        "nesterov": rng.random() < 0.5,
        "weight_decay": rng.choice((None, 0.01)),
    },
    "RMSprop": lambda rng: {
        "rho": rng.choice((0.8, 0.95)),
        "momentum": rng.choice((0.0, 0.9)),
        "epsilon": drawn(rng, 1e-9, 1e-3),
        "centered": rng.random() < 0.5,
        "weight_decay": rng.choice((None, None, 0.01)),
    },
    "Adam": lambda rng: adams(rng) | {"amsgrad": rng.random() < 0.2},
    "AdamW": lambda rng: adams(rng) | {"weight_decay": rng.choice((0.0, 0.01))},
    "Nadam": adams,
    "Adamax": adams,
    "Adagrad": lambda rng: {
        "initial_accumulator_value": rng.choice((0.0, 0.1)),
        "epsilon": drawn(rng, 1e-9, 1e-3),
        "weight_decay": rng.choice((None, None, 0.01)),
    },
    "Adadelta": lambda rng: {
        "rho": rng.choice((0.8, 0.95)),
        "epsilon": drawn(rng, 1e-9, 1e-3),
        "weight_decay": rng.choice((None, None, 0.01)),
    },
    "Lion": lambda rng: {"beta_1": 0.8, "beta_2": 0.95, "weight_decay": rng.choice((None, 0.01))},
    "Lamb": adams,
    "Adafactor": lambda rng: {"relative_step": rng.random() < 0.5},
}
NOT_STEPPED = {"Ftrl", "Muon"}  # which are not translated
SCHEDULES: Mapping[str, Callable[[random.Random], Settings]] = {
    "CosineDecay": lambda rng: {
        "initial_learning_rate": 0.01,
        "decay_steps": rng.randint(10, 60),
        "alpha": rng.choice((0.0, 0.1)),
        **rng.choice(({}, {"warmup_target": 0.1, "warmup_steps": 7})),
    },
    "CosineDecayRestarts": lambda rng: {
        "initial_learning_rate": 0.1, "first_decay_steps": rng.choice((9, 60)), "t_mul": rng.choice((1.0, 2.0)),
        "m_mul": 0.9, "alpha": 0.1,
    },
    "ExponentialDecay": lambda rng: {
        "initial_learning_rate": 0.1, "decay_steps": rng.randint(3, 20), "decay_rate": 0.5,
        "staircase": rng.random() < 0.5,
    },
    "PolynomialDecay": lambda rng: {
        "initial_learning_rate": 0.1, "decay_steps": rng.randint(10, 60), "end_learning_rate": 0.001,
        "power": rng.choice((1.0, 2.0)), "cycle": rng.random() < 0.3,
    },
    "PiecewiseConstantDecay": lambda rng: {
        "boundaries": [10, 30], "values": rng.choice(([0.1, 0.01, 0.001], [0.1, 0.02, 0.01]))
    },
    "InverseTimeDecay": lambda rng: {
        "initial_learning_rate": 0.1, "decay_steps": rng.randint(2, 9), "decay_rate": 0.5,
        "staircase": rng.random() < 0.5,
    },
}  # fmt: skip


def translated(config: Mapping[str, Any]) -> Translation:
    return translate(recipe(parse(json.dumps(config), "optimizer.json")), UPDATES)


def keras_run(optimizer: Any, seed: int) -> list[list[np.ndarray]]:
    variables = [keras.Variable(part, dtype="float64") for part in start(seed)]
    path = []
    for grads in gradients(seed):
        optimizer.apply([keras.ops.convert_to_tensor(grad, "float64") for grad in grads], variables)
        path.append([np.array(keras.ops.convert_to_numpy(variable.value)) for variable in variables])
    return path


def measured(optimizer: Any, seed: int) -> tuple[Translation, float]:
    config = optimizer.get_config()
    json.dumps(config)
    found = translated(config)
    assert not found.recipe.unread
    return found, difference(keras_run(optimizer, seed), optax_run(found.configuration, seed), seed)


def test_every_optimizer_of_the_table_is_stepped_or_said_not_to_be() -> None:
    known = {name.removeprefix("keras.") for name in entries("optimizers") if name.startswith("keras.")}
    assert known == DRAW.keys() | NOT_STEPPED


@pytest.mark.parametrize("name", DRAW)
def test_the_table_has_the_keys_and_defaults_of_the_installed_keras(name: str) -> None:
    config = getattr(keras.optimizers, name)().get_config()
    config.pop("name")
    arguments = entries("optimizers")[f"keras.{name}"].arguments
    assert config.keys() == arguments.keys()
    for key, default in config.items():
        assert arguments[key].default == (pytest.approx(default, rel=1e-6) if isinstance(default, float) else default)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", DRAW)
def test_an_optimizer_takes_the_same_steps_or_is_said_to_differ(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    settings = DRAW[name](rng)
    rate = drawn(rng, 0.2, 0.5) if name == "Adafactor" else drawn(rng, 1e-3, 1e-1)  # where its cap is met
    optimizer = getattr(keras.optimizers, name)(rate, **settings)
    found, off = measured(optimizer, seed)
    print(f"{name}: {off:.1e}")
    assert (off <= EQUAL) == (not found.differs), (settings, off, found.differs)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_gives_the_same_rates_or_is_said_to_differ(name: str, seed: int) -> None:
    schedule = getattr(keras.optimizers.schedules, name)(**SCHEDULES[name](random.Random(f"{name} {seed}")))
    found, off = measured(keras.optimizers.SGD(schedule), seed)
    rates = [float(schedule(update)) for update in range(UPDATES)]
    made = found.configuration["networks"][0]["groups"][0]["schedule"]
    worst = max(abs(value(made, update) - rate) for update, rate in enumerate(rates)) / max(rates)
    print(f"{name}: {off:.1e}, {worst:.1e}")
    assert (off <= EQUAL, worst <= EQUAL) == ((not found.differs),) * 2, (found.differs, made)


@pytest.mark.parametrize("settings", [{"global_clipnorm": 0.5}, {"clipvalue": 0.01}, {"clipnorm": 0.5}])
def test_clipping(settings: Settings) -> None:
    found, off = measured(keras.optimizers.SGD(0.1, **settings), 0)
    assert (off <= EQUAL, not found.differs) == (("clipnorm" not in settings),) * 2
    assert bool(found.configuration["networks"][0]["clip"]) == ("clipnorm" not in settings)


@pytest.mark.parametrize("name", ["CosineDecay", "ExponentialDecay", "PolynomialDecay", None])
def test_a_schedule_counts_batches_where_several_make_an_update(name: str | None) -> None:
    every = 4
    schedules: Mapping[str | None, Any] = {
        "CosineDecay": lambda: keras.optimizers.schedules.CosineDecay(0.1, 40, warmup_target=0.2, warmup_steps=8),
        "ExponentialDecay": lambda: keras.optimizers.schedules.ExponentialDecay(0.1, 8, 0.5, staircase=True),
        "PolynomialDecay": lambda: keras.optimizers.schedules.PolynomialDecay(0.1, 40),
        None: lambda: 0.1,
    }
    rate = schedules[name]()
    optimizer = keras.optimizers.SGD(rate, gradient_accumulation_steps=every)
    found = translate(recipe(parse(json.dumps(optimizer.get_config()), "optimizer.json")), 20)
    assert found.configuration["accumulation"] == every
    schedule = found.configuration["networks"][0]["groups"][0]["schedule"]
    variable, rates = keras.Variable(np.zeros(1)), []
    for _ in range(20 * every):
        before = float(keras.ops.convert_to_numpy(variable.value)[0])
        optimizer.apply([keras.ops.ones(1, "float64")], [variable])
        rates.append(before - float(keras.ops.convert_to_numpy(variable.value)[0]))
    taken = rates[every - 1 :: every]
    assert sum(rates) == pytest.approx(sum(taken))
    worst = max(abs(value(schedule, update) - rate) for update, rate in enumerate(taken)) / max(taken)
    assert (worst <= EQUAL) == (not found.differs), (worst, found.differs)
    assert bool(found.differs) == (name in ("CosineDecay", "PolynomialDecay"))
    if found.differs:
        assert f"by up to {worst:.2g} of the highest rate" in found.differs[0].text


def test_an_average_begins_elsewhere_and_that_is_said() -> None:
    optimizer = keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.9)
    variable = keras.Variable(np.ones(1))
    optimizer.apply([keras.ops.ones(1, "float64")], [variable])
    (average,) = optimizer._model_variables_moving_average
    assert float(keras.ops.convert_to_numpy(average.value)[0]) == pytest.approx(
        0.9
    )  # the parameters after the first update
    found = translated(optimizer.get_config())
    assert found.configuration["ema"] == 0.9
    assert "begins with the parameters after the first update" in found.differs[0].text


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_momentum_and_a_schedule_together(momentum: float) -> None:
    for name in ("SGD", "RMSprop"):
        schedule = keras.optimizers.schedules.CosineDecay(0.1, 50)
        found, off = measured(getattr(keras.optimizers, name)(schedule, momentum=momentum), 0)
        assert (off <= EQUAL) == (not found.differs)
        assert bool(found.differs) == (name == "SGD" and momentum > 0)


def test_what_serialize_makes_is_read_too() -> None:
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(0.1, 10))
    whole, plain = translated(keras.optimizers.serialize(optimizer)), translated(optimizer.get_config())
    assert whole.configuration == plain.configuration
    scaled = keras.optimizers.serialize(keras.optimizers.LossScaleOptimizer(optimizer))
    assert translated(scaled).configuration == plain.configuration
