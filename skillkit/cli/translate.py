"""`skillkit translate`: another framework's training configuration in, Optax's out, with what is not equal."""

import json
from pathlib import Path
from typing import Any

import click

from skillkit.cli.documents import given_text, set_answers
from skillkit.errors import bad_input
from skillkit.places import find_project
from skillkit.questionnaire.questions import decisions_folder
from skillkit.translation.beside import pairs
from skillkit.translation.kinds import KINDS, read_recipe
from skillkit.translation.reporting import data, reasons, remarks, report
from skillkit.translation.translating import Translation, translate

EPILOG = """\b
Examples:
  skillkit translate train.py
  skillkit translate train.py --updates-per-epoch 782 --save adamw.yaml
  skillkit translate training_args.json --updates 10000 --format config
  skillkit translate config/train_gpt2.py --json
  skillkit translate args.yaml --updates-per-epoch 1251 --set family=vit
"""
FORMATS = ("text", "config", "python", "json")
HEADER = "# Translated by skillkit translate.\n"


@click.command("translate", epilog=EPILOG)
@click.argument("file")
@click.option("--from", "kind", type=click.Choice(KINDS), help="What the file is; it is told by what stands in it.")
@click.option("--updates", type=click.IntRange(1, 10**15), help="How many optimizer updates the run takes.")
@click.option(
    "--updates-per-epoch",
    type=click.IntRange(1, 10**12),
    help="How many updates an epoch takes, where epochs are counted.",
)
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="An answer for the recommendation beside it."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object; the same as --format json.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="What is printed."
)
@click.option("--save", metavar="FILE", type=click.Path(dir_okay=False), help="Save the configuration, for `schedule`.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the result.")
def translate_command(
    file: str,
    kind: str | None,
    updates: int | None,
    updates_per_epoch: int | None,
    settings: tuple[str, ...],
    as_json: bool,
    form: str,
    save: str | None,
    quiet: bool,
) -> None:
    """Translate the optimizer of a FILE, or of standard input where it is `-`, into Optax's.

    Reads PyTorch scripts, Hugging Face's TrainingArguments, nanoGPT's configuration files, Keras' optimizers and
    timm's arguments, by their syntax: nothing of them is run. Says what is equal, what differs, and names what is not
    translated with its line. With `--set family=...`, what the recommender would set stands beside it.
    """
    text, path = given_text(file)
    found = translate(read_recipe(text, path, kind, updates, updates_per_epoch), updates)
    form = "json" if as_json else form
    beside = pairs(found, set_answers(settings), decisions_folder(find_project())) if form in ("text", "json") else None
    if save:
        _save(found, Path(save))
    click.echo(_written(found, beside, form), nl=False)
    if not quiet and form in ("config", "python"):
        click.echo(remarks(found), err=True, nl=False)
    if not quiet and form == "text" and beside is None:
        click.echo("--set family=... puts what the recommender would set beside it", err=True)


def _written(found: Translation, beside: Any, form: str) -> str:
    if form == "json":
        return json.dumps(data(found, beside), indent=2) + "\n"
    if form == "config":
        return _yaml(found)
    if form == "python":
        from skillkit.configuration.scripts import script

        return script({"configuration": found.configuration, "reasons": reasons(found)})
    return report(found, beside)


def _yaml(found: Translation) -> str:
    import yaml

    return yaml.safe_dump(found.configuration, sort_keys=False, allow_unicode=True)


def _save(found: Translation, path: Path) -> None:
    from skillkit.writing import write

    try:
        if path.exists() and not path.read_bytes().startswith(HEADER.encode()):
            raise bad_input(path, "was not written by skillkit translate: name another file")
        write(path, HEADER + _yaml(found))
    except OSError as error:
        raise bad_input(path, f"cannot be written: {error.strerror}") from error
