"""Losses and metrics: from logits, over the examples that count, divided once."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


def weighted_mean(values: jax.Array, weights: jax.Array) -> jax.Array:
    """Average values by their weights, both (batch,); a Boolean mask is a weight, and nothing to count gives 0."""
    weighted = jnp.where(weights > 0, values * weights, 0.0)  # where, since NaN * 0 is NaN
    total = weights.sum(dtype=values.dtype)
    return weighted.sum() / jnp.where(total > 0, total, 1.0)


def example_logits() -> None:
    """Give the loss bare logits: a perfect prediction costs nothing."""
    logits, labels = 100.0 * jax.nn.one_hot(jnp.array([3, 7]), 10), jnp.array([3, 7])
    assert (optax.softmax_cross_entropy_with_integer_labels(logits, labels) == 0.0).all()
    uniform = optax.softmax_cross_entropy_with_integer_labels(jnp.zeros((2, 10)), labels)
    assert jnp.allclose(uniform, jnp.log(10.0))  # where an untrained model should start


def loss_of_a_perfect_prediction() -> float:
    """Return the loss of logits that leave no doubt."""
    logits, labels = 100.0 * jax.nn.one_hot(jnp.array([3]), 10), jnp.array([3])
    return round(float(optax.softmax_cross_entropy_with_integer_labels(logits, labels)[0]), 4)


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
    """Hold that labels below zero count from the end, others out of range give NaN, and flat ones broadcast."""
    logits, labels = jnp.arange(100.0)[None], (-100, -1, -101, 100)
    losses = [optax.softmax_cross_entropy_with_integer_labels(logits, jnp.array([label]))[0] for label in labels]
    log_probs = jax.nn.log_softmax(logits[0])
    assert jnp.allclose(jnp.stack(losses[:2]), -log_probs[jnp.array([0, 99])])
    assert jnp.isnan(jnp.stack(losses[2:])).all()
    batch_as_large_as_classes = optax.softmax_cross_entropy(jnp.zeros((3, 3)), jnp.zeros(3, int))
    assert (batch_as_large_as_classes == 0.0).all()  # no shape tells flat labels from probabilities
    with jax.debug_nans(True):  # raises at a NaN, masked or not
        gradient = jax.grad(masked_cross_entropy)(jnp.zeros((2, 3)), jnp.array([0, -100]))
    assert (gradient[1] == 0.0).all()


def loss_of_class_zero() -> float:
    """Return the loss of a wrong prediction whose label is class 0."""
    return round(float(masked_cross_entropy(jnp.array([[0.0, 2.0, 1.0]]), jnp.array([0]))), 4)


def loss_of_padding() -> float:
    """Return the loss of a batch that is all padding."""
    return float(masked_cross_entropy(jnp.array([[0.0, 1.0, 3.0]]), jnp.array([-1])))


def example_binary() -> None:
    """Compare with the formula where that is harmless, then go where it is not."""
    logits, labels = jnp.array([-2.0, 0.0, 3.0]), jnp.array([0.0, 1.0, 1.0])
    probabilities = jax.nn.sigmoid(logits)
    formula = -labels * jnp.log(probabilities) - (1 - labels) * jnp.log(1 - probabilities)
    assert jnp.allclose(optax.sigmoid_binary_cross_entropy(logits, labels), formula, atol=1e-6)
    assert optax.sigmoid_binary_cross_entropy(jnp.array(40.0), jnp.array(0.0)) == 40.0


def loss_of_a_confident_hit() -> float:
    """Return the loss of a right prediction with the logit 40."""
    return round(float(optax.sigmoid_binary_cross_entropy(jnp.array(40.0), jnp.array(1.0))), 4)


def sigmoid_of_17_is_exactly_1() -> bool:
    """Return whether the sigmoid of 17 is 1 in float32, and that of 16 is not."""
    return bool(jax.nn.sigmoid(16.0) < 1.0 == jax.nn.sigmoid(17.0))


def example_masked_mean() -> None:
    """Average three examples; the fourth fills the batch up."""
    losses, valid = jnp.array([1.0, 1.0, 5.0, jnp.nan]), jnp.array([True, True, True, False])
    assert jnp.isclose(weighted_mean(losses, valid), 7 / 3)
    assert jax.grad(weighted_mean)(losses, valid)[3] == 0.0
    assert weighted_mean(losses, jnp.zeros(4)) == 0.0  # nothing to count: 0, not NaN


def mean_of_nothing() -> float:
    """Return the mean of a batch in which nothing counts."""
    return float(weighted_mean(jnp.ones(4), jnp.zeros(4)))


def gradient_beside_a_padded_row() -> float:
    """Return the gradient of a weight where the padded row is filled with zeros."""
    inputs, valid = jnp.array([1.0, 0.0]), jnp.array([True, False])
    return float(jax.grad(lambda weight: weighted_mean(weight * inputs, valid))(1.0))


def mean_of_three() -> float:
    """Return the mean loss of three examples in a batch of four."""
    return float(weighted_mean(jnp.array([1.0, 1.0, 4.0, 9.0]), jnp.array([True, True, True, False])))


def mean_without_the_padding() -> float:
    """Return the mean loss where the padding's is not a number."""
    return float(weighted_mean(jnp.array([1.0, jnp.nan]), jnp.array([1.0, 0.0])))


def example_class_weights() -> None:
    """Weigh a rare class: the mean stays between the losses that it averages."""
    losses, labels = jnp.array([1.0, 1.0, 1.0, 2.0]), jnp.array([0, 0, 0, 1])
    class_weights = jnp.array([1.0, 10.0])
    loss = weighted_mean(losses, class_weights[labels])
    assert jnp.isclose(loss, (3 * 1.0 + 10 * 2.0) / (3 + 10))


def loss_of_equal_losses() -> float:
    """Return the weighted loss of a batch in which every example has the loss 1."""
    return float(weighted_mean(jnp.ones(4), jnp.array([1.0, 1.0, 1.0, 10.0])))


def example_l2() -> None:
    """Compare with the definition of the mean squared error."""
    predictions, targets = jnp.array([1.0, 4.0]), jnp.array([0.0, 1.0])
    mean_squared_error = optax.squared_error(predictions, targets).mean()
    assert mean_squared_error == ((1 - 0) ** 2 + (4 - 1) ** 2) / 2
    assert optax.l2_loss(predictions, targets).mean() == mean_squared_error / 2


def l2_loss_is_half() -> bool:
    """Return whether the loss and its gradient are half of the squared error's."""
    value, gradient = jax.value_and_grad(optax.l2_loss)(3.0)
    whole, whole_gradient = jax.value_and_grad(optax.squared_error)(3.0)
    return bool((value == whole / 2) & (gradient == whole_gradient / 2))


def squared_error_of_two() -> float:
    """Return the squared error of a prediction that is off by 2."""
    return float(optax.squared_error(jnp.array(2.0)))


class Tally(NamedTuple):
    """What to add up over batches: sums and counts, never ratios."""

    loss: jax.Array  # float32, summed
    correct: jax.Array  # int32
    examples: jax.Array  # int32: float32 stops counting at 2**24


def tally(logits: jax.Array, labels: jax.Array, valid: jax.Array) -> Tally:
    """Count one batch; logits (batch, classes), labels and mask (batch,)."""
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    hits = (logits.argmax(axis=1) == labels) & valid
    return Tally(jnp.where(valid, losses, 0.0).sum(), hits.sum(), valid.sum())


def example_tally() -> None:
    """Carry the tally through a scan over batches, and divide once."""
    logits = jax.random.normal(jax.random.key(0), (3, 4, 5))  # three batches of four
    labels, valid = jnp.arange(12).reshape(3, 4) % 5, jnp.arange(12).reshape(3, 4) < 10

    def add(total: Tally, batch: tuple[jax.Array, ...]) -> tuple[Tally, None]:
        return jax.tree.map(jnp.add, total, tally(*batch)), None

    zero = Tally(jnp.zeros(()), jnp.zeros((), int), jnp.zeros((), int))
    total, _ = jax.lax.scan(add, zero, (logits, labels, valid))
    hits = logits.reshape(12, 5).argmax(axis=1)[:10] == labels.reshape(12)[:10]
    assert total.examples == 10
    assert jnp.isclose(total.correct / total.examples, hits.mean())
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels).reshape(12)[:10]
    assert jnp.isclose(total.loss / total.examples, losses.mean())


def a_count_still_grows() -> bool:
    """Return whether one more example is counted after 2 ** 24."""
    examples = jnp.array(2**24, jnp.int32)
    return bool(examples + 1 > examples)


def perplexity(losses: jax.Array, valid: jax.Array) -> jax.Array:
    """Return the exponential of the mean loss per token; both of any one shape."""
    return jnp.exp(weighted_mean(losses, valid))


def example_perplexity() -> None:
    """Take one token guessed among 2 and one guessed among 8, and padding."""
    losses, valid = jnp.log(jnp.array([2.0, 8.0, 9.0])), jnp.array([True, True, False])
    assert jnp.isclose(perplexity(losses, valid), (2.0 * 8.0) ** 0.5)


def perplexity_of_two_sequences() -> float:
    """Return the perplexity of one sequence guessed among 2 and one guessed among 8."""
    return round(float(perplexity(jnp.log(jnp.array([2.0, 8.0])), jnp.ones(2, bool))), 4)


def accuracy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """Return the share of hits, NaN where logits are not finite; (batch, classes) and (batch,)."""
    hits = jnp.mean(logits.argmax(axis=-1) == labels)
    return jnp.where(jnp.isfinite(logits).all(), hits, jnp.nan)


def example_nan_accuracy() -> None:
    """Score a good model and one that has diverged."""
    labels = jnp.array([0, 0, 0, 1])
    assert accuracy(jax.nn.one_hot(labels, 2), labels) == 1.0
    assert jnp.isnan(accuracy(jnp.full((4, 2), jnp.nan), labels))


def argmax_of_nan() -> int:
    """Return the class that NaN logits are taken for."""
    return int(jnp.full(3, jnp.nan).argmax())


def accuracy_of_a_diverged_model() -> float:
    """Return the accuracy of logits that are not numbers."""
    return float(accuracy(jnp.full((4, 2), jnp.nan), jnp.array([0, 0, 0, 1])))
