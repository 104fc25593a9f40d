"""`skillkit recommend-optimizer`: answers in, an optimizer configuration with code and reasons out."""

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path

import click

from skillkit.cli.completion import answers_like
from skillkit.cli.documents import given, set_answers
from skillkit.errors import bad_input
from skillkit.places import find_project
from skillkit.questionnaire.questions import decisions_folder
from skillkit.reading import Document
from skillkit.recommender.recommending import Recommendation, parameter_rows, recommend, with_code
from skillkit.trees.tree import Tree

EPILOG = """\b
Examples:
  skillkit recommend-optimizer
  skillkit recommend-optimizer --set family=vit --set batch_size=4k --format markdown
  skillkit recommend-optimizer --set family=decoder-lm --params params.json --format table
  skillkit recommend-optimizer --set family=vit --set batch_size=512 --explain peak_value
  echo '{"family": "decoder-lm", "parameters": "1B"}' | skillkit recommend-optimizer --answers - --json
"""
FORMATS = ("python", "optimizer", "yaml", "markdown", "table", "prompt", "optuna", "range-test", "json")


@click.command("recommend-optimizer", epilog=EPILOG)
@click.option("--answers", metavar="FILE|-", help="Answers in YAML or JSON; see `skillkit schema answers`.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=answers_like,
    help="An answer; overrules the file's.",
)
@click.option(
    "--params",
    "params",
    metavar="FILE",
    help="The model's own parameters: shapes in JSON, safetensors, an Orbax checkpoint, a Hugging Face config.json.",
)
@click.option("--allow-import", is_flag=True, help="Let --params be MODULE:FUNCTION, run under jax.eval_shape.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object; the same as --format json.")
@click.option(
    "--format", "kind", type=click.Choice(FORMATS), default="python", show_default=True, help="What is printed."
)
@click.option("--optimizer", metavar="NAME", help="Take this alternative of those that --json lists: lion.")
@click.option("--explain", metavar="SETTING", help="Say instead what chose a setting, and what would change it: b2.")
@click.option("--plot", metavar="FILE", type=click.Path(dir_okay=False), help="Draw the learning rate as PNG or SVG.")
@click.option("--save", metavar="FILE", type=click.Path(dir_okay=False), help="Save the answers, to ask again.")
@click.option("--try", "tried", is_flag=True, help="Build the optimizer and take a step; needs jax and optax.")
@click.option("--no-input", is_flag=True, help="Never ask.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the result.")
def recommend_optimizer_command(
    answers: str | None,
    settings: tuple[str, ...],
    params: str | None,
    allow_import: bool,
    as_json: bool,
    kind: str,
    optimizer: str | None,
    explain: str | None,
    plot: str | None,
    save: str | None,
    tried: bool,
    no_input: bool,
    quiet: bool,
) -> None:
    """Recommend an Optax optimizer, with a reason and a source for each number.

    Asks on a terminal; elsewhere only the answer `family` is obligatory, and all that is assumed is said.
    """
    folder = decisions_folder(find_project())
    _require(plot, tried)
    tree = _tree(params, allow_import) if params is not None else None
    documents = [*([given(answers)] if answers else []), set_answers(settings)]
    if not answers and not settings and not no_input and sys.stdin.isatty():
        documents, save = [_asked(folder, save, tree)], None
    if explain is not None:
        _explain(explain, documents, folder, tree, as_json)
        return
    found = recommend(documents, folder, tree, optimizer)
    kind = "json" if as_json else kind
    _keep(found, plot, save)
    _print(found, kind, folder)
    if not quiet and kind != "json":
        _say(found, kind)
    if tried:
        _try(found)


def _explain(setting: str, documents: list[Document], folder: Path, tree: Tree | None, as_json: bool) -> None:
    from skillkit.recommender.explaining import explain, explanation

    explained = explain(setting, documents, folder, tree)
    click.echo(json.dumps(explained, indent=2) + "\n" if as_json else explanation(explained), nl=False)


def _require(plot: str | None, tried: bool) -> None:
    """Refuse what could not be done, before anything is asked or printed."""
    if plot:
        from skillkit.configuration import plots

        plots.require(plot)
    for library in ("jax", "optax") if tried else ():
        if importlib.util.find_spec(library) is None:
            raise bad_input("--try", f"needs {library}, which is not installed: pip install jax optax")


def _asked(folder: Path, save: str | None, tree: Tree | None) -> Document:
    from skillkit.cli.asking import ask
    from skillkit.recommender.model import answers_of

    known = answers_of(tree, {}) if tree else {}
    asked = ask(folder, save, known)
    return replace(asked, value={name: value for name, value in asked.value.items() if name not in known})


def _tree(name: str, importing: bool) -> Tree:
    from skillkit.trees.opening import read_tree

    return read_tree(name, importing)


def _print(found: Recommendation, kind: str, folder: Path) -> None:
    if kind == "json":
        click.echo(json.dumps(with_code(found), indent=2, allow_nan=False))
    else:
        click.echo(_FORMATS[kind](found, folder), nl=False)


def _python(found: Recommendation, _: Path) -> str:
    return str(with_code(found)["code"])


def _optimizer(found: Recommendation, _: Path) -> str:
    from skillkit.configuration.scripts import optimizer_script

    return optimizer_script(found)


def _yaml(found: Recommendation, _: Path) -> str:
    import yaml

    return yaml.safe_dump(found["configuration"], sort_keys=False, allow_unicode=True)


def _markdown(found: Recommendation, _: Path) -> str:
    from skillkit.recommender.reports import markdown

    return markdown(with_code(found))


def _table(found: Recommendation, _: Path) -> str:
    from skillkit.recommender.tables import parameter_table

    return parameter_table(found, parameter_rows(found))


def _prompt(found: Recommendation, _: Path) -> str:
    from skillkit.recommender.prompting import TEMPLATE, given_context
    from skillkit.rendering.renderer import Renderer

    return Renderer(find_project()).fill(TEMPLATE, **given_context(found))


def _optuna(found: Recommendation, _: Path) -> str:
    from skillkit.configuration.studies import optuna_study

    return optuna_study(found)


def _range_test(found: Recommendation, _: Path) -> str:
    from skillkit.configuration.studies import range_test

    return range_test(found)


_FORMATS = {
    "python": _python,
    "optimizer": _optimizer,
    "yaml": _yaml,
    "markdown": _markdown,
    "table": _table,
    "prompt": _prompt,
    "optuna": _optuna,
    "range-test": _range_test,
}
_LINES = 40  # of the table, beside a script


def _say(found: Recommendation, kind: str) -> None:
    from skillkit.configuration.plots import terminal_chart
    from skillkit.recommender.reports import words
    from skillkit.recommender.tables import parameter_table

    click.echo(words(found), err=True, nl=False)
    if found["tree"] and kind != "table":
        click.echo(parameter_table(found, parameter_rows(found), _LINES), err=True)
    if found["schedule"]["name"] != "none":
        click.echo(terminal_chart(found["configuration"]), err=True)


def _keep(found: Recommendation, plot: str | None, save: str | None) -> None:
    if plot:
        from skillkit.configuration.plots import save as draw

        draw(found["configuration"], plot)
    if save:
        from skillkit.cli.asking import save_answers

        save_answers(found["answers"], Path(save))


def _try(found: Recommendation) -> None:
    from skillkit.configuration.trying import UPDATES, try_configuration

    trials = try_configuration(found["configuration"])
    for trial in trials:
        state = "finite" if trial.finite else "not finite"
        click.echo(f"tried {trial.network}: {UPDATES} updates of a small network are {state}", err=True)
    if not all(trial.finite for trial in trials):
        sys.exit(1)
