"""Per-device code: a function under `jax.shard_map` sees one shard, and collectives join them."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def data_mesh() -> Mesh:
    """Return all devices along one axis, over which the compiler spreads the work."""
    return jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))


def example_shard_map() -> None:
    """Write per-device code: the function sees its shard, and collectives name the axis."""
    jax.config.update("jax_num_cpu_devices", 8)

    @jax.shard_map(mesh=data_mesh(), in_specs=P("data"), out_specs=P())
    def mean(shard: jax.Array) -> jax.Array:
        assert shard.shape == (2,)  # of 16 numbers over 8 devices
        return jax.lax.pmean(shard.mean(), "data")

    assert mean(jnp.arange(16.0)) == 7.5


def global_loss(w: jax.Array, x: jax.Array, real: jax.Array) -> jax.Array:
    """Return the mean of `w * x` over the real examples of all devices."""
    total, count = jnp.sum(w * x, where=real), real.sum()
    return jax.lax.psum(total, "data") / jax.lax.psum(count, "data")


def example_shard_map_grad() -> None:
    """Differentiate the loss that is already the mean over devices."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
    specs = (P(), P("data"), P("data"))
    gradient = jax.shard_map(jax.grad(global_loss), mesh=mesh, in_specs=specs, out_specs=P())
    w, x, real = jnp.float32(3.0), jnp.arange(16.0), jnp.arange(16) < 11  # five rows are padding
    assert jnp.isclose(gradient(w, x, real), x[:11].mean())


def local_loss(w: jax.Array, x: jax.Array) -> jax.Array:
    """Return the mean of `w * x` over the examples that it is given."""
    return jnp.mean(w * x)


def check_shard_map_grad() -> None:
    """Hold that pmean will do where devices count equally, and that without the check gradients are averaged."""

    def mean_loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return jax.lax.pmean(local_loss(w, x), "data")

    def mean_gradient(w: jax.Array, x: jax.Array) -> jax.Array:
        return jax.lax.pmean(jax.grad(local_loss)(w, x), "data")

    mesh, specs, w, x = data_mesh(), (P(), P("data")), jnp.float32(3.0), jnp.arange(16.0)
    checked = jax.shard_map(jax.grad(mean_loss), mesh=mesh, in_specs=specs, out_specs=P())
    unchecked = jax.shard_map(mean_gradient, mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)
    assert checked(w, x) == unchecked(w, x) == x.mean()


def gradient_of_global_loss() -> jax.Array:
    """Return the gradient at a batch without padding."""
    jax.config.update("jax_num_cpu_devices", 8)
    specs = (P(), P("data"), P("data"))
    gradient = jax.shard_map(jax.grad(global_loss), mesh=data_mesh(), in_specs=specs, out_specs=P())
    return gradient(jnp.float32(3.0), jnp.arange(16.0), jnp.ones(16, bool))


def mean_over_real_rows() -> jax.Array:
    """Return the mean of 0 to 10, behind which the batch is padded."""
    jax.config.update("jax_num_cpu_devices", 8)
    specs = (P(), P("data"), P("data"))
    mean = jax.shard_map(global_loss, mesh=data_mesh(), in_specs=specs, out_specs=P())
    return mean(jnp.float32(1.0), jnp.arange(16.0), jnp.arange(16) < 11)


def device_gradient(w: jax.Array, x: jax.Array) -> jax.Array:
    """Return the gradient of one device's own mean, with an axis for the devices before it."""
    w = jax.lax.pcast(w, "data", to="varying")  # each device's own copy
    return jax.grad(local_loss)(w, x)[None]


def clipped_gradient(w: jax.Array, x: jax.Array) -> jax.Array:
    """Clip each example's gradient, then average over the examples of all devices."""
    w = jax.lax.pcast(w, "data", to="varying")
    per_example = jax.vmap(jax.grad(local_loss), in_axes=(None, 0))(w, x)
    return jax.lax.pmean(jnp.clip(per_example, -1.0, 1.0).mean(), "data")


def example_device_gradients() -> None:
    """Look at the gradients of eight devices, and clip those of sixteen examples."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh, specs = data_mesh(), (P(), P("data"))
    w, x = jnp.float32(3.0), jnp.arange(-8.0, 8.0)
    gradients = jax.shard_map(device_gradient, mesh=mesh, in_specs=specs, out_specs=P("data"))(w, x)
    assert jnp.array_equal(gradients, x.reshape(8, 2).mean(axis=1))
    clipped = jax.shard_map(clipped_gradient, mesh=mesh, in_specs=specs, out_specs=P())(w, x)
    assert clipped == jnp.clip(x, -1.0, 1.0).mean()


def first_device_gradient() -> float:
    """Return the gradient that the first of eight devices computes from 0 and 1."""
    jax.config.update("jax_num_cpu_devices", 8)
    gradients = jax.shard_map(device_gradient, mesh=data_mesh(), in_specs=(P(), P("data")), out_specs=P("data"))
    return float(gradients(jnp.float32(3.0), jnp.arange(16.0))[0])


def clipped_over_devices() -> jax.Array:
    """Return the mean of the gradients -8 to 7, each clipped to 1."""
    jax.config.update("jax_num_cpu_devices", 8)
    clipped = jax.shard_map(clipped_gradient, mesh=data_mesh(), in_specs=(P(), P("data")), out_specs=P())
    return clipped(jnp.float32(3.0), jnp.arange(-8.0, 8.0))


def normalise(shard: jax.Array) -> jax.Array:
    """Divide a shard by the sum over all devices' shards."""
    return shard / jax.lax.psum(shard.sum(), "data")


def example_shard_map_reductions() -> None:
    """Finish each reduction over a sharded axis with a collective."""
    jax.config.update("jax_num_cpu_devices", 8)
    x = jnp.arange(1.0, 9.0)
    total = jax.shard_map(
        lambda shard: jax.lax.psum(shard.sum(), "data"), mesh=data_mesh(), in_specs=P("data"), out_specs=P()
    )
    assert total(x) == 36
    parts = jax.shard_map(normalise, mesh=data_mesh(), in_specs=P("data"), out_specs=P("data"))
    assert jnp.allclose(parts(x), x / 36)


def total_over_devices() -> jax.Array:
    """Return the sum of 0 to 7 over eight devices."""
    jax.config.update("jax_num_cpu_devices", 8)
    total = jax.shard_map(
        lambda shard: jax.lax.psum(shard.sum(), "data"), mesh=data_mesh(), in_specs=P("data"), out_specs=P()
    )
    return total(jnp.arange(8.0))


def sum_of_parts() -> float:
    """Return the sum of 1 to 8, each divided by the sum of all."""
    jax.config.update("jax_num_cpu_devices", 8)
    parts = jax.shard_map(normalise, mesh=data_mesh(), in_specs=P("data"), out_specs=P("data"))
    return float(parts(jnp.arange(1.0, 9.0)).sum())


def double_kernel(x_ref: jax.Ref, y_ref: jax.Ref) -> None:
    """Write twice what is read."""
    y_ref[...] = 2 * x_ref[...]


def doubled_by_a_kernel() -> jax.Array:
    """Run a kernel on each device, without the check."""
    jax.config.update("jax_num_cpu_devices", 8)

    def double(x: jax.Array) -> jax.Array:
        return pl.pallas_call(double_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)

    doubled = jax.shard_map(double, mesh=data_mesh(), in_specs=P("data"), out_specs=P("data"), check_vma=False)
    return doubled(jnp.arange(8.0))


def whole(shard: jax.Array) -> jax.Array:
    """Put the shards of all devices together, on each of them."""
    return jax.lax.all_gather(shard, "data", tiled=True, to="invarying")


def example_gather() -> None:
    """Return what was gathered as one array that all devices hold."""
    jax.config.update("jax_num_cpu_devices", 8)
    gathered = jax.shard_map(whole, mesh=data_mesh(), in_specs=P("data"), out_specs=P())(jnp.arange(16.0))
    assert gathered.sharding.is_fully_replicated
    assert jnp.array_equal(gathered, jnp.arange(16.0))


def add_noise(key: jax.Array, shard: jax.Array) -> jax.Array:
    """Add noise that is drawn anew on each device."""
    device_key = jax.random.fold_in(key, jax.lax.axis_index("data"))
    return shard + jax.random.normal(device_key, shard.shape)


def example_shard_map_key() -> None:
    """Give each device a key of its own."""
    jax.config.update("jax_num_cpu_devices", 8)
    noisy = jax.shard_map(add_noise, mesh=data_mesh(), in_specs=(P(), P("data")), out_specs=P("data"))
    y = noisy(jax.random.key(0), jnp.zeros(16))
    assert len(set(y.tolist())) == 16


def noise_over_devices() -> list[float]:
    """Return the noise that eight devices add, two numbers each."""
    jax.config.update("jax_num_cpu_devices", 8)
    noisy = jax.shard_map(add_noise, mesh=data_mesh(), in_specs=(P(), P("data")), out_specs=P("data"))
    return [float(one) for one in noisy(jax.random.key(0), jnp.zeros(16))]


def example_without_pmap() -> None:
    """Shard the batch's one axis and jit; no leading axis of devices, no collective."""
    jax.config.update("jax_num_cpu_devices", 8)
    batch = jnp.arange(32.0)
    centre = jax.jit(lambda x: x - x.mean())  # the mean of the whole batch
    y = centre(jax.device_put(batch, NamedSharding(data_mesh(), P("data"))))
    assert jnp.array_equal(y, batch - 15.5)
    assert y.sharding.shard_shape(y.shape) == (4,)  # each device has four examples


def devices_of_a_split_batch() -> int:
    """Return how many devices work on a batch of 32."""
    jax.config.update("jax_num_cpu_devices", 8)
    batch = jax.device_put(jnp.arange(32.0), NamedSharding(data_mesh(), P("data")))
    return len(jax.jit(lambda x: 2 * x)(batch).sharding.device_set)


def running_sums(shard: jax.Array) -> jax.Array:
    """Return the sums of a shard's numbers up to each of them."""
    start = jax.lax.pcast(jnp.float32(0.0), "data", to="varying")  # a constant is equal on all devices
    return jax.lax.scan(lambda total, x: (total + x, total + x), start, shard)[1]


def example_scan_in_shard_map() -> None:
    """Start a carry with the type that the body gives it."""
    jax.config.update("jax_num_cpu_devices", 8)
    sums = jax.shard_map(running_sums, mesh=data_mesh(), in_specs=P("data"), out_specs=P("data"))
    assert sums(jnp.arange(16.0)).tolist()[-2:] == [14, 29]


def check_start_from_the_shard() -> None:
    """Hold that a start that is made from the shard varies already."""

    def sums(shard: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda total, x: (total + x, total + x), jnp.zeros_like(shard[0]), shard)[1]

    from_shard = jax.shard_map(sums, mesh=data_mesh(), in_specs=P("data"), out_specs=P("data"))
    assert from_shard(jnp.arange(16.0)).tolist()[-2:] == [14, 29]
