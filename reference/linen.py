"""Flax Linen: modules that describe a computation and hold nothing."""

import jax
import jax.numpy as jnp
from flax import linen as nn


class Classifier(nn.Module):
    """One hidden layer; sizes are the module's fields."""

    width: int
    classes: int

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        """Map (batch, features) to logits of shape (batch, classes)."""
        x = nn.relu(nn.Dense(self.width)(x))
        return nn.Dense(self.classes)(x)


def example_init_and_apply() -> None:
    """Create the variables once by init, and hand all of them to apply."""
    model = Classifier(width=8, classes=3)
    x = jnp.ones((4, 2))
    variables = model.init(jax.random.key(0), x)  # {"params": {...}}, and what else the layers keep
    forward = jax.jit(model.apply)
    assert forward(variables, x).shape == (4, 3)

    params = variables["params"]  # where only these are trained, wrap them again
    grads = jax.grad(lambda params: jnp.sum(forward({"params": params}, x) ** 2))(params)
    assert jax.tree.map(jnp.shape, grads) == jax.tree.map(jnp.shape, params)


def example_compact() -> None:
    """Create submodules in a compact method, sizes from fields, input sizes from the input."""
    model = Classifier(width=8, classes=3)
    params = model.init(jax.random.key(0), jnp.ones((1, 5)))["params"]
    assert params["Dense_0"]["kernel"].shape == (5, 8)
    assert params["Dense_1"]["kernel"].shape == (8, 3)
