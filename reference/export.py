"""Export: a compiled function that runs without the Python that made it."""

import importlib.metadata

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import export


def predict(w: jax.Array, x: jax.Array) -> jax.Array:
    """Return class probabilities; `x` is (batch, features)."""
    return jax.nn.softmax(x @ w)


def example_symbolic_batch() -> None:
    """Export for every batch size, serialise, and call what comes back."""
    (batch,) = export.symbolic_shape("batch")
    w = jax.ShapeDtypeStruct((4, 3), jnp.float32)
    x = jax.ShapeDtypeStruct((batch, 4), jnp.float32)
    blob = export.export(jax.jit(predict))(w, x).serialize()  # bytes; needs the package flatbuffers

    served = export.deserialize(blob)
    weights = jnp.eye(4, 3)
    for size in (3, 7):
        inputs = jnp.ones((size, 4))
        assert jnp.allclose(served.call(weights, inputs), predict(weights, inputs))


def flatbuffers_is_no_dependency() -> bool:
    """Say whether installing JAX leaves the serialiser's library out."""
    return not any(one.startswith("flatbuffers") for one in importlib.metadata.requires("jax") or ())


def example_platforms() -> None:
    """Lower once for all platforms on which the function will run."""
    shape = jax.ShapeDtypeStruct((2,), jnp.float32)
    exported = export.export(jax.jit(jnp.sin), platforms=["cpu", "cuda", "tpu"])(shape)
    assert exported.platforms == ("cpu", "cuda", "tpu")
    assert np.allclose(exported.call(jnp.ones(2)), np.sin(1))


def double(x: jax.Array) -> jax.Array:
    """Return twice the input."""
    return 2 * x


def example_ahead_of_time() -> None:
    """Compile before the first request, one program for each size that is served."""
    programs = {size: jax.jit(double).lower(jax.ShapeDtypeStruct((size,), jnp.float32)).compile() for size in (4, 8)}
    x = jnp.ones(5)
    size = min(one for one in programs if one >= len(x))
    y = programs[size](jnp.pad(x, (0, size - len(x))))[: len(x)]
    assert y.tolist() == [2.0] * 5


def example_differentiable() -> None:
    """Serialise the derivative too where somebody will ask for it."""
    exported = export.export(jax.jit(lambda x: jnp.sum(x**2)))(jax.ShapeDtypeStruct((3,), jnp.float32))
    loss = export.deserialize(exported.serialize(vjp_order=1)).call
    assert jax.grad(loss)(jnp.arange(3.0)).tolist() == [0, 2, 4]


def example_named_tuples() -> None:
    """Register the optimizer's named tuples once, and a whole update can be serialised."""
    optimizer = optax.adam(1e-3)
    params = {"w": jnp.ones(3)}
    opt_state = optimizer.init(params)
    for kind in (optax.ScaleByAdamState, optax.EmptyState):
        export.register_namedtuple_serialization(kind, serialized_name=kind.__name__)

    exported = export.export(jax.jit(optimizer.update))(params, opt_state)
    _, new_state = export.deserialize(exported.serialize()).call(params, opt_state)
    assert isinstance(new_state[0], optax.ScaleByAdamState)
    assert new_state[0].count == 1
