"""JSON that folds: everything can be reached, nothing is built that nobody looks at."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from console.app.json_lines import GROUP, JsonLine, JsonTree

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=3), inner, max_size=8),
    max_leaves=40,
)


def unfolded(tree: JsonTree) -> list[JsonLine]:
    """Every line, once all has been unfolded by hand."""
    while folded := [line for line in tree.lines() if line.folded]:
        for line in folded:
            tree.turn(line.path)
    return tree.lines()


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in leaves(one)] or [value]
    if isinstance(value, list):
        return [leaf for one in value for leaf in leaves(one)] or [value]
    return [value]


@given(st.dictionaries(st.text(max_size=3), JSON, max_size=4))
def test_unfolded_it_shows_every_value_once_in_its_order(values: dict[str, Any]) -> None:
    tree = JsonTree()
    tree.values = values
    lines = unfolded(tree)
    assert [line.value for line in lines if not line.folds] == [leaf for one in values.values() for leaf in leaves(one)]
    assert len({line.path for line in lines}) == len(lines)


def test_a_long_list_comes_in_groups_of_groups() -> None:
    tree = JsonTree()
    tree.values = {"x": list(range(30_000))}
    assert [line.name for line in tree.lines()] == ["x", "0 … 9999", "10000 … 19999", "20000 … 29999"]
    tree.turn(tree.lines()[2].path)
    names = [line.name for line in tree.lines()]
    assert names[2:5] == ["10000 … 19999", "10000 … 10099", "10100 … 10199"]
    assert len(names) == 4 + GROUP
    tree.turn(tree.lines()[4].path)
    assert [line.value for line in tree.lines() if not line.folds] == list(range(10_100, 10_200))


def test_a_fold_outlives_a_change_of_the_values() -> None:
    tree = JsonTree()
    tree.values = {"params": {"a": {"b": 1}}}
    tree.turn(("params", "a"))
    assert [line.name for line in tree.lines()] == ["params", "a"]
    tree.values = {"params": {"a": {"b": 2, "c": 3}, "d": 4}}
    assert [(line.name, line.folded) for line in tree.lines()] == [("params", False), ("a", True), ("d", False)]


def test_values_are_told_in_a_few_words_and_copied_whole() -> None:
    tree = JsonTree()
    tree.values = {"text": "ä" * 100_000, "none": None, "empty": [], "object": {"k": "é"}, "number": 10**50}
    lines = {line.name: line for line in tree.lines()}
    assert len(lines["text"].shown) < 500
    assert lines["text"].shown.endswith("100,000 letters")
    assert lines["text"].text == "ä" * 100_000
    assert (lines["none"].shown, lines["empty"].shown, lines["object"].shown) == ("null", "[]", "{1 key}")
    assert lines["object"].text == '{\n  "k": "é"\n}'
    assert lines["number"].shown == str(10**50)
