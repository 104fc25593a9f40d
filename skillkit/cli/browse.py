"""`skillkit list`, `skillkit show` and `skillkit find`: what there is to look through, to paste and to look up."""

import json

import click

from skillkit.catalogue.entries import Entry, load_entries, select
from skillkit.catalogue.finding import find
from skillkit.cli.completion import entries_like
from skillkit.cli.naming import project_in_use
from skillkit.errors import counted

LIST_EPILOG = """\b
Examples:
  skillkit list sharding
  skillkit list changes/jax
"""
SHOW_EPILOG = """\b
Examples:
  skillkit show prng-dropout-keys scan-carry-type
  skillkit show changes/optax glossary/pytree --json
"""
FIND_EPILOG = """\b
Examples:
  skillkit find dropout keys
  skillkit find "TracerBoolConversionError: Attempted boolean conversion of traced array"
"""
_SHOWN = 10


@click.command("list", epilog=LIST_EPILOG)
@click.argument("topic", nargs=-1, shell_complete=entries_like)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list with every field.")
def list_command(topic: tuple[str, ...], as_json: bool) -> None:
    """List the patterns, or those of a TOPIC, which may also be 'changes' or 'glossary'."""
    entries = load_entries(project_in_use(), topic, tables=bool(topic))
    chosen = select(entries, topic) if topic else entries
    if as_json:
        click.echo(json.dumps([entry.as_data() for entry in chosen], indent=2))
        return
    width = _width(chosen)
    for group in dict.fromkeys(entry.groups[-1] for entry in chosen):
        inside = [entry for entry in chosen if entry.groups[-1] == group]
        click.echo(f"{click.style(group, bold=True)}: {inside[0].about}")
        for entry in inside:
            click.echo(f"  {_line(entry, width)}")


@click.command("show", epilog=SHOW_EPILOG)
@click.argument("name", nargs=-1, required=True, shell_complete=entries_like)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list with every field.")
def show_command(name: tuple[str, ...], as_json: bool) -> None:
    """Print what NAME names as Markdown, to paste into an assistant.

    NAME is a pattern or a topic, 'changes' or one of its old forms or libraries, 'glossary' or one of its terms.
    """
    project = project_in_use()
    chosen = select(load_entries(project, name), name)
    if as_json:
        click.echo(json.dumps([entry.as_data() for entry in chosen], indent=2))
        return
    from skillkit.rendering.renderer import render_entry

    click.echo("\n".join(render_entry(project, entry) for entry in chosen), nl=False)


@click.command("find", epilog=FIND_EPILOG)
@click.argument("words", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list with every field.")
@click.option("--all", "everything", is_flag=True, help=f"Name more than the best {_SHOWN}.")
@click.pass_context
def find_command(ctx: click.Context, words: tuple[str, ...], as_json: bool, everything: bool) -> None:
    """Look for WORDS in titles, rules, messages and names, the best answer first.

    WORDS may be an error's message, as it was printed. Exit code 1 where nothing fits.
    """
    found = find(load_entries(project_in_use()), " ".join(words))
    shown = found if everything else found[:_SHOWN]
    if as_json:
        click.echo(json.dumps([entry.as_data() for entry in shown], indent=2))
    else:
        _print(shown)
        if len(found) > len(shown):
            click.echo(f"and {counted(len(found) - len(shown), 'more answer')}: --all names them", err=True)
    if not found:
        click.echo(f"nothing here fits '{' '.join(words)}': 'skillkit list' names what there is", err=True)
        ctx.exit(1)


def _print(shown: list[Entry]) -> None:
    width = _width(shown)
    for entry in shown:
        click.echo(_line(entry, width))


def _width(entries: list[Entry]) -> int:
    return max((len(entry.name) for entry in entries if entry.kind == "pattern"), default=0)


def _line(entry: Entry, width: int) -> str:
    name = f"{entry.name:{width}}" if entry.kind == "pattern" else entry.name
    return f"{click.style(name, fg='cyan')}  {entry.title if entry.kind == 'pattern' else _gist(entry)}"


def _gist(entry: Entry) -> str:
    if entry.kind == "change":
        return f"write {entry.title.rpartition(' -> ')[2]}"
    text = str(dict(entry.as_data())["text"])
    return text if len(text) < 80 else f"{text[:77]}..."
