"""Dropout and batch statistics: what differs between training and evaluation."""

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx


def example_linen_dropout() -> None:
    """Draw one mask per step, the same one whenever the step is repeated."""
    layer = nn.Dropout(rate=0.5)
    root = jax.random.key(0)
    inputs = jnp.ones(64)

    @jax.jit
    def train_forward(step: int) -> jax.Array:
        rngs = {"dropout": jax.random.fold_in(root, step)}
        return jnp.asarray(layer.apply({}, inputs, deterministic=False, rngs=rngs))

    assert (train_forward(1) == train_forward(1)).all()
    assert (train_forward(1) != train_forward(2)).any()
    assert jnp.array_equal(jnp.asarray(layer.apply({}, inputs, deterministic=True)), inputs)  # no key to evaluate


def check_linen_layers_differ() -> None:
    """Hold that one key gives two layers of a model different masks."""
    model = nn.Sequential([nn.Dropout(rate=0.5, deterministic=False) for _ in range(2)])
    outputs = jnp.asarray(model.apply({}, jnp.ones(1000), rngs={"dropout": jax.random.key(0)}))
    assert 0.15 < (outputs != 0).mean() < 0.35  # half of a half, and not the same half


def linen_masks() -> list[jax.Array]:
    """Return what two training steps let through."""
    layer = nn.Dropout(rate=0.5, deterministic=False)
    keys = jax.random.split(jax.random.key(0), 2)
    return [jnp.asarray(layer.apply({}, jnp.ones(64), rngs={"dropout": key})) for key in keys]


def dropped_batch(layer: eqx.nn.Dropout, inputs: jax.Array, key: jax.Array) -> jax.Array:
    """Apply a layer that takes one example to (batch, ...), with one key per example."""
    keys = jax.random.split(key, len(inputs))
    return jax.vmap(lambda example, key: layer(example, key=key))(inputs, keys)


def example_eqx_dropout() -> None:
    """Find a mask of its own on each example, and none for inference."""
    layer = eqx.nn.Dropout(0.5)
    inputs = jnp.ones((4, 64))
    outputs = dropped_batch(layer, inputs, jax.random.key(0))
    assert jnp.unique(outputs, axis=0).shape == (4, 64)  # no two rows are equal
    assert (eqx.nn.inference_mode(layer)(inputs) == inputs).all()


def eqx_masks() -> jax.Array:
    """Return what each of two examples is left with."""
    return dropped_batch(eqx.nn.Dropout(0.5), jnp.ones((2, 64)), jax.random.key(0))


def example_nnx_eval() -> None:
    """Evaluate twice alike, while the model itself stays in training mode."""
    rngs = nnx.Rngs(params=0, dropout=1)
    linear = nnx.Linear(4, 64, rngs=rngs)
    model = nnx.Sequential(linear, nnx.Dropout(0.5, rngs=rngs))
    evaluator = nnx.view(model, deterministic=True)  # with BatchNorm add use_running_average=True
    inputs = jnp.ones((1, 4))
    assert (evaluator(inputs) == evaluator(inputs)).all()
    assert (model(inputs) == 0).any()  # still drops
    linear.kernel[...] = jnp.zeros((4, 64))
    assert (evaluator(inputs) == 0).all()  # shares the parameters


def losses_of_a_view() -> list[jax.Array]:
    """Return two losses of one batch."""
    model = nnx.view(nnx.Dropout(0.5, rngs=nnx.Rngs(0)), deterministic=True)
    return [jnp.mean(model(jnp.arange(64.0)) ** 2) for _ in range(2)]


def outputs_after_evaluation() -> jax.Array:
    """Return what training lets through after an evaluation."""
    layer = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    nnx.view(layer, deterministic=True)(jnp.ones(64))
    outputs: jax.Array = layer(jnp.ones(64))
    return outputs


def example_linen_batch_stats() -> None:
    """Carry the statistics like parameters: the running mean is a geometric sum."""
    model = nn.BatchNorm(momentum=0.9)
    inputs = jnp.array([[9.0], [11.0]])
    variables = model.init(jax.random.key(0), inputs, use_running_average=False)
    params, batch_stats = variables["params"], variables["batch_stats"]
    for _ in range(3):
        _, updated = model.apply(
            {"params": params, "batch_stats": batch_stats},
            inputs,
            use_running_average=False,
            mutable=["batch_stats"],  # and apply returns a pair
        )
        batch_stats = updated["batch_stats"]
    assert jnp.isclose(batch_stats["mean"][0], 10.0 * (1 - 0.9**3))


def linen_running_mean() -> list[float]:
    """Return the running mean after one batch."""
    model = nn.BatchNorm(use_running_average=False)
    inputs = jnp.array([[9.0], [11.0]])
    variables = model.init(jax.random.key(0), inputs)
    _, updated = model.apply(variables, inputs, mutable=["batch_stats"])
    return [float(mean) for mean in updated["batch_stats"]["mean"]]


@nnx.jit
def train_forward(model: nnx.BatchNorm, inputs: jax.Array) -> jax.Array:
    """Apply the model; nnx.jit carries its new state back to the caller's model."""
    outputs: jax.Array = model(inputs)
    return outputs


def example_nnx_jit() -> None:
    """Take a tenth of the batch's mean into the running mean."""
    model = nnx.BatchNorm(1, momentum=0.9, rngs=nnx.Rngs(0))
    train_forward(model, jnp.array([[9.0], [11.0]]))
    assert model.mean is not None
    assert jnp.allclose(model.mean[...], 0.1 * 10.0)


def nnx_running_mean() -> list[float]:
    """Return the running mean after one jitted call."""
    model = nnx.BatchNorm(1, rngs=nnx.Rngs(0))
    nnx.jit(lambda model, inputs: model(inputs))(model, jnp.array([[9.0], [11.0]]))
    assert model.mean is not None
    return [float(mean) for mean in model.mean[...]]


def nnx_masks() -> list[jax.Array]:
    """Return what two jitted calls let through."""
    layer = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    forward = nnx.jit(lambda layer, inputs: layer(inputs))
    return [forward(layer, jnp.ones(64)) for _ in range(2)]


def example_batch_norm_eval() -> None:
    """Normalise one example alone as in its batch, once the averages have settled."""
    layer = nnx.BatchNorm(1, momentum=0.9, rngs=nnx.Rngs(0))
    batch = jnp.array([[9.0], [11.0]])
    for _ in range(100):
        layer(batch)
    evaluator = nnx.view(layer, use_running_average=True)
    assert jnp.allclose(evaluator(batch), (batch - 10.0) / 1.0, atol=1e-3)  # mean 10, deviation 1
    assert jnp.allclose(evaluator(batch[:1]), evaluator(batch)[:1])


def example_alone() -> list[float]:
    """Return one example normalised by itself, to three digits."""
    layer = nnx.BatchNorm(1, momentum=0.9, rngs=nnx.Rngs(0))
    batch = jnp.array([[9.0], [11.0]])
    for _ in range(100):
        layer(batch)
    evaluator = nnx.view(layer, use_running_average=True)
    return [round(float(output), 3) for output in evaluator(batch[:1])[0]]


def mean_after(steps: int, momentum: float) -> float:
    """Return the running mean after steps on a batch with mean 10."""
    layer = nnx.BatchNorm(1, momentum=momentum, rngs=nnx.Rngs(0))
    for _ in range(steps):
        layer(jnp.array([[9.0], [11.0]]))
    assert layer.mean is not None
    return float(layer.mean[0])


def check_way_of_the_averages() -> None:
    """Hold that the averages have come `1 - momentum**steps` of the way."""
    for steps, momentum in [(1, 0.9), (5, 0.9), (7, 0.5)]:
        assert abs(mean_after(steps, momentum) - 10 * (1 - momentum**steps)) < 1e-4


def settled_mean() -> float:
    """Return the running mean after a hundred steps, to one digit."""
    return round(mean_after(100, 0.9), 1)


def default_momentum() -> float:
    """Return the momentum of a batch normalisation that is not told."""
    return float(nnx.BatchNorm(1, rngs=nnx.Rngs(0)).momentum)


def ten_steps_take_in_a_tenth() -> bool:
    """Return whether ten steps bring the running mean a tenth of the way."""
    return abs(mean_after(10, default_momentum()) / 10 - 0.1) < 0.005
