"""Pieces: the few functions beyond Optax that a configuration may need; scripts carry copies of these."""

import secrets
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from skillkit.configuration.masks import input_axes, is_adapter, is_decayed_matrix, is_matrix, stacked_axes


def name_of(path: Any) -> str:
    """Return a leaf's path as `encoder/dense/kernel`."""
    name = jax.tree_util.keystr(path, simple=True, separator="/")
    return name.removesuffix("/value")  # flax.nnx wraps each leaf in a variable


def decay_matrices(params: Any) -> Any:
    """Return True for each leaf that weight decay is for: kernels and tables, no biases or norms."""
    return jax.tree_util.tree_map_with_path(lambda path, leaf: is_matrix(name_of(path), leaf.ndim), params)


def decay_matrices_not_embeddings(params: Any) -> Any:
    """Return True for each leaf that weight decay is for: kernels, no biases, norms or embeddings."""

    def decays(path: Any, leaf: Any) -> bool:
        return is_decayed_matrix(name_of(path), leaf.ndim)

    return jax.tree_util.tree_map_with_path(decays, params)


def label_by(**masks: Callable[[str, int], bool]) -> Callable[[Any], Any]:
    """Return a function that labels each leaf with the first selector that takes it."""

    def label(path: Any, leaf: Any) -> str:
        return next(label for label, takes in masks.items() if takes(name_of(path), leaf.ndim))

    return lambda params: jax.tree_util.tree_map_with_path(label, params)


def adapters_of(params: Any) -> Any:
    """Return the adapters, and None in the place of all else."""

    def kept(path: Any, leaf: Any) -> Any:
        return leaf if is_adapter(name_of(path), leaf.ndim) else None

    return jax.tree_util.tree_map_with_path(kept, params)


def with_adapters(params: Any, adapters: Any) -> Any:
    """Return the parameters with adapters in their places."""
    return jax.tree.map(
        lambda own, other: other if own is None else own, adapters, params, is_leaf=lambda leaf: leaf is None
    )


def freeze() -> optax.GradientTransformation:
    """Leave parameters as they are, whatever the shape of their gradients."""

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del updates
        return optax.tree.zeros_like(params), state

    return optax.GradientTransformation(lambda _: optax.EmptyState(), update)


def muon_dimensions(params: Any) -> Any:
    """Return which axes of each kernel Muon orthogonalises: inputs against outputs, each layer of a stack by itself."""

    def dimensions(path: Any, leaf: Any) -> optax.contrib.MuonDimensionNumbers:
        name = name_of(path)
        axes = tuple(range(stacked_axes(name, leaf.ndim), leaf.ndim))
        inputs = input_axes(name, leaf.ndim)
        return optax.contrib.MuonDimensionNumbers(reduction_axis=axes[:inputs], output_axis=axes[inputs:])

    return jax.tree_util.tree_map_with_path(dimensions, params)


def inverse_sqrt_schedule(peak_value: float, timescale: float) -> optax.Schedule:
    """Return the schedule `peak_value / sqrt(1 + update / timescale)`."""
    return lambda count: peak_value / jnp.sqrt(1 + count / timescale)


def clip_per_example(max_norm: float) -> optax.GradientTransformation:
    """Clip each example's gradient (leaves have a leading axis of examples), then average."""

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        clipped, _ = optax.per_example_global_norm_clip(updates, max_norm)
        examples = jax.tree.leaves(updates)[0].shape[0]
        return jax.tree.map(lambda total: total / examples, clipped), state

    return optax.GradientTransformation(lambda _: optax.EmptyState(), update)


def secret_key() -> jax.Array:
    """Return a random key that nobody can guess: who knows it takes the noise away, and the privacy with it."""
    words = [secrets.randbits(32) for _ in range(2)]
    return jax.random.wrap_key_data(jnp.array(words, jnp.uint32), impl="threefry2x32")


def skip_bad_gradients(transformation: optax.GradientTransformation) -> optax.GradientTransformationExtraArgs:
    """Leave parameters and state as they are where the gradient is zero everywhere or not finite."""
    inner = optax.with_extra_args_support(transformation)

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        norm = optax.tree.norm(updates)
        good = jnp.isfinite(norm) & (norm > 0)
        new_updates, new_state = inner.update(updates, state, params, **extra)
        zeros = optax.tree.zeros_like(new_updates)
        kept: tuple[Any, Any] = jax.tree.map(
            lambda new, old: jnp.where(good, new, old), (new_updates, new_state), (zeros, state)
        )
        return kept

    return optax.GradientTransformationExtraArgs(inner.init, update)


class AccumulationState(NamedTuple):
    """How many micro-batches wait for the next update, their gradients' mean, and the optimizer's state."""

    pending: jax.Array
    mean: Any
    inner: Any


def accumulate(transformation: optax.GradientTransformation, every: int) -> optax.GradientTransformation:
    """Update once in `every` finite gradients, with their mean.

    Unlike `optax.MultiSteps`, the optimizer runs only then; Muon's orthogonalisation is dear.
    """

    def init(params: Any) -> AccumulationState:
        zeros = optax.tree.zeros_like(params, dtype=jnp.float32)
        return AccumulationState(jnp.zeros((), jnp.int32), zeros, transformation.init(params))

    def update(updates: Any, state: AccumulationState, params: Any = None) -> tuple[Any, AccumulationState]:
        finite = jnp.isfinite(optax.tree.norm(updates))
        grown = jax.tree.map(lambda mean, new: mean + (new - mean) / (state.pending + 1), state.mean, updates)
        mean = jax.tree.map(lambda new, old: jnp.where(finite, new, old), grown, state.mean)
        count = state.pending + finite

        def emit() -> tuple[Any, AccumulationState]:
            new_updates, inner = transformation.update(mean, state.inner, params)
            return new_updates, AccumulationState(jnp.zeros_like(count), optax.tree.zeros_like(mean), inner)

        def wait() -> tuple[Any, AccumulationState]:
            zeros = optax.tree.zeros_like(jax.eval_shape(emit)[0])
            return zeros, AccumulationState(count, mean, state.inner)

        result: tuple[Any, AccumulationState] = jax.lax.cond(count == every, emit, wait)
        return result

    return optax.GradientTransformation(init, update)


class MasterState(NamedTuple):
    """The float32 copy of the parameters, and the optimizer's state."""

    master: Any
    inner: Any


def keep_master_copy(transformation: optax.GradientTransformation) -> optax.GradientTransformationExtraArgs:
    """Update a float32 copy of bfloat16 parameters, which small updates would be too small to move."""
    inner = optax.with_extra_args_support(transformation)

    def init(params: Any) -> MasterState:
        master = optax.tree.cast(params, jnp.float32)
        return MasterState(master, inner.init(master))

    def update(updates: Any, state: MasterState, params: Any = None, **extra: Any) -> tuple[Any, MasterState]:
        updates = optax.tree.cast(updates, jnp.float32)
        updates, inner_state = inner.update(updates, state.inner, state.master, **extra)
        master = optax.apply_updates(state.master, updates)
        moved = jax.tree.map(lambda new, old: new - old.astype(jnp.float32), master, params)
        return moved, MasterState(master, inner_state)

    return optax.GradientTransformationExtraArgs(init, update)


def schedule_free_params(opt_state: Any, params: Any) -> Any:
    """Return the averaged parameters, which are those to evaluate and to export."""

    def is_state(node: Any) -> bool:
        return isinstance(node, optax.contrib.ScheduleFreeState)

    state = next(node for node in jax.tree.leaves(opt_state, is_leaf=is_state) if is_state(node))
    return optax.contrib.schedule_free_eval_params(state, params)
