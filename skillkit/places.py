"""Places: where a project keeps its specs, its templates and what is rendered from them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from skillkit.errors import bad_input, did_you_mean
from skillkit.files import read_toml

_FOLDERS = {"reference": "reference", "templates": "templates", "outputs": "outputs"}
SETTINGS = (*_FOLDERS, "contexts", "aliases", "warm", "environment", "programs")


@dataclass(frozen=True)
class Programs:
    """What a project's runs compile and may share.

    Args:
        files: Patterns of the names that a library gives what it keeps.
        environment: Variables that make it keep that; `{folder}` in a value stands for where.
        apart: Words in code that speaks of compiling itself, which is run without them.
    """

    files: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    apart: tuple[str, ...] = ()


@dataclass(frozen=True)
class Project:
    """The folders of one project.

    Args:
        root: The folder that the others are named from; published paths are relative to it.
        reference: Runnable code with its specs.
        templates: The Jinja templates.
        outputs: Where rendered texts go.
        contexts: Entry points of the group `skillkit.contexts` that give templates more to speak of.
        aliases: What the heads of dotted names in prose stand for: `jnp` for `jax.numpy`.
        warm: Modules that every run may find imported already that begins by importing any.
        environment: Variables that every run finds set.
        programs: What runs compile and may share.
        bundled: Whether these are skillkit's own texts, read from the installed package.
    """

    root: Path
    reference: Path
    templates: Path
    outputs: Path
    contexts: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    warm: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    programs: Programs = Programs()
    bundled: bool = False

    @property
    def evidence(self) -> Path:
        """The file in which runs record what holds; the package brings its own."""
        return (self.root / "outputs" if self.bundled else self.outputs) / "evidence.json"


def find_project(start: Path = Path()) -> Project:
    """Return the project that `start` lies in, or skillkit's own texts where there is none.

    A project is a folder whose `pyproject.toml` has a table `[tool.skillkit]`.

    Args:
        start: An existing folder; the working directory.

    Raises:
        BadInput: The `pyproject.toml` of `start` or of a folder around it cannot be read, or its table is misspelt or
            has unknown keys.
    """
    here = start.resolve()
    for folder in (here, *here.parents):
        settings = _settings(folder / "pyproject.toml")
        if settings is not None:
            root = start / os.path.relpath(folder, here)
            folders = {name: root / settings.get(name, default) for name, default in _FOLDERS.items()}
            return Project(root, **folders, **_more(settings))
    return own_project(start)


def own_project(start: Path) -> Project:
    """Return skillkit's own texts, from the installed package or, failing that, from its checkout.

    Args:
        start: Where `outputs` goes.
    """
    package = Path(__file__).parent
    root = package / "_bundle" if (package / "_bundle").is_dir() else package.parent
    more = _more(_settings(root / "pyproject.toml") or {})
    return Project(root, root / "reference", root / "templates", start / "outputs", **more, bundled=True)


def _more(settings: Mapping[str, Any]) -> dict[str, Any]:
    lists = {name: tuple(settings.get(name, ())) for name in ("contexts", "warm")}
    tables = {name: settings.get(name, {}) for name in ("aliases", "environment")}
    programs = settings.get("programs", {})
    environment = programs.get("environment", {})
    shared = Programs(tuple(programs.get("files", ())), environment, tuple(programs.get("apart", ())))
    return {**lists, **tables, "programs": shared}


def _settings(path: Path) -> dict[str, Any] | None:
    tools = read_toml(path).get("tool") if path.is_file() else None
    if not isinstance(tools, dict):
        return None
    for name in get_close_matches("skillkit", tools.keys() - {"skillkit"}, cutoff=_MISTYPED):
        raise bad_input(path, f"unknown table [tool.{name}] (did you mean [tool.skillkit]?)")
    if "skillkit" not in tools:
        return None
    table = tools["skillkit"]
    if not isinstance(table, dict):
        raise bad_input(path, "[tool.skillkit] must be a table")
    for key, value in table.items():
        if key not in SETTINGS:
            raise bad_input(path, f"unknown key '{key}' in [tool.skillkit]{did_you_mean(key, SETTINGS)}")
        if message := _wrong(key, value):
            raise bad_input(path, f"'{key}' in [tool.skillkit] must be {message}")
    return table


def _wrong(key: str, value: Any) -> str:
    if key in _FOLDERS:
        named = isinstance(value, str) and value and value.isprintable()
        return "" if named else "the name of a folder"
    if key == "programs":
        return _wrong_programs(value)
    if key in _TABLES:
        named = isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
        return "" if named else f"a table of names, such as {_TABLES[key]}"
    return "" if isinstance(value, list) and all(isinstance(one, str) for one in value) else "a list of names"


def _wrong_programs(value: Any) -> str:
    parts = ("files", "environment", "apart")
    if not isinstance(value, dict) or not value.keys() <= set(parts):
        return f"a table with {', '.join(parts)}"
    for name, part in value.items():
        if message := _wrong("environment" if name == "environment" else "warm", part):
            return f"a table in which '{name}' is {message}"
    return ""


_TABLES = {"aliases": 'jnp = "jax.numpy"', "environment": 'JAX_PLATFORMS = "cpu"'}


_MISTYPED = 0.85  # `skilkit` and `skill-kit` are as near, `skillet` is not


def cache_folder() -> Path:
    """Return the user's folder for what can be made again: `$XDG_CACHE_HOME/skillkit`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "skillkit"
