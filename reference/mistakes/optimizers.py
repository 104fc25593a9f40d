"""Optax used wrongly."""

import jax
import jax.numpy as jnp
import optax


def update_without_params():
    tx = optax.adamw(1e-3)
    params = jnp.ones(2)
    opt_state = tx.init(params)
    return tx.update(jnp.ones(2), opt_state)


def state_thrown_away() -> jax.Array:
    tx = optax.adam(0.1)
    params = jnp.ones(2)
    opt_state = tx.init(params)
    for _ in range(3):
        updates, _ = tx.update(params, opt_state)
        params = optax.apply_updates(params, updates)
    return optax.tree.get(opt_state, "count")


def clip_after_adam() -> jax.Array:
    tx = optax.chain(optax.adam(1e-3), optax.clip_by_global_norm(1.0))
    _, opt_state = tx.update(jnp.array([3e4, 4e4]), tx.init(jnp.zeros(2)))
    return jnp.linalg.norm(optax.tree.get(opt_state, "mu"))


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
    grads = jax.tree.map(jnp.ones_like, params)
    grads["backbone"] = jnp.zeros(())
    tx = optax.adamw(0.1, weight_decay=0.1)
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


def evaluated_at_training_params() -> float:
    tx = optax.contrib.schedule_free_sgd(0.5, b1=0.9)
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for step in range(200):
        noisy_gradient = (weight - 3.0) + 3.0 * (-1.0) ** step
        updates, opt_state = tx.update(noisy_gradient, opt_state, weight)
        weight = optax.apply_updates(weight, updates)
    weight_to_evaluate = weight
    return float(abs(weight_to_evaluate - 3.0))


def result_is_noisy(distance) -> bool:
    return distance > 0.03


def eval_params_from_chain_state():
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.contrib.schedule_free_sgd(0.1))
    params = jnp.zeros(())
    opt_state = tx.init(params)
    return optax.contrib.schedule_free_eval_params(opt_state, params)


def decay_as_step_size() -> float:
    decay = 0.9
    return float(optax.incremental_update(jnp.float32(2.0), jnp.float32(1.0), decay))


def ema_in_chain() -> jax.Array:
    tx = optax.chain(optax.sgd(1.0), optax.ema(0.9))
    weight = jnp.zeros(())
    opt_state = tx.init(weight)
    for gradient in (1.0, 0.0):
        updates, opt_state = tx.update(jnp.float32(gradient), opt_state)
        weight = optax.apply_updates(weight, updates)
    return weight


def lbfgs_as_adam():
    tx = optax.lbfgs()
    params = jnp.ones(3)
    opt_state = tx.init(params)
    return tx.update(2 * params, opt_state, params)


def old_name_of_norm():
    return optax.global_norm({"kernel": jnp.array([3.0])})


def positional_hyperparameter():
    return optax.huber_loss(jnp.array(3.0), jnp.array(0.0), 1.0)
