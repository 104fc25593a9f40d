"""Metrics gathered wrongly."""

import jax.numpy as jnp
from clu import metrics as clu_metrics
from flax import nnx, struct


def gathered_outside_pmap() -> clu_metrics.Collection:
    @struct.dataclass
    class Metrics(clu_metrics.Collection):
        accuracy: clu_metrics.Accuracy

    return Metrics.gather_from_model_output(logits=jnp.eye(3), labels=jnp.array([0, 1, 1]))


def averaged_over_batch_means() -> float:
    average = clu_metrics.Average.empty()
    for losses in (jnp.ones(3), jnp.zeros(1)):
        average = average.merge(clu_metrics.Average.from_model_output(losses.mean()))
    return float(average.compute())


def never_reset() -> float:
    accuracy = nnx.metrics.Accuracy()
    for labels in ([0, 1, 2], [1, 2, 0]):
        accuracy.update(logits=jnp.eye(3), labels=jnp.array(labels))
    return float(accuracy.compute())
