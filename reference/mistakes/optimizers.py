"""Optax used wrongly."""

import jax
import jax.numpy as jnp
import optax


def update_without_params():
    tx = optax.adamw(1e-3)
    params, grads = jnp.ones(2), jnp.ones(2)
    opt_state = tx.init(params)
    return tx.update(grads, opt_state)


def state_thrown_away() -> jax.Array:
    tx = optax.adam(0.1)
    params = grads = jnp.ones(2)
    opt_state = tx.init(params)
    for _ in range(3):
        updates, _ = tx.update(grads, opt_state, params)
        params = optax.apply_updates(params, updates)
    return optax.tree.get(opt_state, "count")


def clip_after_adam() -> float:
    tx = optax.chain(optax.adam(1.0), optax.clip_by_global_norm(1.0))
    weights = jnp.zeros(2)
    _, opt_state = tx.update(jnp.array([3e4, 4e4]), tx.init(weights), weights)
    for _ in range(100):
        updates, opt_state = tx.update(jnp.array([0.5, 0.5]), opt_state, weights)
    return round(float(-updates[0]), 4)


def mask_by_rank_alone() -> jax.Array:
    params = {"bias": jnp.ones((2, 1))}  # one bias per layer, stacked for a scan over layers
    mask = jax.tree.map(lambda leaf: leaf.ndim >= 2, params)
    tx = optax.adamw(1.0, weight_decay=0.1, mask=mask)
    updates, _ = tx.update(jax.tree.map(jnp.zeros_like, params), tx.init(params), params)
    return updates["bias"].ravel()


def decay_before_adam() -> jax.Array:
    tx = optax.chain(optax.add_decayed_weights(0.1), optax.adam(1.0))
    weights = jnp.array([1.0, 2.0, 4.0])
    updates, _ = tx.update(jnp.zeros(3), tx.init(weights), weights)
    return optax.apply_updates(weights, updates) - weights


def all_weights_move_alike(moves) -> bool:
    return bool(jnp.allclose(jnp.array(moves), moves[0]))


def decay_after_learning_rate() -> jax.Array:
    tx = optax.chain(optax.adam(1.0), optax.add_decayed_weights(0.1))
    weights = jnp.array([1.0, 2.0, 4.0])
    updates, _ = tx.update(jnp.zeros(3), tx.init(weights), weights)
    return optax.apply_updates(weights, updates)


def masked_to_freeze() -> jax.Array:
    params = {"backbone": jnp.ones(()), "head": jnp.ones(())}
    tx = optax.masked(optax.adamw(0.1), {"backbone": False, "head": True})
    updates, _ = tx.update(jax.tree.map(jnp.ones_like, params), tx.init(params), params)
    return optax.apply_updates(params, updates)["backbone"]


def zeroed_gradient_to_freeze() -> jax.Array:
    params = {"backbone": jnp.ones(()), "head": jnp.ones(())}
    tx = optax.adamw(0.1, weight_decay=0.1)
    grads = jax.tree.map(jnp.ones_like, params)
    grads["backbone"] = jnp.zeros(())
    updates, _ = tx.update(grads, tx.init(params), params)
    return optax.apply_updates(params, updates)["backbone"]


def muon_on_embedding() -> jax.Array:
    params = {"embed": jnp.ones((4, 2))}
    grads = {"embed": jnp.array([[1.0, 1.0], [2.0, 3.0], [5.0, 4.0], [1.0, 2.0]])}
    tx = optax.contrib.muon(0.1)
    updates, _ = tx.update(grads, tx.init(params), params)
    return jnp.linalg.svd(updates["embed"], compute_uv=False)


def singular_values_are_levelled(singular_values) -> bool:
    return bool(singular_values.max() < 2 * singular_values.min())


def muon_by_rank() -> list[str]:
    params = {"query": {"kernel": jnp.ones((4, 2, 2)), "bias": jnp.ones((2, 2))}}

    def matrices(params):
        return jax.tree.map(lambda leaf: optax.contrib.MuonDimensionNumbers() if leaf.ndim == 2 else None, params)

    return [name for name, dimensions in matrices(params)["query"].items() if dimensions]


def lbfgs_as_adam():
    tx = optax.lbfgs()
    params = jnp.ones(3)
    opt_state = tx.init(params)
    return tx.update(2 * params, opt_state, params)
