"""`skillkit schedule`: the learning rate of a saved configuration, drawn or as numbers."""

import json

import click

from skillkit.cli.documents import given
from skillkit.configuration.format import checked
from skillkit.errors import bad_input
from skillkit.reading import Document

EPILOG = """\b
Examples:
  skillkit recommend-optimizer --set family=vit --format yaml > vit.yaml
  skillkit schedule vit.yaml --plot vit.svg
"""


@click.command("schedule", epilog=EPILOG)
@click.argument("configuration")
@click.option("--plot", metavar="FILE", type=click.Path(dir_okay=False), help="Draw it as PNG or SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print the learning rate of some updates for programs.")
@click.option("-q", "--quiet", is_flag=True, help="Print no chart.")
def schedule_command(configuration: str, plot: str | None, as_json: bool, quiet: bool) -> None:
    """Draw the learning rate of a saved CONFIGURATION, or of the one on standard input where it is `-`."""
    from skillkit.configuration import plots

    found = checked(_configuration(given(configuration)))
    if plot:
        plots.save(found, plot)
    if as_json:
        click.echo(json.dumps([curve.as_data() for curve in plots.curves(found)], indent=2))
    elif not quiet:
        click.echo(plots.terminal_chart(found))


def _configuration(document: Document) -> Document:
    """Return a document, or say what makes a configuration of it where it holds answers, which are saved likewise."""
    value = document.value
    if isinstance(value, dict) and "family" in value and "networks" not in value:
        command = f"skillkit recommend-optimizer --answers {document.path} --format yaml"
        raise bad_input(document.path, f"holds answers, of which '{command}' makes a configuration")
    return document
