"""Selectors: which parameters an optimizer or its weight decay is for, told by a leaf's path and rank."""

import re


def is_matrix(name: str, rank: int) -> bool:
    """Return whether a parameter is a kernel or table: no bias, no scale of a norm, rank two or more."""
    last = name.rpartition("/")[2]  # a bias may have rank 3: in Equinox's convolutions, in stacked layers
    return rank >= 2 and not re.search(r"bias|scale|norm|^[bg]$|gamma|beta", last)


def is_embedding(name: str, rank: int) -> bool:
    """Return whether a parameter is a table of embeddings."""
    return rank >= 2 and bool(re.search(r"embed|table|wte|wpe|codebook", name.lower()))


def is_head(name: str, rank: int) -> bool:
    """Return whether a parameter belongs to the last layer, which makes logits."""
    last_layer = r"(^|[/_.])(lm_?head|head|logits|unembed\w*|readout)([/_.]|$)"
    return rank >= 2 and bool(re.search(last_layer, name.lower()))


def is_hidden_matrix(name: str, rank: int) -> bool:
    """Return whether a parameter is a matrix that is neither embedding nor last layer."""
    return is_matrix(name, rank) and not is_embedding(name, rank) and not is_head(name, rank)


def is_decayed_matrix(name: str, rank: int) -> bool:
    """Return whether a parameter is a matrix that is no embedding."""
    return is_matrix(name, rank) and not is_embedding(name, rank)


def is_adapter(name: str, rank: int) -> bool:
    """Return whether a parameter belongs to an adapter."""
    return bool(re.search(r"lora|adapter|prefix|prompt", name.lower())) and rank >= 0


def is_any(name: str, rank: int) -> bool:
    """Return True: what the groups before did not take."""
    return bool(name) or rank >= 0


def input_axes(name: str, rank: int) -> int:
    """Return how many of a kernel's leading axes are inputs; the others are outputs."""
    attention = rank == 3 and any(word in name for word in ("query", "key", "value"))
    return 1 if attention else rank - 1  # (model, heads, features), else (..., inputs, outputs)
