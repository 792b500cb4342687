"""Limits: slots, types and concurrency keys."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.limits import MAX_SLOTS, Lane, Limits, Room, Usage, choose
from core.refusals import BadInput

lanes = st.builds(Lane, st.sampled_from(["etl", "mail", "build"]), st.sampled_from(["", "db", "gpu"]))


def empty_room(slots: int = 4, per_type: dict[str, int] | None = None, per_key: dict[str, int] | None = None) -> Room:
    return Room(Limits(slots, per_type or {}, per_key=per_key or {}), Usage())


def test_a_job_fits_while_a_slot_is_free() -> None:
    room = empty_room(slots=2)
    room.take(Lane("etl"))
    assert room.slots_left == 1
    assert room.fits(Lane("etl"))
    room.take(Lane("etl"))
    assert room.slots_left == 0
    assert room.why_not(Lane("mail")) == "all 2 slots are busy"


def test_one_slot_and_no_slot_are_said_as_people_say_it() -> None:
    one = empty_room(slots=1)
    one.take(Lane("etl"))
    assert one.why_not(Lane("etl")) == "the only slot is busy"
    assert empty_room(slots=0).why_not(Lane("etl")) == "there are no slots"


def test_a_type_stops_at_its_own_limit_and_leaves_the_others_alone() -> None:
    room = Room(Limits(4, {"etl": 2}), Usage.of([Lane("etl"), Lane("etl")]))
    assert room.why_not(Lane("etl")) == "type etl is at its limit of 2"
    assert room.why_not(Lane("mail")) is None


def test_a_concurrency_key_lets_one_job_run_unless_told_otherwise() -> None:
    room = Room(Limits(4, per_key={"gpu": 2}), Usage.of([Lane("etl", "db"), Lane("etl", "gpu")]))
    assert room.why_not(Lane("mail", "db")) == "concurrency key db is busy (limit 1)"
    assert room.fits(Lane("mail", "gpu"))
    room.take(Lane("mail", "gpu"))
    assert room.why_not(Lane("mail", "gpu")) == "concurrency key gpu is busy (limit 2)"


def test_the_default_for_keys_can_be_changed() -> None:
    room = Room(Limits(9, per_key_default=3), Usage.of([Lane("a", "db")] * 2))
    room.take(Lane("a", "db"))
    assert room.why_not(Lane("a", "db")) == "concurrency key db is busy (limit 3)"


def test_jobs_without_a_key_do_not_share_one() -> None:
    room = Room(Limits(9), Usage.of([Lane("etl"), Lane("etl")]))
    assert room.fits(Lane("etl"))


def test_a_lowered_limit_leaves_no_room_rather_than_a_negative_one() -> None:
    room = Room(Limits(2), Usage(total=5))
    assert room.slots_left == 0
    assert not room.fits(Lane("etl"))


def test_a_limit_of_zero_switches_a_type_off() -> None:
    assert not empty_room(per_type={"etl": 0}).fits(Lane("etl"))


def test_taking_what_does_not_fit_is_a_mistake_that_shows() -> None:
    room = empty_room(slots=0)
    with pytest.raises(ValueError, match="there are no slots"):
        room.take(Lane("etl"))


def test_usage_counts_what_runs() -> None:
    usage = Usage.of([Lane("etl", "db"), Lane("etl"), Lane("mail", "db")])
    assert usage.total == 3
    assert usage.by_type == {"etl": 2, "mail": 1}
    assert usage.by_key == {"db": 2}


def test_a_blocked_candidate_does_not_block_those_behind_it() -> None:
    waiting = [(1, Lane("etl")), (2, Lane("etl")), (3, Lane("mail")), (4, Lane("mail"))]
    assert choose(waiting, empty_room(slots=2, per_type={"etl": 1})) == [1, 3]


def test_the_same_key_is_taken_once_in_one_choice() -> None:
    waiting = [(7, Lane("etl", "db")), (8, Lane("mail", "db")), (9, Lane("mail"))]
    assert choose(waiting, empty_room()) == [7, 9]


def test_each_limit_is_filled_to_the_last_job() -> None:
    assert choose([(n, Lane("etl")) for n in range(9)], empty_room(slots=9, per_type={"etl": 3})) == [0, 1, 2]
    assert choose([(n, Lane("etl", "db")) for n in range(9)], empty_room(slots=9, per_key={"db": 3})) == [0, 1, 2]
    assert choose([(n, Lane("etl")) for n in range(9)], empty_room(slots=3)) == [0, 1, 2]


def test_the_queue_is_not_read_past_the_last_free_slot() -> None:
    def queue() -> Iterator[tuple[int, Lane]]:
        yield 1, Lane("etl")
        raise AssertionError("read past the last free slot")

    assert choose(queue(), empty_room(slots=1)) == [1]


def test_the_queue_is_not_read_at_all_when_nothing_is_free() -> None:
    def queue() -> Iterator[tuple[int, Lane]]:
        raise AssertionError("read without a free slot")
        yield 1, Lane("etl")

    assert choose(queue(), empty_room(slots=0)) == []


@pytest.mark.parametrize("number", [-1, MAX_SLOTS + 1])
def test_limits_out_of_bounds_are_refused(number: int) -> None:
    with pytest.raises(BadInput, match=f"slots is {number}; use 0 to 1,000"):
        Limits(number)
    with pytest.raises(BadInput, match=f"the limit for type etl is {number}; use 0 to 1,000"):
        Limits(1, {"etl": number})
    with pytest.raises(BadInput, match=f"the limit for concurrency key db is {number}"):
        Limits(1, per_key={"db": number})
    with pytest.raises(BadInput, match=f"the limit for concurrency keys is {number}"):
        Limits(1, per_key_default=number)


def test_the_bounds_of_limits_are_allowed() -> None:
    for number in (0, 1_000):
        limits = Limits(number, {"etl": number}, number, {"db": number})
        assert (limits.slots, limits.per_type["etl"], limits.of_key("db"), limits.of_key("x")) == (number,) * 4


def test_limits_do_not_change_with_the_mapping_they_were_made_from() -> None:
    per_type = {"etl": 1}
    limits = Limits(4, per_type)
    per_type["etl"] = 99
    assert limits.per_type["etl"] == 1


@given(
    st.lists(lanes, max_size=6),
    st.lists(lanes, max_size=30),
    st.integers(0, 8),
    st.dictionaries(st.sampled_from(["etl", "mail"]), st.integers(0, 4)),
    st.dictionaries(st.sampled_from(["db"]), st.integers(0, 4)),
)
def test_what_is_chosen_keeps_every_limit_and_what_is_left_would_break_one(
    running: list[Lane], waiting: list[Lane], slots: int, per_type: dict[str, int], per_key: dict[str, int]
) -> None:
    room = Room(Limits(slots, per_type, per_key=per_key), Usage.of(running))
    chosen = choose(list(enumerate(waiting)), room)

    now = list(running)
    expected = []
    for number, lane in enumerate(waiting):
        types = Counter(each.job_type for each in now)
        keys = Counter(each.concurrency_key for each in now)
        blocked = (
            len(now) >= slots
            or types[lane.job_type] >= per_type.get(lane.job_type, len(now) + 1)
            or (lane.concurrency_key != "" and keys[lane.concurrency_key] >= per_key.get(lane.concurrency_key, 1))
        )
        if not blocked:
            now.append(lane)
            expected.append(number)
    assert chosen == expected
