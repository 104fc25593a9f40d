"""Skills and prompts for AI assistants in which every statement was executed."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Import what needs jax and optax only when it is asked for."""
    if name in ("build_optimizer", "build_optimizers"):
        from skillkit.configuration import building

        return getattr(building, name)
    raise AttributeError(f"module 'skillkit' has no attribute '{name}'")
