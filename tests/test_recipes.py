"""Published recipes: which of their settings are recommended, which are near, which are not."""

from pathlib import Path

from benchmarks.recipes import MATCHES, RECIPES, all_matches, as_text
from skillkit.places import find_project
from skillkit.questionnaire.questions import decisions_folder
from skillkit.reading import read

PROJECT = find_project(Path(__file__).parent.parent)


def test_the_settings_that_are_those_of_a_recipe_are_as_recorded() -> None:
    """A number that is changed in the tables, or in a recipe, says here which published runs it was that of."""
    assert as_text(all_matches(decisions_folder(PROJECT))) == MATCHES.read_text("utf-8")


def test_most_settings_are_those_of_the_recipes() -> None:
    recorded = read(MATCHES).value
    assert list(recorded) == [recipe["id"] for recipe in read(RECIPES).value["recipes"]]
    found = [match for recipe in recorded.values() for match in recipe.values()]
    assert found.count("equal") > len(found) / 2
