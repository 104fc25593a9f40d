"""A multilayer perceptron written wrongly."""

import itertools

import jax
import jax.numpy as jnp
import optax


def layers_in_a_dict() -> list[str]:
    params = {f"layer{index}": jnp.eye(2) for index in range(12)}
    walked = []

    @jax.jit
    def forward(params, inputs):
        for name, weights in params.items():
            walked.append(name)
            inputs = jax.nn.relu(inputs @ weights)
        return inputs

    forward(params, jnp.ones((1, 2)))
    return walked[:4]


def activation_among_the_parameters() -> jax.Array:
    params = {"weights": jnp.ones((2, 2)), "activation": "relu"}

    def loss(params, inputs):
        activation = getattr(jax.nn, params["activation"])
        return activation(inputs @ params["weights"]).mean()

    return jax.grad(loss)(params, jnp.ones((1, 2)))


def lecun_before_every_relu() -> float:
    init_key, input_key = jax.random.split(jax.random.key(0))
    signal = jax.random.normal(input_key, (512, 256))
    lecun = jax.nn.initializers.lecun_normal()
    for layer_key in jax.random.split(init_key, 20):
        signal = jax.nn.relu(signal @ lecun(layer_key, (256, 256)))
    return float(jnp.mean(signal**2))


def the_signal_has_vanished(mean_square: float) -> bool:
    return mean_square < 1e-4


def zeros_as_initial_weights() -> jax.Array:
    params = [(jnp.zeros((2, 4)), jnp.zeros(4)), (jnp.zeros((4, 2)), jnp.zeros(2))]
    inputs, labels = jnp.eye(2), jnp.array([0, 1])

    def loss(params):
        (first, shift), (second, bias) = params
        logits = jax.nn.relu(inputs @ first + shift) @ second + bias
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    for _ in range(10):
        params = jax.tree.map(lambda param, grad: param - 0.5 * grad, params, jax.grad(loss)(params))
    return params[0][0]


def all_hidden_units_are_equal(weights: jax.Array) -> bool:
    return bool((weights == weights[:, :1]).all())


def relu_after_the_last_layer() -> float:
    inputs, labels = jnp.ones((1, 2)), jnp.zeros(1, int)
    params = [(jnp.ones((2, 4)), jnp.zeros(4)), (jnp.ones((4, 3)), jnp.full(3, -100.0))]

    def loss(params):
        logits = inputs
        for weights, biases in params:
            logits = jax.nn.relu(logits @ weights + biases)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    return float(optax.tree.norm(jax.grad(loss)(params)))


def log_of_softmax() -> jax.Array:
    def loss(logits):
        probabilities = jax.nn.softmax(logits)
        return -jnp.log(probabilities)[0]

    return jax.grad(loss)(jnp.array([0.0, 200.0]))


def gradients_are_not_numbers(gradients: jax.Array) -> bool:
    return bool(jnp.isnan(gradients).any())


def arithmetic_on_the_tree() -> list[jax.Array]:
    params = [jnp.ones((2, 2)), jnp.zeros(2)]
    grads = jax.grad(lambda params: (params[0] @ params[1] + params[1]).sum())(params)
    return params - 0.1 * grads


def step_reads_a_global() -> float:
    weight, tx = jnp.ones(()), optax.sgd(0.1)
    opt_state = tx.init(weight)

    @jax.jit
    def train_step(opt_state):
        grads = jax.grad(lambda weight: weight**2)(weight)
        updates, opt_state = tx.update(grads, opt_state, weight)
        return optax.apply_updates(weight, updates), opt_state

    for _ in range(10):
        weight, opt_state = train_step(opt_state)
    return float(weight)


def sizes_as_traced_numbers() -> list[jax.Array]:
    @jax.jit
    def init(key, sizes):
        return [jnp.zeros((inputs, outputs)) for inputs, outputs in itertools.pairwise(sizes)]

    return init(jax.random.key(0), (64, 32, 10))
