"""Custom derivatives that are wrong."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


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


def tangent_left_out() -> jax.Array:
    @jax.custom_jvp
    def log1p_exp(x):
        return jnp.logaddexp(x, 0.0)

    log1p_exp.defjvp(lambda primals, tangents: (log1p_exp(*primals), jax.nn.sigmoid(primals[0])))
    return jax.grad(log1p_exp)(0.0)


def rule_that_closes_over_an_argument():
    def loss(x, limit):
        @jax.custom_vjp
        def clip_gradient(x):
            return x

        clip_gradient.defvjp(lambda x: (x, None), lambda _, cotangent: (jnp.clip(cotangent, -limit, limit),))
        return 5.0 * clip_gradient(x)

    return jax.grad(loss, argnums=(0, 1))(1.0, 2.0)


def array_that_is_not_differentiated():
    @partial(jax.custom_vjp, nondiff_argnums=(1,))
    def clip_gradient(x, limit):
        return x

    clip_gradient.defvjp(lambda x, limit: (x, None), lambda limit, _, cotangent: (jnp.clip(cotangent, -limit, limit),))
    return jax.jit(jax.grad(lambda x, limit: 5.0 * clip_gradient(x, limit)))(1.0, 2.0)


def function_as_an_argument():
    @jax.custom_vjp
    def apply(function, x):
        return function(x)

    apply.defvjp(lambda function, x: (function(x), x), lambda x, cotangent: (None, cotangent * jnp.cos(x)))
    return jax.grad(lambda x: apply(jnp.sin, x))(0.0)


def callback_under_grad():
    return jax.grad(lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((), x.dtype), x))(jnp.float32(0.0))


def callback_under_vmap():
    return jax.vmap(lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((), x.dtype), x))(jnp.arange(3.0))


def warm_start_differentiated() -> jax.Array:
    def solution(scale):
        x = 0.90036756  # the root of an earlier, equal problem
        for _ in range(2):
            x = jnp.cos(scale * x)
        return x

    return jax.grad(solution)(0.5)


def warm_loop_differentiated() -> jax.Array:
    def solution(scale):
        def unfinished(x):
            return jnp.abs(x - jnp.cos(scale * x)) > 1e-6

        x = jnp.float32(0.90036756)  # the root of an earlier, equal problem
        return jax.lax.while_loop(unfinished, lambda x: jnp.cos(scale * x), x)

    return jax.jvp(solution, (0.5,), (1.0,))[1]
