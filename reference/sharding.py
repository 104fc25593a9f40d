"""Sharding: arrays spread over a mesh of devices, and the ordinary jitted step."""

import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

Params = dict[str, jax.Array]


def data_mesh() -> Mesh:
    """Return all devices along one axis, over which the compiler spreads the work."""
    return jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))


def example_mesh_axis_types() -> None:
    """Name the kind of each mesh axis, or put arrays where Explicit axes want them."""
    jax.config.update("jax_num_cpu_devices", 8)  # eight simulated CPU devices
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
    double = jax.shard_map(lambda x: 2 * x, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
    assert double(jnp.arange(8.0))[7] == 14  # an Auto axis: the input is moved for you

    with jax.set_mesh(jax.make_mesh((8,), ("data",))):  # an Explicit axis: put the input there yourself
        x = jax.reshard(jnp.arange(8.0), P("data"))
        assert str(jax.typeof(x)) == "float32[8@data]"  # the sharding is part of the type


def sharding_is_in_the_signature() -> bool:
    """Return whether another sharding is traced anew on Explicit axes, and not on Auto ones."""
    jax.config.update("jax_num_cpu_devices", 8)

    def traces(kind: AxisType) -> int:
        mesh = jax.make_mesh((8,), ("data",), axis_types=(kind,))
        seen = []

        @jax.jit
        def double(x: jax.Array) -> jax.Array:
            seen.append(x)
            return 2 * x

        for spec in (P("data"), P()):
            double(jax.device_put(jnp.ones(8), NamedSharding(mesh, spec)))
        return len(seen)

    return traces(AxisType.Explicit) == 2 and traces(AxisType.Auto) == 1


def check_mesh_axis_types() -> None:
    """Hold that a mesh made by its class has Auto axes, and that a split array is taken on Explicit ones."""
    assert Mesh(jax.devices(), ("data",)).axis_types == (AxisType.Auto,)
    with jax.set_mesh(jax.make_mesh((8,), ("data",))):
        x = jax.reshard(jnp.arange(8.0), P("data"))
        y = jax.shard_map(jnp.square, in_specs=P("data"), out_specs=P("data"))(x)
        assert y.tolist()[7] == 49


def example_mesh_axis_types_asked_for() -> None:
    """Ask for Explicit axes, which are not the default yet."""
    jax.config.update("jax_num_cpu_devices", 8)
    auto = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
    explicit = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Explicit,))
    x = jax.device_put(jnp.arange(8.0), NamedSharding(auto, P("data")))
    y = jax.device_put(jnp.arange(8.0), NamedSharding(explicit, P("data")))
    assert str(jax.typeof(x)) == "float32[8]"
    assert str(jax.typeof(y)) == "float32[8@data]"  # the sharding is part of the type


def type_on_an_explicit_mesh() -> str:
    """Return the type of an array on a mesh that was asked for Explicit axes."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Explicit,))
    return str(jax.typeof(jax.device_put(jnp.arange(8.0), NamedSharding(mesh, P("data")))))


def mean_squared_error(params: Params, x: jax.Array, y: jax.Array) -> jax.Array:
    """Return the loss of a linear model; `x` is (batch, features), `y` is (batch,)."""
    return jnp.mean((x @ params["w"] + params["b"] - y) ** 2)


def train_step(params: Params, x: jax.Array, y: jax.Array) -> Params:
    """Take one step of gradient descent; nothing in it knows of devices."""
    grads = jax.grad(mean_squared_error)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def example_data_parallel() -> None:
    """Shard the batch, replicate the parameters, and jit the ordinary step."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = data_mesh()
    params = {"w": jnp.arange(4.0), "b": jnp.zeros(())}
    x, y = jnp.linspace(0.0, 1.0, 64).reshape(16, 4), jnp.ones(16)

    step = jax.jit(train_step)
    replicated_params = jax.device_put(params, NamedSharding(mesh, P()))
    sharded_x, sharded_y = jax.device_put((x, y), NamedSharding(mesh, P("data")))
    parallel = step(replicated_params, sharded_x, sharded_y)
    assert jax.tree.all(jax.tree.map(jnp.allclose, parallel, step(params, x, y)))
    assert parallel["w"].sharding.is_fully_replicated


def check_data_parallel() -> None:
    """Hold that the compiler adds the sum over devices that nobody wrote."""
    mesh = data_mesh()
    params = jax.device_put({"w": jnp.ones(4), "b": jnp.zeros(())}, NamedSharding(mesh, P()))
    x, y = jax.device_put((jnp.ones((16, 4)), jnp.ones(16)), NamedSharding(mesh, P("data")))
    assert "all-reduce" in str(jax.jit(train_step).lower(params, x, y).compile().as_text())
    assert x.addressable_shards[0].data.shape == (2, 4)


def devices_of_the_mesh() -> int:
    """Return how many devices `data_mesh` uses on a machine that has eight."""
    jax.config.update("jax_num_cpu_devices", 8)
    return int(data_mesh().size)


def example_state_on_mesh() -> None:
    """Make the optimizer's state where the mesh is set: the counter too is on it."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = data_mesh()
    optimizer = optax.adam(1e-3)
    params = jax.device_put({"w": jnp.ones((16, 4))}, NamedSharding(mesh, P("data")))
    with jax.set_mesh(mesh):  # elsewhere init leaves the count on device 0
        opt_state = optimizer.init(params)
    traces = []

    @jax.jit
    def step(params: optax.Params, opt_state: optax.OptState) -> tuple[optax.Params, optax.OptState]:
        traces.append("this line runs when step is traced")
        grads = jax.grad(lambda p: jnp.sum(p["w"] ** 2))(params)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state

    for _ in range(3):
        params, opt_state = step(params, opt_state)
    assert len(traces) == 1
    assert optax.tree.get(opt_state, "mu")["w"].addressable_shards[0].data.shape == (2, 4)  # still split


def traces_with_state_on_mesh() -> int:
    """Return how often a step is traced whose whole state starts on the mesh."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh, optimizer, traces = data_mesh(), optax.adam(1e-3), []
    params: optax.Params = jax.device_put(jnp.ones(4), NamedSharding(mesh, P()))
    with jax.set_mesh(mesh):
        opt_state = optimizer.init(params)

    @jax.jit
    def step(params: optax.Params, opt_state: optax.OptState) -> tuple[optax.Params, optax.OptState]:
        traces.append(1)
        return optimizer.update(params, opt_state)

    for _ in range(3):
        params, opt_state = step(params, opt_state)
    return len(traces)


def moments_on_each_device() -> tuple[int, ...]:
    """Return what a device holds of the moments of a weight (16, 4) whose rows are split over eight."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = data_mesh()
    params = jax.device_put(jnp.ones((16, 4)), NamedSharding(mesh, P("data")))
    with jax.set_mesh(mesh):
        opt_state = optax.adam(1e-3).init(params)
    shape: tuple[int, ...] = optax.tree.get(opt_state, "mu").addressable_shards[0].data.shape
    return shape


def devices_with_moments() -> int:
    """Return how many of eight devices hold the moments of a weight whose rows are split over them."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = data_mesh()
    params = jax.device_put(jnp.ones((16, 4)), NamedSharding(mesh, P("data")))
    with jax.set_mesh(mesh):
        opt_state = optax.adam(1e-3).init(params)
    return len(optax.tree.get(opt_state, "mu").sharding.device_set)


def init_weight(key: jax.Array) -> jax.Array:
    """Return a weight of shape (1024, 256)."""
    return 0.02 * jax.random.normal(key, (1024, 256))


def example_sharded_init() -> None:
    """Create big parameters where they are to live: no device ever holds them whole."""
    jax.config.update("jax_num_cpu_devices", 8)
    rows = NamedSharding(data_mesh(), P("data", None))
    w = jax.jit(init_weight, out_shardings=rows)(jax.random.key(0))
    assert w.addressable_shards[0].data.shape == (128, 256)
    assert jnp.allclose(w, init_weight(jax.random.key(0)))  # the same numbers on any mesh


def devices_that_hold_a_sharded_init() -> int:
    """Return over how many devices a new weight is spread."""
    jax.config.update("jax_num_cpu_devices", 8)
    rows = NamedSharding(data_mesh(), P("data", None))
    return len(jax.jit(init_weight, out_shardings=rows)(jax.random.key(0)).sharding.device_set)


def example_replicate() -> None:
    """Say where each tree goes by a sharding."""
    jax.config.update("jax_num_cpu_devices", 8)
    mesh = data_mesh()
    params = jax.device_put({"w": jnp.ones(3)}, NamedSharding(mesh, P()))  # a copy on each device
    batch = jax.device_put(jnp.ones((16, 3)), NamedSharding(mesh, P("data")))  # two rows on each
    assert params["w"].addressable_shards[7].data.shape == params["w"].shape == (3,)
    assert batch.shape == (16, 3)
    assert batch.addressable_shards[7].data.shape == (2, 3)


def example_explicit_contraction() -> None:
    """Name the sharding of a product whose summed axis is sharded."""
    jax.config.update("jax_num_cpu_devices", 8)
    with jax.set_mesh(jax.make_mesh((8,), ("model",))):
        x = jax.device_put(jnp.ones((8, 16)), P(None, "model"))
        w = jax.device_put(jnp.ones((16, 4)), P("model", None))
        y = jnp.matmul(x, w, out_sharding=P("model", None))  # sum and scatter; P() would sum and copy
        assert str(jax.typeof(y)) == "float32[8@model,4]"
        assert (y == 16).all()
        assert (x.sum(axis=1) == 16).all()  # one operand: nothing to name


def check_einsum_sharding() -> None:
    """Hold that einsum takes the sharding too."""
    with jax.set_mesh(jax.make_mesh((8,), ("model",))):
        x, w = jax.device_put((jnp.ones((8, 16)), jnp.ones((16, 4))), (P(None, "model"), P("model", None)))
        y = jnp.einsum("bi,io->bo", x, w, out_sharding=P())
        assert str(jax.typeof(y)) == "float32[8,4]"


def embed(table: jax.Array, ids: jax.Array) -> jax.Array:
    """Look the rows of a batch up: (vocabulary, width), (batch,) -> (batch, width)."""
    return table.at[ids].get(out_sharding=P("data", None))


def example_explicit_gather() -> None:
    """Look rows up in a sharded table, and name the sharding of what comes out."""
    jax.config.update("jax_num_cpu_devices", 8)
    with jax.set_mesh(jax.make_mesh((8,), ("data",))):
        table = jax.device_put(jnp.arange(64.0).reshape(16, 4), P("data", None))
        ids = jax.device_put(jnp.arange(15, -1, -1), P("data"))
        rows = embed(table, ids)
        assert str(jax.typeof(rows)) == "float32[16@data,4]"
        assert rows.tolist()[0] == [60, 61, 62, 63]  # rows[0] would need a sharding as well


def check_gather_shardings() -> None:
    """Hold that it differentiates, and that only a table split by columns is indexed as usual, by whole ids."""
    with jax.set_mesh(jax.make_mesh((8,), ("data",))):
        table, ids = jax.device_put(jnp.ones((16, 4)), P("data", None)), jax.device_put(jnp.arange(8), P("data"))
        gradient = jax.jit(jax.grad(lambda table: (embed(table, ids) ** 2).sum()))(table)
        assert str(jax.typeof(gradient)) == "float32[16@data,4]"
        columns = jax.device_put(jnp.ones((4, 16)), P(None, "data"))
        assert str(jax.typeof(columns[jnp.arange(2)])) == "float32[2,16@data]"


def example_set_mesh() -> None:
    """Set the mesh once; then bare partition specs are enough."""
    jax.config.update("jax_num_cpu_devices", 8)
    batch = jnp.arange(16.0)
    with jax.set_mesh(data_mesh()):  # Auto axes: a constraint moves data
        y = jax.jit(lambda x: jax.lax.with_sharding_constraint(2 * x, P("data")))(batch)
        assert y.sharding.spec == P("data")
    with jax.set_mesh(jax.make_mesh((8,), ("data",))):  # Explicit axes: reshard moves data
        y = jax.jit(lambda x: jax.reshard(2 * x, P("data")))(batch)
        z = jax.jit(lambda x: 2 * x, out_shardings=P("data"))(batch)  # so do out_shardings and device_put
        assert str(jax.typeof(y)) == str(jax.typeof(z)) == "float32[16@data]"


def pad_batch(x: jax.Array, devices: int) -> tuple[jax.Array, jax.Array]:
    """Pad the batch to a multiple of the devices; also return which rows are real."""
    missing = -len(x) % devices
    padded = jnp.pad(x, ((0, missing), *[(0, 0)] * (x.ndim - 1)))
    return padded, jnp.arange(len(padded)) < len(x)


def example_uneven_batch() -> None:
    """Pad what does not divide, and leave the padding out of every mean."""
    jax.config.update("jax_num_cpu_devices", 8)
    x = jnp.arange(60.0).reshape(30, 2)
    batch, real = jax.device_put(pad_batch(x, 8), NamedSharding(data_mesh(), P("data")))
    assert batch.shape == (32, 2)
    assert jnp.allclose(jnp.mean(batch, where=real[:, None]), x.mean())
