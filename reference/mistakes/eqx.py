"""Equinox models used wrongly."""

import pickle

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


def batch_without_vmap() -> jax.Array:
    model = eqx.nn.MLP(2, 3, 8, 1, key=jax.random.key(0))
    return model(jnp.ones((5, 2)))


def square_batch_without_vmap() -> list[list[float]]:
    layer = eqx.nn.Linear(3, 3, use_bias=False, key=jax.random.key(0))
    layer = eqx.tree_at(lambda layer: layer.weight, layer, jnp.zeros((3, 3)).at[0].set(2.0))
    return layer(jnp.eye(3)).tolist()


def batches_of_these_sizes_pass() -> bool:
    with_biases = [passes(*sizes) for sizes in ((2, 2, 2), (2, 2, 1), (2, 8, 2), (2, 2, 3), (3, 2, 2))]
    without = [passes(*sizes, use_bias=False) for sizes in ((2, 8, 3), (3, 2, 2))]
    return with_biases == [True, True, False, False, False] and without == [True, False]


def passes(features: int, width: int, classes: int, use_bias: bool = True) -> bool:
    """Return whether a model takes two examples without `jax.vmap`."""
    biases = {"use_bias": use_bias, "use_final_bias": use_bias}
    model = eqx.nn.MLP(features, classes, width, depth=1, key=jax.random.key(0), **biases)
    try:
        model(jnp.ones((2, features)))
    except (TypeError, ValueError):
        return False
    return True


def jax_grad_of_a_model() -> eqx.nn.MLP:
    model = eqx.nn.MLP(2, 3, 8, 1, key=jax.random.key(0))
    return jax.grad(lambda model: jnp.sum(model(jnp.ones(2))))(model)


def jax_jit_of_a_model() -> jax.Array:
    model = eqx.nn.MLP(2, 3, 8, 1, key=jax.random.key(0))
    return jax.jit(lambda model, x: model(x))(model, jnp.ones(2))


def optimizer_on_the_whole_model() -> optax.OptState:
    model = eqx.nn.MLP(2, 3, 8, 1, key=jax.random.key(0))
    return optax.adam(1e-3).init(model)


def weight_assigned() -> None:
    layer = eqx.nn.Linear(2, 3, key=jax.random.key(0))
    layer.weight = jnp.zeros((3, 2))


def rate_as_a_python_number() -> int:
    traces = []

    @eqx.filter_jit
    def scale(x: jax.Array, rate: float) -> jax.Array:
        traces.append(1)
        return rate * x

    for rate in (0.1, 0.2, 0.3):
        scale(jnp.ones(2), rate)
    return len(traces)


def weights_tied_by_reference() -> list[jax.Array]:
    embedding = eqx.nn.Embedding(5, 4, key=jax.random.key(0))
    output = eqx.nn.Linear(4, 5, use_bias=False, key=jax.random.key(0))
    output = eqx.tree_at(lambda output: output.weight, output, embedding.weight)

    def loss_fn(model: tuple[eqx.nn.Embedding, eqx.nn.Linear]) -> jax.Array:
        return jnp.sum(model[1](model[0](jnp.int32(2))) ** 2)

    grads = eqx.filter_grad(loss_fn)((embedding, output))
    embedding, output = eqx.apply_updates((embedding, output), grads)
    return [embedding.weight, output.weight]


def matrices_differ(matrices: list[jax.Array]) -> bool:
    return not jnp.array_equal(matrices[0], matrices[1])


def model_pickled() -> bytes:
    model = eqx.nn.MLP(2, 3, 8, 1, key=jax.random.key(0))
    return pickle.dumps(model)


def loaded_into_another_shape(path: str = "model.eqx") -> eqx.nn.MLP:
    eqx.tree_serialise_leaves(path, eqx.nn.MLP(2, 3, 8, 1, key=jax.random.key(0)))
    return eqx.tree_deserialise_leaves(path, eqx.nn.MLP(2, 3, 16, 1, key=jax.random.key(0)))
