"""`python -m reference.train`: fit a multilayer perceptron to images and test it once."""

import dataclasses
import json
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:  # jax is imported when there is something to compute, so that --help is quick
    from reference.classifier import Epoch, Fitted, Score, Settings

EPILOG = """\b
Examples:
  python -m reference.train --epochs 20 --seed 1
  python -m reference.train --data openml:mnist_784 --batch-size 128
  python -m reference.train --data idx:fashion-mnist --json
"""


class BadInput(click.ClickException):
    """What the user gave cannot be used; shown in one line."""

    exit_code = 2


def parse_widths(_context: click.Context, _parameter: click.Parameter, text: str) -> tuple[int, ...]:
    """Read `256,128`."""
    widths = text.split(",")
    if not all(width.strip().isdecimal() and int(width) > 0 for width in widths):
        raise click.BadParameter(f"'{text}' is not a list of widths such as 256,128")
    return tuple(int(width) for width in widths)


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True}, epilog=EPILOG)
@click.option("--data", default="digits", help="digits (bundled with scikit-learn), openml:NAME, or idx:DIR.")
@click.option("--epochs", default=40, type=click.IntRange(min=1), help="Passes over the training split.")
@click.option("--batch-size", default=32, type=click.IntRange(min=1), help="Examples in one update.")
@click.option("--seed", default=0, type=click.IntRange(0, 2**32 - 1), help="Of the split and of the fit.")
@click.option("--hidden", default="256,128", callback=parse_widths, help="Width of each hidden layer.")
@click.option("--learning-rate", default=2e-3, type=click.FloatRange(min=0, min_open=True), help="AdamW's first.")
@click.option("--weight-decay", default=1e-2, type=click.FloatRange(min=0), help="Of the weights.")
@click.option("--dropout", default=0.2, type=click.FloatRange(0, 1, max_open=True), help="Share to drop.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with every epoch.")
@click.option("-q", "--quiet", is_flag=True, help="Print only the result.")
def main(
    data: str,
    epochs: int,
    batch_size: int,
    seed: int,
    hidden: tuple[int, ...],
    learning_rate: float,
    weight_decay: float,
    dropout: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fit a multilayer perceptron to labelled images, choose the epoch by validation, and test it once.

    The images are split into training, validation and test examples with equal shares of each class; IDX files bring
    their own test split.
    """
    try:
        from tqdm import tqdm

        from reference.classifier import Diverged, Settings, evaluate, fit
        from reference.datasets import DataError, load_splits

        splits = load_splits(data, seed)
    except ModuleNotFoundError as error:
        raise BadInput(f"needs {error.name}: pip install '.[jax]' in the folder of this repository") from error
    except DataError as error:
        raise BadInput(str(error)) from error
    settings = Settings(epochs, batch_size, hidden, learning_rate, weight_decay, dropout, seed)
    if not quiet:
        sizes = ", ".join(f"{len(getattr(splits, name))} {name}" for name in ("train", "validation", "test"))
        features = splits.train.inputs.shape[1]
        click.echo(f"{data}: {sizes} examples of {features} features, {splits.classes} classes", err=True)

    with tqdm(total=epochs, unit="epoch", file=sys.stderr, disable=quiet or None) as bar:  # None: on a terminal only

        def tell(epoch: "Epoch") -> None:
            bar.set_postfix_str(f"loss {epoch.loss:.4f}, validation {epoch.validation_accuracy:.4f}", refresh=False)
            bar.update()

        try:
            fitted = fit(splits.train, splits.validation, settings, tell)
        except Diverged as error:
            raise click.ClickException(f"{error}: try a smaller --learning-rate") from error
    score = evaluate(fitted.params, splits.test)  # the only use of the test split
    click.echo(as_data(data, settings, fitted, score) if as_json else as_words(fitted, score))


def as_words(fitted: "Fitted", score: "Score") -> str:
    """Return the result as one line."""
    best = fitted.best
    return (
        f"test accuracy {score.accuracy:.4f} ({score.correct} of {score.examples}), "
        f"parameters of epoch {best.number} of {len(fitted.epochs)} "
        f"with validation accuracy {best.validation_accuracy:.4f}"
    )


def as_data(data: str, settings: "Settings", fitted: "Fitted", score: "Score") -> str:
    """Return the result as a JSON object."""
    result = {
        "data": data,
        "settings": dataclasses.asdict(settings),
        "test": {"accuracy": score.accuracy, "correct": score.correct, "examples": score.examples},
        "best_epoch": fitted.best.number,
        "epochs": [dataclasses.asdict(epoch) for epoch in fitted.epochs],
    }
    return json.dumps(result, indent=2)


if __name__ == "__main__":
    main(prog_name="python -m reference.train")
