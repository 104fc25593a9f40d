import inspect
from operator import attrgetter
from typing import Any

import jax.numpy as jnp
import optax
import pytest

from skillkit.configuration.optimizers import OPTIMIZERS, WITHOUT_RATE

ELSEWHERE = {"learning_rate", "weight_decay", "weight_decay_rate", "mask", "weight_decay_mask"}
# these have a place of their own in a configuration, or no value that can be written down
NOT_SAID = {
    "contrib.muon": {"adam_weight_decay", "muon_weight_dimension_numbers"},
    "contrib.schedule_free_adamw": {"warmup_steps"},
    "lars": {"trust_ratio_mask"},
    "lbfgs": {"linesearch"},
}


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name != "set_to_zero"])
def test_keywords_and_defaults_are_those_of_the_installed_optax(name: str) -> None:
    signature = inspect.signature(attrgetter(name)(optax)).parameters
    found: dict[str, Any] = {
        key: "float32" if parameter.default is jnp.float32 else parameter.default
        for key, parameter in signature.items()
        if key not in ELSEWHERE | NOT_SAID.get(name, set())
    }
    assert OPTIMIZERS[name].keywords == found


@pytest.mark.parametrize("name", list(OPTIMIZERS))
def test_own_arguments_for_decay_exist(name: str) -> None:
    signature = inspect.signature(attrgetter(name)(optax)).parameters
    optimizer = OPTIMIZERS[name]
    assert {optimizer.decay_keyword, optimizer.mask_keyword} - {None} <= signature.keys()
    assert "learning_rate" in signature or name in WITHOUT_RATE
