"""Metrics: sums over a data set that merge, with NNX or CLU."""

import importlib
from importlib.util import find_spec

import jax
import jax.numpy as jnp
from clu import metrics as clu_metrics
from flax import nnx


def example_clu() -> None:
    """Merge the metrics of batches, and compute once at the end."""
    Metrics = clu_metrics.Collection.create(accuracy=clu_metrics.Accuracy, loss=clu_metrics.Average.from_output("loss"))
    batches = [([0, 1, 1], [1.0, 1.0, 1.0]), ([0], [0.0])]  # labels and losses; the last batch is short
    total = Metrics.empty()
    for labels, losses in batches:
        logits = jnp.eye(3)[: len(labels)]
        batch = Metrics.single_from_model_output(logits=logits, labels=jnp.array(labels), loss=jnp.array(losses))
        total = total.merge(batch)
    assert total.compute() == {"accuracy": 3 / 4, "loss": 3 / 4}


def check_clu() -> None:
    """Hold that CLU's other modules need TensorFlow."""
    expected = None if find_spec("tensorflow") else "tensorflow"
    assert missing_module("clu.metric_writers") == missing_module("clu.periodic_actions") == expected


def missing_module(name: str) -> str | None:
    """Return which module is not there when another is imported."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        return error.name
    return None


def mean_over_examples() -> float:
    """Return the mean of the losses 1, 1, 1 and 0 in two batches."""
    average = clu_metrics.Average.from_model_output(jnp.ones(3))
    return float(average.merge(clu_metrics.Average.from_model_output(jnp.zeros(1))).compute())


def example_nnx() -> None:
    """Update inside jit, compute after the epoch, and reset before the next."""
    metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=nnx.metrics.Average("loss"))

    @nnx.jit
    def evaluate(metrics: nnx.MultiMetric, logits: jax.Array, labels: jax.Array, losses: jax.Array) -> None:
        metrics.update(logits=logits, labels=labels, loss=losses)

    for labels in ([0, 1, 2], [1, 1, 1]):  # two epochs of one batch
        metrics.reset()
        evaluate(metrics, jnp.eye(3), jnp.array(labels), jnp.ones(3))
    assert jnp.allclose(metrics.compute()["accuracy"], 1 / 3)


def accuracy_of_the_second_epoch() -> float:
    """Return the accuracy of an epoch with none right, after one with all right."""
    accuracy = nnx.metrics.Accuracy()
    accuracy.update(logits=jnp.eye(3), labels=jnp.array([0, 1, 2]))
    accuracy.reset()
    accuracy.update(logits=jnp.eye(3), labels=jnp.array([1, 2, 0]))
    return float(accuracy.compute())
