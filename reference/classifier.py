"""The multilayer perceptron fitted to labelled examples, chosen by validation."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import jax
import numpy as np
import optax

from reference.datasets import Examples
from reference.losses import weighted_mean
from reference.mlp import Layer, forward, init_mlp
from reference.prng import dropout
from reference.training import create_state, make_epoch, make_update


@dataclass(frozen=True)
class Settings:
    """How to fit.

    Args:
        epochs: Passes over the training split.
        batch_size: Examples in one update.
        hidden: The width of each hidden layer.
        learning_rate: AdamW's first, followed by a cosine to zero.
        weight_decay: Of the weights, not of the biases.
        dropout: The fraction of hidden activations that training drops.
        seed: Of the initial weights, the order of examples and dropout.
    """

    epochs: int = 40
    batch_size: int = 32
    hidden: tuple[int, ...] = (256, 128)
    learning_rate: float = 2e-3
    weight_decay: float = 1e-2
    dropout: float = 0.2
    seed: int = 0


@dataclass(frozen=True)
class Epoch:
    """What one epoch gave: its number from 1 on, the mean training loss, and validation's loss and accuracy."""

    number: int
    loss: float
    validation_loss: float
    validation_accuracy: float


@dataclass(frozen=True)
class Fitted:
    """The parameters of the best epoch by validation accuracy, that epoch, and all epochs."""

    params: list[Layer]  # on the host
    best: Epoch
    epochs: tuple[Epoch, ...]


@dataclass(frozen=True)
class Score:
    """What a model does on one split: its mean loss, and how many of how many examples it gets right."""

    loss: float
    correct: int
    examples: int

    @property
    def accuracy(self) -> float:
        """Return the share of examples that are right."""
        return self.correct / self.examples


class Diverged(Exception):
    """The training loss is no longer a number."""


def fit(
    train: Examples,
    validation: Examples,
    settings: Settings,
    tell: Callable[[Epoch], None] = lambda _: None,
) -> Fitted:
    """Fit to the training split and keep the epoch that does best on the validation split.

    Args:
        train: Every example is used in every epoch.
        validation: Decides between epochs; ties go to the smaller loss.
        settings: How.
        tell: Called after every epoch.

    Raises:
        Diverged: The loss is not finite.
    """
    init_key, update_key, order_key = jax.random.split(jax.random.key(settings.seed), 3)
    sizes = (train.inputs.shape[1], *settings.hidden, int(train.labels.max()) + 1)
    batch_size = min(settings.batch_size, len(train))
    tx = _optimizer(settings, updates=settings.epochs * -(-len(train) // batch_size))
    params = jax.jit(partial(init_mlp, sizes=sizes))(init_key)
    state = create_state(update_key, params, tx)
    run_epoch = make_epoch(make_update(partial(_loss, rate=settings.dropout), tx), batch_size)
    on_device = jax.device_put((train.inputs, train.labels))

    best, epochs = None, []
    for number in range(1, settings.epochs + 1):
        state, loss = run_epoch(state, jax.random.fold_in(order_key, number), *on_device)
        score = evaluate(state.params, validation)
        epoch = Epoch(number, float(loss), score.loss, score.accuracy)
        if not math.isfinite(epoch.loss):
            raise Diverged(f"the loss is not finite in epoch {number}")
        if best is None or _rank(epoch) > _rank(best[1]):
            best = jax.tree.map(np.array, state.params), epoch  # copied: the next epoch takes the memory
        epochs.append(epoch)
        tell(epoch)
    assert best is not None
    return Fitted(*best, tuple(epochs))


def evaluate(params: Sequence[Layer], examples: Examples) -> Score:
    """Score every example of a split, without dropout."""
    losses, hits = _losses_and_hits(params, examples.inputs, examples.labels)
    return Score(float(losses.mean()), int(hits.sum()), len(examples))


def _loss(params: list[Layer], key: jax.Array, batch: tuple[jax.Array, jax.Array, jax.Array], rate: float) -> jax.Array:
    signal, labels, valid = batch
    *hidden, last = params
    for layer_key, layer in zip(jax.random.split(key, len(hidden)), hidden, strict=True):
        signal = dropout(layer_key, jax.nn.relu(signal @ layer.weights + layer.biases), rate)
    losses = optax.softmax_cross_entropy_with_integer_labels(forward([last], signal), labels)
    return weighted_mean(losses, valid)


def _optimizer(settings: Settings, updates: int) -> optax.GradientTransformation:
    rate = optax.cosine_decay_schedule(settings.learning_rate, updates)
    return optax.adamw(rate, weight_decay=settings.weight_decay, mask=_is_matrix)


def _is_matrix(params: list[Layer]) -> list[Layer]:
    matrices: list[Layer] = jax.tree.map(lambda param: param.ndim > 1, params)
    return matrices


def _rank(epoch: Epoch) -> tuple[float, float]:
    return epoch.validation_accuracy, -epoch.validation_loss


@jax.jit
def _losses_and_hits(params: Sequence[Layer], inputs: jax.Array, labels: jax.Array) -> tuple[jax.Array, jax.Array]:
    logits = forward(params, inputs)
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    return losses, logits.argmax(axis=1) == labels
