"""Schedules: what is due, what was missed, and what a live job of the same schedule means."""

from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cron import Cron
from core.schedules import DEFAULT_LIMIT, MOST_COUNTED, CatchUp, Due, Overlap, due, overlap_decision
from tests.core.effort import at_once

HOURLY = Cron.parse("0 * * * *", ZoneInfo("UTC"))
NINE = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
MICROSECOND = timedelta(microseconds=1)

every_catch_up = pytest.mark.parametrize("catch_up", list(CatchUp))


@every_catch_up
def test_nothing_is_due_before_its_time(catch_up: CatchUp) -> None:
    found = due(HOURLY, NINE - HOUR, NINE, NINE - MICROSECOND, catch_up)
    assert found == Due((), 0, missed_at_least=False, next_at=NINE)


@every_catch_up
def test_an_instant_fires_at_its_very_microsecond_and_the_next_is_noted(catch_up: CatchUp) -> None:
    found = due(HOURLY, NINE - HOUR, NINE, NINE, catch_up)
    assert found == Due((NINE,), 0, missed_at_least=False, next_at=NINE + HOUR)


@every_catch_up
def test_a_new_schedule_owes_nothing_for_the_time_before_it(catch_up: CatchUp) -> None:
    found = due(HOURLY, None, None, NINE + MINUTE, catch_up)
    assert found == Due((), 0, missed_at_least=False, next_at=NINE + HOUR)


def test_after_downtime_one_fires_the_latest_and_counts_the_rest() -> None:
    found = due(HOURLY, NINE - HOUR, NINE, NINE + 5 * HOUR + MINUTE, CatchUp.ONE)
    assert found == Due((NINE + 5 * HOUR,), 5, missed_at_least=False, next_at=NINE + 6 * HOUR)


def test_after_downtime_all_fires_every_one_oldest_first() -> None:
    found = due(HOURLY, NINE - HOUR, NINE, NINE + 5 * HOUR + MINUTE, CatchUp.ALL)
    expected = tuple(NINE + passed * HOUR for passed in range(6))
    assert found == Due(expected, 0, missed_at_least=False, next_at=NINE + 6 * HOUR)


def test_all_is_bounded_to_the_latest_and_counts_what_it_leaves_out() -> None:
    found = due(HOURLY, NINE - HOUR, NINE, NINE + 9 * HOUR, CatchUp.ALL, limit=3)
    expected = tuple(NINE + passed * HOUR for passed in (7, 8, 9))
    assert found == Due(expected, 7, missed_at_least=False, next_at=NINE + 10 * HOUR)
    assert len(due(HOURLY, NINE - HOUR, NINE, NINE + 999 * HOUR, CatchUp.ALL).fire) == DEFAULT_LIMIT


def test_after_downtime_none_fires_nothing_and_counts_it_all() -> None:
    found = due(HOURLY, NINE - HOUR, NINE, NINE + 5 * HOUR + 2 * MINUTE, CatchUp.NONE)
    assert found == Due((), 6, missed_at_least=False, next_at=NINE + 6 * HOUR)


def test_none_still_fires_what_is_only_as_late_as_the_grace() -> None:
    grace = timedelta(seconds=30)
    on_time = due(HOURLY, NINE - HOUR, NINE, NINE + grace, CatchUp.NONE, grace=grace)
    assert (on_time.fire, on_time.missed) == ((NINE,), 0)
    late = due(HOURLY, NINE - HOUR, NINE, NINE + grace + MICROSECOND, CatchUp.NONE, grace=grace)
    assert (late.fire, late.missed) == ((), 1)


@every_catch_up
def test_what_a_disabled_schedule_slept_through_is_not_owed(catch_up: CatchUp) -> None:
    found = due(HOURLY, NINE, NINE + 10 * HOUR, NINE + 10 * HOUR, catch_up)
    assert (found.fire, found.missed) == ((NINE + 10 * HOUR,), 0)


@every_catch_up
@pytest.mark.parametrize("set_back", [MICROSECOND, MINUTE, HOUR, 30 * HOUR])
def test_a_clock_set_back_never_fires_again_what_has_fired(catch_up: CatchUp, set_back: timedelta) -> None:
    found = due(HOURLY, NINE, NINE + HOUR, NINE - set_back, catch_up)
    assert found == Due((), 0, missed_at_least=False, next_at=NINE + HOUR)


@every_catch_up
def test_even_a_lost_note_of_the_next_trigger_repeats_nothing(catch_up: CatchUp) -> None:
    for next_at in (None, NINE - 5 * HOUR):
        found = due(HOURLY, NINE, next_at, NINE - 3 * HOUR, catch_up)
        assert found == Due((), 0, missed_at_least=False, next_at=NINE + HOUR)


@every_catch_up
def test_a_fixed_time_in_an_overlap_fires_once_though_the_clock_shows_it_twice(catch_up: CatchUp) -> None:
    nightly = Cron.parse("30 2 * * *", ZoneInfo("Europe/Paris"))
    first_pass, second_pass = datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    found = due(nightly, first_pass, first_pass + timedelta(hours=25), second_pass, catch_up)
    assert found == Due((), 0, missed_at_least=False, next_at=datetime(2026, 10, 26, 1, 30, tzinfo=UTC))


@every_catch_up
def test_years_of_downtime_are_dealt_with_at_once(catch_up: CatchUp) -> None:
    minutely = Cron.parse("* * * * *", ZoneInfo("Europe/Paris"))
    with at_once():
        found = due(minutely, NINE, NINE + MINUTE, NINE + timedelta(days=10 * 365), catch_up)
    assert found.missed == MOST_COUNTED
    assert found.missed_at_least


def test_exactly_as_many_as_can_be_counted_are_told_exactly() -> None:
    now = NINE + (MOST_COUNTED - 1) * HOUR + 2 * MINUTE
    found = due(HOURLY, NINE - HOUR, NINE, now, CatchUp.NONE)
    assert (found.missed, found.missed_at_least) == (MOST_COUNTED, False)
    one_more = due(HOURLY, NINE - HOUR, NINE, now + HOUR, CatchUp.NONE)
    assert (one_more.missed, one_more.missed_at_least) == (MOST_COUNTED, True)


@given(
    steps=st.lists(st.timedeltas(timedelta(hours=-30), timedelta(hours=60)), min_size=1, max_size=30),
    expression=st.sampled_from(["0 * * * *", "*/20 * * * *", "30 2 * * *", "15,45 0-3 * * *"]),
    zone=st.sampled_from(["UTC", "Europe/Paris", "Australia/Lord_Howe", "America/Havana"]),
    catch_up=st.sampled_from(CatchUp),
)
@settings(deadline=None)
def test_however_the_clock_jumps_each_instant_fires_at_most_once_in_order(
    steps: list[timedelta], expression: str, zone: str, catch_up: CatchUp
) -> None:
    cron = Cron.parse(expression, ZoneInfo(zone))
    now = datetime(2026, 10, 24, tzinfo=UTC)
    last: datetime | None = None
    next_at: datetime | None = cron.next_after(now)
    fired: list[datetime] = []
    for step in steps:
        now += step
        found = due(cron, last, next_at, now, catch_up)
        fired += found.fire
        last, next_at = (fired[-1] if fired else None), found.next_at
        assert all(at <= now for at in found.fire)
        assert found.next_at > now
    assert fired == sorted(set(fired))


def test_with_all_a_clock_that_only_goes_forward_loses_nothing() -> None:
    last, next_at, fired = None, NINE, list[datetime]()
    for minutes in (1, 50, 59, 60, 200, 200, 473, 900):
        found = due(HOURLY, last, next_at, NINE + minutes * MINUTE, CatchUp.ALL)
        fired += found.fire
        last, next_at = fired[-1], found.next_at
    assert fired == [NINE + passed * HOUR for passed in range(16)]


@pytest.mark.parametrize(
    ("overlap", "running", "waiting", "decision"),
    [
        (Overlap.SKIP, 0, 0, "fire"),
        (Overlap.SKIP, 1, 0, "skip"),
        (Overlap.SKIP, 0, 1, "skip"),
        (Overlap.QUEUE, 0, 0, "fire"),
        (Overlap.QUEUE, 1, 0, "fire"),
        (Overlap.QUEUE, 0, 1, "skip"),
        (Overlap.QUEUE, 1, 1, "skip"),
        (Overlap.ALLOW, 0, 0, "fire"),
        (Overlap.ALLOW, 3, 7, "fire"),
        (Overlap.REPLACE, 0, 0, "fire"),
        (Overlap.REPLACE, 1, 0, "replace"),
        (Overlap.REPLACE, 0, 1, "replace"),
    ],
)
def test_a_live_job_decides_what_becomes_of_the_next(
    overlap: Overlap, running: int, waiting: int, decision: Literal["fire", "skip", "replace"]
) -> None:
    assert overlap_decision(overlap, running, waiting) == decision
