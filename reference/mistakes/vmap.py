"""Vmap used wrongly."""

import jax
import jax.numpy as jnp
import optax


def parameters_mapped_too():
    def predict(kernel, x):
        return x @ kernel

    return jax.vmap(predict)(jnp.ones((3, 2)), jnp.ones((4, 3)))


def square_kernel_mapped_too() -> list:
    def predict(kernel, x):
        return x @ kernel

    kernel, batch = jnp.eye(3), jnp.ones((3, 3))
    return list(jax.vmap(predict)(kernel, batch).shape)


def keyword_argument_of_another_size():
    def add(x, y, shift):
        return x + y + shift

    return jax.vmap(add)(jnp.ones(2), jnp.ones(2), shift=jnp.ones(1))


def shared_keyword_argument() -> jax.Array:
    def rescale(x, scale):
        return x * scale

    scale = jnp.array([1.0, 2.0, 3.0])  # one factor per feature
    return jax.vmap(rescale, in_axes=0)(jnp.ones((3, 3)), scale=scale)[0]


def mean_gradient_clipped() -> float:
    def batch_loss(weights):
        return jnp.mean((jnp.eye(2) @ weights - jnp.array([1.0, 100.0])) ** 2)

    gradient = jax.grad(batch_loss)(jnp.zeros(2))
    gradient = gradient * jnp.minimum(1.0, 1.0 / jnp.linalg.norm(gradient))
    return float(gradient[1] / gradient[0])


def one_key_for_the_batch() -> jax.Array:
    def add_noise(key, x):
        return x + jax.random.normal(key, x.shape)

    return jax.vmap(add_noise, in_axes=(None, 0))(jax.random.key(0), jnp.zeros((2, 8)))


def examples_get_equal_noise(noise) -> bool:
    return bool(jnp.array_equal(noise[0], noise[1]))


def all_pairs_at_once() -> int:
    def nearest(x, points):
        return jnp.sqrt(jnp.sort(jnp.sum((points - x) ** 2, axis=-1))[1])

    distances = jax.jit(jax.vmap(nearest, in_axes=(0, None)))
    points = jnp.ones((512, 3))
    return distances.lower(points, points).compile().memory_analysis().temp_size_in_bytes


def a_float_for_every_pair(size: int) -> bool:
    return size >= 512 * 512 * 4


def collective_without_axis_name():
    return jax.vmap(lambda x: x - jax.lax.pmean(x, "batch"))(jnp.arange(4.0))


def nested_the_other_way_round() -> jax.Array:
    def displacement(source, target):
        return target - source

    over_sources = jax.vmap(displacement, in_axes=(0, None))
    table = jax.vmap(over_sources, in_axes=(None, 0))
    return table(jnp.array([0.0, 1.0]), jnp.array([10.0, 20.0]))


def optimizer_sees_the_whole_ensemble() -> jax.Array:
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(1.0))
    params = jnp.zeros((2, 2))
    grads = jnp.array([[300.0, 400.0], [0.0, 0.5]])  # one member diverges
    updates, _ = tx.update(grads, tx.init(params), params)
    return updates[1]


def shared_ref_written():
    def doubled(largest, x):
        largest[...] = jnp.maximum(largest[...], x.max())
        return 2.0 * x

    largest = jax.new_ref(jnp.zeros(()))
    return jax.vmap(doubled, in_axes=(None, 0))(largest, jnp.arange(12.0).reshape(4, 3))
