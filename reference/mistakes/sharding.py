"""Arrays sharded wrongly."""

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
    mesh = jax.make_mesh((8,), ("data",))
    return jax.shard_map(jnp.sin, mesh=mesh, in_specs=P("data"), out_specs=P("data"))(jnp.ones(8))


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


def state_made_under_jit() -> int:
    mesh, optimizer = auto_mesh(), optax.adam(1e-3)
    params = jax.device_put(jnp.ones((16, 4)), NamedSharding(mesh, P("data")))
    opt_state = jax.jit(optimizer.init)(params)
    return len(optax.tree.get(opt_state, "mu").sharding.device_set)


def weight_made_whole_and_then_spread() -> int:
    rows = NamedSharding(auto_mesh(), P("data", None))
    whole = jax.random.normal(jax.random.key(0), (1024, 256))
    jax.device_put(whole, rows)
    return len(whole.sharding.device_set)


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


def sharded_ids_in_a_whole_table() -> jax.Array:
    jax.config.update("jax_num_cpu_devices", 8)
    with jax.set_mesh(jax.make_mesh((8,), ("data",))):
        table = jax.device_put(jnp.ones((16, 4)), P())
        ids = jax.device_put(jnp.arange(8), P("data"))
        return table[ids]


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


def batch_that_does_not_divide() -> jax.Array:
    split = NamedSharding(auto_mesh(), P("data"))
    return jax.device_put(jnp.ones((30, 4)), split)
