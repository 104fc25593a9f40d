"""Hugging Face: the shapes that follow from a model's config.json, without transformers."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from skillkit.errors import BadInput, bad_input, did_you_mean
from skillkit.reading import shown
from skillkit.trees.architecture import Architecture
from skillkit.trees.encoders import ENCODERS
from skillkit.trees.gpt_models import GPT_MODELS
from skillkit.trees.llama_models import LLAMA_MODELS
from skillkit.trees.tree import Entry, Tree, grow
from skillkit.trees.vision_models import VISION_MODELS

ARCHITECTURES: Mapping[str, Architecture] = LLAMA_MODELS | GPT_MODELS | ENCODERS | VISION_MODELS
KIND = "model_type"
_INSTEAD = "name its safetensors instead, or its shapes as JSON"
_LARGEST = 10**9  # of a size
_LAYERS = 10**4


def configured_tree(config: Mapping[str, Any], path: str) -> Tree:
    """Return the tree of the model that a configuration describes.

    Args:
        config: What config.json says, `model_type` at least.
        path: The file's name, for messages.

    Raises:
        BadInput: The model_type or its head is not known here, or a size is missing or impossible.
    """
    kind = config[KIND]
    if kind not in ARCHITECTURES:
        near = did_you_mean(kind, ARCHITECTURES) if isinstance(kind, str) else ""
        message = f"of the model_type {shown(kind)} the shapes are not known here{near}: {_INSTEAD}. "
        raise bad_input(path, message + f"Known are {', '.join(sorted(ARCHITECTURES))}")
    known = ARCHITECTURES[kind]
    model = _Model(config, known, path)
    model.require_what_is_fixed()
    head = model.head()
    prefix, own = (known.prefix, known.head) if head else ("", known.base)
    lines = [*((prefix, line) for line in known.body.split("\n")), *(("", line) for line in own.split("\n"))]
    dtype = config.get("dtype") or config.get("torch_dtype") or "float32"
    entries = (Entry((name,), shape, dtype) for start, line in lines for name, shape in model.read(start, line))
    form = f"a configuration of {kind} {'with' if head else 'without'} its head, its parameters as transformers 5.24"
    tree = grow(path, f"{form} names them", entries, stored=True)
    return replace(tree, active=model.active(tree))


@dataclass(frozen=True)
class _Model:
    config: Mapping[str, Any]
    known: Architecture
    path: str

    def refusal(self, message: str) -> BadInput:
        return bad_input(self.path, message)

    def active(self, tree: Tree) -> int | None:
        """Return how many parameters one token uses, where it is sent to some of many experts."""
        experts = [leaf for name, leaf in tree.leaves.items() if ".experts." in name]
        chosen = self.config.get("num_experts_per_tok")
        if not experts or chosen is None:
            return None
        count = experts[0].shape[0]
        if isinstance(chosen, bool) or not isinstance(chosen, int) or chosen < 1:
            raise self.refusal(f"num_experts_per_tok must be a whole number of at least 1, not {shown(chosen)}")
        passed_by = sum(leaf.size // count for leaf in experts) * max(count - chosen, 0)
        return tree.parameters - passed_by

    def require_what_is_fixed(self) -> None:
        for name, value in self.known.fixed.items():
            found = self.letter(name) if name in self.known.sizes else self.config.get(name, value)
            wanted = self.letter(value) if name in self.known.sizes else value
            if found != wanted:
                key = self.known.sizes.get(name, name).partition("|")[0]
                raise self.refusal(f"with {key} {shown(found)} the shapes are not known here: {_INSTEAD}")

    def head(self) -> bool:
        """Return whether the model has its head, and refuse one that is not known."""
        names = self.config.get("architectures") or [""]
        name = names[0] if isinstance(names, list) and isinstance(names[0], str) else ""
        if not name or name.endswith(self.known.heads):
            return True
        if re.fullmatch(r"[A-Za-z0-9]+Model", name):
            return False
        heads = " or ".join(f"…{head}" for head in self.known.heads)
        raise self.refusal(f"of {shown(name)} the head is not known here, of {heads} and …Model it is: {_INSTEAD}")

    def read(self, prefix: str, line: str) -> Iterator[tuple[str, list[int]]]:
        """Yield the path and shape of each parameter that a line stands for."""
        line, _, setting = line.partition(" ?")
        if not line or (setting and not self.holds(setting)):
            return
        path, *sizes = line.split()
        shape = [self.size(size) for size in sizes]
        layers = re.search(r"\{(\w)\}", path)
        for index in range(self.layers(layers[1])) if layers else [0]:
            yield prefix + re.sub(r"\{\w\}", str(index), path), shape

    def holds(self, setting: str) -> bool:
        name = setting.removeprefix("-")
        said = self.config.get(name)
        if name == "is_gated_act" and isinstance(self.config.get("feed_forward_proj"), str):
            said = self.config["feed_forward_proj"].startswith("gated")
        value = self.known.settings.get(name, False) if said is None or name not in self.known.settings else said
        if not isinstance(value, bool):
            raise self.refusal(f"{name} must be true or false, not {shown(value)}")
        return value != setting.startswith("-")

    def layers(self, letter: str) -> int:
        count = self.letter(letter)
        if count > _LAYERS:
            raise self.refusal(f"{count:,} layers are more than any model has")
        return count

    def size(self, text: str) -> int:
        """Return what a sum of products of letters and numbers comes to; divisions are whole."""
        total = 0
        for product in text.split("+"):
            value = 1
            for factor in re.findall(r"[A-Z](?:/[A-Z])?|[0-9]+", product):
                over, _, under = factor.partition("/")
                value *= (int(over) if over.isdigit() else self.letter(over)) // (self.letter(under) if under else 1)
            total += value
        return total

    def letter(self, letter: str) -> int:
        keys, _, otherwise = self.known.sizes[letter].partition("|")
        key = next((one for one in keys.split(",") if self.config.get(one) is not None), keys.partition(",")[0])
        value = self.config.get(key)
        if value is None and key == "num_labels" and isinstance(self.config.get("id2label"), dict):
            value = len(self.config["id2label"])
        if value is None and not otherwise:
            raise self.refusal(f"lacks {key}, from which the shapes follow")
        if value is None:
            return self.size(otherwise)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _LARGEST:
            raise self.refusal(f"{key} must be a whole number from 1 to {_LARGEST:g}, not {shown(value)}")
        return value
