"""What each known issue changes, and what it leaves alone."""

from pathlib import Path
from typing import Any

import pytest

from skillkit.places import own_project
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.reading import Document
from skillkit.recommender.issues import _CHANGES, read_issues
from skillkit.recommender.recommending import Recommendation, recommend
from skillkit.recommender.reports import words

FOLDER = decisions_folder(own_project(Path()))
ISSUES = list(read_questions(FOLDER)["issues"].several)


def treated(*issues: str, family: str = "vit", **answers: Any) -> Recommendation:
    return recommend([Document("test", {"family": family, "issues": list(issues), **answers}, {})], FOLDER)


def test_every_issue_of_the_questionnaire_has_an_entry() -> None:
    assert [entry["issue"] for entry in read_issues(FOLDER, ISSUES)] == ISSUES


@pytest.mark.parametrize("issue", ISSUES)
def test_an_issue_says_what_to_check_and_why(issue: str) -> None:
    (entry,) = treated(issue)["issues"]
    assert set(entry["change"]) <= set(_CHANGES)
    assert all(entry[part] for part in ("brief", "check", "then", "because", "source"))


def test_early_divergence_lengthens_the_warmup_and_clips() -> None:
    before, after = treated(), treated("diverges-early")
    assert after["schedule"]["warmup_steps"] == 2 * before["schedule"]["warmup_steps"]
    assert (before["clip"], after["clip"]) == (None, {"kind": "global_norm", "max_norm": 1.0})


def test_a_longer_warmup_stays_below_a_tenth() -> None:
    assert treated("diverges-early", steps=1000)["schedule"]["warmup_steps"] == 100


def test_a_run_without_warmup_gets_one() -> None:
    found = treated("diverges-early", family="rnn", steps=1000)
    assert found["schedule"]["warmup_steps"] == 50


def test_a_tighter_clip_stays() -> None:
    assert treated("diverges-early", family="rl-on-policy")["clip"]["max_norm"] == 0.5


def test_spikes_shorten_the_second_moment() -> None:
    assert treated("loss-spikes")["optimizer"]["b2"] == 0.95


def test_overfitting_triples_the_decay() -> None:
    assert treated("overfitting")["optimizer"]["weight_decay"] == pytest.approx(0.15)


def test_a_full_optimizer_state_shrinks() -> None:
    before, after = treated(), treated("oom-optimizer")
    assert after["optimizer"]["mu_dtype"] == "bfloat16"
    saved = before["memory"]["bytes"]["optimizer_state"] - after["memory"]["bytes"]["optimizer_state"]
    assert saved == pytest.approx(2 * 86e6, rel=0.01)


def test_full_activations_halve_the_micro_batch() -> None:
    assert treated("oom-activations")["accumulation"] == 2
    assert treated("oom-activations", batch_size=1)["accumulation"] == 1


def test_noise_is_averaged() -> None:
    found = treated("noisy-gradients")
    assert (found["optimizer"]["b1"], found["ema"]) == (0.95, 0.999)


def test_momentum_is_not_given_to_adversarial_networks() -> None:
    assert treated("noisy-gradients", family="gan")["optimizer"]["b1"] == 0.0


def test_slowness_takes_nesterov() -> None:
    assert treated("slow-convergence")["optimizer"]["name"] == "nadamw"


def test_a_change_brings_its_reason() -> None:
    reasons = {reason["setting"]: reason for reason in treated("loss-spikes")["reasons"]}
    assert reasons["b2"]["because"].startswith("loss-spikes: ")


def test_a_line_search_is_left_alone() -> None:
    answers: dict[str, Any] = {"family": "gaussian-process", "parameters": 20, "dataset_size": 100, "batch_size": 100}
    before, after = treated(**answers), treated(*ISSUES, **answers)
    assert before["configuration"] == after["configuration"]


def test_the_decay_in_the_loss_stays_within_what_was_published() -> None:
    """Three times the 5e-4 of small data sets would be more than any; three times ImageNet's is not."""
    unet: dict[str, Any] = {"family": "cnn", "parameters": "30M", "batch_size": 2, "dataset_size": 1000}
    assert treated("overfitting", **unet)["optimizer"]["weight_decay"] == 5e-4
    assert treated("overfitting", family="cnn")["optimizer"]["weight_decay"] == pytest.approx(3e-4)


@pytest.mark.parametrize(
    ("issue", "family", "changed"),
    [("overfitting", "vit", ["weight_decay"]), ("overfitting", "rnn", []), ("plateau", "vit", [])],
)
def test_what_an_issue_changed_is_said(issue: str, family: str, changed: list[str]) -> None:
    found = treated(issue, family=family)
    assert found["issues"][0]["changed"] == changed
    assert f"Changed here: {changed[0] if changed else 'nothing'}." in words(found)


def test_a_priority_that_changes_nothing_says_so() -> None:
    told = [text for text in treated(family="cnn", priority="memory")["warnings"] if "changes nothing" in text]
    assert len(told) == 1
    assert not any("changes nothing" in text for text in treated(priority="memory")["warnings"])
    assert any("changes nothing" in text for text in treated(family="other", priority="speed")["warnings"])


def test_eps_stays_where_parameters_and_state_are_float32() -> None:
    assert treated(precision="float16")["optimizer"]["eps"] == 1e-8
