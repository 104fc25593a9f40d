"""Libraries: which distributions a project's code depends on."""

from collections.abc import Callable

import pytest

from skillkit.catalogue.libraries import distributions, imported_modules, module_of, project_libraries
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
