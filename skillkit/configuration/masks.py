"""Selectors: which parameters an optimizer or its weight decay is for, told by a leaf's path and rank."""

import re

# what a layer calls its array: the layer before it says what it is
_PLAIN = r"kernel|weight|w|value|param|embedding|table|scale"
_NORM = r"norm|(^|_)(ln|bn|gn|rms)(\d*$|_)"
_VECTOR = r"bias|scale|norm|gamma|beta|^[bg]\d*$"
_POSITION = r"(^|_)pos(ition)?(al)?s?_?(emb|enc|table|$)|^wpe$|rel(ative)?_pos|relative_attention_bias"
_TOKEN = r"(cls|class|mask|dist\w*|register|query|sep|pad|latent)_tokens?$|^cls$"
_EMBEDDING = r"embed|(^|_)(emb|wte|tables?|codebooks?)(_|\d|$)|^shared$"
_HEAD = r"^(?!multi|.*att)(\w+_)?heads?(_?\d+)?$|logits|unembed|readout|classifier|vocab_proj|^(qa_outputs|embed_out)$"
_LAST = r"^(fc|out|outputs?|proj_out|score|final_(layer|dense|linear|conv|proj\w*))(_?\d)?$"  # outside of blocks only
_STACK = r"^(\w+_)?(blocks|layers|experts|stack|stacked)$|^scan"


def parts_of(name: str) -> list[str]:
    """Return the names in a path, `encoder/dense/kernel` or `encoder.dense.weight`, in lower case."""
    return re.split(r"[/.]", name.lower())


def layer_of(name: str) -> str:
    """Return the name of the layer that a parameter belongs to, or of the parameter itself where that says it."""
    parts = [part for part in parts_of(name) if not part.isdigit()] or [""]
    return parts[-2] if len(parts) > 1 and re.fullmatch(_PLAIN, parts[-1]) else parts[-1]


def is_position(name: str, rank: int) -> bool:
    """Return whether a parameter is learnt for a place: positions, a class or mask token, no kernel."""
    layer, last = layer_of(name), parts_of(name)[-1]
    return rank >= 1 and last != "kernel" and bool(re.search(f"{_POSITION}|{_TOKEN}", layer))


def is_matrix(name: str, rank: int) -> bool:
    """Return whether a parameter is a kernel or table: no bias, norm or position, rank two or more."""
    last = parts_of(name)[-1]  # a bias may have rank 3: in Equinox's convolutions, in stacked layers
    vector = re.search(_VECTOR, last) or (last != "kernel" and re.search(_NORM, layer_of(name)))
    return rank >= 2 and not vector and not is_position(name, rank)


def is_embedding(name: str, rank: int) -> bool:
    """Return whether a parameter is a table of embeddings, or makes them of patches."""
    parts = [part for part in parts_of(name) if not part.isdigit()] or [""]  # of a list of arrays none has a name
    patches = len(parts) > 2 and parts[-2] in ("proj", "projection") and "embed" in parts[-3]
    found = re.search(_EMBEDDING, parts[-1]) or re.search(_EMBEDDING, layer_of(name)) or is_position(name, rank)
    return rank >= 2 and bool(found or patches) and not is_head(name, rank)


def is_head(name: str, rank: int) -> bool:
    """Return whether a parameter belongs to the last layer, which makes logits."""
    parts = parts_of(name)
    named = any(re.search(_HEAD, part) for part in parts) or "predictions.decoder" in ".".join(parts)
    before = parts[:-2] if re.fullmatch(_PLAIN, parts[-1]) else parts[:-1]
    inside = any(re.search(rf"\d|att|mlp|ffn|{_STACK}", part) for part in before)
    return rank >= 2 and (named or (not inside and bool(re.search(_LAST, layer_of(name)))))


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


def stacked_axes(name: str, rank: int) -> int:
    """Return how many of a kernel's leading axes count layers or experts, in a stack whose members have no index."""
    parts = parts_of(name)
    stacks = [
        part
        for index, part in enumerate(parts[:-1])
        if re.search(_STACK, part) and not re.search(r"^\d+$|_\d+$", parts[index + 1])
    ]
    kernel = 4 if re.search(r"conv", layer_of(name)) else 2
    return max(min(len(stacks), rank - kernel), 0)


def input_axes(name: str, rank: int) -> int:
    """Return how many of a kernel's axes, after those of a stack, are inputs; the others are outputs."""
    own = rank - stacked_axes(name, rank)
    attention = own == 3 and re.search(r"^(q|k|v|query|key|value)(_proj)?$", layer_of(name))
    outputs_first = parts_of(name)[-1] == "weight"  # as PyTorch and Equinox have it; to Muon a transpose is the same
    return 1 if attention or outputs_first else own - 1  # (model, heads, features), else (..., inputs, outputs)
