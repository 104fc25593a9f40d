"""`skillkit schema`: the formats that skillkit reads, for editors and tools."""

import json

import click

from skillkit.errors import bad_input, did_you_mean
from skillkit.shapes import Schema, schema

EPILOG = """\b
Example:
  skillkit schema pattern > pattern.schema.json
"""
FORMATS = ("pattern", "changes", "glossary", "answers", "configuration")


def formats_like(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the formats that begin so."""
    return [name for name in FORMATS if name.startswith(incomplete)]


@click.command("schema", epilog=EPILOG)
@click.argument("format_name", metavar="FORMAT", shell_complete=formats_like)
def schema_command(format_name: str) -> None:
    """Print the JSON Schema of a FORMAT: pattern, changes, glossary, answers or configuration."""
    if format_name not in FORMATS:
        message = f"no such format{did_you_mean(format_name, FORMATS)}: one of {', '.join(FORMATS)}"
        raise bad_input(format_name, message)
    click.echo(json.dumps(_schema(format_name), indent=2))


def _schema(name: str) -> Schema:
    if name != "answers":
        return schema(name)
    from skillkit.questionnaire.answers import answers_schema

    return answers_schema()
