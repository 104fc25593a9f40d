"""Account: what is said on standard error while environments are verified."""

import sys
import threading
from collections.abc import Callable

import click

from skillkit.errors import counted
from skillkit.proof.reporting import SIGNS
from skillkit.proof.verification import Report, Result


class Account:
    """Says what goes on, for several threads.

    Args:
        quiet: Whether to name only what fails.
        environments: How many there are; of several, each line names its own.
    """

    def __init__(self, quiet: bool, environments: int) -> None:
        self.quiet = quiet
        self.environments = environments
        self.finished = 0
        self.lock = threading.Lock()
        hidden = quiet or not sys.stderr.isatty()
        self.shows_all = not hidden
        self.bar = click.progressbar(length=0, file=sys.stderr, hidden=hidden)

    def say(self, text: str) -> None:
        """Say something of the whole."""
        if not self.quiet:
            with self.lock:
                click.echo(f"{self._clear()}{text}", err=True)

    def begun(self, label: str, work: int) -> Callable[[Result], None]:
        """Count what is to be proven in one environment, and return what is told each result."""
        with self.lock:
            self.bar.length = (self.bar.length or 0) + work

        def tell(result: Result) -> None:
            with self.lock:
                if result.state == "fails":
                    self._fails(result, label)
                elif self.shows_all:
                    click.echo(f"{self._clear()}{SIGNS[result.state]} {result.proof.id}{self._of(label)}", err=True)
                self.bar.update(1)

        return tell

    def _fails(self, result: Result, label: str) -> None:
        click.secho(f"{self._clear()}\nFAILS  {result.proof.id}{self._of(label)}", fg="red", err=True)
        click.echo(f"       {result}", err=True)
        if result.verdict.place not in ("", result.proof.place):
            click.echo(f"       stated in {result.proof.place}", err=True)

    def ended(self, label: str, report: Report, seconds: float) -> None:
        """Say what one environment has shown."""
        with self.lock:
            self.finished += 1
            if not self.quiet:
                for result in report.of("skipped"):
                    message = result.verdict.message
                    click.echo(f"{self._clear()}skipped {result.proof.id}{self._of(label)}: {message}", err=True)
            head = f"{self.finished}/{self.environments} {label}: " if self.environments > 1 else ""
            click.echo(f"{self._clear()}{head}{_summary(report)} in {seconds:.1f} s", err=True)

    def _of(self, label: str) -> str:
        return f" ({label})" if self.environments > 1 else ""

    def _clear(self) -> str:
        return "\r\033[K" if self.shows_all else ""

    def close(self) -> None:
        """Finish the line that shows how far it is."""
        with self.lock:
            self.bar.render_finish()


def _summary(report: Report) -> str:
    data = report.as_data()
    kinds = ("pattern", "block", "mistake", "correction", "change", "earlier version", "figure", "name")
    counts = ", ".join(counted(data[f"{name}s"], name) for name in kinds if data[f"{name}s"])
    return f"{counts or 'nothing was run'}: {len(data['failed'])} failed, {len(data['skipped'])} skipped"
