"""Translating PyTorch's scripts: what is read, what is named with its place, and what the facts in words amount to."""

import math
from typing import Any

import pytest

from skillkit.configuration.format import validate
from skillkit.errors import BadInput
from skillkit.translation.kinds import read_recipe
from skillkit.translation.tables import entries
from skillkit.translation.translating import Translation, translate


def translated(text: str, updates: int | None = None, **options: Any) -> Translation:
    return translate(read_recipe(text, "train.py", **options), updates)


def group(found: Translation) -> dict[str, Any]:
    one: dict[str, Any] = found.configuration["networks"][0]["groups"][0]
    return one


def unread(found: Translation) -> list[str]:
    return [str(problem) for problem in found.recipe.unread]


ADAMW = {"name": "adamw", "b1": 0.9, "b2": 0.95, "eps": 1e-8}


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("import torch", "torch.optim.AdamW"),
        ("from torch import optim", "optim.AdamW"),
        ("import torch.optim as o", "o.AdamW"),
        ("from torch.optim import AdamW as W", "W"),
        ("from torch.optim.adamw import AdamW", "AdamW"),
        ("from torch.optim import *", "AdamW"),
    ],
)
def test_an_optimizer_is_found_however_it_is_imported(imports: str, name: str) -> None:
    found = translated(f"{imports}\n{name}(model.parameters(), 1e-3, (0.9, 0.95))")
    assert group(found)["optimizer"] == ADAMW
    assert group(found)["schedule"]["peak_value"] == 1e-3
    assert group(found)["weight_decay"] == {"value": 0.01, "kind": "decoupled", "mask": "all"}


@pytest.mark.parametrize(
    ("before", "given"),
    [
        ("rate = 3e-4", "rate"),
        ("base = 1e-4", "3 * base"),
        ("rate: float = 3e-4", "rate"),
        ("rate, other = 3e-4, 2", "rate"),
        ("config = {'lr': 3e-4}", "config['lr']"),
        ("config = dict(lr=3e-4, more=f())", "config['lr']"),
        ("class Config:\n    lr = 3e-4", "Config.lr"),
        ("class Config:\n    lr: float = 3e-4\nconfig = Config()", "config.lr"),
        ("parser.add_argument('--lr', type=float, default=3e-4)\nargs = parser.parse_args()", "args.lr"),
        ("parser.add_argument('-l', '--learning-rate', default=3e-4)", "args.learning_rate"),
        ("batch = 256", "min(3e-4, 0.1 * batch / 256)"),
        ("args.lr = 3e-4", "args.lr"),
    ],
)
def test_literals_are_followed(before: str, given: str) -> None:
    found = translated(f"import torch\n{before}\ntorch.optim.SGD(p, lr={given})")
    assert math.isclose(group(found)["schedule"]["peak_value"], 3e-4)
    assert unread(found) == []


@pytest.mark.parametrize(
    ("before", "given", "words"),
    [
        ("", "rate()", "lr is not read: rate() is no literal; its default 0.001 stands in its place"),
        ("rate = 1\nrate = 2", "rate", "lr is not read: rate is no literal"),
        ("for rate in range(3): pass", "rate", "lr is not read: rate is no literal"),
        ("rate = rate", "rate", "lr is not read: rate is no literal"),
        ("def f(rate):\n    pass\nrate = 2", "rate", "lr is not read"),
        ("a = b\nb = a", "a", "lr is not read"),
        ("", "10 ** 10 ** 10", "lr is not read"),
        ("", "'fast'", 'lr cannot be "fast"'),
        ("", "1e999", "lr cannot be Infinity"),
        ("", "True", "lr cannot be true"),
    ],
)
def test_what_is_no_literal_is_named_with_its_place(before: str, given: str, words: str) -> None:
    text = f"import torch\n{before}\ntorch.optim.AdamW(p, lr={given})"
    found = translated(text)
    line = text.count("\n") + 1
    assert unread(found)[0].startswith(f"train.py:{line}:25: {words}"), unread(found)
    assert group(found)["schedule"]["peak_value"] == 1e-3


def test_columns_are_counted_in_characters() -> None:
    found = translated("import torch\ns = 'é'; torch.optim.AdamW(p, lr=f())")
    assert unread(found)[0].startswith("train.py:2:34: lr is not read")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{A}(p, beta=(0, 1))", "1:27: {A} has no argument 'beta' that is known (did you mean 'betas'?)"),
        ("torch.optim.AdamV(p)\n{A}(p)", "1:1: torch.optim.AdamV is not translated: it is not known"),
        ("{A}(p, **more)", "1:24: the arguments in more are not read: write them out"),
        ("o = {A}(p)\n{S}.LambdaLR(o, f)", "2:38: lr_lambda is not read: f is no literal"),
        ("o = {A}(p)\n{S}.StepLR(o, 0)", "2:1: StepLR is not translated: step_size=0, gamma=0.1 make no curve"),
        ("o = {A}(p)\n{S}.StepLR(o)", "2:1: {S}.StepLR is not translated: step_size is not given"),
        ("o = {A}(p)\n{S}.ReduceLROnPlateau(o)", "2:1: ReduceLROnPlateau is not translated: its rate follows"),
        ("torch.optim.Rprop(p)\n{A}(p)", "1:1: torch.optim.Rprop is not translated: optax.rprop takes"),
        ("{A}([{'params': a, 'lr': 1.0}, {'params': b}])", "1:19: groups of parameters with settings of their own"),
    ],
)
def test_what_is_not_known_is_named_and_the_rest_is_translated(text: str, words: str) -> None:
    text, words = (
        one.replace("{A}", "torch.optim.AdamW").replace("{S}", "torch.optim.lr_scheduler") for one in (text, words)
    )
    found = translated(text)
    assert any(one.startswith(f"train.py:{words}") for one in unread(found)), unread(found)
    validate(found.configuration)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = (", "train.py:1:5: not Python: '(' was never closed"),
        ("", "train.py: no optimizer that can be translated: this was read as a PyTorch script"),
        ("x = '\0'", "train.py: not Python: source code string cannot contain null bytes"),
        ("x" + "(" * 500, "train.py"),
        ("torch.optim.Rprop(p)", "train.py:1:1: torch.optim.Rprop is not translated"),
        ("torch.optim.SGD(p, lr=0)", "train.py:1:1: no learning rate"),
        ("torch.optim.SGD(p, lr=-1)", "train.py:1:1: no learning rate"),
    ],
)
def test_what_cannot_be_translated_at_all_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput) as error:
        translated(text)
    assert str(error.value).startswith(words)


def test_decay_groups_become_a_mask_and_that_is_said() -> None:
    text = "groups = [{'params': a}, {'params': b, 'weight_decay': 0.0}]\ntorch.optim.AdamW(groups, weight_decay=0.1)"
    found = translated(text)
    assert group(found)["weight_decay"]["mask"] == "matrices"
    assert found.recipe.assumed[0] == "the group without weight_decay holds the biases and norms, and nothing else"


def test_several_optimizers_are_several_networks_with_their_own_schedulers() -> None:
    text = """
opt_g = torch.optim.Adam(g.parameters(), lr=1e-4)
opt_d = torch.optim.Adam(d.parameters(), lr=4e-4)
sched = torch.optim.lr_scheduler.ExponentialLR(opt_d, 0.99)
"""
    found = translated(text, 100)
    names = [network["name"] for network in found.configuration["networks"]]
    schedules = [network["groups"][0]["schedule"]["name"] for network in found.configuration["networks"]]
    assert (names, schedules) == (["opt_g", "opt_d"], ["constant", "exponential"])


LOOP = """
for epoch in range(90):
    for x, y in loader:
        optimizer.step()
    scheduler.step()
"""


def test_a_scheduler_of_epochs_needs_the_updates_of_an_epoch() -> None:
    text = "optimizer = torch.optim.SGD(p, 0.1)\nscheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)" + LOOP
    found = translated(text, updates_per_epoch=5004)
    assert group(found)["schedule"]["boundaries"] == [30 * 5004, 60 * 5004]
    assert group(found)["schedule"]["total_steps"] == 90 * 5004
    assert "StepLR is stepped once in an epoch: --updates-per-epoch" in unread(translated(text))[0]


def test_the_run_s_length_is_that_of_the_loop_or_as_told_or_assumed() -> None:
    text = "o = torch.optim.SGD(p, 0.1)\nfor i in tqdm(range(7)):\n    o.step()\n"
    assert group(translated(text))["schedule"]["total_steps"] == 7
    assert group(translated(text, 9))["schedule"]["total_steps"] == 9
    found = translated("o = torch.optim.SGD(p, 0.1)")
    assert group(found)["schedule"]["total_steps"] == 10_000
    assert found.recipe.assumed == ["the run takes 10,000 updates (--updates says otherwise)"]


def test_accumulation_in_a_loop_is_named() -> None:
    text = "o = torch.optim.SGD(p, 0.1)\nfor i in range(8):\n    if (i + 1) % 4 == 0:\n        o.step()\n"
    assert unread(translated(text))[0].startswith("train.py:3:18: an update is taken in every 4-th step only")


def test_adagrad_with_eps_squared_steps_at_most_as_much_further_as_is_said() -> None:
    eps = 1e-10
    shares = [(root + eps) / math.sqrt(root**2 + eps**2) for root in (eps * 10 ** (n / 100) for n in range(-600, 601))]
    (said,) = entries("optimizers")["torch.optim.Adagrad"].differs
    assert "at most a factor of 1.42" in said.because
    assert 1.414 < max(shares) < 1.42
    assert max(shares[0], shares[-1]) < 1 + 1e-5


def test_every_entry_says_why_it_is_equal_or_what_differs() -> None:
    for entry in entries("optimizers").values():
        assert entry.equal or entry.differs or entry.instead, entry.name
        assert entry.source.startswith("https://")
