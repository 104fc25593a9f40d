"""Memory: buffers that are given away or recomputed."""

import warnings
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

Params = dict[str, jax.Array]


def example_donate() -> None:
    """Give the parameters away, and bind the name to what comes back."""

    def train_step(params: jax.Array, momentum: jax.Array) -> tuple[jax.Array, jax.Array]:
        return params - 0.1 * momentum, 0.9 * momentum

    train_step_in_place = jax.jit(train_step, donate_argnums=(0, 1))
    params, momentum = jnp.ones(1000), jnp.ones(1000)
    old_params = params
    params, momentum = train_step_in_place(params, momentum)
    assert old_params.is_deleted()
    assert jnp.allclose(params, 0.9)
    memory = train_step_in_place.lower(params, momentum).compile().memory_analysis()
    assert memory is not None
    assert memory.alias_size_in_bytes == 2 * 1000 * 4  # both outputs live in the inputs' buffers


def check_donate_by_keyword() -> None:
    """Hold that a donated argument is donated by keyword too."""
    step = jax.jit(lambda params: params - 0.1, donate_argnums=0)
    params = jnp.ones(4)
    step(params=params)
    assert params.is_deleted()


def example_donate_unusable() -> None:
    """Donate the state, which comes back in the same shape and dtype; not the batch."""

    def train_step(params: jax.Array, batch: jax.Array) -> tuple[jax.Array, jax.Array]:
        return params - 0.1 * batch.mean(), batch.sum()

    params, batch = jnp.ones(3), jnp.ones((8, 3))
    params, _ = jax.jit(train_step, donate_argnums=0)(params, batch)
    assert not batch.is_deleted()
    assert jnp.allclose(params, 0.9)


def donated_state_only() -> jax.Array:
    """Take one step that donates its parameters and not its batch."""
    step = jax.jit(lambda params, batch: params - batch.mean(), donate_argnums=0)
    params: jax.Array = step(jnp.ones(()), jnp.ones((8, 4)))
    return params


def mesh_does_not_warn() -> bool:
    """Say whether a batch that no output can take is donated without a warning where it is split over devices."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
    params = jax.device_put(jnp.ones(()), NamedSharding(mesh, P()))
    batch = jax.device_put(jnp.ones((8, 4)), NamedSharding(mesh, P("data")))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        jax.jit(lambda params, batch: params - batch.mean(), donate_argnums=(0, 1))(params, batch)
    return not found


def example_donate_distinct() -> None:
    """Start an average of the parameters from copies, and donate both."""

    def train_step(params: Params, average: Params) -> tuple[Params, Params]:
        params = jax.tree.map(lambda leaf: 0.5 * leaf, params)
        return params, jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, average, params)

    train_step_in_place = jax.jit(train_step, donate_argnums=(0, 1))
    params = {"w": jnp.ones(4), "b": jnp.zeros(())}
    average = jax.tree.map(jnp.copy, params)
    for _ in range(2):
        params, average = train_step_in_place(params, average)
    assert jnp.allclose(average["w"], 0.9 * 0.95 + 0.1 * 0.25)


def check_copies() -> None:
    """Hold which functions copy, and which return the buffer that they got."""
    x = jnp.ones(4)
    made = {"asarray": jnp.asarray(x), "put": jax.device_put(x, x.sharding), "copy": jnp.copy(x), "array": jnp.array(x)}
    shared = {name for name, y in made.items() if y.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()}
    assert shared == {"asarray", "put"}


def block(hidden: jax.Array, kernel: jax.Array) -> tuple[jax.Array, None]:
    """Apply four layers that share a kernel; (batch, width)."""
    for _ in range(4):
        hidden = jnp.sin(hidden @ kernel)
    return hidden, None


def loss(kernels: jax.Array, hidden: jax.Array) -> jax.Array:
    """Scan over the blocks, keeping only what enters each of them for the backward pass."""
    hidden, _ = jax.lax.scan(jax.checkpoint(block, prevent_cse=False), hidden, kernels)  # a scan needs no barrier
    return hidden.sum()


def example_remat() -> None:
    """Compare the bytes of all activations with what the compiled gradient sets aside."""
    blocks, batch, width = 16, 256, 64
    kernels, hidden = jnp.ones((blocks, width, width)), jnp.ones((batch, width))
    activations = blocks * 4 * batch * width * 4  # four bytes each, four layers to a block
    memory = jax.jit(jax.grad(loss)).lower(kernels, hidden).compile().memory_analysis()
    assert memory is not None
    assert memory.temp_size_in_bytes < activations / 2


def check_remat() -> None:
    """Hold that the gradient is the one without recomputation."""

    def plain_loss(kernels: jax.Array, hidden: jax.Array) -> jax.Array:
        for kernel in kernels:
            hidden, _ = block(hidden, kernel)
        return hidden.sum()

    kernels, hidden = 0.1 * jnp.ones((3, 4, 4)), jnp.ones((2, 4))
    assert jnp.allclose(jax.grad(loss)(kernels, hidden), jax.grad(plain_loss)(kernels, hidden), rtol=1e-4)

    def barriers(remat: Callable[..., tuple[jax.Array, None]]) -> int:
        def unrolled_loss(kernels: jax.Array, hidden: jax.Array) -> jax.Array:
            for kernel in kernels:
                hidden, _ = remat(hidden, kernel)
            return hidden.sum()

        return str(jax.jit(jax.grad(unrolled_loss)).lower(kernels, hidden).as_text()).count("optimization_barrier")

    assert barriers(jax.checkpoint(block)) == len(kernels)
    assert barriers(jax.checkpoint(block, prevent_cse=False)) == 0


def bytes_with_blocks_checkpointed() -> int:
    """Return the temporary bytes of the gradient."""
    kernels, hidden = jnp.ones((16, 64, 64)), jnp.ones((256, 64))
    memory = jax.jit(jax.grad(loss)).lower(kernels, hidden).compile().memory_analysis()
    return int(memory.temp_size_in_bytes) if memory else 0
