"""Vmap: a function of one example, over a batch."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import optax


def predict(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    """Return the output of a linear model for one example (features,)."""
    return x @ params["kernel"] + params["bias"]


def example_in_axes() -> None:
    """Share the parameters, map the examples; then map the biases alone."""
    params = {"kernel": jnp.ones((3, 2)), "bias": jnp.zeros(2)}
    x = jnp.arange(12.0).reshape(4, 3)
    out = jax.vmap(predict, in_axes=(None, 0))(params, x)
    assert jnp.allclose(out, x @ params["kernel"])
    biases = {"kernel": params["kernel"], "bias": jnp.arange(10.0).reshape(5, 2)}
    axes = {"kernel": None, "bias": 0}  # in_axes may follow the tree
    assert jax.vmap(predict, in_axes=(axes, None))(biases, x[0]).shape == (5, 2)


def shape_of_batch() -> list[int]:
    """Return the shape of the predictions for three examples."""
    params = {"kernel": jnp.eye(3), "bias": jnp.zeros(3)}
    return list(jax.vmap(predict, in_axes=(None, 0))(params, jnp.ones((3, 3))).shape)


def rescale(x: jax.Array, scale: jax.Array) -> jax.Array:
    """Multiply one example (features,) by one factor per feature."""
    return x * scale


def example_kwargs() -> None:
    """Bind what is shared, or pass it by position with in_axes=None."""
    x, scale = jnp.ones((3, 3)), jnp.array([1.0, 2.0, 3.0])
    bound = jax.vmap(partial(rescale, scale=scale))(x)
    by_position = jax.vmap(rescale, in_axes=(0, None))(x, scale)
    assert bound.tolist() == by_position.tolist() == [[1.0, 2.0, 3.0]] * 3


def first_row_rescaled() -> jax.Array:
    """Return the first example, with every feature by its own factor."""
    return jax.vmap(partial(rescale, scale=jnp.array([1.0, 2.0, 3.0])))(jnp.ones((3, 3)))[0]


def squared_error(weights: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """Return the loss of one example: x (features,), y ()."""
    return (x @ weights - y) ** 2


def clipped_mean_gradient(weights: jax.Array, x: jax.Array, y: jax.Array, limit: float) -> jax.Array:
    """Clip each example's gradient to a norm, then average; x (batch, features), y (batch,)."""
    gradients = jax.vmap(jax.grad(squared_error), in_axes=(None, 0, 0))(weights, x, y)
    norms = jnp.linalg.norm(gradients, axis=-1, keepdims=True)  # one per example
    return jnp.mean(gradients * jnp.minimum(1.0, limit / norms), axis=0)


def example_per_example_grad() -> None:
    """Without a limit it is the gradient of the mean loss; with one, an outlier counts no more than others."""
    weights, x, y = jnp.zeros(2), jnp.eye(2), jnp.array([1.0, 100.0])
    batch_loss = jax.vmap(squared_error, in_axes=(None, 0, 0))
    expected = jax.grad(lambda weights: batch_loss(weights, x, y).mean())(weights)
    assert jnp.allclose(clipped_mean_gradient(weights, x, y, limit=jnp.inf), expected)
    assert jnp.allclose(clipped_mean_gradient(weights, x, y, limit=1.0), jnp.array([-0.5, -0.5]))


def share_of_the_outlier() -> float:
    """Return the ratio of the outlier's part in the clipped gradient to the other example's."""
    gradient = clipped_mean_gradient(jnp.zeros(2), jnp.eye(2), jnp.array([1.0, 100.0]), limit=1.0)
    return float(gradient[1] / gradient[0])


def add_noise(key: jax.Array, x: jax.Array) -> jax.Array:
    """Add normal noise to one example."""
    return x + jax.random.normal(key, x.shape)


def noisy_batch(key: jax.Array, batch: jax.Array) -> jax.Array:
    """Add noise to a batch (size, ...), with a key of its own for each example."""
    return jax.vmap(add_noise)(jax.random.split(key, len(batch)), batch)


def example_one_key() -> None:
    """The examples of one batch get different noise."""
    first, second = noisy_batch(jax.random.key(0), jnp.zeros((2, 8)))
    assert not jnp.array_equal(first, second)


def noise_of_two_examples() -> jax.Array:
    """Return noise for two examples."""
    return noisy_batch(jax.random.key(0), jnp.zeros((2, 8)))


def nearest(x: jax.Array, points: jax.Array) -> jax.Array:
    """Return the distance to the nearest other point; x (features,), points (n, features)."""
    return jnp.sqrt(jnp.sort(jnp.sum((points - x) ** 2, axis=-1))[1])


def by_vmap(points: jax.Array) -> jax.Array:
    """Handle all points at once: the temporaries are (n, n)."""
    return jax.vmap(nearest, in_axes=(0, None))(points, points)


def by_chunks(points: jax.Array) -> jax.Array:
    """Handle 32 points at a time, vectorised: the temporaries are (32, n)."""
    distances: jax.Array = jax.lax.map(lambda x: nearest(x, points), points, batch_size=32)
    return distances


def example_memory() -> None:
    """Compare results and compiled memory."""
    points = jax.random.normal(jax.random.key(0), (512, 3))
    assert jnp.allclose(by_vmap(points), by_chunks(points), atol=1e-5)
    whole, chunked = (jax.jit(function).lower(points).compile().memory_analysis() for function in (by_vmap, by_chunks))
    assert whole is not None
    assert chunked is not None
    assert chunked.temp_size_in_bytes < whole.temp_size_in_bytes / 4


def check_remainder() -> None:
    """Hold that chunks are traced once, and what is left over once more."""
    traces = []

    def double(x: jax.Array) -> jax.Array:
        traces.append(x.shape)
        return 2 * x

    jax.lax.map(double, jnp.arange(4.0), batch_size=2)
    assert len(traces) == 1
    jax.lax.map(double, jnp.arange(5.0), batch_size=2)
    assert len(traces) == 1 + 2


def temporaries_by_chunks() -> int:
    """Return the bytes of temporaries for 512 points."""
    memory = jax.jit(by_chunks).lower(jnp.ones((512, 3))).compile().memory_analysis()
    return int(memory.temp_size_in_bytes) if memory else 0


def standardise(x: jax.Array) -> jax.Array:
    """Subtract the mean and divide by the deviation over the axis "batch"."""
    centred: jax.Array = x - jax.lax.pmean(x, "batch")
    return centred / jnp.sqrt(jax.lax.pmean(centred**2, "batch"))


def example_axis_name() -> None:
    """Name the mapped axis, and compare with the batch at once."""
    x = jnp.array([[1.0, 10.0], [3.0, 30.0]])
    out = jax.vmap(standardise, axis_name="batch")(x)
    assert jnp.allclose(out, (x - x.mean(axis=0)) / x.std(axis=0))


def displacement(source: jax.Array, target: jax.Array) -> jax.Array:
    """Return the way from one point to another."""
    return target - source


def example_nested() -> None:
    """The outer vmap makes the first axis: rows are sources, columns are targets."""
    over_targets = jax.vmap(displacement, in_axes=(None, 0))
    table = jax.vmap(over_targets, in_axes=(0, None))
    sources, targets = jnp.array([0.0, 1.0]), jnp.array([10.0, 20.0])
    assert table(sources, targets).tolist() == (targets[None, :] - sources[:, None]).tolist()
    transposed = jax.vmap(over_targets, in_axes=(0, None), out_axes=1)  # puts the mapped axis last
    assert transposed(sources, targets).tolist() == table(sources, targets).T.tolist()


def table_of_displacements() -> jax.Array:
    """Return displacements (sources, targets)."""
    over_targets = jax.vmap(displacement, in_axes=(None, 0))
    return jax.vmap(over_targets, in_axes=(0, None))(jnp.array([0.0, 1.0]), jnp.array([10.0, 20.0]))


def train(key: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """Fit one member, from its initialisation to its optimizer; x (examples, features), y (examples,)."""
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.1))
    weights = jax.random.normal(key, x.shape[1:])

    def step(carry: tuple[jax.Array, Any], _: None) -> tuple[tuple[jax.Array, Any], None]:
        weights, opt_state = carry
        gradient = jax.grad(lambda weights: jnp.mean((x @ weights - y) ** 2))(weights)
        updates, opt_state = tx.update(gradient, opt_state, weights)
        return (optax.apply_updates(weights, updates), opt_state), None

    return jax.lax.scan(step, (weights, tx.init(weights)), length=20)[0][0]


def example_ensemble() -> None:
    """Train five members at once, and one of them alone."""
    keys = jax.random.split(jax.random.key(0), 5)
    x, y = jnp.eye(3) * jnp.array([1.0, 10.0, 100.0]), jnp.ones(3)
    members = jax.vmap(train, in_axes=(0, None, None))(keys, x, y)
    assert members.shape == (5, 3)
    assert jnp.allclose(members[2], train(keys[2], x, y), atol=1e-4)


def update_beside_a_diverging_member() -> list[float]:
    """Return the update of a member with gradient (0, 0.5), beside one that diverges."""
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(1.0))

    def update(params: jax.Array, grads: jax.Array) -> jax.Array:
        return tx.update(grads, tx.init(params), params)[0]

    updates = jax.vmap(update)(jnp.zeros((2, 2)), jnp.array([[300.0, 400.0], [0.0, 0.5]]))
    return updates[1].tolist()


def doubled(largest: jax.Ref, x: jax.Array) -> jax.Array:
    """Return 2 * x; the largest entry of this example goes into a reference on the way."""
    largest[...] = jnp.maximum(largest[...], x.max())
    return 2.0 * x


def example_ref() -> None:
    """Give each example an entry of the reference, and combine them afterwards."""
    batch = jnp.arange(12.0).reshape(4, 3)
    largest = jax.new_ref(jnp.zeros(4))
    out = jax.vmap(doubled)(largest, batch)
    assert largest[...].tolist() == [2.0, 5.0, 8.0, 11.0]
    assert out.shape == (4, 3)


def check_ref() -> None:
    """Hold that a shared reference can be read, and that one made inside is the example's own."""
    scale = jax.new_ref(jnp.float32(2.0))
    assert jax.vmap(lambda x: scale[...] * x)(jnp.arange(3.0)).tolist() == [0.0, 2.0, 4.0]

    def squared(x: jax.Array) -> jax.Array:
        total = jax.new_ref(jnp.zeros(()))
        total[...] += x * x
        return total[...]

    assert jax.vmap(squared)(jnp.arange(3.0)).tolist() == [0.0, 1.0, 4.0]
    assert jax.grad(squared)(3.0) == 6.0
