"""Abreast: environments made and verified side by side, as far as the machine allows, with one account of it all."""

import os
import queue
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillkit.catalogue.libraries import local_modules
from skillkit.cli.account import Account
from skillkit.execution.serving import installed
from skillkit.places import Project, cache_folder
from skillkit.proof.environments import NotInstallable, Wanted, interpreter
from skillkit.proof.installers import end_installers
from skillkit.proof.outcomes import Outcomes
from skillkit.proof.shards import Shard
from skillkit.proof.sides import Side
from skillkit.proof.statements import project_proofs
from skillkit.proof.verification import Report, Verifier
from skillkit.proof.workers import Workers

MEMORY = 2 * 2**30  # bytes for each run at a time: several times what ours take
_SECONDS_TO_SAVE = 5.0  # what was learnt, after an interrupt


@dataclass(frozen=True)
class Task:
    """One environment, and what is run in it.

    Args:
        wanted: Its versions; None for this interpreter.
        side: What is run in it alone; None for what the project states.
    """

    wanted: Wanted | None
    side: Side | None = None

    @property
    def label(self) -> str:
        """The environment in words."""
        return self.wanted.label if self.wanted else "this environment"


@dataclass(frozen=True)
class Settings:
    """How to verify.

    Args:
        project: Whose statements.
        ids: As `skillkit verify` takes them.
        libraries: That the project's code imports.
        shard: The part to run.
        keeps: Whether outcomes are kept.
        anew: Whether to run also what is kept.
        jobs: How many runs at a time, in all environments.
        quiet: Whether to name only what fails.
    """

    project: Project
    ids: tuple[str, ...]
    libraries: Sequence[str]
    shard: Shard
    keeps: bool
    anew: bool
    jobs: int
    quiet: bool


def default_jobs() -> int:
    """Return how many runs this machine has cores and memory for at a time."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, memory // MEMORY))


def verified(tasks: Sequence[Task], settings: Settings) -> Iterator[tuple[Task, Report | NotInstallable]]:
    """Yield each environment's report as it comes, or why it can't be made.

    Raises:
        BadInput: The project cannot be used.
        KeyboardInterrupt: All that was running has been ended.
    """
    abreast = min(len(tasks), settings.jobs)
    crew = _Crew(tasks, settings, abreast)
    threads = [threading.Thread(target=crew.work, daemon=True) for _ in range(abreast)]
    for thread in threads:
        thread.start()
    try:
        for _ in tasks:
            found = crew.done.get()
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        crew.end()
        for thread in threads:
            thread.join(_SECONDS_TO_SAVE)


class _Crew:
    def __init__(self, tasks: Sequence[Task], settings: Settings, abreast: int) -> None:
        self.settings = settings
        self.waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in tasks:
            self.waiting.put(task)
        self.done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.account = Account(settings.quiet, len(tasks))
        self.slots = threading.Semaphore(settings.jobs)
        self.servers = -(-settings.jobs // abreast) + (abreast > 1)  # for an environment, to use what others leave
        self.workers: set[Workers] = set()
        self.has_ended = False

    def work(self) -> None:
        try:
            while not self.has_ended:
                task = self.waiting.get_nowait()
                try:
                    self.done.put((task, self.report(task)))
                except NotInstallable as error:
                    self.done.put((task, error))
        except queue.Empty:
            return
        except BaseException as error:
            self.done.put(error)

    def end(self) -> None:
        self.has_ended = True
        end_installers()
        for workers in list(self.workers):
            workers.close()
        self.account.close()

    def report(self, task: Task) -> Report:
        project, libraries = self.settings.project, self.settings.libraries
        python = self.interpreter(task)
        versions = _versions(python, libraries)
        if task.side:
            work = list(task.side.proofs)
        else:
            work = self.settings.shard.of(project_proofs(project, versions, self.settings.ids, self.settings.anew))
        versions |= _versions(python, sorted({name for proof in work for name in proof.requires} - versions.keys()))
        changing = not task.side and local_modules(project)  # code without a version, whose outcomes can't be kept
        folder = cache_folder() if self.settings.keeps and not changing else None
        workers = Workers(str(python), project.warm, self.servers, project, versions, self.slots)
        self.workers.add(workers)
        tell = self.account.begun(task.label, len(work))
        began = time.monotonic()
        try:
            outcomes = Outcomes(folder, versions, self.settings.anew)
            report = Verifier(workers, outcomes, versions, libraries).verify(work, tell)
        finally:
            workers.close()
            self.workers.discard(workers)
        self.account.ended(task.label, report, time.monotonic() - began)
        return report

    def interpreter(self, task: Task) -> Path:
        if not task.wanted:
            return Path(sys.executable)
        extra = () if task.side else self.settings.libraries
        return interpreter(task.wanted, cache_folder() / "environments", extra, self.account.say)


def _versions(python: Path, libraries: Sequence[str]) -> dict[str, str]:
    if python == Path(sys.executable):
        return installed(libraries)
    asked = Workers(str(python), (), count=1)
    versions = asked.ask({"libraries": list(libraries)})
    asked.close()
    return versions
