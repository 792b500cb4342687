"""Marks, as a set of numbers."""

from hypothesis import given
from hypothesis import strategies as st

from console.app.marks import Marks

NUMBERS = st.integers(1, 30)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), NUMBERS),
        st.tuples(st.just("take"), st.sets(NUMBERS)),
        st.tuples(st.just("drop"), st.sets(NUMBERS)),
    ),
    max_size=30,
)


@given(STEPS)
def test_they_are_what_a_set_would_be(steps: list[tuple[str, object]]) -> None:
    marks, expected = Marks(), set[int]()
    for what, value in steps:
        if what == "turn" and isinstance(value, int):
            marks.turn(value)
            expected ^= {value}
        elif what == "take" and isinstance(value, set):
            marks.take(value)
            expected = set(value)
        elif isinstance(value, set):
            marks.drop(value)
            expected -= value
        assert (set(marks), len(marks)) == (expected, len(expected))
        assert len(list(marks)) == len(expected), "each once"
        assert {number for number in range(31) if number in marks} == expected
    marks.clear()
    assert (list(marks), len(marks)) == ([], 0)
