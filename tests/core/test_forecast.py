"""When queued jobs will probably start."""

from datetime import UTC, datetime, timedelta

from core.forecast import Runner, Waiter, forecast
from core.limits import Limits

NOW = datetime(2031, 5, 1, 9, 0, tzinfo=UTC)
USUAL = {"a": timedelta(minutes=10), "b": timedelta(minutes=1)}


def minutes(starts: dict[int, datetime]) -> dict[int, float]:
    return {job: (at - NOW).total_seconds() / 60 for job, at in starts.items()}


def test_free_slots_are_taken_in_order_and_others_wait_for_the_first_end() -> None:
    queue = [Waiter(1, "a"), Waiter(2, "b"), Waiter(3, "b"), Waiter(4, "a")]
    assert minutes(forecast([], queue, Limits(2), USUAL, NOW)) == {1: 0, 2: 0, 3: 1, 4: 2}


def test_what_runs_keeps_its_slot_for_what_is_left_of_its_usual_time() -> None:
    running = [Runner("a", NOW - timedelta(minutes=7))]
    assert minutes(forecast(running, [Waiter(1, "b")], Limits(1), USUAL, NOW)) == {1: 3}


def test_what_has_run_longer_than_usual_ends_any_moment() -> None:
    running = [Runner("b", NOW - timedelta(hours=7))]
    assert forecast(running, [Waiter(1, "b")], Limits(1), USUAL, NOW) == {1: NOW + timedelta(seconds=1)}


def test_held_jobs_are_passed_over_and_have_no_start() -> None:
    queue = [Waiter(1, "a", held=True), Waiter(2, "b")]
    assert minutes(forecast([], queue, Limits(1), USUAL, NOW)) == {2: 0}


def test_a_job_does_not_start_before_its_time() -> None:
    queue = [Waiter(1, "b", not_before=NOW + timedelta(minutes=5)), Waiter(2, "b")]
    assert minutes(forecast([], queue, Limits(1), USUAL, NOW)) == {1: 5, 2: 0}


def test_a_type_at_its_limit_waits_for_its_own_kind() -> None:
    limits = Limits(2, per_type={"a": 1})
    queue = [Waiter(1, "a"), Waiter(2, "a"), Waiter(3, "b"), Waiter(4, "b")]
    assert minutes(forecast([], queue, limits, USUAL, NOW)) == {1: 0, 2: 10, 3: 0, 4: 1}


def test_a_job_whose_time_has_not_come_keeps_no_place_of_its_type() -> None:
    queue = [Waiter(1, "a", not_before=NOW + timedelta(minutes=30)), Waiter(2, "a"), Waiter(3, "a")]
    assert minutes(forecast([], queue, Limits(1, per_type={"a": 1}), USUAL, NOW)) == {1: 30, 2: 0, 3: 10}


def test_a_job_whose_time_comes_is_first_again() -> None:
    queue = [Waiter(1, "b", not_before=NOW + timedelta(minutes=5)), Waiter(2, "a"), Waiter(3, "a")]
    assert minutes(forecast([], queue, Limits(1), USUAL, NOW)) == {1: 10, 2: 0, 3: 11}


def test_a_job_that_runs_for_nobody_knows_how_long_keeps_its_slot() -> None:
    running = [Runner("new", NOW)]
    queue = [Waiter(1, "b"), Waiter(2, "b")]
    assert minutes(forecast(running, queue, Limits(2), {"b": timedelta(minutes=1)}, NOW)) == {1: 0, 2: 1}


def test_with_fewer_slots_than_run_the_first_to_end_makes_no_room() -> None:
    running = [Runner("a", NOW), Runner("b", NOW)]
    assert minutes(forecast(running, [Waiter(1, "b")], Limits(1), USUAL, NOW)) == {1: 10}


def test_a_type_that_may_not_run_at_all_has_no_start() -> None:
    limits = Limits(1, per_type={"a": 0})
    assert minutes(forecast([], [Waiter(1, "a"), Waiter(2, "b")], limits, USUAL, NOW)) == {2: 0}


def test_a_type_that_never_ran_is_taken_to_be_as_long_as_the_middle_one() -> None:
    usual = {**USUAL, "c": timedelta(minutes=3)}
    queue = [Waiter(1, "b"), Waiter(2, "new"), Waiter(3, "b")]
    assert minutes(forecast([], queue, Limits(1), usual, NOW)) == {1: 0, 2: 1, 3: 4}


def test_when_nothing_is_known_only_the_free_slots_are() -> None:
    assert minutes(forecast([], [Waiter(1, "b"), Waiter(2, "b")], Limits(1), {}, NOW)) == {1: 0}


def test_without_slots_nothing_starts() -> None:
    assert forecast([], [Waiter(1, "b")], Limits(0), USUAL, NOW) == {}
