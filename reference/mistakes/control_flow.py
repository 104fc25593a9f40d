"""Control flow used wrongly."""

from functools import partial

import jax
import jax.numpy as jnp


def cond_on_a_static_flag() -> str:
    def layer(key, x, train):
        x = jax.nn.relu(x)

        def dropped():
            return 2.0 * x * jax.random.bernoulli(key, shape=x.shape)

        return jax.lax.cond(train, dropped, lambda: x)

    return str(jax.make_jaxpr(layer, static_argnums=2)(jax.random.key(0), jnp.ones(4), False))


def dropout_is_in_the_program(program: str) -> bool:
    return "random_bits" in program


def python_zero_in_one_branch():
    x = jnp.array(4, jnp.bfloat16)
    return jax.lax.cond(x != 0, lambda: 1 / x, lambda: 0.0)


def list_where_the_other_branch_has_a_tuple():
    opt_state = [jnp.zeros(()), jnp.zeros(2)]  # a checkpoint restored without a target

    def step(state):
        return state[0] + 1, state[1]

    return jax.lax.cond(True, step, lambda state: state, opt_state)


def vmapped_cond_runs_both_branches() -> int:
    ran = []

    def refine(x):
        jax.debug.callback(lambda _: ran.append("refine"), x)
        return x / 2

    jax.vmap(lambda x: jax.lax.cond(x > 2.5, refine, lambda x: x, x))(jnp.arange(4.0))
    jax.effects_barrier()
    return len(ran)


def vmapped_switch_runs_every_expert() -> int:
    ran = []

    def expert(x):
        jax.debug.callback(lambda _: ran.append("expert"), x)
        return 2 * x

    choice = jnp.array([0, 1, 2, 0])
    jax.vmap(lambda index, x: jax.lax.switch(index, [expert] * 3, x))(choice, jnp.ones(4))
    jax.effects_barrier()
    return len(ran)


def switch_with_unknown_indices() -> list:
    moves = [lambda x: x, lambda x: x + 1.0, lambda x: x - 1.0]
    return [jax.lax.switch(action, moves, jnp.float32(5)) for action in (-1, 7)]


def gradient_through_while_loop():
    def improve(x, root):
        return 0.5 * (root + x / root)

    def unfinished(x, root):
        return jnp.abs(root * root - x) > 1e-5

    return jax.grad(lambda x: jax.lax.while_loop(partial(unfinished, x), partial(improve, x), x))(2.0)


def gradient_with_traced_trip_count():
    def square_root(x, steps):
        return jax.lax.fori_loop(0, steps, lambda _, root: 0.5 * (root + x / root), x)

    jax.grad(square_root)(2.0, 5)  # works: here 5 is a Python int
    return jax.jit(jax.grad(square_root))(2.0, 5)


def while_loop_ends_with_nan() -> float:
    def unfinished(state):
        _, change = state
        return change > 1e-5

    def advance(state):
        x, _ = state
        return jnp.sqrt(x - 1), jnp.abs(jnp.sqrt(x - 1) - x)

    x, _ = jax.lax.while_loop(unfinished, advance, (jnp.float32(2), jnp.float32(jnp.inf)))
    return float(x)


def fresh_body_outside_jit() -> int:
    traces, rates = [], (0.1, 0.2, 0.3, 0.4, 0.5)

    def decay(rate, state):
        traces.append(state.shape)
        return state - rate * state

    state = jnp.ones(3)
    for rate in rates:
        state = jax.lax.fori_loop(0, 10, lambda _, state: decay(rate, state), state)
    return len(traces)
