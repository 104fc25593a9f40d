"""Recommending: answers in, a cited and computed optimizer configuration out."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from skillkit.configuration.assignments import rows
from skillkit.configuration.memory import assumed_leaves, estimate
from skillkit.questionnaire.answers import understand
from skillkit.questionnaire.questions import Answers, read_questions
from skillkit.reading import Document
from skillkit.recommender.alternatives import alternatives, instead
from skillkit.recommender.cautions import cautions, implied
from skillkit.recommender.composing import compose
from skillkit.recommender.decisions import Book, read_book
from skillkit.recommender.derivations import derivations
from skillkit.recommender.draft import decide
from skillkit.recommender.issues import changed_by, read_issues
from skillkit.recommender.model import answers_of, description, networks_of, remarks
from skillkit.recommender.neighbours import neighbours
from skillkit.recommender.overlays import overlay
from skillkit.recommender.situation import Situation, complete
from skillkit.recommender.tuning import tuning
from skillkit.trees.leaves import Leaves
from skillkit.trees.tree import Tree

Recommendation = dict[str, Any]


def recommend(
    documents: Iterable[Document], folder: Path, tree: Tree | None = None, optimizer: str | None = None
) -> Recommendation:
    """Return the recommendation for answers.

    Args:
        documents: The answers, the later ones overruling the earlier; only `family` is obligatory.
        folder: Where the questions and decision tables are.
        tree: The model's parameters, which answer how many there are; without it, shapes are assumed.
        optimizer: One of the alternatives' names, to have that instead.

    Returns:
        Plain data that `json.dumps` writes; `code` is added by `with_code`, as not every format needs it.

    Raises:
        BadInput: With every answer that cannot be used.
    """
    return recommend_for(understand(documents, read_questions(folder)), folder, tree, optimizer)


def recommend_for(
    given: Answers, folder: Path, tree: Tree | None = None, optimizer: str | None = None
) -> Recommendation:
    """Return the recommendation for answers that are understood already."""
    found = _found(tree, given, folder)
    book, situation = consider(given | found, folder)
    issues = read_issues(folder, situation.answers["issues"])
    usual = overlay(decide(book, situation), book, situation, issues)
    draft = instead(usual, optimizer, situation, folder) if optimizer else usual
    configuration = compose(draft, situation)
    networks = networks_of(tree, configuration, given, situation.answers) if tree else None
    memory = _memory(configuration, situation, networks)
    recommended = _settings(configuration, situation) | {
        "assumed": list(situation.assumed),
        "memory": memory,
        "tree": None,
        "reasons": derivations(draft, situation, configuration),
        "warnings": [*_doubts(given, folder), *cautions(draft, situation, memory)],
        "nearby": neighbours(draft, book, situation, read_questions(folder)),
        "advice": list(book.advice),
        "tuning": tuning(draft, book, situation),
        "alternatives": alternatives(usual, situation, folder),
        "derived": _derived(situation) | implied(draft, situation),
        "versions": _versions(),
        "issues": [dict(issue) | {"changed": changed_by(issue, draft)} for issue in issues],
    }
    if tree is None or networks is None:
        return recommended
    warnings = [*recommended["warnings"], *remarks(tree, networks, configuration)]
    about = description(tree, networks, list(found)) | {"rows": rows(configuration, networks)}
    return recommended | {"warnings": warnings, "tree": about}


def parameter_rows(recommendation: Recommendation) -> list[dict[str, Any]]:
    """Return what is done with each parameter, those of the user's tree or of the shapes that were assumed."""
    if recommendation["tree"]:
        return list(recommendation["tree"]["rows"])
    answers, configuration = recommendation["answers"], recommendation["configuration"]
    assumed = assumed_leaves(configuration, answers["parameters"], answers.get("adapter_parameters"))
    return rows(configuration, assumed)


def settings_for(documents: Iterable[Document], folder: Path) -> Recommendation:
    """Return of a recommendation its `answers` and settings alone, and the `warmup` as its table states it.

    Args:
        documents: As for `recommend`.
        folder: As for `recommend`.
    """
    book, situation = consider(understand(documents, read_questions(folder)), folder)
    issues = read_issues(folder, situation.answers["issues"])
    draft = overlay(decide(book, situation), book, situation, issues)
    return _settings(compose(draft, situation), situation) | {"warmup": draft.schedule.get("warmup", {})}


def with_code(recommendation: Recommendation) -> Recommendation:
    """Return a recommendation with the complete script that trains by it."""
    from skillkit.configuration.scripts import script

    return recommendation | {"code": script(recommendation)}


def consider(given: Answers, folder: Path) -> tuple[Book, Situation]:
    """Return the tables that answers lead to, and all that follows from them."""
    stage, privacy = given.get("stage", "from-scratch"), given.get("privacy", "none")
    book = read_book(folder, given["family"], stage, privacy)
    return book, complete(given, book, read_questions(folder))


def _doubts(given: Answers, folder: Path) -> list[str]:
    doubts = (read_questions(folder)[name].doubt(value) for name, value in given.items())
    return [f"{doubt}." for doubt in doubts if doubt]


def _settings(configuration: dict[str, Any], situation: Situation) -> Recommendation:
    main = configuration["networks"][0]
    group = main["groups"][0]
    return {
        "answers": situation.answers,
        "optimizer": _flat_optimizer(group, configuration["privacy"]),
        "clip": _flat_clip(main["clip"], configuration["privacy"]),
        "schedule": _flat_schedule(group["schedule"]),
        "ema": configuration["ema"],
        "accumulation": configuration["accumulation"],
        "groups": configuration["networks"],
        "configuration": configuration,
    }


def _flat_optimizer(group: Mapping[str, Any], privacy: Mapping[str, Any] | None) -> dict[str, Any]:
    decay = group["weight_decay"]
    optimizer = {"b1": None, "b2": None, "eps": None, "momentum": None} | group["optimizer"]
    # optax.contrib.dpsgd is the private aggregation followed by sgd
    private = {"name": "contrib.dpsgd", **privacy} if privacy and optimizer["name"] == "sgd" else {}
    return {
        "name": optimizer.pop("name"),
        **optimizer,
        "weight_decay": _decoupled(decay, group["schedule"]) if decay else 0.0,
        "weight_decay_kind": decay and {"per_step": "decoupled"}.get(decay["kind"], decay["kind"]),
        "weight_decay_mask": decay and decay["mask"],
        **private,
    }


def _decoupled(decay: Mapping[str, Any], schedule: Mapping[str, Any]) -> float:
    # adafactor's decay is per update; shown as what adamw would call it
    value: float = decay["value"]
    return float(f"{value / schedule['peak_value']:.3g}") if decay["kind"] == "per_step" else value


def _flat_clip(clip: Mapping[str, Any] | None, privacy: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if privacy:
        return {"kind": "per_example", "max_norm": privacy["l2_norm_clip"]}
    return dict(clip) if clip else None


def _flat_schedule(schedule: Mapping[str, Any]) -> dict[str, Any]:
    names = ("name", "init_value", "peak_value", "warmup_steps", "total_steps", "end_value")
    return {**dict.fromkeys(names), **schedule}


def _derived(situation: Situation) -> dict[str, Any]:
    names = ("updates", "examples_per_update", "tokens_per_update", "examples_seen", "tokens_seen", "passes")
    return {name: situation.numbers[name] for name in names}


def _memory(
    configuration: Mapping[str, Any], situation: Situation, networks: Mapping[str, Leaves] | None
) -> dict[str, Any]:
    answers = situation.answers
    adapters = answers.get("adapter_parameters")
    return estimate(configuration, answers["parameters"], leaves=networks, adapter_parameters=adapters)


def _found(tree: Tree | None, given: Answers, folder: Path) -> Answers:
    """Return the answers that the user's tree gives."""
    if tree is None:
        return {}
    found = answers_of(tree, {**given, "parameters": tree.parameters})
    book, situation = consider({**given, **found}, folder)
    return answers_of(tree, given, [network["name"] for network in decide(book, situation).networks])


def _versions() -> dict[str, str | None]:
    return {name: _version(name) for name in ("jax-skillkit", "jax", "optax")}


@cache
def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
