"""Equinox: models that are pytrees, functions and flags included."""

import tempfile
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


def example_batch() -> None:
    """Map the model, which takes one example, over the batch."""
    model = eqx.nn.MLP(in_size=2, out_size=3, width_size=8, depth=1, key=jax.random.key(0))
    batch = jnp.ones((5, 2))
    assert model(batch[0]).shape == (3,)
    assert jax.vmap(model)(batch).shape == (5, 3)


def outputs_of_a_square_batch() -> list[list[float]]:
    """Return the outputs for three one-hot examples of a layer that doubles its first input."""
    layer = eqx.nn.Linear(3, 3, use_bias=False, key=jax.random.key(0))
    layer = eqx.tree_at(lambda layer: layer.weight, layer, jnp.zeros((3, 3)).at[0].set(2.0))
    return jax.vmap(layer)(jnp.eye(3)).tolist()


def loss_fn(model: eqx.nn.MLP, x: jax.Array, y: jax.Array) -> jax.Array:
    """Return the mean squared error over a batch."""
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


def example_filtered_step() -> None:
    """Train the model's arrays, and leave its functions and flags alone."""
    model = eqx.nn.MLP(2, 1, 8, 1, key=jax.random.key(0))
    optimizer = optax.adam(1e-2)
    opt_state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))

    @eqx.filter_jit
    def step(
        model: eqx.nn.MLP, opt_state: optax.OptState, x: jax.Array, y: jax.Array
    ) -> tuple[eqx.nn.MLP, optax.OptState, jax.Array]:
        loss, grads = eqx.filter_value_and_grad(loss_fn)(model, x, y)
        params = eqx.filter(model, eqx.is_inexact_array)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return eqx.apply_updates(model, updates), opt_state, loss

    losses = []
    for _ in range(3):
        model, opt_state, loss = step(model, opt_state, jnp.ones((8, 2)), jnp.ones((8, 1)))
        losses.append(float(loss))
    assert losses[2] < losses[1] < losses[0]


def example_partition() -> None:
    """Split a model for plain JAX functions: arrays go in, the rest is closed over."""
    model = eqx.nn.MLP(2, 3, 8, 1, key=jax.random.key(0))
    params, static = eqx.partition(model, eqx.is_array)
    predict = jax.jit(lambda params, x: eqx.combine(params, static)(x))
    assert jnp.allclose(predict(params, jnp.ones(2)), model(jnp.ones(2)))


def example_tree_at() -> None:
    """Make a changed copy; the model itself never changes."""
    layer = eqx.nn.Linear(2, 3, key=jax.random.key(0))
    zeroed = eqx.tree_at(lambda layer: layer.weight, layer, jnp.zeros((3, 2)))
    assert (zeroed.weight == 0).all()
    assert not (layer.weight == 0).any()


def example_scalars_as_arrays() -> None:
    """Give what changes between calls as an array."""
    traces = []

    @eqx.filter_jit
    def scale(x: jax.Array, rate: float | jax.Array) -> jax.Array:
        traces.append("this line runs when scale is traced")
        return rate * x

    for rate in (0.1, 0.2, 0.3):
        scale(jnp.ones(2), jnp.asarray(rate))
    assert len(traces) == 1


class Scale(eqx.Module):
    """A module with a number in it."""

    rate: float | jax.Array


def check_fields() -> None:
    """Hold that a Python number in a module is static too, and an array is not."""
    traces = []

    @eqx.filter_jit
    def apply(module: Scale, x: jax.Array) -> jax.Array:
        traces.append(type(module.rate))
        return module.rate * x

    for rate in (0.1, 0.2, 0.3):
        apply(Scale(rate), jnp.ones(2))
    assert traces == [float] * 3
    for rate in (0.1, 0.2, 0.3):
        apply(Scale(jnp.asarray(rate)), jnp.ones(2))
    assert len(traces) == 3 + 1


def traces_for_three_rates() -> int:
    """Return how often a function is traced for three learning rates."""
    traces = []

    @eqx.filter_jit
    def scale(x: jax.Array, rate: float | jax.Array) -> jax.Array:
        traces.append(1)
        return rate * x

    for rate in (0.1, 0.2, 0.3):
        scale(jnp.ones(2), jnp.asarray(rate))
    return len(traces)


class LanguageModel(eqx.Module):
    """An embedding whose matrix is also the output layer's."""

    tied: eqx.nn.Shared

    def __init__(self, vocabulary: int, width: int, key: jax.Array) -> None:
        """Create the matrix once."""
        embedding = eqx.nn.Embedding(vocabulary, width, key=key)
        output = eqx.nn.Linear(width, vocabulary, use_bias=False, key=key)
        self.tied = eqx.nn.Shared(
            (embedding, output), where=lambda pair: pair[1].weight, get=lambda pair: pair[0].weight
        )

    def __call__(self, token: jax.Array) -> jax.Array:
        """Return logits over the vocabulary for one token."""
        embedding, output = self.tied()
        return output(embedding(token))


def example_shared() -> None:
    """Tie weights by eqx.nn.Shared, and they stay tied under updates."""
    model = LanguageModel(vocabulary=5, width=4, key=jax.random.key(0))
    grads = eqx.filter_grad(lambda model: jnp.sum(model(jnp.int32(2)) ** 2))(model)
    embedding, output = eqx.apply_updates(model, grads).tied()
    assert jnp.array_equal(embedding.weight, output.weight)
    assert not jnp.array_equal(embedding.weight, model.tied()[0].weight)


def tied_matrices() -> list[jax.Array]:
    """Return both uses of a shared matrix after an update."""
    model = LanguageModel(vocabulary=5, width=4, key=jax.random.key(0))
    grads = eqx.filter_grad(lambda model: jnp.sum(model(jnp.int32(2)) ** 2))(model)
    embedding, output = eqx.apply_updates(model, grads).tied()
    return [embedding.weight, output.weight]


def example_save() -> None:
    """Write a model's arrays, and read them into a model of the same shape."""
    model = eqx.nn.MLP(2, 3, 8, 1, key=jax.random.key(0))
    like = eqx.filter_eval_shape(eqx.nn.MLP, 2, 3, 8, 1, key=jax.random.key(0))  # shapes, no arrays
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.eqx"
        eqx.tree_serialise_leaves(path, model)
        loaded = eqx.tree_deserialise_leaves(path, like)
    assert jnp.array_equal(loaded(jnp.ones(2)), model(jnp.ones(2)))
