"""Losses and metrics computed wrongly."""

import jax
import jax.numpy as jnp
import optax


def softmax_before_the_loss() -> float:
    logits, labels = 100.0 * jax.nn.one_hot(jnp.array([3]), 10), jnp.array([3])
    probabilities = jax.nn.softmax(logits)
    return round(float(optax.softmax_cross_entropy_with_integer_labels(probabilities, labels)[0]), 4)


def integer_labels_as_probabilities() -> jax.Array:
    logits = jnp.array([[0.0, 2.0, 1.0]])
    labels = jnp.array([[0]])  # a column, as many data sets have it
    return optax.softmax_cross_entropy(logits, labels).mean()


def padding_label_counted() -> jax.Array:
    logits = jnp.array([[0.0, 1.0, 3.0]])
    labels = jnp.array([-1])  # means "ignore"
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def label_is_last_class(loss) -> bool:
    last_class = -jax.nn.log_softmax(jnp.array([0.0, 1.0, 3.0]))[2]
    return bool(jnp.isclose(loss, last_class))


def binary_cross_entropy_by_its_formula() -> float:
    probability, label = jax.nn.sigmoid(40.0), 1.0
    return float(-label * jnp.log(probability) - (1 - label) * jnp.log(1 - probability))


def masked_and_then_averaged_over_all() -> float:
    losses, valid = jnp.array([1.0, 1.0, 4.0, 9.0]), jnp.array([True, True, True, False])
    return float((losses * valid).mean())


def nan_times_zero() -> float:
    losses, weights = jnp.array([1.0, jnp.nan]), jnp.array([1.0, 0.0])
    return float((losses * weights).sum() / weights.sum())


def nan_inputs_behind_a_mask() -> float:
    inputs, valid = jnp.array([1.0, jnp.nan]), jnp.array([True, False])

    def loss(weight):
        return jnp.where(valid, weight * inputs, 0.0).sum() / valid.sum()

    return float(jax.grad(loss)(1.0))


def weights_that_change_the_scale() -> float:
    losses, weights = jnp.ones(4), jnp.array([1.0, 1.0, 1.0, 10.0])
    return float((losses * weights).mean())


def l2_loss_as_squared_error() -> float:
    return float(optax.l2_loss(jnp.array(2.0)))


def examples_counted_in_float32() -> bool:
    examples = jnp.array(2.0**24)
    return bool(examples + 1 > examples)


def mean_of_perplexities() -> float:
    losses = jnp.log(jnp.array([2.0, 8.0]))
    return round(float(jnp.exp(losses).mean()), 4)


def accuracy_of_nan_logits() -> float:
    logits, labels = jnp.full((4, 2), jnp.nan), jnp.array([0, 0, 0, 1])
    return float(jnp.mean(logits.argmax(axis=-1) == labels))
