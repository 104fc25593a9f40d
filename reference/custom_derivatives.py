"""Custom derivatives: stopped gradients, straight-through estimators, rules of one's own."""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
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


def check_custom_vjp() -> None:
    """Hold that a rule that leaves the cotangent out is right for the function alone."""

    @jax.custom_vjp
    def square(x: jax.Array) -> jax.Array:
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, _: (2.0 * x,))
    assert jax.grad(square)(3.0) == 6.0


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


def gradient_of_log1p_exp() -> float:
    """Return the gradient of a function whose rule heeds the tangent."""

    @jax.custom_jvp
    def log1p_exp(x: jax.Array) -> jax.Array:
        return jnp.logaddexp(x, 0.0)

    log1p_exp.defjvp(lambda primals, tangents: (log1p_exp(*primals), jax.nn.sigmoid(primals[0]) * tangents[0]))
    return float(jax.grad(log1p_exp)(0.0))


@jax.custom_vjp
def clip_gradient(x: jax.Array, limit: jax.Array) -> jax.Array:
    """Return x; on the way back, clip what comes to it."""
    del limit  # only the backward rule reads it
    return x


def clip_forward(x: jax.Array, limit: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Keep the limit for the backward pass."""
    return x, limit


def clip_backward(limit: jax.Array, cotangent: jax.Array) -> tuple[jax.Array, None]:
    """Return one entry per argument; None is a gradient of zero."""
    return jnp.clip(cotangent, -limit, limit), None


def example_arguments_of_a_rule() -> None:
    """Trace the limit, map over it, and ask for its gradient."""
    clip_gradient.defvjp(clip_forward, clip_backward)

    def loss(x: jax.Array, limit: jax.Array) -> jax.Array:
        return 5.0 * clip_gradient(x, limit)

    slopes = jax.jit(jax.vmap(jax.grad(loss, argnums=(0, 1))))
    by_x, by_limit = slopes(jnp.ones(3), jnp.array([1.0, 2.0, 9.0]))
    assert by_x.tolist() == [1.0, 2.0, 5.0]
    assert by_limit.tolist() == [0.0, 0.0, 0.0]


def check_function_argument() -> None:
    """Hold that a function can be an argument that is not differentiated."""

    @partial(jax.custom_vjp, nondiff_argnums=(0,))
    def apply(function: Callable[[jax.Array], jax.Array], x: jax.Array) -> jax.Array:
        return function(x)

    apply.defvjp(lambda function, x: (function(x), x), lambda _, x, cotangent: (cotangent * (x + 2.0),))
    assert jax.jit(jax.grad(lambda x: apply(jnp.sin, x)))(0.0) == 2.0


@jax.custom_jvp
def host_sine(x: jax.Array) -> jax.Array:
    """Compute on the host what JAX does not offer; any shape."""
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    sine: jax.Array = jax.pure_callback(np.sin, result, x, vmap_method="expand_dims")
    return sine


@host_sine.defjvp
def host_sine_jvp(primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    """State the derivative in JAX, or by another callback."""
    (x,), (tangent,) = primals, tangents
    return host_sine(x), jnp.cos(x) * tangent


def example_callback() -> None:
    """Differentiate and map what runs on the host."""
    x = jnp.arange(3.0)
    assert jnp.allclose(jax.jit(jax.vmap(jax.grad(host_sine)))(x), jnp.cos(x), atol=1e-6)


def check_callback() -> None:
    """Count the calls of the host's function under vmap, and look at their shapes."""

    def shapes(method: str) -> list[tuple[int, ...]]:
        seen: list[tuple[int, ...]] = []

        def host(x: jax.Array) -> np.ndarray:
            seen.append(np.shape(x))
            return np.sin(x)

        def call(x: jax.Array) -> jax.Array:
            sine: jax.Array = jax.pure_callback(host, jax.ShapeDtypeStruct((), x.dtype), x, vmap_method=method)
            return sine

        jax.block_until_ready(jax.vmap(call)(jnp.arange(3.0)))
        return seen

    assert shapes("expand_dims") == shapes("broadcast_all") == [(3,)]
    assert shapes("sequential") == [(), (), ()]


def fixed_point(scale: jax.Array | float, guess: jax.Array | float) -> jax.Array:
    """Return the x for which cos(scale * x) == x."""

    def residual(x: jax.Array) -> jax.Array:
        return x - jnp.cos(scale * x)

    def solve(residual: Callable[[jax.Array], jax.Array], guess: jax.Array) -> jax.Array:
        def unfinished(x: jax.Array) -> jax.Array:
            return jnp.abs(residual(x)) > 1e-6

        root: jax.Array = jax.lax.while_loop(unfinished, lambda x: x - residual(x), guess)
        return root

    def tangent_solve(linear: Callable[[jax.Array], jax.Array], y: jax.Array) -> jax.Array:
        return y / linear(jnp.ones_like(y))  # for a vector: jnp.linalg.solve(jax.jacobian(linear)(y), y)

    root: jax.Array = jax.lax.custom_root(residual, jnp.asarray(guess), solve, tangent_solve)
    return root


def example_implicit() -> None:
    """Compare with the closed form, from a cold and from a warm start."""
    root = fixed_point(0.5, guess=0.0)
    expected = -root * jnp.sin(0.5 * root) / (1.0 + 0.5 * jnp.sin(0.5 * root))
    for guess in (0.0, root):
        assert jnp.isclose(jax.grad(fixed_point)(0.5, guess), expected, rtol=1e-4)


def slope_of_the_root() -> float:
    """Return the derivative of the root at a scale of 0.5."""
    return float(jax.grad(fixed_point)(0.5, 0.9))


def forward_slope_of_the_root() -> float:
    """Return the same in forward mode, from a warm start."""
    return float(jax.jvp(lambda scale: fixed_point(scale, 0.90036756), (0.5,), (1.0,))[1])
