"""`skillkit list` and `skillkit show`: patterns to look through and to paste."""

import json

import click

from skillkit.catalogue.catalogues import load_catalogue
from skillkit.catalogue.patterns import Pattern
from skillkit.places import find_project

LIST_EPILOG = """\b
Example:
  skillkit list sharding
"""
SHOW_EPILOG = """\b
Example:
  skillkit show prng-dropout-keys
"""


@click.command("list", epilog=LIST_EPILOG)
@click.argument("topic", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list with every field.")
def list_command(topic: tuple[str, ...], as_json: bool) -> None:
    """List the patterns, or those of a TOPIC."""
    patterns = load_catalogue(find_project(), topic).select(topic)
    if as_json:
        click.echo(json.dumps([pattern.as_data() for pattern in patterns], indent=2))
        return
    width = max(len(pattern.id) for pattern in patterns)
    for pattern in patterns:
        click.echo(f"{pattern.id:{width}}  {pattern.title}")


@click.command("show", epilog=SHOW_EPILOG)
@click.argument("pattern")
def show_command(pattern: str) -> None:
    """Print one PATTERN as Markdown, to paste into an assistant."""
    from skillkit.rendering.renderer import render_pattern

    project = find_project()
    catalogue = load_catalogue(project, [pattern])
    chosen: list[Pattern] = catalogue.select([pattern])
    click.echo("\n".join(render_pattern(project, one) for one in chosen), nl=False)
