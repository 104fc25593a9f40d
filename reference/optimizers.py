"""Optimizers: what Optax does between a gradient and an update."""

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
