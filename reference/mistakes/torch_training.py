"""PyTorch's habits in training with JAX."""

import jax
import jax.numpy as jnp
import optax


def after_steps(optimizer: optax.GradientTransformation, grad: float, steps: int = 1) -> float:
    param = jnp.array(1.0)
    state = optimizer.init(param)
    for _ in range(steps):
        update, state = optimizer.update(jnp.asarray(grad), state, param)
        param = optax.apply_updates(param, update)
    return float(param)


def adamw_by_default() -> float:
    return after_steps(optax.adamw(0.1), grad=0.0, steps=10)


def adamw_for_adam() -> float:
    return after_steps(optax.adamw(0.1, weight_decay=1e-2), grad=0.0)


def rmsprop_by_default() -> float:
    return after_steps(optax.rmsprop(0.01), grad=1e-5)


def nothing_detached() -> float:
    return float(jax.grad(lambda w: (w * w) ** 2)(2.0))


def no_grad_left_out() -> list[float]:
    def scaled_energy(w):
        scale = jnp.abs(w).max()
        return ((w / scale) ** 2).sum()

    return jax.grad(scaled_energy)(jnp.array([1.0, -2.0])).tolist()


def ignore_index_passed_on() -> float:
    logits, labels = jnp.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), jnp.array([0, -100])
    return float(optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean())


def ignore_index_among_many_classes() -> list[int]:
    labels = jnp.array([-100])

    def loss(logits):
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    grads = jax.grad(loss)(jnp.zeros((1, 1000)))
    return jnp.flatnonzero(grads[0] < 0).tolist()


def minus_one_passed_on() -> float:
    logits = jnp.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    labels = jnp.array([0, -1])
    return float(optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean())


def schedule_in_epochs() -> float:
    schedule = optax.exponential_decay(0.1, transition_steps=30, decay_rate=0.1)
    return float(schedule(100))  # the second epoch of 100 updates


def summed_loss() -> float:
    def loss_fn(weight, x, labels):
        return optax.softmax_cross_entropy_with_integer_labels(x @ weight, labels).sum()

    x, labels, weight = jnp.ones((4, 2)), jnp.array([0, 1, 1, 1]), jnp.zeros((2, 2))
    once = jax.grad(loss_fn)(weight, x, labels)
    twice = jax.grad(loss_fn)(weight, jnp.tile(x, (2, 1)), jnp.tile(labels, 2))
    return float(twice[0, 0] / once[0, 0])
