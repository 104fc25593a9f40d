"""Differentiation: gradients, Jacobians and curvature."""

from collections.abc import Callable

import jax
import jax.numpy as jnp


def predict(weights: jax.Array, inputs: jax.Array) -> jax.Array:
    """Return one output per input, shape (batch,); weights (features,), inputs (batch, features)."""
    return jnp.tanh(inputs @ weights)


def example_scalar() -> None:
    """Weight the outputs, pull the weights back, and compare with the whole Jacobian."""
    weights = jnp.array([0.5, -1.0])
    inputs = jnp.array([[1.0, 2.0], [3.0, 0.5], [0.0, 1.0]])
    importance = jnp.array([1.0, 0.0, 2.0])

    outputs, pull_back = jax.vjp(lambda weights: predict(weights, inputs), weights)
    (gradient,) = pull_back(importance)  # the gradient of sum(importance * outputs)
    jacobian = jax.jacrev(predict)(weights, inputs)  # (batch, features)
    assert outputs.shape == (3,)
    assert jnp.allclose(gradient, importance @ jacobian)


def example_int_input() -> None:
    """Differentiate the parameters, and pass the rest of the state beside them."""
    state = {"params": {"slope": jnp.float32(3.0)}, "step": 7, "name": "line"}

    def loss(params: dict[str, jax.Array], step: int) -> jax.Array:
        return params["slope"] ** 2 / (step + 1)

    grads = jax.grad(loss)(state["params"], state["step"])
    assert grads == {"slope": 0.75}


def loss_and_predictions(weight: jax.Array, inputs: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the scalar to differentiate first, then whatever else is wanted."""
    predictions = weight * inputs
    return jnp.mean(predictions**2), predictions


def example_has_aux() -> None:
    """Unpack the pair of loss and predictions, then the gradient."""
    inputs = jnp.ones(3)
    (loss, predictions), grads = jax.value_and_grad(loss_and_predictions, has_aux=True)(2.0, inputs)
    assert loss == 4.0
    assert grads == 4.0
    assert predictions.shape == inputs.shape


def loss_and_gradient() -> tuple[jax.Array, jax.Array]:
    """Return the loss at weight 2, and its gradient."""
    (loss, _), grads = jax.value_and_grad(loss_and_predictions, has_aux=True)(2.0, jnp.ones(3))
    return loss, grads


def example_argnums() -> None:
    """Ask for the gradients of the second and third argument."""

    def loss(inputs: jax.Array, slope: jax.Array, offset: jax.Array) -> jax.Array:
        return jnp.sum(slope * inputs + offset)

    inputs = jnp.arange(4.0)
    slope_grad, offset_grad = jax.grad(loss, argnums=(1, 2))(inputs, 3.0, 1.0)
    assert slope_grad == inputs.sum()
    assert offset_grad == len(inputs)


def gradient_of_slope_shape() -> list[int]:
    """Return the shape of the slope's gradient."""
    return list(jax.grad(lambda inputs, slope: jnp.sum(slope * inputs), argnums=1)(jnp.ones(4), 3.0).shape)


def linear_then_sqrt(x: jax.Array | float) -> jax.Array:
    """Return x below 1 and its square root above, with a safe input for the branch not taken."""
    below = x < 1.0
    return jnp.where(below, x, jnp.sqrt(jnp.where(below, 1.0, x)))


def elu(x: jax.Array | float) -> jax.Array:
    """Return x where positive, exp(x) - 1 elsewhere; the exponential never sees a large x."""
    return jnp.where(x > 0.0, x, jnp.expm1(jnp.minimum(x, 0.0)))


def example_where_nan() -> None:
    """Differentiate where the branch that is not taken has no derivative, or none that fits."""
    assert jax.grad(linear_then_sqrt)(0.0) == 1.0
    assert jax.grad(elu)(100.0) == 1.0


def gradient_at_zero() -> float:
    """Return the slope of the linear branch."""
    return float(jax.grad(linear_then_sqrt)(0.0))


def gradient_of_elu() -> float:
    """Return the slope of ELU far to the right."""
    return float(jax.grad(elu)(100.0))


def distances(points: jax.Array) -> jax.Array:
    """Return all pairwise distances, shape (n, n); points (n, dimensions)."""
    squared = jnp.sum((points[:, None] - points[None, :]) ** 2, axis=-1)
    apart = squared > 0.0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squared, 1.0)), 0.0)


def example_norm_zero() -> None:
    """Pull two points together: on the diagonal of the matrix all distances are zero."""
    points = jnp.array([[0.0, 0.0], [3.0, 4.0]])
    gradient = jax.grad(lambda points: distances(points).sum() / 2)(points)
    assert jnp.allclose(gradient, jnp.array([[-0.6, -0.8], [0.6, 0.8]]))


def gradient_of_distances() -> list[float]:
    """Return the gradient of two points on a line."""
    points = jnp.array([[0.0], [1.0]])
    return jax.grad(lambda points: distances(points).sum())(points).ravel().tolist()


def gradient_of_deviation() -> list[float]:
    """Return the gradient of a standard deviation that is kept off zero."""
    return jax.grad(lambda values: jnp.sqrt(values.var() + 1e-6))(jnp.ones(2)).tolist()


def hessian_vector_product(loss: Callable[[jax.Array], jax.Array], params: jax.Array, vector: jax.Array) -> jax.Array:
    """Differentiate the gradient along one direction."""
    return jax.jvp(jax.grad(loss), (params,), (vector,))[1]


def rippled(x: jax.Array) -> jax.Array:
    """Return a scalar in which neighbouring elements of a vector meet."""
    return jnp.sum(jnp.sin(x) * jnp.roll(x, 1) ** 2)


def example_hvp() -> None:
    """Compare with the Hessian while that is still small."""
    params, vector = jnp.arange(1.0, 6.0), jnp.arange(5.0)
    product = hessian_vector_product(rippled, params, vector)
    assert jnp.allclose(product, jax.hessian(rippled)(params) @ vector, rtol=1e-4)


def bytes_of_product() -> int:
    """Return the temporary memory of a Hessian-vector product of 2000 parameters."""
    vector = jnp.ones(2000)
    return temporary_bytes(lambda params: hessian_vector_product(rippled, params, vector), vector)


def temporary_bytes(function: Callable[[jax.Array], jax.Array], argument: jax.Array) -> int:
    """Return what a compiled function needs in memory beside its argument and its result."""
    analysis = jax.jit(function).lower(argument).compile().memory_analysis()
    assert analysis is not None
    return int(analysis.temp_size_in_bytes)


def velocity(position: jax.Array) -> jax.Array:
    """Return a velocity, shape (2,), for one position, shape (3,)."""
    return jnp.stack([jnp.sum(position**2), jnp.prod(position)])


def example_jacobian() -> None:
    """Take the Jacobian of one example, and map that over the batch."""
    positions = jnp.arange(12.0).reshape(4, 3)
    jacobians = jax.vmap(jax.jacrev(velocity))(positions)  # two outputs, three inputs: reverse mode
    assert jacobians.shape == (4, 2, 3)
    assert jnp.allclose(jacobians[:, 0], 2.0 * positions)


def shape_of_jacobians() -> list[int]:
    """Return the shape of the Jacobians of four examples."""
    return list(jax.vmap(jax.jacrev(velocity))(jnp.ones((4, 3))).shape)


def three_quarters_are_zero() -> bool:
    """Return whether the Jacobian of a batch of four is zero outside its diagonal blocks."""
    jacobian = jax.jacrev(jax.vmap(velocity))(jnp.arange(1.0, 13.0).reshape(4, 3))  # (4, 2, 4, 3)
    zeros = int((jacobian == 0.0).sum())
    return zeros / jacobian.size == 3 / 4


def bytes_of_reverse_mode() -> int:
    """Return the temporary memory of the Jacobian of 3 outputs with respect to 1000 inputs."""
    matrix = jnp.ones((3, 1000))
    return temporary_bytes(jax.jacrev(lambda x: jnp.tanh(matrix @ jnp.tanh(x))), jnp.ones(1000))


def reverse_mode_needs_less() -> bool:
    """Return whether a Jacobian takes less memory in reverse mode than forwards where outputs are few, else more."""
    matrix = jnp.ones((3, 1000))
    wide, tall = (lambda x: jnp.tanh(matrix @ jnp.tanh(x))), (lambda x: jnp.tanh(matrix.T @ jnp.tanh(x)))
    few, many = jnp.ones(3), jnp.ones(1000)
    return temporary_bytes(jax.jacrev(wide), many) < temporary_bytes(jax.jacfwd(wide), many) and temporary_bytes(
        jax.jacfwd(tall), few
    ) < temporary_bytes(jax.jacrev(tall), few)


def laplacian(field: Callable[[jax.Array], jax.Array], point: jax.Array) -> jax.Array:
    """Sum the second derivatives along the axes; the field is a scalar of one point, shape (dimensions,)."""

    def second_derivative(axis: jax.Array) -> jax.Array:
        def slope(point: jax.Array) -> jax.Array:
            return jax.jvp(field, (point,), (axis,))[1]

        return jax.jvp(slope, (point,), (axis,))[1]

    return jnp.sum(jax.vmap(second_derivative)(jnp.eye(point.size)))


def example_higher_order() -> None:
    """Compare with the closed forms."""
    assert jax.grad(jax.grad(lambda x: x**3))(2.0) == 12.0
    point = jnp.array([0.3, -0.2])
    curvature = laplacian(lambda point: jnp.sin(point).sum(), point)
    assert jnp.isclose(curvature, -jnp.sin(point).sum())


def curvature_of_tanh_network() -> float:
    """Return the second derivative of a network of one tanh unit."""
    return float(jax.grad(jax.grad(lambda x: jnp.tanh(2.0 * x + 1.0)))(0.5))


def example_complex() -> None:
    """Descend to a complex minimum, along the conjugate of what grad returns."""
    target = 3.0 - 1.0j
    position = jnp.complex64(1.0 + 2.0j)
    for _ in range(100):
        gradient = jax.grad(lambda position: jnp.abs(position - target) ** 2)(position)
        position -= 0.1 * jnp.conj(gradient)
    assert jnp.isclose(position, target)


def position_after_one_step() -> list[float]:
    """Return where a step of 0.1 leads from 1 + 2j towards 0."""
    position = jnp.complex64(1.0 + 2.0j)
    position -= 0.1 * jnp.conj(jax.grad(lambda position: jnp.abs(position) ** 2)(position))
    return [float(position.real), float(position.imag)]
