"""From PyTorch: optimizers, losses, schedules and the training step."""

import math

import jax
import jax.numpy as jnp
import optax

from reference.torch_layers import normal


def after_steps(optimizer: optax.GradientTransformation, grad: float, steps: int = 1) -> float:
    """Return where steps of one gradient lead from 1."""
    param = jnp.array(1.0)
    state = optimizer.init(param)
    for _ in range(steps):
        update, state = optimizer.update(jnp.asarray(grad), state, param)
        param = optax.apply_updates(param, update)
    return float(param)


def example_decay() -> None:
    """Find each decay's own mark where the gradient is zero."""
    adamw = optax.adamw(0.1, weight_decay=1e-2)  # torch.optim.AdamW by default: shrink by rate * decay
    assert math.isclose(after_steps(adamw, grad=0.0, steps=10), (1 - 0.1 * 1e-2) ** 10, rel_tol=1e-5)
    adam = optax.chain(optax.add_decayed_weights(1e-2), optax.adam(0.1))  # torch.optim.Adam(weight_decay=1e-2)
    assert math.isclose(after_steps(adam, grad=0.0), 1 - 0.1, rel_tol=1e-5)  # Adam makes it a whole step


def torch_adam(grad: float, decay: float, decoupled: bool, steps: int = 10) -> float:
    """Follow torch.optim.AdamW (decoupled) or torch.optim.Adam from 1, at a rate of 0.1."""
    param, mean, square = 1.0, 0.0, 0.0
    for step in range(1, steps + 1):
        slope = grad if decoupled else grad + decay * param
        param -= 0.1 * decay * param if decoupled else 0.0
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        param -= 0.1 * (mean / (1 - 0.9**step)) / (math.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return param


def check_decay() -> None:
    """Hold that ten steps lead where PyTorch's formulas do."""
    adamw = optax.adamw(0.1, weight_decay=1e-2)
    adam = optax.chain(optax.add_decayed_weights(1e-2), optax.adam(0.1))
    for optimizer, decoupled in ((adamw, True), (adam, False)):
        expected = torch_adam(-0.02, decay=1e-2, decoupled=decoupled)
        assert math.isclose(after_steps(optimizer, grad=-0.02, steps=10), expected, rel_tol=1e-4)


def decay_by_default() -> float:
    """Return the weight decay of optax.adamw, from what a step leaves of a parameter without gradient."""
    return 1 - after_steps(optax.adamw(1.0), grad=0.0)


def decayed_as_torch_adamw() -> float:
    """Return what ten steps of torch.optim.AdamW leave of a parameter without gradient."""
    return after_steps(optax.adamw(0.1, weight_decay=1e-2), grad=0.0, steps=10)


def decayed_as_torch_adam() -> float:
    """Return what a step of torch.optim.Adam with weight decay leaves of a parameter without gradient."""
    return after_steps(optax.chain(optax.add_decayed_weights(1e-2), optax.adam(0.1)), grad=0.0)


def example_rmsprop() -> None:
    """Take PyTorch's decay of 0.99, and move eps out of the root."""
    optimizer = optax.rmsprop(0.01, decay=0.99, eps_in_sqrt=False)
    grad = 1e-5
    expected = 1 - 0.01 * grad / (math.sqrt(0.01 * grad**2) + 1e-8)  # the first step of torch.optim.RMSprop
    assert math.isclose(after_steps(optimizer, grad), expected, rel_tol=1e-5)


def torch_rmsprop(grad: float, steps: int) -> float:
    """Follow torch.optim.RMSprop(lr=0.01) from 1."""
    param, square = 1.0, 0.0
    for _ in range(steps):
        square = 0.99 * square + 0.01 * grad**2
        param -= 0.01 * grad / (math.sqrt(square) + 1e-8)
    return param


def check_rmsprop() -> None:
    """Hold that ten steps lead where PyTorch's formula does."""
    optimizer = optax.rmsprop(0.01, decay=0.99, eps_in_sqrt=False)
    assert math.isclose(after_steps(optimizer, 1e-5, steps=10), torch_rmsprop(1e-5, steps=10), rel_tol=1e-4)


def rmsprop_as_torch() -> float:
    """Return where one step of a PyTorch user's RMSprop leads for a small gradient."""
    return after_steps(optax.rmsprop(0.01, decay=0.99, eps_in_sqrt=False), grad=1e-5)


def half_detached(w: jax.Array) -> jax.Array:
    """Write ((w * w.detach()) ** 2)."""
    return (w * jax.lax.stop_gradient(w)) ** 2


def example_detach() -> None:
    """Differentiate with what is held as a constant."""
    w = jnp.array(2.0)
    assert jax.grad(half_detached)(w) == 2 * w * w**2
    w = jnp.array([1.0, -2.0])
    assert jnp.allclose(jax.grad(scaled_energy)(w), 2 * w / 2.0**2)


def slope_half_detached() -> float:
    """Return the slope at 2."""
    return float(jax.grad(half_detached)(2.0))


def scaled_energy(w: jax.Array) -> jax.Array:
    """Scale by the largest entry, which PyTorch code takes under no_grad()."""
    scale = jax.lax.stop_gradient(jnp.abs(w).max())
    return ((w / scale) ** 2).sum()


def slope_scaled_energy() -> list[float]:
    """Return the gradient at (1, -2)."""
    return jax.grad(scaled_energy)(jnp.array([1.0, -2.0])).tolist()


def masked_cross_entropy(logits: jax.Array, labels: jax.Array, ignore: int = -100) -> jax.Array:
    """Return the mean loss over the labels (...,) that are not to be ignored, as torch's cross_entropy does."""
    counted = labels != ignore
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    return jnp.where(counted, losses, 0.0).sum() / jnp.maximum(counted.sum(), 1)


def example_ignored_labels() -> None:
    """Leave out padded positions: neither their loss nor their gradient counts."""
    logits, labels = jnp.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), jnp.array([0, -100])
    loss, grads = jax.value_and_grad(masked_cross_entropy)(logits, labels)
    assert jnp.isclose(loss, -jax.nn.log_softmax(logits[0])[0])
    assert (grads[1] == 0).all()
    assert masked_cross_entropy(logits, jnp.array([-100, -100])) == 0.0  # where PyTorch gives NaN


def classes_trained_by_padding() -> list[int]:
    """Return the classes whose logits an ignored example raises."""
    grads = jax.grad(masked_cross_entropy)(jnp.zeros((1, 1000)), jnp.array([-100]))
    return jnp.flatnonzero(grads[0] < 0).tolist()


def fewest_classes_for_minus_100() -> int:
    """Return the smallest number of classes for which the label -100 is one of them."""

    def loss(classes: int) -> jax.Array:
        return optax.softmax_cross_entropy_with_integer_labels(jnp.zeros((1, classes)), jnp.array([-100]))

    return next(classes for classes in range(90, 110) if jnp.isfinite(loss(classes)).all())


def loss_with_ignored_labels() -> float:
    """Return the loss of two equal examples of which the second is ignored."""
    logits, labels = jnp.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), jnp.array([0, -100])
    return float(masked_cross_entropy(logits, labels))


def loss_with_minus_one() -> float:
    """Return the loss where -1 marks what is to be ignored."""
    logits, labels = jnp.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]), jnp.array([0, -1])
    return float(masked_cross_entropy(logits, labels, ignore=-1))


def step_decay(rate: float, epochs: int, factor: float, updates_per_epoch: int) -> optax.Schedule:
    """Return the schedule of torch.optim.lr_scheduler.StepLR that is stepped once per epoch."""
    return optax.exponential_decay(rate, epochs * updates_per_epoch, factor, staircase=True)


def example_schedule() -> None:
    """Count updates where PyTorch counts epochs."""
    schedule = step_decay(0.1, epochs=30, factor=0.1, updates_per_epoch=100)
    for epoch in (0, 29, 30, 89):
        assert math.isclose(schedule(100 * epoch), 0.1 * 0.1 ** (epoch // 30), rel_tol=1e-4)


def rate_in_second_epoch() -> float:
    """Return the rate at the start of the second epoch of 100 updates."""
    return float(step_decay(0.1, epochs=30, factor=0.1, updates_per_epoch=100)(100))


def torch_momentum_step(param: jax.Array, grad: jax.Array, buffer: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Compute a step of torch.optim.SGD(lr=0.1, momentum=0.9)."""
    buffer = 0.9 * buffer + grad
    return param - 0.1 * buffer, buffer


def loss_fn(weight: jax.Array, x: jax.Array, labels: jax.Array) -> jax.Array:
    """Return the cross entropy of a linear classifier, averaged as torch's cross_entropy does."""
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(x @ weight, labels))


@jax.jit
def train_step(
    weight: jax.Array, state: optax.OptState, x: jax.Array, labels: jax.Array
) -> tuple[jax.Array, optax.OptState, jax.Array]:
    """Do in one pure function what zero_grad, backward and step do to objects."""
    loss, grads = jax.value_and_grad(loss_fn)(weight, x, labels)
    updates, state = optax.sgd(0.1, momentum=0.9).update(grads, state, weight)
    return optax.apply_updates(weight, updates), state, loss


def example_train_step() -> None:
    """Follow PyTorch step for step, its gradient written out."""
    x, labels = normal(32, 4), jnp.arange(32) % 3
    weight = jnp.zeros((4, 3))
    state = optax.sgd(0.1, momentum=0.9).init(weight)
    expected, buffer = jnp.zeros((4, 3)), jnp.zeros((4, 3))
    for _ in range(20):
        residual = jax.nn.softmax(x @ expected) - jax.nn.one_hot(labels, 3)
        expected, buffer = torch_momentum_step(expected, x.T @ residual / len(x), buffer)
        weight, state, _ = train_step(weight, state, x, labels)
    assert jnp.allclose(weight, expected, atol=1e-5)


def gradient_of_repeated_batch() -> float:
    """Return how much larger the gradient is when every example stands twice in the batch."""
    x, labels, weight = jnp.ones((4, 2)), jnp.array([0, 1, 1, 1]), jnp.zeros((2, 2))
    once = jax.grad(loss_fn)(weight, x, labels)
    twice = jax.grad(loss_fn)(weight, jnp.tile(x, (2, 1)), jnp.tile(labels, 2))
    return float(twice[0, 0] / once[0, 0])
