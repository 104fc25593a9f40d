"""A multilayer perceptron without a library: a list of layers, and the step that trains it."""

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class Layer(NamedTuple):
    """An affine map, and thereby a pytree of two arrays."""

    weights: jax.Array  # (inputs, outputs)
    biases: jax.Array  # (outputs,)


def init_mlp(key: jax.Array, sizes: Sequence[int]) -> list[Layer]:
    """Draw one layer for each pair of neighbouring sizes.

    Args:
        key: Used up here.
        sizes: The number of features, then the width of each hidden layer, then the number of classes.

    Returns:
        float32. Layers before a ReLU are He normal, variance 2 / inputs (He et al. 2015, eq. 10). That of
        the logits is LeCun normal, variance 1 / inputs, since no ReLU halves what comes out of it.
    """
    he, lecun = jax.nn.initializers.he_normal(), jax.nn.initializers.lecun_normal()
    shapes = list(itertools.pairwise(sizes))
    keys = jax.random.split(key, len(shapes))
    draws = [he] * (len(shapes) - 1) + [lecun]  # a ReLU follows each layer but the last
    return [
        Layer(draw(layer_key, shape), jnp.zeros(shape[1]))
        for draw, layer_key, shape in zip(draws, keys, shapes, strict=True)
    ]


def forward(params: Sequence[Layer], inputs: jax.Array) -> jax.Array:
    """Return logits (batch, classes) for inputs (batch, features); any depth."""
    *hidden, last = params
    for layer in hidden:  # static structure, so a Python loop is right under jit
        inputs = jax.nn.relu(inputs @ layer.weights + layer.biases)
    return inputs @ last.weights + last.biases


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """Return the mean loss; logits (batch, classes), integer labels (batch,)."""
    return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(logits, labels))


def make_train_step(
    tx: optax.GradientTransformation,
) -> Callable[..., tuple[list[Layer], optax.OptState, jax.Array]]:
    """Return the compiled step: parameters, optimizer state and batch in, the next ones and the loss out."""

    @jax.jit
    def train_step(
        params: list[Layer], opt_state: optax.OptState, inputs: jax.Array, labels: jax.Array
    ) -> tuple[list[Layer], optax.OptState, jax.Array]:
        def batch_loss(params: list[Layer]) -> jax.Array:
            return cross_entropy(forward(params, inputs), labels)

        loss, grads = jax.value_and_grad(batch_loss)(params)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return train_step


def example_params() -> None:
    """Look at the structure: depth and order are the list's."""
    sizes = [64, 32, 16, 10]
    params = [Layer(jnp.ones(shape), jnp.zeros(shape[1])) for shape in itertools.pairwise(sizes)]
    assert len(params) == 3
    assert len(jax.tree.leaves(params)) == 6  # weights and biases, not layers
    halved = jax.tree.map(lambda array: array / 2, params)  # still a list of layers
    assert [layer.weights.shape for layer in halved] == [(64, 32), (32, 16), (16, 10)]


def first_layers_of_a_list() -> list[str]:
    """Return the order in which a compiled network walks the first four of twelve layers in a list."""
    walked: list[str] = []

    @jax.jit
    def walk(params: list[jax.Array]) -> None:
        walked.extend(f"layer{index}" for index, _ in enumerate(params))

    walk([jnp.eye(2)] * 12)
    return walked[:4]


def fewest_layers_out_of_order() -> int:
    """Return how many layers there are when the sorted names are first in another order."""
    names: list[str] = []
    while names == sorted(names):
        names.append(f"layer{len(names)}")
    return len(names)


def example_init() -> None:
    """Send unit-variance inputs through twenty layers."""
    init_key, input_key = jax.random.split(jax.random.key(0))
    params = init_mlp(init_key, [256] * 21 + [10])
    inputs = jax.random.normal(input_key, (512, 256))
    signal = inputs
    for layer in params[:-1]:
        signal = jax.nn.relu(signal @ layer.weights + layer.biases)
    assert 0.3 < jnp.mean(signal**2) < 3.0  # neither vanished nor exploded
    assert jnp.isclose(params[-1].weights.var() * 256, 1.0, atol=0.2)


def check_init() -> None:
    """Hold that each layer's variance is the stated one, and that no two layers are equal."""
    params = init_mlp(jax.random.key(1), [400, 400, 400, 400])
    scaled = [float(layer.weights.var()) * 400 for layer in params]
    assert np.allclose(scaled, [2.0, 2.0, 1.0], atol=0.05)
    assert not jnp.array_equal(params[0].weights, params[1].weights)
    assert not any(layer.biases.any() for layer in params)
    flax_kernel = nnx.Linear(400, 400, rngs=nnx.Rngs(0)).kernel[...]
    assert np.isclose(float(flax_kernel.var()) * 400, 1.0, atol=0.05)  # LeCun


def relu_halves_the_mean_square() -> bool:
    """Return whether a ReLU takes half of the mean square of normal inputs."""
    inputs = jax.random.normal(jax.random.key(0), (1000, 1000))
    return bool(jnp.isclose(jnp.mean(jax.nn.relu(inputs) ** 2), jnp.mean(inputs**2) / 2, rtol=0.01))


def signal_after_twenty_layers() -> float:
    """Return the mean square of the last hidden activations, for inputs whose mean square is 1."""
    init_key, input_key = jax.random.split(jax.random.key(0))
    signal = jax.random.normal(input_key, (512, 256))
    for layer in init_mlp(init_key, [256] * 21 + [10])[:-1]:
        signal = jax.nn.relu(signal @ layer.weights + layer.biases)
    return float(jnp.mean(signal**2))


def hidden_units_after_training() -> jax.Array:
    """Return the columns of the first layer after ten steps."""
    params = init_mlp(jax.random.key(0), [2, 4, 2])
    inputs, labels = jnp.eye(2), jnp.array([0, 1])
    for _ in range(10):
        grads = jax.grad(lambda params: cross_entropy(forward(params, inputs), labels))(params)
        params = jax.tree.map(lambda param, grad: param - 0.5 * grad, params, grads)
    return params[0].weights


def example_forward() -> None:
    """Compare two depths with the same sums in NumPy, one example at a time."""
    keys = jax.random.split(jax.random.key(0), 4)
    inputs = jax.random.normal(keys[0], (5, 4))
    for shapes in ([(4, 2)], [(4, 8), (8, 8), (8, 2)]):
        params = [
            Layer(jax.random.normal(key, shape), jnp.ones(shape[1]))
            for key, shape in zip(keys[1:], shapes, strict=False)
        ]
        logits = jax.jit(forward)(params, inputs)
        for example, expected in zip(np.asarray(inputs), logits, strict=True):
            for weights, biases in params[:-1]:
                example = np.maximum(np.asarray(weights).T @ example + biases, 0)
            assert np.allclose(expected, params[-1].weights.T @ example + params[-1].biases, atol=1e-4)


def gradient_where_all_logits_are_negative() -> float:
    """Return the gradient's norm where all logits start out negative."""
    params = [Layer(jnp.ones((2, 4)), jnp.zeros(4)), Layer(jnp.ones((4, 3)), jnp.full(3, -100.0))]
    inputs, labels = jnp.ones((1, 2)), jnp.zeros(1, int)
    grads = jax.grad(lambda params: cross_entropy(forward(params, inputs), labels))(params)
    return round(float(optax.tree.norm(grads)), 4)


def example_cross_entropy() -> None:
    """Take logits so far apart that the softmax underflows."""
    logits, labels = jnp.array([[0.0, 200.0]]), jnp.array([0])
    loss, gradient = jax.value_and_grad(cross_entropy)(logits, labels)
    assert loss == 200.0
    assert gradient.tolist() == [[-1.0, 1.0]]  # the softmax minus the one-hot label


def gradient_of_confident_error() -> jax.Array:
    """Return the gradient with respect to two logits that are far apart."""
    gradient: jax.Array = jax.grad(cross_entropy)(jnp.array([[0.0, 200.0]]), jnp.array([0]))
    return gradient


def softmax_104_apart() -> bool:
    """Return whether the softmax of the lower of two logits that are 104 apart is zero in float32."""
    return bool(jax.nn.softmax(jnp.array([0.0, 104.0]))[0] == 0.0)


def example_train_step() -> None:
    """Learn exclusive or, which no linear model can."""
    inputs = jnp.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    labels = jnp.array([0, 1, 1, 0])
    params = init_mlp(jax.random.key(0), [2, 16, 2])
    tx = optax.adam(0.05)
    opt_state, train_step = tx.init(params), make_train_step(tx)
    for _ in range(100):
        params, opt_state, loss = train_step(params, opt_state, inputs, labels)
    assert (forward(params, inputs).argmax(axis=1) == labels).all()
    assert loss < 0.1


def check_train_step() -> None:
    """Hold that the gradient is right, by finite differences, and that one signature compiles once."""
    inputs, labels = jnp.array([[0.5, -1.0], [2.0, 0.3]]), jnp.array([1, 0])
    params = init_mlp(jax.random.key(2), [2, 8, 8, 2])
    grads = jax.grad(lambda params: cross_entropy(forward(params, inputs), labels))(params)

    def loss_at(shift: float) -> Any:
        weights = params[1].weights.at[3, 5].add(shift)
        shifted = [params[0], params[1]._replace(weights=weights), params[2]]
        return cross_entropy(forward(shifted, inputs), labels)

    assert jnp.isclose((loss_at(0.01) - loss_at(-0.01)) / 0.02, grads[1].weights[3, 5], atol=1e-3)
    tx = optax.sgd(0.1)
    train_step: Any = make_train_step(tx)
    opt_state = tx.init(params)
    for _ in range(3):
        params, opt_state, _ = train_step(params, opt_state, inputs, labels)
    assert train_step._cache_size() == 1


def weight_after_ten_steps() -> float:
    """Return 1 * 0.8 ** 10: each step takes a fifth away."""
    tx = optax.sgd(0.1)
    weight = jnp.ones(())
    opt_state = tx.init(weight)

    @jax.jit
    def train_step(weight: jax.Array, opt_state: optax.OptState) -> tuple[Any, optax.OptState]:
        grads = jax.grad(lambda weight: weight**2)(weight)
        updates, opt_state = tx.update(grads, opt_state, weight)
        return optax.apply_updates(weight, updates), opt_state

    for _ in range(10):
        weight, opt_state = train_step(weight, opt_state)
    return round(float(weight), 4)


def example_shapes() -> None:
    """Learn shapes and the number of parameters without drawing one."""
    init = partial(init_mlp, sizes=(784, 512, 10))  # sizes stay Python numbers
    params = jax.eval_shape(init, jax.random.key(0))
    assert params[0].weights.shape == (784, 512)
    assert sum(leaf.size for leaf in jax.tree.leaves(params)) == 784 * 512 + 512 + 512 * 10 + 10
    compiled = jax.jit(init)(jax.random.key(0))
    assert jax.tree.map(jnp.shape, compiled) == jax.tree.map(jnp.shape, params)
