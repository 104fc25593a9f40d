"""Programs over several devices that are written wrongly."""

import os

import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P


def auto_mesh() -> Mesh:
    jax.config.update("jax_num_cpu_devices", 8)
    return jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def input_not_on_an_explicit_mesh() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    explicit, spec = jax.make_mesh((8,), ("data",)), P("data")
    return jax.shard_map(jnp.sin, mesh=explicit, in_specs=spec, out_specs=spec)(jnp.ones(8))


def mesh_without_axis_types() -> str:
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = jax.make_mesh((8,), ("data",))
    return str(jax.typeof(jax.device_put(jnp.arange(8.0), NamedSharding(mesh, P("data")))))


def params_committed_to_one_device() -> jax.Array:
    split = NamedSharding(auto_mesh(), P("data"))
    batch = jax.device_put(jnp.ones((16, 4)), split)
    w = jax.device_put(jnp.ones(4), jax.devices()[0])
    return jax.jit(lambda w, x: x @ w)(w, batch)


def mesh_with_a_fixed_number() -> int:
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))
    return int(mesh.size)


def optimizer_counter_left_on_one_device() -> int:
    replicated = NamedSharding(auto_mesh(), P())
    optimizer, traces = optax.adam(1e-3), []
    params = jax.device_put(jnp.ones(4), replicated)
    opt_state = optimizer.init(params)

    @jax.jit
    def step(params, opt_state):  # type: ignore[no-untyped-def]  # a mistake needs no types
        traces.append(1)
        return optimizer.update(params, opt_state)

    for _ in range(3):
        params, opt_state = step(params, opt_state)
    return len(traces)


def whole_state_replicated() -> tuple[int, ...]:
    mesh, optimizer = auto_mesh(), optax.adam(1e-3)
    params = jax.device_put(jnp.ones((16, 4)), NamedSharding(mesh, P("data")))
    opt_state = jax.device_put(optimizer.init(params), NamedSharding(mesh, P()))
    return optax.tree.get(opt_state, "mu").addressable_shards[0].data.shape


def state_made_under_jit() -> tuple[int, ...]:
    mesh, optimizer = auto_mesh(), optax.adam(1e-3)
    params = jax.device_put(jnp.ones((16, 4)), NamedSharding(mesh, P("data")))
    opt_state = jax.jit(optimizer.init)(params)
    return optax.tree.get(opt_state, "mu").addressable_shards[0].data.shape


def weight_made_whole_and_then_spread() -> int:
    rows = NamedSharding(auto_mesh(), P("data", None))
    whole = jax.random.normal(jax.random.key(0), (1024, 256))
    jax.device_put(whole, rows)
    return len(whole.sharding.device_set)


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


def mean_of_local_gradients() -> jax.Array:
    def local_loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.mean(w * x)

    def gradient(w: jax.Array, x: jax.Array) -> jax.Array:
        return jax.lax.pmean(jax.grad(local_loss)(w, x), "data")

    mesh = auto_mesh()
    gradient = jax.shard_map(gradient, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
    return gradient(jnp.float32(3.0), jnp.arange(16.0))


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


def divided_by_the_local_sum() -> jax.Array:
    parts = jax.shard_map(lambda x: x / x.sum(), mesh=auto_mesh(), in_specs=P("data"), out_specs=P("data"))
    return parts(jnp.arange(1.0, 9.0))


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


def replicated_by_the_old_function() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    return jax.device_put_replicated(jnp.ones(3), jax.devices())


def sharded_by_the_old_function() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    shards = [jnp.ones((2, 3))] * 8
    return jax.device_put_sharded(shards, jax.devices())


def product_over_a_sharded_axis() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    with jax.set_mesh(jax.make_mesh((8,), ("model",))):
        x = jax.device_put(jnp.ones((8, 16)), P(None, "model"))
        w = jax.device_put(jnp.ones((16, 4)), P("model", None))
        return x @ w


def plain_indexing_of_a_sharded_table() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    with jax.set_mesh(jax.make_mesh((8,), ("data",))):
        table = jax.device_put(jnp.ones((16, 4)), P("data", None))
        ids = jax.device_put(jnp.arange(8), P("data"))
        return table[ids]


def take_from_a_sharded_table() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    with jax.set_mesh(jax.make_mesh((8,), ("model",))):
        table = jax.device_put(jnp.ones((16, 8)), P("model", None))
        return jnp.take(table, jnp.arange(4), axis=0)


def mesh_as_context() -> None:
    with auto_mesh():
        jax.jit(lambda x: 2 * x)(jnp.arange(8.0))


def old_use_mesh() -> None:
    with jax.sharding.use_mesh(auto_mesh()):
        jax.jit(lambda x: 2 * x)(jnp.arange(8.0))


def spec_without_a_mesh() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    return jax.jit(lambda x: jax.lax.with_sharding_constraint(2 * x, P("data")))(jnp.arange(16.0))


def constraint_on_an_explicit_axis() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    with jax.set_mesh(jax.make_mesh((8,), ("data",))):
        return jax.jit(lambda x: jax.lax.with_sharding_constraint(2 * x, P("data")))(jnp.arange(16.0))


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


def batch_that_does_not_divide() -> jax.Array:
    split = NamedSharding(auto_mesh(), P("data"))
    return jax.device_put(jnp.ones((30, 4)), split)


def devices_asked_for_too_late() -> int:
    jnp.ones(1)
    jax.config.update("jax_num_cpu_devices", 8)
    return jax.device_count()


def variable_set_too_late() -> int:
    jnp.ones(1)
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    return jax.device_count()


def initialised_after_the_first_array() -> None:
    jnp.ones(1)
    jax.distributed.initialize("localhost:12655", num_processes=1, process_id=0)
