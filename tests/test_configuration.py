from pathlib import Path

import pytest

from skillkit.configuration.format import checked, read_configuration, validate
from skillkit.errors import BadInput
from skillkit.reading import parse

FILES = sorted((Path(__file__).parent / "configurations").glob("*.yaml"))
GOOD = """\
skillkit: "1"
networks:
  - name: model
    clip: {kind: global_norm, max_norm: 1.0}
    groups:
      - parameters: all
        optimizer: {name: adamw, b2: 0.95}
        weight_decay: {value: 0.1, kind: decoupled, mask: matrices}
        schedule: {name: cosine, peak_value: 1e-3, warmup_steps: 10, total_steps: 100}
"""


def problems(text: str) -> list[str]:
    with pytest.raises(BadInput) as caught:
        checked(parse(text, "c.yaml"))
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_saved_configuration_is_read(path: Path) -> None:
    assert read_configuration(path) == validate(read_configuration(path))


def test_what_is_left_out_has_defaults() -> None:
    found = checked(parse(GOOD, "c.yaml"))
    assert found["library"] == "pytree"
    assert found["accumulation"] == found["devices"] == 1
    assert found["ema"] is found["privacy"] is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: adamw", "name: adamm", "c.yaml:7:27: unknown optimizer 'adamm' (did you mean 'adam'?)"),
        ("b2: 0.95", "beta2: 0.95", "c.yaml:7:34: optax.adamw has no argument 'beta2': it has b1, b2, eps"),
        ("b2: 0.95", "learning_rate: 1", "c.yaml:7:34: 'learning_rate' has its own place: schedule, or"),
        ("kind: decoupled", "kind: l2", "c.yaml:8:42: optax.adamw cannot decay weights l2: its kind is decoupled"),
        ("warmup_steps: 10", "warmup_steps: 100", "c.yaml:9:66: warmup takes 100 of 100 updates"),
        ("total_steps: 100", "total_steps: 5", "warmup takes 10 of 5 updates"),
        ("total_steps: 100", "total_steps: -5", "must be at least 1, not -5"),
        ("peak_value: 1e-3, ", "", "c.yaml:9:19: a schedule 'cosine' needs 'peak_value'"),
        ("name: cosine", "name: wsd, decay_steps: 95", "decay_steps is 95, and the warmup leaves only 90 updates"),
        ("name: cosine", "name: none", "optax.adamw needs a learning rate"),
        ("name: cosine", "name: exponential, end_value: 0.0", "an exponential decay never ends at 0"),
        ("name: cosine", "name: step, scale: 0.1, boundaries: [5]", "the boundary 5 is not between warmup (10)"),
        ("parameters: all", "parameters: matrices", "exactly one group must take what is left"),
        ("kind: global_norm", "kind: update_rms", "c.yaml:4:18: update_rms is Adafactor's own clipping"),
        ("kind: global_norm", "kind: global_nrom", "unknown choice \"global_nrom\" (did you mean 'global_norm'?)"),
        ("networks:", "devises: 2\nnetworks:", "c.yaml:2:1: unknown key 'devises' (did you mean 'devices'?)"),
        ("name: adamw, b2: 0.95", "name: lbfgs", "clipping before a line search"),
        ("name: adamw, b2: 0.95", "name: contrib.prodigy", "optax.contrib.prodigy has no mask: mask must be all"),
        ("name: adamw, b2: 0.95", "name: contrib.schedule_free_adamw", "a schedule-free optimizer takes no decay"),
        ("networks:", "privacy: {l2_norm_clip: 1, noise_multiplier: 1}\nnetworks:", "clips each example itself"),
    ],
)
def test_what_cannot_be_is_said_with_its_place(old: str, new: str, message: str) -> None:
    assert old in GOOD
    assert any(message in problem for problem in problems(GOOD.replace(old, new))), problems(GOOD.replace(old, new))


def test_all_problems_are_said_at_once() -> None:
    assert len(problems(GOOD.replace("kind: decoupled", "kind: l2").replace("b2:", "bb:"))) == 2


def test_two_networks_of_one_name_are_refused() -> None:
    twice = GOOD + GOOD.partition("networks:\n")[2]
    assert problems(twice) == ["c.yaml:10:11: there are two networks 'model'"]
