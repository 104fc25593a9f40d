"""Models: the user's own tree of parameters, as answers and as each network's parameters."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from skillkit.configuration.masks import is_adapter
from skillkit.configuration.memory import assumed_leaves, kept_dtype
from skillkit.errors import bad_input
from skillkit.questionnaire.questions import Answers
from skillkit.trees.folding import folded
from skillkit.trees.leaves import Leaf, Leaves
from skillkit.trees.tree import Tree

NEAR = 0.1  # by how much of it an answered number of parameters may be rounded: 7B is said of 6.74 billion


def answers_of(tree: Tree, given: Answers, networks: Sequence[str] = ()) -> Answers:
    """Return the answers that a tree gives.

    Args:
        tree: Of all networks, each below its name where there are several.
        given: What its user answered.
        networks: The names of the networks, where there are several; the first is what `parameters` are asked of.

    Raises:
        BadInput: It contradicts an answer.
    """
    found = {"parameters": sum(leaf.size for leaf in _below(tree, networks[0] if len(networks) > 1 else "").values())}
    adapters = sum(leaf.size for path, leaf in tree.leaves.items() if is_adapter(path, len(leaf.shape)))
    if given.get("stage") == "adapter" and adapters:
        found["adapter_parameters"] = adapters
    if given.get("family") == "moe-lm" and tree.active:
        found["active_parameters"] = tree.active
    for name, count in found.items():
        if abs(given.get(name, count) - count) > NEAR * count:
            raise bad_input(name, f"answered is {given[name]:,}, and {tree.source} has {count:,}: leave the answer out")
    if "precision" not in given and not tree.stored and {leaf.dtype for leaf in tree.leaves.values()} == {"bfloat16"}:
        return {**found, "precision": "bfloat16-params"}
    return dict(found)


def networks_of(tree: Tree, configuration: Mapping[str, Any], given: Answers, answers: Answers) -> dict[str, Leaves]:
    """Return each network's parameters by their paths, in the dtypes that they are trained in.

    These are the tree's own, unless the file only stores them so, or the precision was answered.

    Args:
        tree: Of all networks, each below its name where there are several.
        configuration: What was decided.
        given: What the user answered.
        answers: All answers, for what the tree has not: adapters that are yet to be added.

    Raises:
        BadInput: A network's parameters are missing.
    """
    names = [network["name"] for network in configuration["networks"]]
    typed = tree.cast(kept_dtype(configuration)) if tree.stored or "precision" in given else tree
    if len(names) > 1:
        return {name: _below(typed, name) for name in names}
    leaves = dict(typed.leaves)
    if answers["stage"] == "adapter" and not any(is_adapter(path, len(leaf.shape)) for path, leaf in leaves.items()):
        leaves |= {"adapter/lora": Leaf((answers["adapter_parameters"],), kept_dtype(configuration))}
    return {names[0]: leaves}


def remarks(tree: Tree, networks: Mapping[str, Leaves], configuration: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is unusual about a tree."""
    kept = kept_dtype(configuration)
    others = _dtypes(networks.values()) - {kept}
    if others:
        yield (
            f"Of the parameters in {tree.source} some are {', '.join(sorted(others))} and the precision keeps {kept}: "
            "they and their moments are counted as they are; cast them, or answer the precision that is meant."
        )
    muon = any(
        group["optimizer"]["name"] == "contrib.muon" for one in configuration["networks"] for group in one["groups"]
    )
    if muon and any(path.endswith(".weight") and len(leaf.shape) > 1 for path, leaf in tree.leaves.items()):
        yield (
            f"The names in {tree.source} are PyTorch's, whose weights have their outputs first, and the script takes "
            "the last axis for them: give Muon the axes of convolutions yourself, or convert the weights first."
        )


def description(tree: Tree, networks: Mapping[str, Leaves], answered: Sequence[str]) -> dict[str, Any]:
    """Return what was read, as plain data.

    Args:
        tree: What was read.
        networks: The same as it is trained.
        answered: The names of the answers that were taken from it.
    """
    stored, trained = _dtypes([tree.leaves]), _dtypes(networks.values())
    change = f"stored as {_words(stored)}, counted as {_words(trained)}, in which the parameters are trained"
    return {
        "source": tree.source,
        "form": tree.form,
        "parameters": tree.parameters,
        "leaves": len(tree.leaves),
        "answers": list(answered),
        "left_out": [{"paths": one.paths, "because": tree.left_out[one.members[0]]} for one in folded(tree.left_out)],
        "notes": [*tree.notes, *([change] if stored != trained else [])],
    }


def _dtypes(networks: Iterable[Leaves]) -> set[str]:
    return {leaf.dtype for leaves in networks for leaf in leaves.values()}


def _words(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _below(tree: Tree, name: str) -> Leaves:
    if not name:
        return tree.leaves
    found = tree.below(name).leaves
    if found:
        return found
    if name == "temperature":  # one number, which needs no tree
        return assumed_leaves({"networks": [{"name": name, "groups": []}]}, 1)[name]
    tops = sorted({path.partition("/")[0] for path in tree.leaves})
    raise bad_input(tree.source, f"the parameters of the network '{name}' are missing: at its top are {_some(tops)}")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
