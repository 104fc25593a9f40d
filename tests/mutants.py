"""Mutants: published blocks whose own functions compute something else, so that an assertion of theirs must fail."""

import ast

# What a function returns is made of zeros, or is another number at each call, or the function is not run and returns
# its first argument, or it has another shape, or another dtype. Below: so is what functions return that it returns.
WAYS = ("zero", "drift", "skip", "shape", "cast", "zero below", "drift below")

WRAPPER = """
def __mutant__(way):
    import functools
    import itertools
    import types

    how, calls = way.split()[0], itertools.count(2)

    def other(x, call):
        import jax
        import numpy as np

        jnp = jax.numpy
        if isinstance(x, types.GeneratorType):
            return (other(item, call) for item in x)
        if isinstance(x, bool | int | float):
            return {"zero": 0, "drift": x * call + 1}.get(how, x)
        if callable(x) and not isinstance(x, type) and way.endswith("below"):
            return wrap(x)
        if not isinstance(x, jax.Array | np.ndarray | np.generic):
            return x
        if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
            return jax.random.wrap_key_data(jnp.zeros_like(jax.random.key_data(x))) if how == "zero" else x
        if how == "cast":
            return x.astype(jnp.int32 if jnp.issubdtype(x.dtype, jnp.floating) else jnp.float32)
        if how == "drift":
            return ~x if x.dtype == bool else (x * call + 1).astype(x.dtype)
        return x[None] if how == "shape" else jnp.zeros_like(x)

    def wrap(function):
        @functools.wraps(function)
        def mutant(*arguments, **named):
            if how == "skip":
                return arguments[0] if arguments else 0
            import jax

            call = next(calls)
            return jax.tree.map(lambda x: other(x, call), function(*arguments, **named))

        return mutant

    return wrap
"""


def mutant(code: str, way: str) -> str:
    """Return code whose functions and methods return something else, or an empty string where it defines none.

    Args:
        code: A block as it is published.
        way: One of `WAYS`.
    """
    tree = ast.parse(code)
    functions = [one for node in tree.body for one in (node, *_methods(node)) if isinstance(one, ast.FunctionDef)]
    for one in functions:
        one.decorator_list.append(ast.parse(f"__mutant__({way!r})", mode="eval").body)
    return f"{WRAPPER}\n{ast.unparse(tree)}\n" if functions else ""


def _methods(node: ast.stmt) -> list[ast.stmt]:
    body = node.body if isinstance(node, ast.ClassDef) else []
    return [one for one in body if getattr(one, "name", "") != "__init__"]
