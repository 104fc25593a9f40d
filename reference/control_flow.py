"""Control flow: Python's own for static values, lax for traced ones."""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="train")
def layer(key: jax.Array, x: jax.Array, train: bool) -> jax.Array:
    """Apply ReLU, and dropout in training only."""
    x = jax.nn.relu(x)
    if train:  # a Python bool: only the branch that is taken gets traced
        x = 2.0 * x * jax.random.bernoulli(key, shape=x.shape)
    return x


def example_static_python() -> None:
    """Look for random numbers in both programs."""
    key, x = jax.random.key(0), jnp.ones(4)
    assert "random_bits" in str(layer.trace(key, x, train=True).jaxpr)
    assert "random_bits" not in str(layer.trace(key, x, train=False).jaxpr)


def program_for_evaluation() -> str:
    """Return the jaxpr of the layer outside training."""
    return str(layer.trace(jax.random.key(0), jnp.ones(4), train=False).jaxpr)


@jax.jit
def safe_inverse(x: jax.Array) -> jax.Array:
    """Return 1 / x, and 0 for 0; as `x`, of shape ()."""
    inverse: jax.Array = jax.lax.cond(x != 0, lambda: 1 / x, lambda: jnp.zeros_like(x))
    return inverse


def example_cond_types() -> None:
    """Both branches follow the dtype of the operand."""
    for dtype in (jnp.float32, jnp.bfloat16):
        assert safe_inverse(jnp.array(4, dtype)) == 0.25
        assert safe_inverse(jnp.array(0, dtype)).dtype == dtype


def check_weak_zero() -> None:
    """Hold that a Python float passes beside float32."""
    assert jax.lax.cond(False, lambda: jnp.float32(1), lambda: 0.0) == 0.0


def example_vmap_cond() -> None:
    """Look for the cond in both programs, and hold that values and gradients are right in both."""

    def step(x: jax.Array) -> jax.Array:
        refined: jax.Array = jax.lax.cond(x > 0, jnp.log, lambda x: x, x)
        return refined

    one_by_one = partial(jax.lax.map, step)
    x = jnp.arange(4.0)
    assert "cond[" in str(jax.make_jaxpr(one_by_one)(x))  # a branch: log runs where x > 0
    assert "cond[" not in str(jax.make_jaxpr(jax.vmap(step))(x))  # a select: log runs for all
    assert jnp.allclose(jax.vmap(step)(x), one_by_one(x))
    assert jax.vmap(jax.grad(step))(x)[0] == 1.0  # log's infinite slope at 0 stays out
    assert jnp.isnan(jax.grad(lambda x: jnp.where(x > 0, jnp.log(x), x))(0.0))  # here it does not


def refinements_by_map() -> int:
    """Return how often a branch is taken that one of four examples needs."""
    ran: list[float] = []

    def refine(x: jax.Array) -> jax.Array:
        jax.debug.callback(lambda x: ran.append(float(x)), x)
        return x / 2

    jax.lax.map(lambda x: jax.lax.cond(x > 2.5, refine, lambda x: x, x), jnp.arange(4.0))
    jax.effects_barrier()
    return len(ran)


def experts_by_map() -> int:
    """Return how many of three experts run for four examples that need one each."""
    ran: list[float] = []

    def expert(x: jax.Array) -> jax.Array:
        jax.debug.callback(lambda x: ran.append(float(x)), x)
        return 2 * x

    def choose(pair: tuple[jax.Array, jax.Array]) -> jax.Array:
        chosen: jax.Array = jax.lax.switch(pair[0], [expert] * 3, pair[1])
        return chosen

    jax.lax.map(choose, (jnp.array([0, 1, 2, 0]), jnp.ones(4)))
    jax.effects_barrier()
    return len(ran)


def act(action: int | jax.Array, x: jax.Array) -> jax.Array:
    """Hold, climb or dive; NaN for any other action."""
    moves = [lambda x: x, lambda x: x + 1.0, lambda x: x - 1.0]
    known = (action >= 0) & (action < len(moves))
    moves.append(lambda x: jnp.full_like(x, jnp.nan))
    moved: jax.Array = jax.lax.switch(jnp.where(known, action, len(moves) - 1), moves, x)
    return moved


def example_switch_clamp() -> None:
    """Send in actions that do not exist."""
    assert [float(act(action, jnp.float32(5))) for action in (0, 1, 2)] == [5.0, 6.0, 4.0]
    assert jnp.isnan(act(-1, jnp.float32(5)))
    assert jnp.isnan(act(3, jnp.float32(5)))


def unknown_actions() -> list[float]:
    """Return what actions -1 and 7 make of 5."""
    return [float(act(action, jnp.float32(5))) for action in (-1, 7)]


def square_root(x: jax.Array | float, limit: int = 20) -> jax.Array:
    """Run Newton's method for at most `limit` steps, a Python int; can be differentiated both ways."""

    def improve(root: jax.Array, _: None) -> tuple[jax.Array, None]:
        better = 0.5 * (root + x / root)
        done = jnp.abs(better - root) < 1e-6 * root
        return jnp.where(done, root, better), None  # what is done stays as it is

    root, _ = jax.lax.scan(improve, jnp.asarray(x, jnp.float32), length=limit)
    return root


def example_while_reverse() -> None:
    """Compare the gradient with the closed form."""
    assert jnp.isclose(square_root(9.0), 3.0)
    assert jnp.isclose(jax.jit(jax.grad(square_root))(9.0), 0.5 / 3.0)


def check_forward_mode() -> None:
    """Differentiate a while_loop forwards."""

    def halvings(x: jax.Array) -> jax.Array:
        halved: jax.Array = jax.lax.while_loop(lambda x: x > 1.0, lambda x: x / 2, x)
        return halved

    assert jax.jacfwd(halvings)(8.0) == 1 / 8
    assert jax.jvp(halvings, (8.0,), (1.0,))[1] == 1 / 8


def fixed_point(
    update: Callable[[jax.Array], jax.Array], start: jax.Array, tolerance: float = 1e-5, limit: int = 200
) -> tuple[jax.Array, jax.Array]:
    """Iterate until the change is small; return the last value, and whether it converged."""

    def unfinished(state: tuple[jax.Array, jax.Array, jax.Array]) -> jax.Array:
        step, _, change = state
        return (step < limit) & (change > tolerance)  # a NaN compares as False, and ends the loop

    def advance(state: tuple[jax.Array, jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array, jax.Array]:
        step, x, _ = state
        new = update(x)
        return step + 1, new, jnp.abs(new - x).max()

    initial = jnp.int32(0), start, jnp.asarray(jnp.inf, start.dtype)
    _, x, change = jax.lax.while_loop(unfinished, advance, initial)
    return x, change <= tolerance  # False at the limit and after a NaN


def example_while_stop() -> None:
    """Converge, go round in circles, and run into a NaN."""
    x, converged = fixed_point(jnp.cos, jnp.float32(1))
    assert converged
    assert jnp.isclose(jnp.cos(x), x, atol=1e-4)
    assert not fixed_point(lambda x: -x, jnp.float32(1))[1]
    assert not fixed_point(lambda x: jnp.sqrt(x - 1), jnp.float32(2))[1]


def answer_and_verdict() -> list[float | bool]:
    """Return what an iteration that meets a NaN answers, and whether it says that it converged."""
    x, converged = fixed_point(lambda x: jnp.sqrt(x - 1), jnp.float32(2))
    return [float(x), bool(converged)]


def example_eager_loop() -> None:
    """Trace the loop's body once for five rates."""
    traces = []

    @jax.jit
    def simulate(state: jax.Array, rate: float) -> jax.Array:
        def decay(_: jax.Array, state: jax.Array) -> jax.Array:
            traces.append(state.shape)
            return state - rate * state

        final: jax.Array = jax.lax.fori_loop(0, 10, decay, state)
        return final

    state = jnp.ones(3)
    for rate in (0.1, 0.2, 0.3, 0.4, 0.5):
        state = simulate(state, rate)
    assert traces == [(3,)]


def traces_under_jit() -> int:
    """Return how often the loop's body is traced in five calls of a jitted function."""
    traces = []

    def decay(rate: jax.Array, state: jax.Array) -> jax.Array:
        traces.append(state.shape)
        return state - rate * state

    simulate = jax.jit(
        lambda rate, state: jax.lax.fori_loop(0, 10, lambda _, state: decay(rate, state), state),
    )
    state = jnp.ones(3)
    for rate in (0.1, 0.2, 0.3, 0.4, 0.5):
        state = simulate(rate, state)
    return len(traces)


def check_every_loop() -> None:
    """Count the traces of three eager calls with a fresh body, then of three with a named one."""

    def count(call: Callable[[Callable[[jax.Array], jax.Array]], object]) -> int:
        traces = []

        def body(x: jax.Array) -> jax.Array:
            traces.append(x)
            return x / 2

        for _ in range(3):
            call(body)
        return len(traces)

    def large(x: jax.Array) -> jax.Array:
        return x.sum() > 1.0

    x = jnp.ones(3)
    assert count(lambda body: jax.lax.scan(lambda c, _: (body(c), None), x, length=2)) == 3
    assert count(lambda body: jax.lax.while_loop(large, lambda c: body(c), x)) == 3
    assert count(lambda body: jax.lax.cond(True, lambda c: body(c), lambda c: c, x)) == 3
    assert count(lambda body: jax.lax.map(body, x)) == 3  # it wraps the body in a function of its own
    assert count(lambda body: jax.lax.cond(True, body, jnp.negative, x)) == 1
    assert count(lambda body: jax.lax.while_loop(large, body, x)) == 1
