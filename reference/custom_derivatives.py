"""Custom derivatives: stopped gradients, straight-through estimators, rules of one's own."""

import jax
import jax.numpy as jnp
from jax.test_util import check_grads


def temporal_difference(value_weight: jax.Array, reward: float, discount: float) -> jax.Array:
    """Return the loss of a value against a target that is computed with the same weight, and held fixed."""
    value = value_weight * 1.0
    target = jax.lax.stop_gradient(reward + discount * value_weight)
    return 0.5 * (value - target) ** 2


def example_stop_gradient() -> None:
    """Compare with the gradient towards a constant."""
    gradient = jax.grad(temporal_difference)(1.0, reward=1.0, discount=0.9)
    towards_constant = jax.grad(lambda value: 0.5 * (value - 1.9) ** 2)(1.0)
    assert jnp.isclose(gradient, towards_constant)


def semi_gradient() -> float:
    """Return the gradient at weight 1, reward 1 and discount 0.9."""
    return float(jax.grad(temporal_difference)(1.0, 1.0, 0.9))


def straight_through_round(x: jax.Array | float) -> jax.Array:
    """Round on the way forward, and pass the gradient through unchanged."""
    return x + jax.lax.stop_gradient(jnp.round(x) - x)


def example_straight_through() -> None:
    """See the rounded value and the gradient of the identity."""
    value, gradient = jax.value_and_grad(lambda x: 3.0 * straight_through_round(x))(1.2)
    assert value == 3.0
    assert gradient == 3.0


def gradient_through_rounding() -> float:
    """Return the gradient of three times a rounded value."""
    return float(jax.grad(lambda x: 3.0 * straight_through_round(x))(1.2))


def example_custom_vjp() -> None:
    """Define a stable log(cosh(x)), and check its rule against finite differences."""

    @jax.custom_vjp
    def log_cosh(x: jax.Array) -> jax.Array:
        return jnp.abs(x) + jnp.log1p(jnp.exp(-2.0 * jnp.abs(x))) - jnp.log(2.0)

    def forward(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        return log_cosh(x), jnp.tanh(x)  # the result, and what the backward pass needs

    def backward(slope: jax.Array, cotangent: jax.Array) -> tuple[jax.Array]:
        return (cotangent * slope,)  # one entry per argument

    log_cosh.defvjp(forward, backward)
    check_grads(log_cosh, (jnp.array([-2.0, 0.5, 3.0]),), order=2, modes=["rev"])
    assert jnp.isclose(jax.grad(log_cosh)(50.0), 1.0)


def gradient_of_three_squares() -> float:
    """Return the gradient of three times a square at 3."""

    @jax.custom_vjp
    def square(x: jax.Array) -> jax.Array:
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, cotangent: (2.0 * x * cotangent,))
    return float(jax.grad(lambda x: 3.0 * square(x))(3.0))


def example_custom_jvp() -> None:
    """Give one rule, and use both modes and the second derivative."""

    @jax.custom_jvp
    def log1p_exp(x: jax.Array) -> jax.Array:
        return jnp.logaddexp(x, 0.0)

    @log1p_exp.defjvp
    def log1p_exp_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
        (x,), (tangent,) = primals, tangents
        return log1p_exp(x), jax.nn.sigmoid(x) * tangent

    x = jnp.array([-3.0, 0.0, 50.0])
    check_grads(log1p_exp, (x[:2],), order=2)  # forward and reverse
    assert jnp.allclose(jax.vmap(jax.grad(log1p_exp))(x), jax.nn.sigmoid(x))


def check_custom_jvp() -> None:
    """Hold that curvature goes through a custom_vjp, although forward mode alone does not."""

    @jax.custom_vjp
    def square(x: jax.Array) -> jax.Array:
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, cotangent: (2.0 * x * cotangent,))
    assert jax.hessian(square)(3.0) == 2.0
    assert jax.jvp(jax.grad(square), (3.0,), (1.0,)) == (6.0, 2.0)


def gradient_at_100() -> float:
    """Return the gradient of log(1 + exp(x)) far to the right."""
    return float(jax.grad(jax.nn.softplus)(100.0))
