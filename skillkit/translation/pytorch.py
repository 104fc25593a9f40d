"""PyTorch: a script's optimizers, schedulers and clipping, read from its syntax."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from skillkit.errors import did_you_mean
from skillkit.translation.literals import NotLiteral, curve
from skillkit.translation.loops import lengths, nth, stepping
from skillkit.translation.script import Script
from skillkit.translation.tables import entries
from skillkit.translation.values import Given, Part, Recipe, Value

_MODULES = ("torch.optim.", "transformers.")


def recipe(script: Script, updates_per_epoch: int | None = None) -> Recipe:
    """Return what a PyTorch script says of its training.

    Args:
        script: Its syntax.
        updates_per_epoch: How many updates an epoch takes, where a scheduler is stepped in each.
    """
    found = Recipe(script.path, "PyTorch script")
    optimizers = list(_calls(script, "optimizers", found))
    schedulers = list(_schedulers(script, found))
    clip = _clip(script, found)
    for optimizer, groups in optimizers:
        own = [one for one, of in schedulers if of in ("", optimizer.variable)]
        found.parts.append(_part(script, found, optimizer, own, updates_per_epoch, groups))
    found.parts = [replace(part, clip=clip) for part in found.parts]
    _length(script, found, updates_per_epoch)
    found.assumed += script.assumed
    return found


def _part(
    script: Script,
    found: Recipe,
    optimizer: Given,
    schedulers: list[Given],
    updates_per_epoch: int | None,
    mask: str,
) -> Part:
    for other in schedulers[:-1]:
        found.miss(other, f"{other.name} is not translated: the optimizer has another scheduler below")
    if not schedulers:
        return Part(optimizer, mask=mask)
    scheduler = schedulers[-1]
    how = stepping(script, optimizer.variable, scheduler.variable)
    every = 1 if how.each_update else updates_per_epoch
    if not how.found:
        found.assumed.append(f"{scheduler.variable or 'the scheduler'} is stepped once in each update")
    return Part(optimizer, scheduler, every, how.skips, mask=mask)


def _length(script: Script, found: Recipe, updates_per_epoch: int | None) -> None:
    for part in found.parts:
        updates, epochs = lengths(script, part.optimizer.variable)
        if updates is None and epochs and updates_per_epoch:
            updates = epochs * updates_per_epoch
        found.updates = found.updates or updates
        every = nth(script, part.optimizer.variable)
        if every is not None:
            line, column = script.place(every)
            message = (
                f"an update is taken in every {ast.unparse(every)}-th step only: set accumulation, which takes the "
                "mean of the gradients where PyTorch adds them up"
            )
            found.miss(Value(None, line, column), message)


def _calls(script: Script, part: str, found: Recipe) -> Iterator[tuple[Given, str]]:
    known = entries(part)
    for call in script.calls():
        name = _known(script, call, known)
        if name:
            yield _given(script, call, name, found), _mask(script, call, found)
        elif part == "optimizers":
            _strange(script, call, found)


def _known(script: Script, call: ast.Call, known: Mapping[str, Any]) -> str:
    """Return the name in the tables of what is called, however it was imported."""
    for name in script.names(call.func):
        short = name.rpartition(".")[2]
        for module in ("torch.optim", "torch.optim.lr_scheduler", "transformers"):
            if name.startswith(module) and f"{module}.{short}" in known:
                return f"{module}.{short}"
    return ""


def _strange(script: Script, call: ast.Call, found: Recipe) -> None:
    for name in script.names(call.func):
        if name.startswith("torch.optim.") and not _known(script, call, entries("schedulers")):
            short = name.rpartition(".")[2]
            known = [one.rpartition(".")[2] for part in ("optimizers", "schedulers") for one in entries(part)]
            line, column = script.place(call)
            near = did_you_mean(short, known) if short[:1].isupper() else ""
            found.miss(Value(None, line, column), f"{name} is not translated: it is not known{near}")
            return


def _schedulers(script: Script, found: Recipe) -> Iterator[tuple[Given, str]]:
    """Yield each scheduler that is no other's part, with the variable of its optimizer."""
    known = entries("schedulers")
    calls = [call for call in script.calls() if _known(script, call, known)]
    inner = {id(part) for call in calls for part in _parts(script, call)}
    for call in calls:
        if id(call) not in inner:
            yield _scheduler(script, call, found), _optimizer_of(script, call)


def _scheduler(script: Script, call: ast.Call, found: Recipe, depth: int = 0) -> Given:
    name = _known(script, call, entries("schedulers"))
    given = _given(script, call, name, found)
    inner = [part for part in _parts(script, call) if isinstance(part, ast.Call) and depth < _DEEPEST]
    parts = tuple(
        _scheduler(script, part, found, depth + 1) for part in inner if _known(script, part, entries("schedulers"))
    )
    return replace(given, parts=parts)


_DEEPEST = 5  # schedulers in each other


def _parts(script: Script, call: ast.Call) -> list[ast.expr]:
    keywords = [keyword.value for keyword in call.keywords if keyword.arg == "schedulers"]
    for given in (*call.args, *keywords):
        listed = script.meant(given)
        if isinstance(listed, ast.List | ast.Tuple):
            parts = [script.meant(part) for part in listed.elts]
            if any(isinstance(part, ast.Call) for part in parts):
                return parts
    return []


def _optimizer_of(script: Script, call: ast.Call) -> str:
    keywords = [keyword.value for keyword in call.keywords if keyword.arg == "optimizer"]
    first = [*keywords, *call.args][:1]
    if first and isinstance(first[0], ast.Name | ast.Attribute):
        return ast.unparse(first[0])
    return next((_optimizer_of(script, part) for part in _parts(script, call) if isinstance(part, ast.Call)), "")


def _given(script: Script, call: ast.Call, name: str, found: Recipe) -> Given:
    line, column = script.place(call)
    arguments: dict[str, Value] = {}
    known = entries("optimizers").get(name) or entries("schedulers")[name]
    chained = known.short in ("SequentialLR", "ChainedScheduler")
    skipped = 0 if chained and known.short == "ChainedScheduler" else 1
    pairs = [*zip(known.arguments, call.args[skipped:], strict=False), *((one.arg, one.value) for one in call.keywords)]
    for key, node in pairs:
        if key in ("optimizer", "params", "last_epoch", "verbose"):
            continue
        if chained and key == "schedulers":
            arguments[key] = Value([])
            continue
        value = _value(script, node, key, found, known.arguments)
        if value is not None and key is not None:
            arguments[key] = value
    return Given(name, arguments, line, column, variable=script.variable(call))


def _value(script: Script, node: ast.expr, key: str | None, found: Recipe, known: Mapping[str, Any]) -> Value | None:
    place = Value(None, *script.place(node))
    if key is None or isinstance(node, ast.Starred):
        found.miss(place, f"the arguments in {ast.unparse(node)[:60]} are not read: write them out")
        return None
    try:
        meant = script.meant(node)
        if isinstance(meant, ast.Lambda):
            return replace(place, plain=curve(meant, script.look))
        return script.value(node)
    except NotLiteral as error:
        words = ast.unparse(node)
        inner = f" ({str(error)[:60]})" if str(error) != words else ""
        default = known[key].default if key in known and not known[key].required else None
        instead = "" if default is None else f"; its default {default} stands in its place"
        found.miss(place, f"{key} is not read: {words[:60]}{inner} is no literal{instead}")
        return None


def _mask(script: Script, call: ast.Call, found: Recipe) -> str:
    """Return which parameters are decayed, where the script gives the optimizer groups of them."""
    given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "params")]
    groups = script.meant(given[0]) if given else None
    if not isinstance(groups, ast.List) or not all(isinstance(script.meant(one), ast.Dict) for one in groups.elts):
        return "all"
    place = Value(None, *script.place(groups))
    fields = [_fields(script, script.meant(one)) for one in groups.elts]
    decays = [one.pop("weight_decay", None) for one in fields]
    if any(fields):
        found.miss(place, "groups of parameters with settings of their own are not translated, but for weight_decay")
    if len(decays) == 2 and 0 in decays and decays != [0, 0]:
        found.assumed.append("the group without weight_decay holds the biases and norms, and nothing else")
        other = next((decay for decay in decays if decay), None)
        if other is not None:
            found.miss(place, f"the weight_decay of a group, {other}, is not translated: give it to the optimizer")
        return "matrices"
    return "all"


def _fields(script: Script, group: ast.expr) -> dict[str, Any]:
    assert isinstance(group, ast.Dict)
    found: dict[str, Any] = {}
    for key, value in zip(group.keys, group.values, strict=True):
        if isinstance(key, ast.Constant) and key.value != "params":
            try:
                found[str(key.value)] = script.value(value).plain
            except NotLiteral:
                found[str(key.value)] = ast.unparse(value)
    return found


def _clip(script: Script, found: Recipe) -> Given | None:
    for call in script.calls():
        short = script.name(call.func).rpartition(".")[2]
        if short in ("clip_grad_norm_", "clip_grad_value_"):
            names = {"clip_grad_norm_": ("max_norm", "norm_type"), "clip_grad_value_": ("clip_value",)}[short]
            pairs = [*zip(names, call.args[1:], strict=False), *((one.arg, one.value) for one in call.keywords)]
            values = {key: _value(script, node, key, found, {}) for key, node in pairs if key in names}
            arguments = {key: value for key, value in values.items() if key and value is not None}
            if names[0] in arguments:
                return Given(f"torch.nn.utils.{short}", arguments, *script.place(call))
    return None
