"""Times a jitted function that does next to nothing, by how many arrays go in and come out.

`python -m benchmarks.calls` prints microseconds per call, the best of several rounds.
"""

import timeit
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

LEAVES = (1, 10, 100, 1000)


def microseconds(leaves: int, calls: int = 20) -> tuple[float, float]:
    """Return the time of a call that takes this many arrays and returns one, and of one that returns as many."""
    tree = [jnp.ones(1) for _ in range(leaves)]
    takes = jax.jit(lambda tree: tree[0] + 1)
    returns = jax.jit(lambda tree: [leaf + 1 for leaf in tree])
    return _best(takes, tree, calls), _best(returns, tree, calls)


def _best(function: Callable[[Any], Any], tree: Any, calls: int) -> float:
    wait: Callable[[Any], Any] = jax.block_until_ready
    wait(function(tree))  # compiles
    rounds = timeit.repeat(lambda: wait(function(tree)), number=calls, repeat=7)
    return 1e6 * min(rounds) / calls


def main() -> None:
    """Print a table."""
    print(f"jax {jax.__version__}, microseconds per call\n{'arrays':>7} {'taken':>8} {'returned':>9}")
    for leaves in LEAVES:
        taken, returned = microseconds(leaves)
        print(f"{leaves:7} {taken:8.1f} {returned:9.1f}")


if __name__ == "__main__":
    main()
