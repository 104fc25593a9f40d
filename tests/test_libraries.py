"""Libraries: which distributions a project's code depends on."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skillkit.catalogue.libraries import distributions, imported_modules, local_modules, module_of, project_libraries
from skillkit.places import find_project

Edit = Callable[[str, str, str], None]


@pytest.mark.usefixtures("project")
def test_a_project_of_the_standard_library_has_none() -> None:
    assert project_libraries(find_project()) == ()


def test_imports_are_counted_and_the_project_s_own_left_out(edit: Edit) -> None:
    edit("reference/sums.py", "import math\n", "import math\n\nimport numpy as np\nfrom reference import other\n")
    edit(
        "reference/sums.py",
        "    assert mean([1.0",
        "    import click\n\n    assert np and click and mean([1.0",
    )
    edit("reference/mistakes/sums.py", '"""Sums, wrongly."""\n', '"""Sums."""\n\nimport os, numpy\n')
    assert imported_modules(find_project()) == ("numpy", "click")


def test_modules_are_not_always_called_as_their_distributions() -> None:
    assert distributions(["jax", "orbax", "yaml", "no_such_module"]) == (
        "jax",
        "jaxlib",
        "flatbuffers",
        "orbax-checkpoint",
        "PyYAML",
        "no_such_module",
    )
    assert [module_of(name) for name in ("orbax-checkpoint", "scikit-learn", "jax")] == ["orbax", "sklearn", "jax"]


@pytest.mark.parametrize("name", ["click", "click.md", "click.py", "src/click/notes.txt", "click/__init__.py"])
def test_a_file_called_like_a_library_does_not_hide_it(edit: Edit, project: Path, name: str) -> None:
    edit("reference/sums.py", "import math\n", "import math\n\nimport click\n")
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text("")
    assert imported_modules(find_project()) == ("click",)


@pytest.mark.parametrize("name", ["mine.py", "mine/__init__.py", "src/mine/sub.py"])
def test_what_is_no_library_is_the_project_s_own(edit: Edit, project: Path, name: str) -> None:
    edit("reference/sums.py", "import math\n", "import math\n\nimport mine\n")
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text("")
    assert imported_modules(find_project()) == ()
    assert local_modules(find_project()) == ("mine",)
