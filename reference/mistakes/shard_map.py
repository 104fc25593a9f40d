"""Per-device code that is written wrongly."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.sharding import AxisType, Mesh
from jax.sharding import PartitionSpec as P


def auto_mesh() -> Mesh:
    jax.config.update("jax_num_cpu_devices", 8)
    return jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def old_keyword_check_rep() -> jax.Array:
    mesh = auto_mesh()
    double = jax.shard_map(lambda x: 2 * x, mesh=mesh, in_specs=P("data"), out_specs=P("data"), check_rep=False)
    return double(jnp.arange(8.0))


def positional_mesh_and_specs() -> jax.Array:
    mesh = auto_mesh()
    return jax.shard_map(lambda x: 2 * x, mesh, P("data"), P("data"))(jnp.arange(8.0))


def old_import_of_shard_map() -> jax.Array:
    from jax.experimental.shard_map import shard_map

    double = shard_map(lambda x: 2 * x, mesh=auto_mesh(), in_specs=P("data"), out_specs=P("data"))
    return double(jnp.arange(8.0))


def local_loss(w: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.mean(w * x)


def mean_of_local_gradients() -> jax.Array:
    def gradient(w: jax.Array, x: jax.Array) -> jax.Array:
        return jax.lax.pmean(jax.grad(local_loss)(w, x), "data")

    gradient = jax.shard_map(gradient, mesh=auto_mesh(), in_specs=(P(), P("data")), out_specs=P())
    return gradient(jnp.float32(3.0), jnp.arange(16.0))


def mean_of_uneven_means() -> jax.Array:
    def mean(x: jax.Array, real: jax.Array) -> jax.Array:
        return jax.lax.pmean(jnp.sum(x, where=real) / jnp.maximum(real.sum(), 1), "data")

    mean = jax.shard_map(mean, mesh=auto_mesh(), in_specs=P("data"), out_specs=P())
    return mean(jnp.arange(16.0), jnp.arange(16) < 11)


def gradient_of_every_device_alike() -> float:
    specs = (P(), P("data"))
    gradients = jax.shard_map(
        lambda w, x: jax.grad(local_loss)(w, x)[None], mesh=auto_mesh(), in_specs=specs, out_specs=P("data")
    )
    return float(gradients(jnp.float32(3.0), jnp.arange(16.0))[0])


def sums_over_devices_clipped() -> jax.Array:
    per_example = jax.vmap(jax.grad(local_loss), in_axes=(None, 0))
    gradients = jax.shard_map(per_example, mesh=auto_mesh(), in_specs=(P(), P("data")), out_specs=P("data"))
    return jnp.clip(gradients(jnp.float32(3.0), jnp.arange(-8.0, 8.0)), -1.0, 1.0).mean()


def gradient_of_global_loss_unchecked() -> jax.Array:
    def global_loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return jax.lax.pmean(jnp.mean(w * x), "data")

    mesh, specs = auto_mesh(), (P(), P("data"))
    grad = jax.shard_map(jax.grad(global_loss), mesh=mesh, in_specs=specs, out_specs=P(), check_vma=False)
    return grad(jnp.float32(3.0), jnp.arange(16.0))


def local_sum_passed_off_as_total() -> jax.Array:
    mesh = auto_mesh()
    total = jax.shard_map(jnp.sum, mesh=mesh, in_specs=P("data"), out_specs=P(), check_vma=False)
    return total(jnp.arange(8.0))


def divided_by_the_local_sum() -> float:
    parts = jax.shard_map(lambda x: x / x.sum(), mesh=auto_mesh(), in_specs=P("data"), out_specs=P("data"))
    return float(parts(jnp.arange(1.0, 9.0)).sum())


def kernel_under_the_check() -> jax.Array:
    def kernel(x_ref: jax.Ref, y_ref: jax.Ref) -> None:
        y_ref[...] = 2 * x_ref[...]

    def double(x: jax.Array) -> jax.Array:
        return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)

    return jax.shard_map(double, mesh=auto_mesh(), in_specs=P("data"), out_specs=P("data"))(jnp.arange(8.0))


def gathered_and_still_varying() -> jax.Array:
    return jax.shard_map(
        lambda shard: jax.lax.all_gather(shard, "data", tiled=True), mesh=auto_mesh(), in_specs=P("data"), out_specs=P()
    )(jnp.arange(16.0))


def same_key_on_every_device() -> list[float]:
    noisy = jax.shard_map(
        lambda key, x: x + jax.random.normal(key, x.shape),
        mesh=auto_mesh(),
        in_specs=(P(), P("data")),
        out_specs=P("data"),
    )
    return [float(one) for one in noisy(jax.random.key(0), jnp.zeros(16))]


def every_device_draws_the_same(noise: list[float]) -> bool:
    return noise == noise[:2] * 8


def pmap_over_a_larger_batch() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    batch = jnp.arange(32.0)
    return jax.pmap(lambda x: 2 * x)(batch)


def pmap_over_a_smaller_batch() -> int:
    jax.config.update("jax_num_cpu_devices", 8)
    return len(jax.pmap(lambda x: 2 * x)(jnp.arange(5.0)).sharding.device_set)


def collective_left_over_from_pmap() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    return jax.jit(lambda x: x - jax.lax.pmean(x.mean(), "devices"))(jnp.arange(32.0))


def carry_that_starts_as_a_constant() -> jax.Array:
    def running_sums(shard: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda total, x: (total + x, total + x), jnp.float32(0.0), shard)[1]

    sums = jax.shard_map(running_sums, mesh=auto_mesh(), in_specs=P("data"), out_specs=P("data"))
    return sums(jnp.arange(16.0))


def old_pvary() -> jax.Array:
    mesh = auto_mesh()
    varying = jax.shard_map(
        lambda x: x + jax.lax.pvary(jnp.float32(0.0), "data"),
        mesh=mesh,
        in_specs=P("data"),
        out_specs=P("data"),
    )
    return varying(jnp.arange(8.0))


def local_sum_with_the_check() -> jax.Array:
    return jax.shard_map(jnp.sum, mesh=auto_mesh(), in_specs=P("data"), out_specs=P())(jnp.arange(8.0))
