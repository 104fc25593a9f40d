"""Schedules: learning rates over a run, and hyperparameters that are set between steps."""

from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def warmup_cosine(peak: float, updates: int) -> optax.Schedule:
    """Rise over the first tenth, then fall to zero exactly at the last update."""
    warmup = updates // 10
    return optax.warmup_cosine_decay_schedule(
        init_value=peak / warmup,  # 0.0 would make the first update a no-op
        peak_value=peak,
        warmup_steps=warmup,
        decay_steps=updates,  # the whole run, warm-up included
    )


def example_warmup_total() -> None:
    """Look at the rate where it starts, peaks, is halfway down and ends."""
    rate = warmup_cosine(peak=1.0, updates=1000)
    rates = jnp.array([rate(step) for step in (0, 100, 550, 1000)])
    assert jnp.allclose(rates, jnp.array([0.01, 1.0, 0.5, 0.0]), atol=1e-6)
    assert rate(950) > 0.0


def check_warmup_total() -> None:
    """Hold that the exponential schedule counts its transition from the end of the warm-up."""
    rate = optax.warmup_exponential_decay_schedule(0.0, 1.0, warmup_steps=100, transition_steps=100, decay_rate=0.5)
    assert [float(rate(step)) for step in (100, 200, 300)] == [1.0, 0.5, 0.25]


def rate_late_in_the_run() -> float:
    """Return the rate at update 950 of 1000."""
    return round(float(warmup_cosine(peak=1.0, updates=1000)(950)), 4)


def example_schedule_in_optimizer() -> None:
    """Sum the ten scheduled rates by hand: every gradient is 1."""
    tx = optax.sgd(optax.linear_schedule(1.0, 0.0, transition_steps=10))

    @jax.jit
    def train_step(weight: jax.Array, opt_state: optax.OptState) -> tuple[jax.Array, optax.OptState]:
        updates, opt_state = tx.update(jnp.ones(()), opt_state, weight)
        return optax.apply_updates(weight, updates), opt_state

    weight = jnp.zeros(())
    opt_state = tx.init(weight)  # holds the count that the schedule reads
    for _ in range(10):
        weight, opt_state = train_step(weight, opt_state)
    assert jnp.isclose(weight, -sum(1.0 - step / 10 for step in range(10)))


def weight_after_a_scheduled_run() -> float:
    """Return minus the sum of ten rates that fall from 1 to 0.1."""
    tx, weight = optax.sgd(optax.linear_schedule(1.0, 0.0, transition_steps=10)), jnp.zeros(())
    opt_state = tx.init(weight)
    for _ in range(10):
        updates, opt_state = tx.update(jnp.ones(()), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return round(float(weight), 4)


def warmup_stable_decay(peak: float, updates: int) -> optax.Schedule:
    """Rise, hold, and fall over the last fifth; each piece counts from its own start."""
    warmup, decay = updates // 10, updates // 5
    pieces = [
        optax.linear_schedule(0.0, peak, transition_steps=warmup),
        optax.constant_schedule(peak),
        optax.linear_schedule(peak, 0.0, transition_steps=decay),
    ]
    return optax.join_schedules(pieces, boundaries=[warmup, updates - decay])


def example_join_schedules() -> None:
    """Look at the rate at the joints and halfway down."""
    rate = warmup_stable_decay(peak=1.0, updates=100)
    assert [float(rate(step)) for step in (0, 10, 79, 90, 100)] == [0.0, 1.0, 1.0, 0.5, 0.0]


def rate_at_the_end() -> float:
    """Return the rate after the last update."""
    return float(warmup_stable_decay(peak=1.0, updates=100)(100))


def adjustable_adamw(learning_rate: float) -> optax.GradientTransformation:
    """Build AdamW whose rate can be set between steps without a retrace."""
    inject = optax.inject_hyperparams(
        optax.adamw,
        static_args=("mask", "mu_dtype"),  # else a callable mask is called as a schedule
        hyperparam_dtype=jnp.float32,  # else the parameters' common dtype: in bfloat16 b2 = 0.999 is 1
    )
    return inject(learning_rate, weight_decay=0.1, mask=matrices)


def matrices(params: optax.Params) -> Any:
    """Select the leaves of rank two and more."""
    return jax.tree.map(lambda leaf: leaf.ndim >= 2, params)


def example_inject_hyperparams() -> None:
    """Decay the matrix only, and halve the rate at run time."""
    tx = adjustable_adamw(learning_rate=1.0)
    params = {"kernel": jnp.ones((2, 2), jnp.bfloat16), "bias": jnp.ones(2, jnp.bfloat16)}
    grads = jax.tree.map(jnp.zeros_like, params)
    opt_state = tx.init(params)
    for rate in (1.0, 0.5):
        opt_state.hyperparams["learning_rate"] = jnp.float32(rate)
        updates, _ = tx.update(grads, opt_state, params)
        assert jnp.allclose(updates["kernel"], -0.1 * rate, rtol=1e-2)
        assert (updates["bias"] == 0).all()


def check_inject_hyperparams() -> None:
    """Hold that a new rate does not trace the step again, and that one float32 parameter is enough for a float32 b2."""
    mixed = {"kernel": jnp.ones((), jnp.bfloat16), "scale": jnp.ones(())}
    assert optax.inject_hyperparams(optax.adamw)(1e-3).init(mixed).hyperparams["b2"].dtype == jnp.float32

    tx = adjustable_adamw(learning_rate=1.0)
    weight = jnp.ones((1, 1))
    opt_state = tx.init(weight)
    traces = []

    @jax.jit
    def train_step(weight: jax.Array, opt_state: optax.OptState) -> tuple[jax.Array, optax.OptState]:
        traces.append(1)
        updates, opt_state = tx.update(jnp.zeros((1, 1)), opt_state, weight)
        return optax.apply_updates(weight, updates), opt_state

    for rate in (1.0, 0.5, 0.0):
        opt_state.hyperparams["learning_rate"] = jnp.float32(rate)
        weight, opt_state = train_step(weight, opt_state)
    assert len(traces) == 1
    assert jnp.isclose(weight[0, 0], 0.9 * 0.95)


def decay_under_injected_mask() -> list[float]:
    """Return the update of a decayed matrix whose gradient is zero."""
    params = {"kernel": jnp.ones((1, 2))}
    tx = adjustable_adamw(learning_rate=1.0)
    updates, _ = tx.update(jax.tree.map(jnp.zeros_like, params), tx.init(params), params)
    return [float(update) for update in updates["kernel"].ravel()]


def first_bfloat16_update() -> float:
    """Return the first update of a bfloat16 weight."""
    weight = jnp.ones((), jnp.bfloat16)
    tx = adjustable_adamw(learning_rate=1e-3)
    updates, _ = tx.update(jnp.ones((), jnp.bfloat16), tx.init(weight), weight)
    return round(float(updates), 4)


def traces_under_a_float32_rate() -> int:
    """Return how often a step is traced whose rate is set once."""
    tx, weight, traces = optax.inject_hyperparams(optax.sgd)(1.0), jnp.ones(()), []

    @jax.jit
    def train_step(weight: jax.Array, opt_state: optax.OptState) -> tuple[jax.Array, optax.OptState]:
        traces.append("train_step")
        updates, opt_state = tx.update(weight, opt_state, weight)
        return optax.apply_updates(weight, updates), opt_state

    weight, opt_state = train_step(weight, tx.init(weight))
    opt_state.hyperparams["learning_rate"] = jnp.float32(0.5)
    train_step(weight, opt_state)
    return len(traces)


def example_inject_nnx() -> None:
    """Halve the rate of an NNX optimizer between two steps: one trace serves both."""
    model, traces = nnx.Linear(2, 1, rngs=nnx.Rngs(0)), []
    optimizer = nnx.Optimizer(model, optax.inject_hyperparams(optax.sgd)(0.1), wrt=nnx.Param)

    @nnx.jit
    def train_step(model: nnx.Linear, optimizer: nnx.Optimizer[nnx.Linear]) -> None:
        traces.append("train_step")  # runs at tracing alone
        grads = nnx.grad(lambda model: model(jnp.ones((1, 2))).sum())(model)
        optimizer.update(model, grads)

    start = model.kernel[...]
    train_step(model, optimizer)
    optimizer.opt_state.hyperparams["learning_rate"][...] = jnp.float32(0.05)
    train_step(model, optimizer)
    assert len(traces) == 1
    assert jnp.allclose(model.kernel[...], start - 0.1 - 0.05)


def check_inject_nnx() -> None:
    """Hold that the state keeps its structure so, and loses it where the variable is replaced."""
    optimizer = nnx.Optimizer(
        nnx.Linear(2, 1, rngs=nnx.Rngs(0)), optax.inject_hyperparams(optax.sgd)(0.1), wrt=nnx.Param
    )
    structures: list[Any] = [jax.tree.structure(nnx.state(optimizer))]
    optimizer.opt_state.hyperparams["learning_rate"][...] = jnp.float32(0.05)
    structures.append(jax.tree.structure(nnx.state(optimizer)))
    optimizer.opt_state.hyperparams["learning_rate"] = jnp.float32(0.05)
    structures.append(jax.tree.structure(nnx.state(optimizer)))
    assert structures[0] == structures[1] != structures[2]


def traces_of_an_nnx_step() -> int:
    """Return how often an NNX step is traced whose rate is set once."""
    model, traces = nnx.Linear(2, 1, rngs=nnx.Rngs(0)), []
    optimizer = nnx.Optimizer(model, optax.inject_hyperparams(optax.sgd)(0.1), wrt=nnx.Param)

    @nnx.jit
    def train_step(model: nnx.Linear, optimizer: nnx.Optimizer[nnx.Linear]) -> None:
        traces.append("train_step")
        optimizer.update(model, nnx.grad(lambda model: model(jnp.ones((1, 2))).sum())(model))

    train_step(model, optimizer)
    optimizer.opt_state.hyperparams["learning_rate"][...] = jnp.float32(0.05)
    train_step(model, optimizer)
    return len(traces)
