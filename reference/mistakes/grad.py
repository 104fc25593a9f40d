"""Derivatives that are wrong, missing or far too dear."""

import jax
import jax.numpy as jnp


def gradient_of_vector():
    return jax.grad(lambda x: x**2)(jnp.arange(3.0))


def integer_leaf():
    params = {"slope": 3.0, "step": 7}
    return jax.grad(lambda params: params["slope"] ** 2)(params)


def string_leaf():
    params = {"slope": 3.0, "name": "line"}
    return jax.grad(lambda params: params["slope"] ** 2)(params)


def aux_not_announced():
    def loss_and_predictions(weight):
        predictions = weight * jnp.ones(3)
        return jnp.mean(predictions**2), predictions

    loss, grads = jax.value_and_grad(loss_and_predictions)(2.0)
    return loss, grads


def aux_taken_for_loss():
    def loss_and_predictions(weight):
        predictions = weight * jnp.ones(3)
        return jnp.mean(predictions**2), predictions

    loss, grads = jax.value_and_grad(loss_and_predictions, has_aux=True)(2.0)
    return loss, grads


def loss_is_a_tuple(result) -> bool:
    loss, _ = result
    return isinstance(loss, tuple)


def inputs_differentiated() -> list[int]:
    return list(jax.grad(lambda inputs, slope: jnp.sum(slope * inputs))(jnp.ones(4), 3.0).shape)


def differentiated_by_keyword():
    def loss(slope, inputs):
        return jnp.sum(slope * inputs)

    return jax.grad(loss)(slope=3.0, inputs=jnp.ones(4))


def sqrt_in_branch_not_taken() -> jax.Array:
    return jax.grad(lambda x: jnp.where(x < 1.0, x, jnp.sqrt(x)))(0.0)


def exp_in_branch_not_taken() -> jax.Array:
    return jax.grad(lambda x: jnp.where(x > 0.0, x, jnp.expm1(x)))(100.0)


def norm_of_differences() -> jax.Array:
    points = jnp.array([[0.0], [1.0]])

    def spread(points):
        return jnp.linalg.norm(points[:, None] - points[None, :], axis=-1).sum()

    return jax.grad(spread)(points).ravel()


def deviation_of_constant() -> jax.Array:
    return jax.grad(jnp.std)(jnp.ones(2))


def hessian_times_vector() -> int:
    def loss(x):
        return jnp.sum(jnp.sin(x) * jnp.roll(x, 1) ** 2)

    vector = jnp.ones(2000)
    product = jax.jit(lambda params, vector: jax.hessian(loss)(params) @ vector)
    return product.lower(vector, vector).compile().memory_analysis().temp_size_in_bytes


def compiler_sees_through_some_losses() -> bool:
    def size(loss):
        vector = jnp.ones(2000)
        product = jax.jit(lambda params, vector: jax.hessian(loss)(params) @ vector)
        return product.lower(vector, vector).compile().memory_analysis().temp_size_in_bytes

    through = size(lambda x: jnp.sum(jnp.sin(x) ** 2))
    return not holds_the_hessian(through) and holds_the_hessian(size(jax.nn.logsumexp))


def holds_the_hessian(size) -> bool:
    return size >= 2000 * 2000 * 4


def jacobian_of_batch() -> list[int]:
    def velocities(positions):
        return jnp.stack([jnp.sum(positions**2, axis=1), jnp.prod(positions, axis=1)], axis=1)

    return list(jax.jacrev(velocities)(jnp.ones((4, 3))).shape)


def forward_mode_for_few_outputs() -> int:
    matrix = jnp.ones((3, 1000))
    jacobian = jax.jit(jax.jacfwd(lambda x: jnp.tanh(matrix @ jnp.tanh(x))))
    return jacobian.lower(jnp.ones(1000)).compile().memory_analysis().temp_size_in_bytes


def holds_a_number_per_pair(size) -> bool:
    return size >= 1000 * 1000 * 4


def grad_of_grad_of_vector():
    return jax.grad(jax.grad(lambda point: jnp.sin(point).sum()))(jnp.ones(2))


def curvature_of_relu() -> jax.Array:
    return jax.grad(jax.grad(lambda x: jax.nn.relu(2.0 * x + 1.0)))(0.5)


def step_along_complex_grad() -> list[float]:
    position = jnp.complex64(1.0 + 2.0j)
    position = position - 0.1 * jax.grad(lambda position: jnp.abs(position) ** 2)(position)
    return [float(position.real), float(position.imag)]
