"""Optimizers: what Optax does between a gradient and an update."""

from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx


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


def count_after_three_steps() -> int:
    """Return the optimizer's count after three steps that keep its state."""
    tx, params = optax.adam(0.1), jnp.ones(2)
    opt_state = tx.init(params)
    for _ in range(3):
        updates, opt_state = tx.update(params, opt_state, params)
        params = optax.apply_updates(params, updates)
    return int(optax.tree.get(opt_state, "count"))


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


def hundredth_step_after_outlier() -> float:
    """Return how large Adam's step is, in learning rates, a hundred steps after one outlier."""
    tx, weights = clipped_adam(1.0, max_norm=1.0), jnp.zeros(2)
    _, opt_state = tx.update(jnp.array([3e4, 4e4]), tx.init(weights), weights)
    for _ in range(100):
        updates, opt_state = tx.update(jnp.array([0.5, 0.5]), opt_state, weights)
    return round(float(-updates[0]), 4)


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


def moves_of_three_weights() -> list[float]:
    """Return how far three weights move in one update with a gradient of zero."""
    return [after - before for after, before in zip(decayed_weights(), (1.0, 2.0, 4.0), strict=True)]


def rank_of_an_attention_bias() -> int:
    """Return the rank of the query's bias in Flax's attention."""
    bias = nnx.MultiHeadAttention(2, 4, rngs=nnx.Rngs(0)).query.bias
    assert bias is not None
    return bias.ndim


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


def muon_dimensions(params: optax.Params) -> Any:
    """Say which axes of a kernel are its matrix's rows and columns; None leaves a parameter to Adam."""

    def dimensions(path: tuple[Any, ...], _leaf: jax.Array) -> Any:
        names = jax.tree_util.keystr(path, simple=True, separator="/").split("/")
        if "kernel" not in names or "lm_head" in names:  # biases, scales, embeddings and the head
            return None
        axes: tuple[Any, Any] = (-2, -1)  # rows and columns; axes further left are layers of a scan
        if "attention" in names:  # in Flax (features, heads, size), and back
            axes = ((-3, -2), -1) if "out" in names else (-3, (-2, -1))
        return optax.contrib.MuonDimensionNumbers(*axes)  # a convolution's are (-4, -3, -2) and -1

    return jax.tree_util.tree_map_with_path(dimensions, params)


def muon(learning_rate: float) -> optax.GradientTransformation:
    """Build Muon for the hidden matrices and Adam for the rest, at one rate."""
    return optax.contrib.muon(
        learning_rate,
        muon_weight_dimension_numbers=muon_dimensions,
        consistent_rms=0.2,  # updates as large as AdamW's: arXiv 2502.16982
    )


def example_muon_dims() -> None:
    """Compare with Adam: kernels go another way, biases, embedding and head as by Adam."""
    shapes = {
        "embed": (8, 4),
        "attention": {"query": {"kernel": (4, 2, 2), "bias": (2, 2)}, "out": {"kernel": (2, 2, 4), "bias": (4,)}},
        "layers": {"kernel": (3, 4, 4), "bias": (3, 4)},  # three layers, stacked for a scan
        "lm_head": {"kernel": (4, 8)},
    }
    params = jax.tree.map(jnp.ones, shapes, is_leaf=lambda shape: isinstance(shape, tuple))
    grads = jax.tree.map(lambda leaf: jax.random.normal(jax.random.key(0), leaf.shape), params)
    tx, adam = muon(0.1), optax.nadam(0.1)  # Muon's Adam is Nesterov's
    by_muon, _ = tx.update(grads, tx.init(params), params)
    by_adam, _ = adam.update(grads, adam.init(params), params)
    same = jax.tree.map(lambda left, right: bool(jnp.allclose(left, right)), by_muon, by_adam)
    kernel_only = {"kernel": False, "bias": True}
    attention = {"query": kernel_only, "out": kernel_only}
    assert same == {"embed": True, "attention": attention, "layers": kernel_only, "lm_head": {"kernel": True}}


def check_muon_dims() -> None:
    """Hold that heads make one matrix and stacked layers one each, that a convolution works, and that NNX does."""
    kernels = jax.random.normal(jax.random.key(1), (3, 4, 2, 2))
    tx = muon(0.1)
    for layer, matrix in (("query", (4, 4)), ("out", (8, 2))):
        stacked = {"attention": {layer: {"kernel": kernels}}}
        updates, _ = tx.update(stacked, tx.init(stacked), stacked)
        for kernel, update in zip(kernels, updates["attention"][layer]["kernel"], strict=True):
            alone = {"out": {"kernel": kernel.reshape(matrix)}}  # of a dense layer, whatever its name
            by_itself, _ = tx.update(alone, tx.init(alone), alone)
            assert jnp.allclose(by_itself["out"]["kernel"], update.reshape(matrix), atol=1e-5)
    dimensions = optax.contrib.MuonDimensionNumbers((-4, -3, -2), -1)
    convolution = optax.contrib.muon(0.1, muon_weight_dimension_numbers=dimensions)
    filters = jnp.ones((3, 3, 2, 4))
    updates, _ = convolution.update(filters, convolution.init(filters), filters)
    assert updates.shape == (3, 3, 2, 4)
    model = nnx.Dict(attention=nnx.MultiHeadAttention(2, 4, rngs=nnx.Rngs(0)))
    numbers = muon_dimensions(nnx.state(model, nnx.Param))
    chosen = jax.tree_util.tree_leaves_with_path(numbers, is_leaf=_is_dimensions)
    axes = {jax.tree_util.keystr(path, simple=True, separator="/").split("/")[1]: tuple(leaf) for path, leaf in chosen}
    inwards = (-3, (-2, -1))
    assert axes == {"key": inwards, "out": ((-3, -2), -1), "query": inwards, "value": inwards}


def _is_dimensions(leaf: Any) -> bool:
    return isinstance(leaf, optax.contrib.MuonDimensionNumbers)


def leaves_of_attention_for_muon() -> list[str]:
    """Return which leaves of an attention's query Muon takes."""
    chosen = muon_dimensions({"attention": {"query": {"kernel": jnp.ones((4, 2, 2)), "bias": jnp.ones((2, 2))}}})
    return [name for name, dimensions in chosen["attention"]["query"].items() if dimensions]


def embedding_spectrum() -> jax.Array:
    """Return the singular values of an embedding's update."""
    params = {"embed": jnp.ones((4, 2))}
    grads = {"embed": jnp.array([[1.0, 1.0], [2.0, 3.0], [5.0, 4.0], [1.0, 2.0]])}
    tx = muon(0.1)
    updates, _ = tx.update(grads, tx.init(params), params)
    return jnp.linalg.svd(updates["embed"], compute_uv=False)


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
