"""Architectures: the form in which it is written down which parameters a model has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Architecture:
    """What a model_type of Hugging Face's transformers says of shapes.

    A line is a path, the sizes of its shape, and after a question mark the setting that it needs (`-` for its
    absence). `{L}` stands for each of L layers. A size is a letter, a number, or a sum of products of these.

    Args:
        sizes: What each letter stands for: a key of the configuration, or several of which one is there, and after a
            bar what is taken without it.
        body: The lines of the model without a head.
        prefix: What stands before these where there is a head.
        head: The lines of the head.
        base: The lines that the model has only without a head.
        heads: How the names of the classes end that have this head.
        settings: Settings that lines may need, with what is so where they are not said.
        fixed: What other settings must be.
    """

    sizes: Mapping[str, str]
    body: str
    prefix: str
    head: str
    heads: tuple[str, ...]
    base: str = ""
    settings: Mapping[str, bool] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
