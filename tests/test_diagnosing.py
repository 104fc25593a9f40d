"""What is seen in a log, and what is not."""

import math
import random
from collections.abc import Callable

import pytest

from skillkit.diagnosis.diagnosing import diagnose
from skillkit.diagnosis.logs import parsed
from skillkit.diagnosis.runs import Run, read_runs
from skillkit.diagnosis.symptoms import Symptom

LENGTH = 600


def falling(step: int) -> float:
    return 2.3 * math.exp(-step / 80) + 0.3


def log(
    loss: Callable[[int], float] = falling, noise: float = 0.02, length: int = LENGTH, **more: Callable[[int], float]
) -> str:
    """Return a log whose loss and further columns are functions of the update."""
    rng = random.Random(0)
    rows = [",".join(["step", "loss", *more])]
    for step in range(length):
        values = [loss(step) + rng.gauss(0, noise), *(column(step) for column in more.values())]
        rows.append(",".join([str(step), *(f"{value:.6g}" for value in values)]))
    return "\n".join(rows)


def run(text: str) -> Run:
    (found,) = read_runs(parsed(text, "log.csv"), {})
    return found


def seen(text: str, classes: int | None = None) -> list[Symptom]:
    return diagnose(run(text), classes)


def kinds(text: str, classes: int | None = None) -> list[str]:
    return [symptom.kind for symptom in seen(text, classes)]


def test_nothing_is_wrong_with_a_loss_that_falls() -> None:
    assert kinds(log(lr=lambda step: 1e-3 * (1 - step / LENGTH), val_loss=lambda step: falling(step) + 0.05)) == []


def test_a_loss_that_is_no_number_is_told_from_where_on() -> None:
    (symptom,) = seen(log(lambda step: falling(step) if step < 400 else math.nan))
    assert (symptom.kind, symptom.first, symptom.last) == ("nan", 400, LENGTH - 1)
    assert symptom.says == "The loss is NaN from update 400 to the end."


def test_a_number_that_is_missing_once_is_not_the_end() -> None:
    (symptom,) = seen(log(lambda step: falling(step) if step != 400 else math.inf))
    assert symptom.says == "The loss is infinite at update 400, and a number again after it."


def test_a_loss_that_rises_for_good_diverges() -> None:
    (symptom,) = seen(log(lambda step: falling(step) + max(0, step - 450) / 50))
    assert symptom.kind == "divergence"
    assert 430 <= symptom.first <= 490
    assert symptom.as_data()["issue"] == "loss-spikes"


def test_an_early_divergence_belongs_to_another_issue() -> None:
    (symptom,) = seen(log(lambda step: 2.3 + min(step, 40) / 10))
    assert (symptom.kind, symptom.as_data()["issue"]) == ("divergence", "diverges-early")


def test_a_spike_is_told_with_where_it_is_back() -> None:
    text = log(lambda step: falling(step) + (2 * math.exp(-(step - 300) / 4) if step >= 300 else 0))
    (symptom,) = seen(text)
    assert (symptom.kind, symptom.first) == ("spikes", 300)
    assert 303 <= symptom.last <= 312
    assert symptom.evidence["recovered"] == 1


def test_the_gradient_is_told_where_it_grew() -> None:
    text = log(
        lambda step: falling(step) + (2 * math.exp(-(step - 300) / 4) if step >= 300 else 0),
        grad_norm=lambda step: 30.0 if step == 300 else 1.0,
    )
    (symptom,) = seen(text)
    assert symptom.says.endswith("The gradient's norm reaches 30 there, 1 before.")


def test_noise_is_no_spike() -> None:
    rng = random.Random(1)
    assert kinds(log(lambda step: falling(step) + rng.expovariate(4))) == []


def test_a_loss_that_rises_before_it_falls_lacks_warmup() -> None:
    (symptom,) = seen(log(lambda step: falling(step) + 3 * math.exp(-((step - 10) ** 2) / 50)))
    assert symptom.kind == "early-rise"
    assert symptom.says.endswith("the warmup is too short or the rate too high.")


@pytest.mark.parametrize("classes", [10, None])
def test_a_loss_that_stays_at_that_of_guessing_is_told(classes: int | None) -> None:
    (symptom,) = seen(log(lambda _: math.log(10), noise=0.01), classes)
    assert (symptom.kind, symptom.known_as) == ("chance", "chance")
    assert "guessing among 10 classes" in symptom.says


def test_a_loss_below_that_of_guessing_is_not_at_chance() -> None:
    assert kinds(log(), classes=10) == []


def test_a_schedule_that_ends_long_before_the_run_is_told() -> None:
    text = log(lambda step: falling(min(step, 250)), lr=lambda step: max(0.0, 1e-3 * (1 - step / 250)))
    (symptom,) = seen(text)
    assert (symptom.kind, symptom.first) == ("floor", 248)
    assert "the last 59% of the run" in symptom.says


def test_a_validation_loss_that_rises_is_told() -> None:
    text = log(val_loss=lambda step: falling(step) + max(0, step - 250) / 1000)
    (symptom,) = seen(text)
    assert symptom.kind == "overfitting"
    assert 200 <= symptom.first <= 330


def test_noise_that_hides_progress_is_told() -> None:
    assert kinds(log(lambda step: 2 - step / LENGTH / 100, noise=0.4)) == ["noise"]


def test_a_loss_that_falls_as_fast_at_the_end_is_told() -> None:
    assert kinds(log(lambda step: 2.3 - step / LENGTH / 5, noise=0.01)) == ["slow"]


def resumed(jump: float) -> str:
    lines = log(length=300).splitlines()
    return "\n".join(
        lines[:252] + [f"{step},{falling(step) + jump * math.exp((200 - step) / 20)}" for step in range(200, 500)]
    )


def test_a_loss_that_jumps_at_a_resume_lost_state() -> None:
    (symptom,) = seen(resumed(0.5))
    assert (symptom.kind, symptom.first) == ("resume", 200)
    assert run(resumed(0.5)).notes == ["updates are repeated after 1 resume: the later rows count"]


def test_a_resume_that_goes_on_is_not_told() -> None:
    assert kinds(resumed(0.0)) == []


def test_a_schedule_that_begins_anew_lost_its_count() -> None:
    (symptom,) = seen(log(lr=lambda step: 1e-3 * min(1, (step % 300 + 1) / 30)))
    assert (symptom.kind, symptom.first) == ("resume", 300)
