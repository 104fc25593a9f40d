"""The command line: the only part that prints, writes and exits."""

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from skillkit.cli.completion import join_words
from skillkit.cli.endings import colour, ended
from skillkit.errors import BadInput, did_you_mean

COMMANDS = {
    "render": ("render", "Write the texts that assistants read."),
    "verify": ("verify", "Run everything that the texts state."),
    "list": ("browse", "List the patterns."),
    "show": ("browse", "Print patterns, changes or terms as Markdown, to paste."),
    "find": ("browse", "Look for words, or for an error's message."),
    "recommend-optimizer": ("recommend", "Recommend an Optax configuration."),
    "translate": ("translate", "Translate another framework's optimizer into Optax's."),
    "schedule": ("schedule", "Draw the learning rate of a configuration."),
    "diagnose": ("diagnose", "Say what the log of a training run shows."),
    "doctor": ("doctor", "Say what is proven for your versions."),
    "init": ("init", "Lay out a project of your own."),
    "schema": ("schema", "Print the JSON Schema of a format."),
    "cache": ("cache", "Say what is kept between runs, or delete it."),
}


class Commands(click.Group):
    """A group whose commands are imported when they are needed, so that help is quick."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Decide on colour before anything is printed."""
        return super().make_context(info_name, args, parent, color=colour(), **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of their use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"skillkit.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_") + "_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say what it may have meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no such command '{args[0]}'{did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from skillkit.catalogue.libraries import project_libraries
    from skillkit.places import find_project

    found = []
    try:
        found.append(f"jax-skillkit {version('jax-skillkit')}")
    except PackageNotFoundError:
        found.append("jax-skillkit not installed")
    found.append(f"Python {platform.python_version()}")
    try:
        libraries = project_libraries(find_project())
    except BadInput:  # the version is what one is asked for when something is wrong
        libraries = ()
    for library in libraries:
        try:
            found.append(f"{library} {version(library)}")
        except PackageNotFoundError:
            found += [f"{library} not installed"] if library == libraries[0] else []
    click.echo(", ".join(found))
    ctx.exit()


EPILOG = """\b
Example:
  skillkit show prng-dropout-keys
"""


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the versions of skillkit, Python and the libraries that the texts are about, and exit.",
)
def skillkit() -> None:
    """Texts for AI assistants in which every statement about code was executed.

    Inside a project, a folder whose pyproject.toml has a table [tool.skillkit], the commands are about its texts;
    elsewhere about skillkit's own, on JAX.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 a check found something, 2 bad input with one line for each problem."""
    gc.set_threshold(100_000)  # a command is short, and what it reads lasts as long: a quarter of its time went here
    sys.exit(ended(lambda: _run(sys.argv[1:] if arguments is None else arguments)))


def _run(arguments: Sequence[str]) -> None:
    if "_SKILLKIT_COMPLETE" in os.environ:
        with suppress(KeyError, ValueError):  # what a shell hands over wrongly is completed by nothing
            join_words()
            skillkit.main(arguments, prog_name="skillkit")
        return
    with skillkit.make_context("skillkit", list(arguments)) as context:
        skillkit.invoke(context)
