"""Which answers are understood, and how the others are refused."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from skillkit.errors import BadInput
from skillkit.places import own_project
from skillkit.questionnaire.answers import answers_schema, understand
from skillkit.questionnaire.questions import decisions_folder, read_questions
from skillkit.questionnaire.sizes import write_size
from skillkit.reading import parse

FOLDER = decisions_folder(own_project(Path()))
QUESTIONS_WITH_USUAL = [one.id for one in read_questions(FOLDER).questions if one.usual]

# the keys that others may rely on, from issue 5
PROMISED = {
    "family stage parameters batch_size batch_unit sequence_length steps epochs dataset_size tokens horizon precision"
    " devices device_memory_gib accumulation privacy issues tuning_trials library priority"
}


def understood(text: str) -> dict[str, Any]:
    return understand([parse(text, "a.yaml")], read_questions(FOLDER))


def test_the_promised_keys_are_there() -> None:
    assert set(" ".join(PROMISED).split()) <= set(read_questions(FOLDER).ids())


def test_sizes_and_lists_are_understood() -> None:
    text = "{family: vit, parameters: 86M, batch_size: 1.024e3, issues: 'nan, plateau', epochs: 0.5}"
    assert understood(text) == {
        "family": "vit",
        "parameters": 86_000_000,
        "batch_size": 1024,
        "epochs": 0.5,
        "issues": ["plateau", "nan"],
    }


def test_null_is_no_answer() -> None:
    assert understood("{family: cnn, steps: null, epochs: 3}") == {"family": "cnn", "epochs": 3}
    assert understood("{family: cnn, steps: Unknown, epochs: 3}") == {"family": "cnn", "epochs": 3}


@pytest.mark.parametrize("text", ["80", "80GB", "80 GiB", "80 gb", "40 x 2 GB"])
def test_a_unit_may_follow_a_number(text: str) -> None:
    assert understood(f"{{family: cnn, device_memory_gib: {text}}}")["device_memory_gib"] == 80


@pytest.mark.parametrize("name", QUESTIONS_WITH_USUAL)
def test_a_number_beyond_the_usual_is_doubted(name: str) -> None:
    question = read_questions(FOLDER)[name]
    assert question.usual
    assert not question.doubt(question.usual)
    assert question.doubt(2 * question.usual).startswith(write_size(2 * question.usual))


BAD = [
    ("famly: cnn", "a.yaml:1:1: unknown answer 'famly' (did you mean 'family'?)"),
    ("family: cn", "a.yaml:1:9: family unknown choice \"cn\" (did you mean 'cnn'?)"),
    ("family: cnn\nbatch_size: -4", "a.yaml:2:13: batch_size must be greater than 0, not -4"),
    ("family: cnn\nbatch_size: -4k", 'a.yaml:2:13: batch_size must be greater than 0, not "-4k"'),
    ("family: cnn\nbatch_size: 0", "a.yaml:2:13: batch_size must be greater than 0, not 0"),
    ("family: cnn\nbatch_size: 1.5", "a.yaml:2:13: batch_size must be a whole number, not 1.5"),
    ("family: cnn\nbatch_size: many", 'a.yaml:2:13: batch_size must be a number as 125M, 1.5e9 or 4k, not "many"'),
    ("family: cnn\nparameters: 1e9B", 'a.yaml:2:13: parameters must be a number as 125M, 1.5e9 or 4k, not "1e9B"'),
    ("family: cnn\nparameters: 80GB", 'a.yaml:2:13: parameters must be a number as 125M, 1.5e9 or 4k, not "80GB"'),
    ("family: cnn\nbatch_size: true", "a.yaml:2:13: batch_size must be a number as 125M, 1.5e9 or 4k, not true"),
    ("family: cnn\nepsilon: 1e-10", "a.yaml:2:10: epsilon must be at least 0.001, not 1e-10"),
    ("family: cnn\nsteps: .inf", "a.yaml:2:8: steps must be a number"),
    ("family: cnn\nsteps: .nan", "a.yaml:2:8: steps must be a number"),
    ("family: cnn\nparameters: 1e30", "a.yaml:2:13: parameters must be at most 1e+18"),
    ("family: cnn\nissues: [nn]", "a.yaml:2:9: issues unknown choice \"nn\" (did you mean 'nan'?)"),
    ("family: cnn\nissues: {nan: 1}", "a.yaml:2:9: issues must be a list of"),
    ("family: cnn\nsteps: 3\nepochs: 1", "a.yaml:3:1: the length of the run is given twice: keep one of steps"),
    ("stage: finetune", "a.yaml:1:1: the answer 'family' is missing: one of mlp, tabular"),
    ("[cnn]", "a.yaml:1:1: answers must be a mapping as 'family: cnn', not [\"cnn\"]"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_bad_answers_are_refused_with_their_place(text: str, message: str) -> None:
    with pytest.raises(BadInput) as error:
        understood(text)
    assert str(error.value).startswith(message)


def test_all_bad_answers_are_named_at_once() -> None:
    with pytest.raises(BadInput) as error:
        understood("{family: cn, stage: scratch, batch_size: -1}")
    assert len(error.value.problems) == 3


@pytest.mark.parametrize(
    "text",
    [
        "{family: vit, parameters: 86M, issues: [nan]}",
        "{family: cnn, epochs: 2}",
        "{family: cnn, device_memory_gib: 80GB, batch_size: 128 x 4}",
    ],
)
def test_the_schema_accepts_good_answers(text: str) -> None:
    jsonschema.Draft202012Validator.check_schema(answers_schema())
    jsonschema.validate(parse(text, "a").value, answers_schema())


# JSON has no infinities, and the schema leaves the largest number open
IN_JSON = [text for text, _ in BAD if not any(word in text for word in (".inf", ".nan", "1e30"))]


@pytest.mark.parametrize("text", IN_JSON)
def test_the_schema_refuses_bad_answers(text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(parse(text, "a").value, answers_schema())


@pytest.mark.parametrize("question", [one for one in read_questions(FOLDER).questions if one.ranges])
def test_ranges_ascend_from_zero(question: Any) -> None:
    bounds = [bound for bound in question.ranges.values() if bound is not None]
    assert bounds == sorted(bounds)
    assert bounds[0] == 0


def test_a_bound_belongs_to_the_upper_range() -> None:
    parameters = read_questions(FOLDER)["parameters"]
    assert (parameters.label(999_999), parameters.label(1_000_000)) == ("tiny", "small")


def test_other_words_stand_for_choices_and_for_no_choice_of_its_own_name() -> None:
    family = read_questions(FOLDER)["family"]
    assert family.also
    for word, meant in family.also.items():
        assert word not in family.choices
        assert set(meant) <= set(family.choices), word


def test_a_default_that_is_no_answer_is_refused(tmp_path: Path) -> None:
    text = (FOLDER / "questions.yaml").read_text("utf-8")
    assert "default: from-scratch\n" in text
    (tmp_path / "questions.yaml").write_text(text.replace("default: from-scratch\n", "default: from-scratsh\n"))
    with pytest.raises(BadInput, match=r'questions\.yaml:\d+:14: unknown choice "from-scratsh" \(did you mean'):
        read_questions(tmp_path)
