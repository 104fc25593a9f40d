"""Dropout and batch statistics used wrongly."""

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx


def masks_are_equal(outputs) -> bool:
    return bool(jnp.array_equal(outputs[0], outputs[1]))


def outputs_differ(outputs) -> bool:
    return not masks_are_equal(outputs)


def linen_without_key():
    layer = nn.Dropout(rate=0.5)
    return layer.apply({}, jnp.ones(64), deterministic=False)


def linen_same_key_every_step() -> list[jax.Array]:
    layer = nn.Dropout(rate=0.5, deterministic=False)
    key, outputs = jax.random.key(0), []
    for step in range(2):
        outputs.append(layer.apply({}, jnp.ones(64), rngs={"dropout": key}))
    return outputs


def eqx_without_key():
    layer = eqx.nn.Dropout(0.5)
    return layer(jnp.ones(64))


def eqx_one_key_for_the_batch() -> jax.Array:
    layer = eqx.nn.Dropout(0.5)
    key = jax.random.key(0)
    return jax.vmap(lambda example: layer(example, key=key))(jnp.ones((2, 64)))


def evaluated_in_training_mode() -> list[jax.Array]:
    def loss_fn(model, batch):
        return jnp.mean(model(batch) ** 2)

    model, batch = nnx.Dropout(0.5, rngs=nnx.Rngs(0)), jnp.arange(64.0)
    losses = [loss_fn(model, batch) for _ in range(2)]
    return losses


def left_in_evaluation_mode() -> jax.Array:
    model = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    for epoch in range(2):
        training_outputs = model(jnp.ones(64))
        model.eval()
        model(jnp.ones(64))
    return training_outputs


def view_with_an_argument_of_no_layer() -> nnx.Module:
    model = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    return nnx.view(model, deterministic=True, use_running_average=True)


def nothing_is_dropped(outputs) -> bool:
    return bool((outputs != 0).all())


def linen_statistics_not_mutable():
    model = nn.BatchNorm(use_running_average=False)
    inputs = jnp.array([[9.0], [11.0]])
    variables = model.init(jax.random.key(0), inputs)
    return model.apply(variables, inputs)


def linen_params_only():
    model = nn.BatchNorm(use_running_average=True)
    inputs = jnp.array([[9.0], [11.0]])
    variables = model.init(jax.random.key(0), inputs)
    return model.apply({"params": variables["params"]}, inputs)


def linen_statistics_thrown_away() -> jax.Array:
    model = nn.BatchNorm(use_running_average=False)
    inputs = jnp.array([[9.0], [11.0]])
    variables = model.init(jax.random.key(0), inputs)
    outputs, _ = model.apply(variables, inputs, mutable=["batch_stats"])
    del outputs
    return variables["batch_stats"]["mean"]


def statistics_lost_under_jax_jit() -> jax.Array:
    model = nnx.BatchNorm(1, rngs=nnx.Rngs(0))
    jax.jit(lambda model, inputs: model(inputs))(model, jnp.array([[9.0], [11.0]]))
    return model.mean[...]


def mask_frozen_under_jax_jit() -> list[jax.Array]:
    layer = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    forward = jax.jit(lambda layer, inputs: layer(inputs))
    return [forward(layer, jnp.ones(64)) for _ in range(2)]


def one_example_in_training_mode() -> jax.Array:
    layer = nnx.BatchNorm(1, momentum=0.9, rngs=nnx.Rngs(0))
    batch = jnp.array([[9.0], [11.0]])
    for _ in range(100):
        layer(batch)
    return layer(batch[:1])[0]


def evaluated_before_averages_settle() -> float:
    layer = nnx.BatchNorm(1, rngs=nnx.Rngs(0))
    for _ in range(10):
        layer(jnp.array([[9.0], [11.0]]))
    return round(float(layer.mean[0]), 3)
