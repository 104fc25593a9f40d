"""Templates: a folder of Jinja templates, filled in a sandbox within limits, with errors that say where."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from skillkit.errors import bad_input, did_you_mean
from skillkit.files import read_text
from skillkit.rendering import limits
from skillkit.rendering.asked import Asked


class Templates:
    """The templates of one folder.

    Args:
        folder: Where they lie; no other file can be read.
        filters: By the names that templates use.
        functions: Likewise.
    """

    def __init__(self, folder: Path, filters: Mapping[str, Any], functions: Mapping[str, Any]) -> None:
        self.folder = folder
        self._asked: Asked | None = None
        self._trees: dict[str, nodes.Template] = {}
        self.environment = ImmutableSandboxedEnvironment(
            loader=jinja2.FunctionLoader(self._load),
            undefined=_Unknown,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
        )
        self.environment.filters |= filters
        self.environment.globals |= functions
        # the sandbox alone would compute any power, and repeat anything any number of times
        self.environment.intercepted_binops = frozenset(("**", "*"))
        self.environment.binop_table |= {"**": limits.power, "*": limits.product}

    def _load(self, name: str) -> tuple[str, str, Callable[[], bool]] | None:
        path = self.folder.joinpath(*jinja2.loaders.split_template_path(name))
        try:
            inside = path.is_file() and path.resolve().is_relative_to(self.folder.resolve())
        except (OSError, ValueError):  # a computed name may be none that a file can have
            return None
        return (read_text(path), str(path), lambda: True) if inside else None

    def names(self) -> list[str]:
        """Return the templates' names, as includes write them."""
        paths = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(path.relative_to(self.folder).as_posix() for path in paths)

    def wanted(self, name: str) -> set[str]:
        """Return the variables that a template asks for, or what it includes.

        Raises:
            BadInput: It or one of those has an error, or includes what is not there.
        """
        if self._asked is None:
            self._asked = Asked(self.folder, self.names())
        known = self._asked.of(name)
        if known is None:  # a template of topics is filled once for each
            met: dict[str, set[str]] = {}
            with self._errors(name):
                self._look(name, met)
            known = self._asked.learn(name, set().union(*met.values()) - self.environment.globals.keys())
        return known

    def _look(self, name: str, met: dict[str, set[str]]) -> None:
        self.environment.get_template(name)  # compiling it says of which template an error is
        assert self.environment.loader
        if name not in self._trees:  # one that many include is read once
            source = self.environment.loader.get_source(self.environment, name)[0]
            self._trees[name] = self.environment.parse(source, name)
        tree = self._trees[name]
        met[name] = jinja2.meta.find_undeclared_variables(tree)
        for node in tree.find_all((nodes.Include, nodes.Extends, nodes.Import, nodes.FromImport)):
            included = self._included(name, node)  # type: ignore[arg-type]  # one of these
            for other in included:
                if other not in met:
                    self._look(other, met)

    def _included(self, name: str, node: nodes.Include) -> list[str]:
        """Return the templates that a node may include: those that it names, or all where it computes the name."""
        known = self.names()
        try:
            value = node.template.as_const()
        except nodes.Impossible:
            return [one for one in known if one.endswith(".j2")]
        asked = [value] if isinstance(value, str) else [one for one in value if isinstance(one, str)]
        there = [one for one in asked if one in known]
        if not there and not getattr(node, "ignore_missing", False):
            message = f"there is no template '{', '.join(asked)}' in {self.folder}{did_you_mean(asked[0], known)}"
            raise bad_input(self.folder / name, message, node.lineno, 1)
        return there

    def fill(self, name: str, context: Mapping[str, Any]) -> str:
        """Return a template's text.

        Raises:
            BadInput: The template has an error, speaks of something unknown, or takes more than it may.
        """
        with self._errors(name, context):
            text = self.environment.get_template(name).render(context)
            if len(text) > limits.CHARACTERS:
                raise limits.Exceeded(f"gives more than {limits.CHARACTERS:,} characters")
            return text

    @contextmanager
    def _errors(self, name: str, known: Iterable[str] = ()) -> Iterator[None]:
        """Turn whatever is wrong with a template into a problem of its file; `known` are the variables that it has."""
        try:
            with limits.limited():
                yield
        except jinja2.TemplateSyntaxError as error:
            message = f"not a Jinja template: {error.message}{self._hint(str(error.message), known)}"
            raise bad_input(self.folder / (error.name or name), message, error.lineno, 1) from error
        except jinja2.TemplateNotFound as error:
            raise bad_input(self.folder / name, f"there is no template '{error.name}' in {self.folder}") from error
        except _WRONG as error:
            place, line = _template_line(error, self.folder / name)
            raise bad_input(place, f"{_words(error)}{self._hint(str(error), known)}", line, 1) from error

    def _hint(self, message: str, known: Iterable[str]) -> str:
        for expression, names in (
            (r"No filter named '(.*?)'", self.environment.filters),
            (r"No test named '(.*?)'", self.environment.tests),
            (r"'(\w+)' is undefined", [*known, *self.environment.globals]),
        ):
            if found := re.search(expression, message):
                return did_you_mean(found[1], names)
        return ""


class _Unknown(jinja2.StrictUndefined):
    @property
    def _undefined_message(self) -> str:
        """What is said of a name that an object has not, with the nearest that it has."""
        one, name = self._undefined_obj, str(self._undefined_name)
        if isinstance(one, Mapping):
            return f"there is no '{name}' here{did_you_mean(name, map(str, one))}"
        if type(one).__module__.startswith("skillkit"):
            public = [word for word in dir(one) if not word.startswith("_")]
            return f"a {type(one).__name__.lower()} has no '{name}'{did_you_mean(name, public)}"
        return super()._undefined_message


_WRONG = (
    jinja2.TemplateError,
    limits.Endless,
    limits.Exceeded,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NotImplementedError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)


def _words(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "includes or calls itself without end, or is nested too deep"
    if isinstance(error, MemoryError):
        return "takes more memory than a template may"
    if isinstance(error, SyntaxError):
        return f"nests its blocks too deep: {error.msg}"
    return str(error) or type(error).__name__


def _template_line(error: BaseException, default: Path) -> tuple[Path, int]:
    place, trace = (default, 0), error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename.endswith(".j2"):
            # of what is no Exception, Jinja leaves the lines of the code that it made
            made = trace.tb_frame.f_globals.get("__jinja_template__")
            line = made.get_corresponding_lineno(trace.tb_lineno) if made else trace.tb_lineno
            place = Path(trace.tb_frame.f_code.co_filename), line
        trace = trace.tb_next
    return place
