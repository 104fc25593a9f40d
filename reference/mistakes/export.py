"""Functions exported wrongly."""

import jax
import jax.numpy as jnp
import optax
from jax import export


def exported_for_one_batch_size() -> jax.Array:
    shape = jax.ShapeDtypeStruct((8, 4), jnp.float32)
    exported = export.export(jax.jit(lambda x: 2 * x))(shape)
    return exported.call(jnp.ones((3, 4)))


def exported_for_another_platform() -> jax.Array:
    shape = jax.ShapeDtypeStruct((2,), jnp.float32)
    return export.export(jax.jit(jnp.sin), platforms=["cuda"])(shape).call(jnp.ones(2))


def compiled_for_another_shape() -> jax.Array:
    program = jax.jit(lambda x: 2 * x).lower(jnp.ones(4)).compile()
    return program(jnp.ones(5))


def compiled_for_another_dtype() -> jax.Array:
    program = jax.jit(lambda x: 2 * x).lower(jnp.ones(4)).compile()
    return program(jnp.arange(4))


def gradient_of_a_served_function() -> jax.Array:
    shape = jax.ShapeDtypeStruct((3,), jnp.float32)
    blob = export.export(jax.jit(lambda x: jnp.sum(x**2)))(shape).serialize()
    loss = export.deserialize(blob).call
    return jax.grad(loss)(jnp.arange(3.0))


def unknown_named_tuple() -> bytearray:
    optimizer, params = optax.adam(1e-3), {"w": jnp.ones(3)}
    exported = export.export(jax.jit(optimizer.update))(params, optimizer.init(params))
    return exported.serialize()
