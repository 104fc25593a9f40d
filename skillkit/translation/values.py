"""Values: what a configuration file gives, each with the place where it stands."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from skillkit.errors import Problem
from skillkit.reading import Document
from skillkit.scalars import is_number


@dataclass(frozen=True)
class Value:
    """A plain value and where it stands.

    Args:
        plain: None, a boolean, number or string, or lists and dicts of these.
        line: Counted from 1; 0 where it stands nowhere but in the documentation, as a default.
        column: Counted from 1.
        called: What the file calls it, where that is another name than the tables' argument.
    """

    plain: Any
    line: int = 0
    column: int = 0
    called: str = ""


@dataclass(frozen=True)
class Given:
    """A call, or an object of a file, that is looked up in the tables.

    Args:
        name: As the tables call it: `torch.optim.AdamW`.
        arguments: What is given by name.
        line: Where it stands.
        column: Likewise.
        positional: What is given by place, for the table to name.
        parts: Calls that stand among its arguments, as the schedulers of a `SequentialLR`.
        variable: What its result is called.
    """

    name: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    line: int = 0
    column: int = 0
    positional: tuple[Value, ...] = ()
    parts: tuple["Given", ...] = ()
    variable: str = ""


@dataclass(frozen=True)
class Part:
    """One network's training: its optimizer and what goes with it.

    Args:
        optimizer: The optimizer with its arguments.
        scheduler: What changes its learning rate, or None.
        every: How many updates one step of the scheduler takes, None where that is not known.
        skips: How many steps the scheduler takes before the first update.
        batches: How many steps it takes in an update, in the last of which it is read.
        clip: The call that clips its gradients, or None.
        mask: Which parameters are decayed.
    """

    optimizer: Given
    scheduler: Given | None = None
    every: int | None = 1
    skips: int = 0
    batches: int = 1
    clip: Given | None = None
    mask: str = "all"


@dataclass(frozen=True)
class Remark:
    """Something that is equal, or that differs.

    Args:
        what: What it is about.
        text: What is so.
        source: Where the other framework says it.
    """

    what: str
    text: str
    source: str


@dataclass
class Recipe:
    """What a file says of training, before it is Optax's.

    Args:
        path: The file, for messages.
        kind: Which of the kinds of files that are read it is.
        parts: An optimizer each.
        updates: The run's length in optimizer updates, or None.
        settings: What goes for the whole configuration: `accumulation`, `precision`, `ema`.
        answers: What the recommender would ask and the file tells.
        assumed: What was taken to be so, as nothing says otherwise.
        differs: What is not the same in Optax, with its source.
        unread: What is not translated, with its place.
    """

    path: str
    kind: str
    parts: list[Part] = field(default_factory=list)
    updates: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    differs: list[tuple[str, str]] = field(default_factory=list)
    unread: list[Problem] = field(default_factory=list)

    def average(self, setting: str, begins: str, decay: float, source: str) -> None:
        """Take an average of the parameters over, and say how another framework's differs.

        Args:
            setting: What the file calls it.
            begins: What is averaged there from the first update on, and with which decay.
            decay: The average's.
            source: The other framework's documentation.
        """
        self.settings["ema"] = decay
        here = f"a script of skillkit begins with those before it, and its decay rises to {decay:g}"
        self.differs.append((f"{setting}: {begins}; {here}", source))

    def miss(self, place: Value | Given, message: str) -> None:
        """Note what is not translated, with its line."""
        problem = Problem(self.path, place.line, place.column, message)
        if problem not in self.unread:
            self.unread.append(problem)


def document_values(document: Document) -> dict[str, Value]:
    """Return what a document's mapping gives, each with the place of its name."""
    return {name: Value(plain, *document.places.get((name, "#key"), (0, 0))) for name, plain in document.value.items()}


def numbers(value: Any) -> Iterator[float]:
    """Yield every number of a plain value."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from numbers(part)
    elif is_number(value):
        yield value
