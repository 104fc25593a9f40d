"""Traced values used as if they were there."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify


def python_if_on_traced_value():
    @jax.jit
    def relu(x):
        if x > 0:
            return x
        return 0.0

    return relu(1.0)


def chained_comparison():
    @jax.jit
    def inside(x):
        return jnp.where(0.0 < x < 1.0, x, 0.0)

    return inside(0.5)


def range_over_traced_value():
    @jax.jit
    def power_of_two(exponent):
        result = 1
        for _ in range(exponent):
            result *= 2
        return result

    return power_of_two(3)


def size_from_traced_value():
    @jax.jit
    def one_hot(label, classes):
        return jnp.zeros(classes).at[label].set(1.0)

    return one_hot(2, 3)


def size_computed_with_jnp():
    @jax.jit
    def flatten(images):
        features = jnp.prod(jnp.array(images.shape[1:]))
        return images.reshape(-1, features)

    return flatten(jnp.ones((2, 28, 28)))


def numpy_on_traced_value():
    @jax.jit
    def softplus(x):
        return np.log1p(np.exp(x))

    return softplus(jnp.ones(3))


def float_of_traced_value():
    @jax.jit
    def normalise(x):
        return x / float(x.max())

    return normalise(jnp.array([1.0, 4.0]))


def item_of_traced_value():
    @jax.jit
    def loss_for_the_log(x):
        return jnp.mean(x**2).item()

    return loss_for_the_log(jnp.ones(3))


def boolean_index():
    @jax.jit
    def mean_of_positive(x):
        return x[x > 0].mean()

    return mean_of_positive(jnp.array([-1.0, 2.0, 4.0]))


def mean_counts_what_is_masked():
    x = jnp.array([-1.0, 2.0, 4.0])
    return jnp.where(x > 0, x, 0.0).mean()


def nonzero_without_size():
    return jax.jit(jnp.nonzero)(jnp.array([5.0, 0.0, 3.0]))


def nonzero_padded_with_index_zero():
    x = jnp.array([5.0, -1.0, 3.0, -1.0])
    (found,) = jnp.nonzero(x > 0, size=x.size)
    return x[found].sum()


def slice_with_traced_bounds():
    @jax.jit
    def window(x, start):
        return x[start : start + 2]

    return window(jnp.arange(10, 15), 1)


def slice_shifted_back_at_the_end():
    x = jnp.arange(10, 15)
    return jax.lax.dynamic_slice_in_dim(x, 4, 2)


def index_of_size_shifted_back():
    x = jnp.arange(10, 15)
    return jax.jit(lambda x, start: x[jax.ds(start, 2)])(x, 4)


def update_over_earlier_entries():
    cache = jnp.array([1, 2, 3, 4])
    return jax.lax.dynamic_update_slice_in_dim(cache, jnp.array([8, 9]), 3, axis=0)


def assert_on_traced_value():
    @jax.jit
    def safe_log(x):
        assert (x > 0).all(), "x must be positive"
        return jnp.log(x)

    return safe_log(jnp.ones(2))


def check_that_is_not_functionalized():
    @jax.jit
    def safe_log(x):
        checkify.check(jnp.all(x > 0), "x must be positive")
        return jnp.log(x)

    return safe_log(jnp.ones(2))
