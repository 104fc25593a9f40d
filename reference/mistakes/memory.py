"""Memory handled wrongly."""

import jax
import jax.numpy as jnp


def donated_params_read() -> jax.Array:
    train_step = jax.jit(lambda params: params - 0.1, donate_argnums=0)
    params = jnp.ones(1000)
    new_params = train_step(params)
    return jnp.linalg.norm(new_params - params)


def donated_twice() -> jax.Array:
    train_step = jax.jit(lambda params, average: (params - 0.1, 0.9 * average + 0.1 * params), donate_argnums=(0, 1))
    params = jnp.ones(1000)
    average = params
    return train_step(params, average)


def donated_batch() -> jax.Array:
    train_step = jax.jit(lambda params, batch: params - batch.mean(), donate_argnums=(0, 1))
    return train_step(jnp.ones(()), jnp.ones((8, 4)))


def block(hidden, kernel):
    for _ in range(4):
        hidden = jnp.sin(hidden @ kernel)
    return hidden


def whole_loss_checkpointed() -> int:
    def loss(kernels, hidden):
        hidden, _ = jax.lax.scan(lambda hidden, kernel: (block(hidden, kernel), None), hidden, kernels)
        return hidden.sum()

    gradient = jax.grad(jax.checkpoint(loss))
    kernels, hidden = jnp.ones((16, 64, 64)), jnp.ones((256, 64))
    return jax.jit(gradient).lower(kernels, hidden).compile().memory_analysis().temp_size_in_bytes


def all_activations_are_stored(temporary_bytes) -> bool:
    return temporary_bytes > 16 * 4 * 256 * 64 * 4


def unrolled_without_a_barrier() -> int:
    def loss(kernels, hidden):
        for kernel in kernels:
            hidden = jax.checkpoint(block, prevent_cse=False)(hidden, kernel)
        return hidden.sum()

    kernels, hidden = jnp.ones((16, 64, 64)), jnp.ones((256, 64))
    return jax.jit(jax.grad(loss)).lower(kernels, hidden).compile().memory_analysis().temp_size_in_bytes
