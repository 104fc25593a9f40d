"""Flax Linen modules used wrongly."""

import jax
import jax.numpy as jnp
from flax import linen as nn


def parameters_without_their_collection() -> jax.Array:
    model, x = nn.Dense(3), jnp.ones((1, 2))
    params = model.init(jax.random.key(0), x)["params"]
    return model.apply(params, x)


def variables_wrapped_again() -> jax.Array:
    model, x = nn.Dense(3), jnp.ones((1, 2))
    variables = model.init(jax.random.key(0), x)
    return model.apply({"params": variables}, x)


def input_of_another_size() -> jax.Array:
    model = nn.Dense(3)
    variables = model.init(jax.random.key(0), jnp.ones((1, 2)))
    return model.apply(variables, jnp.ones((1, 5)))


def module_called_directly() -> jax.Array:
    model = nn.Dense(3)
    return model(jnp.ones((1, 2)))


def submodule_without_compact() -> jax.Array:
    class Classifier(nn.Module):
        def __call__(self, x: jax.Array) -> jax.Array:
            return nn.Dense(3)(x)

    return Classifier().init(jax.random.key(0), jnp.ones((1, 2)))


def submodule_made_in_init() -> jax.Array:
    class Classifier(nn.Module):
        def __init__(self) -> None:
            self.dense = nn.Dense(3)

    return Classifier().init(jax.random.key(0), jnp.ones((1, 2)))
