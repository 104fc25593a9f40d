"""Custom derivatives that are wrong."""

import jax
import jax.numpy as jnp


def target_not_stopped() -> jax.Array:
    def loss(value_weight):
        target = 1.0 + 0.9 * value_weight
        return 0.5 * (value_weight - target) ** 2

    return jax.grad(loss)(1.0)


def plain_rounding() -> jax.Array:
    return jax.grad(lambda x: 3.0 * jnp.round(x))(1.2)


def stopped_on_the_wrong_side() -> jax.Array:
    return jax.grad(lambda x: 3.0 * (jax.lax.stop_gradient(x) + (jnp.round(x) - x)))(1.2)


def bare_cotangent():
    @jax.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, cotangent: 2.0 * x * cotangent)
    return jax.grad(square)(3.0)


def cotangent_left_out() -> jax.Array:
    @jax.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, cotangent: (2.0 * x,))
    return jax.grad(lambda x: 3.0 * square(x))(3.0)


def forward_mode_through_custom_vjp():
    @jax.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, cotangent: (2.0 * x * cotangent,))
    return jax.jvp(square, (3.0,), (1.0,))


def log_of_overflow() -> jax.Array:
    return jax.grad(lambda x: jnp.log(1.0 + jnp.exp(x)))(100.0)
