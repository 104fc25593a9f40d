"""Optax: what happens between a gradient and an update."""

from typing import Any

import jax
import jax.numpy as jnp
import optax


def example_update_params() -> None:
    """Hand the parameters in, and carry the state that comes out."""
    inputs = jnp.arange(4.0)
    targets = 3.0 * inputs
    tx = optax.adamw(0.1, weight_decay=0.01)

    def loss(params: optax.Params) -> jax.Array:
        return jnp.mean((params["slope"] * inputs - targets) ** 2)

    @jax.jit
    def train_step(params: optax.Params, opt_state: optax.OptState) -> tuple[optax.Params, optax.OptState]:
        grads = jax.grad(loss)(params)
        updates, opt_state = tx.update(grads, opt_state, params)  # weight decay reads the parameters
        return optax.apply_updates(params, updates), opt_state

    start = params = {"slope": jnp.zeros(())}
    opt_state = tx.init(params)
    for _ in range(3):
        params, opt_state = train_step(params, opt_state)
    assert loss(params) < loss(start)
    assert optax.tree.get(opt_state, "count") == 3


def masked_cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """Average over the labels that are not -1; logits (batch, classes), integer labels (batch,)."""
    valid = labels >= 0
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, jnp.where(valid, labels, 0))
    return jnp.where(valid, losses, 0.0).sum() / jnp.maximum(valid.sum(), 1)


def example_int_labels() -> None:
    """Compare with the log-probability of each label, picked by hand."""
    logits = jnp.array([[2.0, 0.0, -1.0], [0.0, 1.0, 3.0], [5.0, 5.0, 5.0]])
    labels = jnp.array([0, 2, -1])  # the last one is padding
    log_probs = jax.nn.log_softmax(logits)
    assert jnp.isclose(masked_cross_entropy(logits, labels), -(log_probs[0, 0] + log_probs[1, 2]) / 2)


def check_int_labels() -> None:
    """Hold that labels below zero are classes, counted from the end, and that others out of range give NaN."""
    logits, labels = jnp.arange(100.0)[None], (-100, -1, -101, 100)
    losses = [optax.softmax_cross_entropy_with_integer_labels(logits, jnp.array([label]))[0] for label in labels]
    log_probs = jax.nn.log_softmax(logits[0])
    assert jnp.allclose(jnp.stack(losses[:2]), -log_probs[jnp.array([0, 99])])
    assert jnp.isnan(jnp.stack(losses[2:])).all()


def loss_of_class_zero() -> float:
    """Return the loss of a wrong prediction whose label is class 0."""
    return float(masked_cross_entropy(jnp.array([[0.0, 2.0, 1.0]]), jnp.array([0])))


def loss_of_padding() -> float:
    """Return the loss of a batch that is all padding."""
    return float(masked_cross_entropy(jnp.array([[0.0, 1.0, 3.0]]), jnp.array([-1])))


def clipped_adam(learning_rate: float, max_norm: float) -> optax.GradientTransformation:
    """Clip the gradient's norm before Adam's moments see it."""
    return optax.chain(optax.clip_by_global_norm(max_norm), optax.adam(learning_rate))


def example_clip_order() -> None:
    """Send in an outlier: the first moment holds a tenth of the clipped gradient."""
    tx = clipped_adam(1e-3, max_norm=1.0)
    outlier = jnp.array([3e4, 4e4])  # norm 5e4
    _, opt_state = tx.update(outlier, tx.init(jnp.zeros(2)))
    first_moment = optax.tree.get(opt_state, "mu")  # (1 - b1) * clipped gradient
    assert jnp.isclose(jnp.linalg.norm(first_moment), 0.1)


def first_moment_after_outlier() -> float:
    """Return the norm of Adam's first moment after one outlier."""
    tx = clipped_adam(1e-3, max_norm=1.0)
    _, opt_state = tx.update(jnp.array([3e4, 4e4]), tx.init(jnp.zeros(2)))
    return float(jnp.linalg.norm(optax.tree.get(opt_state, "mu")))


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


def rate_late_in_the_run() -> float:
    """Return the rate at update 950 of 1000."""
    return float(warmup_cosine(peak=1.0, updates=1000)(950))


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


def decay_mask(params: optax.Params) -> Any:
    """Select what to decay: matrices, by rank and by name."""

    def decays(path: tuple[Any, ...], leaf: jax.Array) -> bool:
        name = jax.tree_util.keystr(path, simple=True, separator="/")
        return leaf.ndim >= 2 and not any(word in name for word in ("bias", "scale", "embed"))

    return jax.tree_util.tree_map_with_path(decays, params)


def example_decay_mask() -> None:
    """Decay a model whose three layers are stacked for a scan, with a gradient of zero."""
    layers = {"kernel": jnp.ones((3, 4, 4)), "bias": jnp.ones((3, 4))}  # stacked: biases have rank 2
    params = {"embed": jnp.ones((9, 4)), "layers": layers}
    tx = optax.adamw(1.0, weight_decay=0.1, mask=decay_mask)
    updates, _ = tx.update(jax.tree.map(jnp.zeros_like, params), tx.init(params), params)
    moved = jax.tree.map(lambda update: bool((update != 0).any()), updates)
    assert moved == {"embed": False, "layers": {"kernel": True, "bias": False}}


def update_of_stacked_biases() -> list[float]:
    """Return the updates of two stacked biases whose gradients are zero."""
    params = {"bias": jnp.ones((2, 1))}
    tx = optax.adamw(1.0, weight_decay=0.1, mask=decay_mask)
    updates, _ = tx.update(jax.tree.map(jnp.zeros_like, params), tx.init(params), params)
    return [float(update) for update in updates["bias"].ravel()]


def decayed_adam(learning_rate: float, weight_decay: float) -> optax.GradientTransformation:
    """Chain as AdamW does: the direction, then the decay, then the rate with its minus sign."""
    return optax.chain(
        optax.scale_by_adam(),
        optax.add_decayed_weights(weight_decay),
        optax.scale_by_learning_rate(learning_rate),
    )


def example_decay_order() -> None:
    """Shrink every weight by a tenth of itself when the gradient is zero."""
    tx = decayed_adam(learning_rate=1.0, weight_decay=0.1)
    weights = jnp.array([1.0, 2.0, 4.0])
    updates, _ = tx.update(jnp.zeros(3), tx.init(weights), weights)
    assert jnp.allclose(optax.apply_updates(weights, updates), 0.9 * weights)


def decayed_weights() -> list[float]:
    """Return three weights after one update with a gradient of zero."""
    tx = decayed_adam(learning_rate=1.0, weight_decay=0.1)
    weights = jnp.array([1.0, 2.0, 4.0])
    updates, _ = tx.update(jnp.zeros(3), tx.init(weights), weights)
    return [float(weight) for weight in optax.apply_updates(weights, updates)]


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
    return float(updates)


def example_grad_accum() -> None:
    """Take four micro-batches as one batch, and count the schedule in updates."""
    inputs = jnp.arange(8.0)

    def loss(weight: jax.Array, inputs: jax.Array) -> jax.Array:
        return jnp.mean((weight * inputs - 1.0) ** 2)

    micro_steps, every = 80, 4
    rate = optax.linear_schedule(0.01, 0.0, transition_steps=micro_steps // every)
    tx = optax.MultiSteps(optax.sgd(rate), every_k_schedule=every)  # averages the gradients
    start = weight = jnp.float32(2.0)
    opt_state = tx.init(weight)
    for micro_batch in inputs.reshape(every, 2):
        updates, opt_state = tx.update(jax.grad(loss)(weight, micro_batch), opt_state, weight)
        weight = optax.apply_updates(weight, updates)  # zero until the fourth
    assert jnp.isclose(weight, start - 0.01 * jax.grad(loss)(start, inputs))


def rate_after_all_micro_steps() -> float:
    """Return the rate that the schedule has reached after 8 micro-steps, 4 to an update."""
    rate = optax.linear_schedule(1.0, 0.0, transition_steps=8 // 4)
    tx = optax.MultiSteps(optax.sgd(rate), every_k_schedule=4)
    opt_state = tx.init(jnp.zeros(()))
    for _ in range(8):
        _, opt_state = tx.update(jnp.ones(()), opt_state, jnp.zeros(()))
    return float(rate(opt_state.gradient_step))


def squared_error(params: optax.Params, inputs: jax.Array, targets: jax.Array) -> jax.Array:
    """Return the mean squared error of a linear model."""
    return jnp.mean((inputs @ params["kernel"] - targets) ** 2)


def accumulated_gradient(params: optax.Params, inputs: jax.Array, targets: jax.Array) -> optax.Updates:
    """Average the gradient over micro-batches: inputs and targets are (micro-batches, batch, ...)."""

    def add_gradient(total: optax.Updates, micro_batch: tuple[Any, ...]) -> tuple[optax.Updates, None]:
        grads = jax.grad(squared_error)(params, *micro_batch)
        return jax.tree.map(jnp.add, total, grads), None

    zeros = jax.tree.map(jnp.zeros_like, params)
    total, _ = jax.lax.scan(add_gradient, zeros, (inputs, targets))
    return jax.tree.map(lambda leaf: leaf / len(inputs), total)


def example_accum_scan() -> None:
    """Compare with the gradient of the whole batch."""
    inputs, targets = jnp.sin(jnp.arange(24.0)).reshape(8, 3), jnp.arange(8.0)
    params = {"kernel": jnp.ones(3)}
    grads = jax.jit(accumulated_gradient)(params, inputs.reshape(4, 2, 3), targets.reshape(4, 2))
    whole = jax.grad(squared_error)(params, inputs, targets)
    assert jnp.allclose(grads["kernel"], whole["kernel"], rtol=1e-4)


def accumulate_finite(inner: optax.GradientTransformation, every: int) -> optax.GradientTransformation:
    """Average micro-batches, leaving out those whose gradient has a NaN or an infinity."""
    multi_steps = optax.MultiSteps(inner, every, should_skip_update_fn=optax.skip_not_finite)
    return multi_steps.gradient_transformation()


def example_accum_nan() -> None:
    """Skip one bad micro-batch: its window takes the next good one instead."""
    tx = accumulate_finite(optax.sgd(1.0), every=2)
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for gradient in (1.0, jnp.nan, 3.0, 1.0, 1.0):
        updates, opt_state = tx.update(jnp.float32(gradient), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    assert weight == -(1.0 + 3.0) / 2 - (1.0 + 1.0) / 2


def weight_after_bad_micro_batch() -> float:
    """Return a weight after one NaN and eight good gradients."""
    tx = accumulate_finite(optax.sgd(1.0), every=2)
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for gradient in (jnp.nan, *[1.0] * 8):
        updates, opt_state = tx.update(jnp.float32(gradient), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return float(weight)


def example_finite_limit() -> None:
    """Stop at the limit, while the weight is still good."""
    limit = 3
    tx = optax.apply_if_finite(optax.sgd(0.1), max_consecutive_errors=limit)
    weight = jnp.ones(())
    opt_state = tx.init(weight)
    while opt_state.notfinite_count < limit:  # the next bad update would be applied
        updates, opt_state = tx.update(jnp.float32(jnp.nan), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    assert opt_state.total_notfinite == limit
    assert weight == 1.0


def weight_at_the_limit() -> float:
    """Return the weight when the run stops at the limit."""
    tx = optax.apply_if_finite(optax.sgd(0.1), max_consecutive_errors=3)
    weight = jnp.ones(())
    opt_state = tx.init(weight)
    while opt_state.notfinite_count < 3:
        updates, opt_state = tx.update(jnp.float32(jnp.nan), opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return float(weight)


def train_only_head(inner: optax.GradientTransformation) -> optax.GradientTransformation:
    """Freeze everything but the head, and keep no moments of what is frozen."""

    def labels(params: optax.Params) -> dict[str, str]:  # may be a prefix of the tree
        return {name: "train" if name == "head" else "freeze" for name in params}

    return optax.partition({"train": inner, "freeze": optax.set_to_zero()}, labels)


def example_freeze() -> None:
    """Take a step with weight decay, and count what the optimizer remembers."""
    params = {"backbone": {"kernel": jnp.ones((8, 8))}, "head": {"kernel": jnp.ones(3)}}
    tx = train_only_head(optax.adamw(0.1, weight_decay=0.1))
    opt_state = tx.init(params)
    updates, _ = tx.update(jax.tree.map(jnp.ones_like, params), opt_state, params)
    assert (updates["backbone"]["kernel"] == 0).all()
    assert (updates["head"]["kernel"] < 0).all()
    assert optax.tree.size(opt_state) == 2 * 3 + 1  # two moments of the head, one count


def check_freeze() -> None:
    """Hold that a mask freezes as well where it sets to zero what comes out of the optimizer."""
    params = {"backbone": jnp.ones(()), "head": jnp.ones(())}
    frozen = optax.masked(optax.set_to_zero(), {"backbone": True, "head": False})
    tx = optax.chain(optax.adamw(0.1), frozen)
    updates, _ = tx.update(jax.tree.map(jnp.ones_like, params), tx.init(params), params)
    assert updates["backbone"] == 0
    assert updates["head"] < 0


def frozen_weight() -> float:
    """Return a frozen weight after one update."""
    params = {"backbone": jnp.ones(()), "head": jnp.ones(())}
    tx = train_only_head(optax.adamw(0.1, weight_decay=0.1))
    updates, _ = tx.update(jax.tree.map(jnp.ones_like, params), tx.init(params), params)
    return float(params["backbone"] + updates["backbone"])


def hidden_matrices(params: optax.Params) -> Any:
    """Name the matrices for Muon; None leaves a parameter to Adam."""

    def dimensions(path: tuple[Any, ...], leaf: jax.Array) -> Any:
        name = jax.tree_util.keystr(path, simple=True, separator="/")
        hidden = leaf.ndim == 2 and not any(word in name for word in ("embed", "lm_head"))
        return optax.contrib.MuonDimensionNumbers() if hidden else None

    return jax.tree_util.tree_map_with_path(dimensions, params)


def muon(learning_rate: float) -> optax.GradientTransformation:
    """Build Muon for the hidden matrices and Adam for the rest, at one rate."""
    return optax.contrib.muon(
        learning_rate,
        muon_weight_dimension_numbers=hidden_matrices,
        consistent_rms=0.2,  # updates as large as AdamW's: arXiv 2502.16982
    )


def example_muon_dims() -> None:
    """Compare with Adam: the embedding follows it, the kernel does not."""
    params = {"embed": jnp.ones((8, 4)), "layer": {"kernel": jnp.ones((4, 4)), "bias": jnp.ones(4)}}
    grads = jax.tree.map(lambda leaf: jnp.sin(jnp.arange(1.0, 1 + leaf.size)).reshape(leaf.shape), params)
    tx, adam = muon(0.1), optax.nadam(0.1)  # Muon's Adam is Nesterov's
    by_muon, _ = tx.update(grads, tx.init(params), params)
    by_adam, _ = adam.update(grads, adam.init(params), params)
    same = jax.tree.map(lambda left, right: bool(jnp.allclose(left, right)), by_muon, by_adam)
    assert same == {"embed": True, "layer": {"kernel": False, "bias": True}}


def embedding_spectrum() -> jax.Array:
    """Return the singular values of an embedding's update."""
    params = {"embed": jnp.ones((4, 2))}
    grads = {"embed": jnp.array([[1.0, 1.0], [2.0, 3.0], [5.0, 4.0], [1.0, 2.0]])}
    tx = muon(0.1)
    updates, _ = tx.update(grads, tx.init(params), params)
    return jnp.linalg.svd(updates["embed"], compute_uv=False)


def example_schedule_free_eval() -> None:
    """Evaluate at the average of the iterates, which a constant gradient makes easy to sum."""
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.contrib.schedule_free_sgd(0.1, b1=0.9))
    params = jnp.zeros(())
    opt_state = tx.init(params)
    for _ in range(10):
        updates, opt_state = tx.update(jnp.ones(()), opt_state, params)
        params = optax.apply_updates(params, updates)
    eval_params = optax.contrib.schedule_free_eval_params(opt_state[1], params)  # its place in the chain
    plain_iterates = -0.1 * jnp.arange(1, 11)
    assert jnp.isclose(eval_params, plain_iterates.mean())
    assert not jnp.isclose(params, eval_params)


def distance_at_eval_params() -> float:
    """Return how far from the minimum a noisy run is evaluated."""
    tx = optax.contrib.schedule_free_sgd(0.5, b1=0.9)
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for step in range(200):
        noisy_gradient = (weight - 3.0) + 3.0 * (-1.0) ** step
        updates, opt_state = tx.update(noisy_gradient, opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    return float(abs(optax.contrib.schedule_free_eval_params(opt_state, weight) - 3.0))


def example_param_ema() -> None:
    """Average the parameters outside of the optimizer, and compare with the weighted sum."""
    decay = 0.9
    history = [jnp.float32(1.0), jnp.float32(2.0), jnp.float32(4.0)]
    average = history[0]
    for params in history[1:]:
        average = optax.incremental_update(params, average, step_size=1.0 - decay)
    assert jnp.isclose(average, decay**2 * 1.0 + decay * (1 - decay) * 2.0 + (1 - decay) * 4.0)


def average_of_one_and_two() -> float:
    """Return the average after a 1 and a 2, at a decay of 0.9."""
    return float(optax.incremental_update(jnp.float32(2.0), jnp.float32(1.0), step_size=1.0 - 0.9))


def example_lbfgs() -> None:
    """Minimise a badly scaled bowl, reusing the line search's last value and gradient."""

    def loss(params: jax.Array) -> jax.Array:
        return jnp.sum(jnp.array([1.0, 10.0, 100.0]) * (params - jnp.arange(3.0)) ** 2)

    tx = optax.lbfgs()  # no learning rate: a line search finds the step
    value_and_grad = optax.value_and_grad_from_state(loss)

    @jax.jit
    def step(params: jax.Array, opt_state: optax.OptState) -> tuple[jax.Array, optax.OptState]:
        value, grads = value_and_grad(params, state=opt_state)
        updates, opt_state = tx.update(grads, opt_state, params, value=value, grad=grads, value_fn=loss)
        return optax.apply_updates(params, updates), opt_state

    params = jnp.full(3, 5.0)
    opt_state = tx.init(params)
    for _ in range(20):
        params, opt_state = step(params, opt_state)
    assert jnp.allclose(params, jnp.arange(3.0), atol=1e-4)


def example_current_names() -> None:
    """Measure a gradient's norm, and compute a robust loss."""
    grads = {"kernel": jnp.array([3.0]), "bias": jnp.array([4.0])}
    assert optax.tree.norm(grads) == 5.0
    assert optax.huber_loss(jnp.array(3.0), jnp.array(0.0), delta=1.0) == 0.5 * 1.0**2 + 1.0 * (3.0 - 1.0)
