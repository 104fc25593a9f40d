"""Naming: which project a command is about, said where it is not the one of the working directory."""

import os

import click

from skillkit.places import Project, find_project


def project_in_use(quiet: bool = False) -> Project:
    """Return the project around the working directory, or skillkit's own texts, and say so where it lies elsewhere.

    Args:
        quiet: Say nothing.

    Raises:
        BadInput: As `find_project`.
    """
    project = find_project()
    if project.bundled and not quiet:
        click.echo("no project here (no pyproject.toml with [tool.skillkit]): these are skillkit's own texts", err=True)
    elif not quiet and not os.path.samefile(project.root, os.curdir):
        click.echo(f"project: {os.path.relpath(project.root)}", err=True)
    return project
