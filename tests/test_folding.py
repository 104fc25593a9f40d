import doctest

from hypothesis import given
from hypothesis import strategies as st

from skillkit.trees import folding
from skillkit.trees.folding import folded


def lines(kinds: dict[str, int]) -> list[str]:
    return [fold.paths for fold in folded(kinds)]


def test_equal_layers_are_one_line() -> None:
    kinds = {f"layers/{layer}/attn/{name}/kernel": 1 for layer in range(32) for name in "qkv"}
    assert lines(kinds) == [f"layers/0..31/attn/{name}/kernel" for name in "qkv"]


def test_a_layer_that_differs_has_its_own_line() -> None:
    assert lines({f"h.{layer}.w": layer == 2 for layer in range(5)}) == ["h.{0..1,3..4}.w", "h.2.w"]


def test_two_indices_fold_where_they_fill_a_rectangle() -> None:
    kinds = {f"layers/{layer}/experts/{one}/w": 1 for layer in range(3) for one in range(8)}
    assert lines(kinds) == ["layers/0..2/experts/0..7/w"]
    assert lines(kinds | {"layers/3/experts/0/w": 1}) == ["layers/0..2/experts/0..7/w", "layers/3/experts/0/w"]


def test_a_number_in_a_name_is_no_index() -> None:
    assert lines({"fc1/w": 1, "fc2/w": 1, "layer_01": 1, "layer_1": 1}) == ["fc1/w", "fc2/w", "layer_01", "layer_1"]


@given(st.dictionaries(st.from_regex(r"[ab0-3]{1,2}([/._][ab0-3]{1,2}){0,3}", fullmatch=True), st.integers(0, 1)))
def test_each_path_is_in_one_line_with_those_of_its_kind(kinds: dict[str, int]) -> None:
    found = folded(kinds)
    assert sorted(path for fold in found for path in fold.members) == sorted(kinds)
    assert all(len({kinds[path] for path in fold.members}) == 1 for fold in found)
    assert len({(fold.paths, kinds[fold.members[0]]) for fold in found}) == len(found)


def test_the_example_in_the_docstring_holds() -> None:
    assert doctest.testmod(folding).attempted
    assert doctest.testmod(folding).failed == 0
