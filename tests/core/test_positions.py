"""Positions: room to move into, and the honest answer when there is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.positions import GAP, HIGHEST, LOWEST, after_last, between, renumbered

positions = st.integers(LOWEST, HIGHEST)


def test_the_first_job_of_a_priority_stands_at_one_gap() -> None:
    assert after_last(None) == 100
    assert between(None, None) == 100


def test_a_new_job_stands_one_gap_behind_the_last() -> None:
    assert after_last(300) == 400


@pytest.mark.parametrize(
    ("before", "after", "middle"),
    [(100, 200, 150), (100, 102, 101), (100, 103, 101), (-100, 100, 0), (-3, 0, -2)],
)
def test_a_moved_job_takes_the_middle_of_the_gap(before: int, after: int, middle: int) -> None:
    assert between(before, after) == middle


@pytest.mark.parametrize(("before", "after"), [(100, 101), (100, 100), (-1, 0)])
def test_without_a_gap_there_is_no_position_between(before: int, after: int) -> None:
    assert between(before, after) is None


def test_moving_to_the_top_goes_one_gap_below_the_first_and_may_go_negative() -> None:
    assert between(None, 100) == 0
    assert between(None, 50) == -50


def test_moving_to_the_bottom_goes_one_gap_behind_the_last() -> None:
    assert between(700, None) == 800


def test_positions_never_leave_64_bits() -> None:
    assert (LOWEST, HIGHEST) == (-9_223_372_036_854_775_808, 9_223_372_036_854_775_807)
    assert between(None, LOWEST + 1) == LOWEST
    assert between(None, LOWEST) is None
    assert between(HIGHEST - 1, None) == HIGHEST
    assert between(HIGHEST, None) is None
    assert after_last(HIGHEST) == HIGHEST


def test_neighbours_in_the_wrong_order_are_a_mistake_that_shows() -> None:
    with pytest.raises(ValueError, match="200 does not stand before 100"):
        between(200, 100)


@given(positions, positions)
def test_between_is_strictly_inside_and_gives_up_only_when_nothing_is(one: int, other: int) -> None:
    before, after = sorted((one, other))
    found = between(before, after)
    if after - before >= 2:
        assert found is not None
        assert before < found < after
    else:
        assert found is None


@given(positions)
def test_an_open_end_is_beyond_its_neighbour_and_within_range(neighbour: int) -> None:
    first, last = between(None, neighbour), between(neighbour, None)
    assert first is None or LOWEST <= first < neighbour
    assert last is None or neighbour < last <= HIGHEST


@given(st.integers(0, 500))
def test_renumbering_gives_each_job_its_place_with_a_whole_gap_around(count: int) -> None:
    fresh = list(renumbered(count))
    assert fresh == [100 * (place + 1) for place in range(count)]
    assert after_last(fresh[-1] if fresh else None) == (count + 1) * GAP


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=60))
def test_any_series_of_moves_keeps_the_order_people_asked_for(moves: list[tuple[int, int]]) -> None:
    order = list(range(6))
    place = dict(zip(order, renumbered(len(order)), strict=True))
    for which, where in moves:
        job = order.pop(which % len(order))
        index = where % (len(order) + 1)
        before = place[order[index - 1]] if index else None
        after = place[order[index]] if index < len(order) else None
        order.insert(index, job)
        found = between(before, after)
        if found is None:
            place = dict(zip(order, renumbered(len(order)), strict=True))
        else:
            place[job] = found
        assert sorted(place, key=place.__getitem__) == order
        assert len(set(place.values())) == len(order)
