"""Cron through every kind of clock change: fixed times once each, wildcards in real time."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise, takewhile
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from core.cron import Cron
from core.refusals import BadInput
from tests.core.test_cron import EXPRESSIONS

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)

CHANGES = {
    "Europe/Paris": ["2026-03-29T01:00", "2026-10-25T01:00"],
    "America/New_York": ["2026-03-08T07:00", "2026-11-01T06:00"],
    "Australia/Lord_Howe": ["2026-04-04T15:00", "2026-10-03T15:30"],
    "America/Sao_Paulo": ["2018-02-18T02:00", "2018-11-04T03:00"],
    "America/Havana": ["2026-03-08T05:00", "2026-11-01T05:00"],
    "America/St_Johns": ["2010-03-14T03:31", "2010-11-07T02:31"],
    "Antarctica/Casey": ["2020-10-03T16:01", "2021-03-13T13:00"],
    "Pacific/Apia": ["2011-12-30T10:00"],
}
"""Instants at which clocks change: by an hour, half of one, three, a whole day; at night, at midnight, just after."""


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def wall_at(instant: datetime, zone: ZoneInfo) -> datetime:
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def fired(zone: str, expression: str, after: str, until: str) -> list[datetime]:
    return list(Cron.parse(expression, ZoneInfo(zone)).between(utc(after), utc(until), 10_000))


@pytest.mark.parametrize(("zone", "change"), [(zone, at) for zone, ats in CHANGES.items() for at in ats])
def test_the_changes_that_these_tests_rest_on_are_real(zone: str, change: str) -> None:
    before, after = (at.astimezone(ZoneInfo(zone)).utcoffset() for at in (utc(change) - MINUTE, utc(change)))
    assert before != after


@pytest.mark.parametrize(
    ("zone", "expression", "after", "until", "expected"),
    [
        ("Europe/Paris", "30 2 * * *", "2026-03-28T00:00", "2026-03-31T00:00",
         ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]),
        ("America/New_York", "30 2 * * *", "2026-03-07T12:00", "2026-03-09T12:00",
         ["2026-03-08T07:00", "2026-03-09T06:30"]),
        ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00", "2026-10-05T00:00",
         ["2026-10-03T15:30", "2026-10-04T15:15"]),
        ("America/Sao_Paulo", "0 0 * * *", "2018-11-03T12:00", "2018-11-05T12:00",
         ["2018-11-04T03:00", "2018-11-05T02:00"]),
        ("America/Havana", "30 0 * * *", "2026-03-07T12:00", "2026-03-09T12:00",
         ["2026-03-08T05:00", "2026-03-09T04:30"]),
        ("Antarctica/Casey", "0 2 * * *", "2020-10-03T00:00", "2020-10-05T00:00",
         ["2020-10-03T16:01", "2020-10-04T15:00"]),
        ("Pacific/Apia", "0 9 * * *", "2011-12-29T00:00", "2012-01-01T00:00",
         ["2011-12-29T19:00", "2011-12-30T10:00", "2011-12-30T19:00", "2011-12-31T19:00"]),
    ],
)  # fmt: skip
def test_a_wall_time_that_dst_skips_runs_at_the_first_instant_after_the_gap(
    zone: str, expression: str, after: str, until: str, expected: list[str]
) -> None:
    assert fired(zone, expression, after, until) == [utc(at) for at in expected]


@pytest.mark.parametrize(
    ("zone", "expression", "after", "until", "expected"),
    [
        ("Europe/Paris", "30 2 * * *", "2026-10-24T12:00", "2026-10-26T12:00",
         ["2026-10-25T00:30", "2026-10-26T01:30"]),
        ("America/New_York", "30 1 * * *", "2026-10-31T12:00", "2026-11-02T12:00",
         ["2026-11-01T05:30", "2026-11-02T06:30"]),
        ("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T00:00", "2026-04-06T00:00",
         ["2026-04-04T14:45", "2026-04-05T15:15"]),
        ("America/Sao_Paulo", "30 23 * * *", "2018-02-17T12:00", "2018-02-19T12:00",
         ["2018-02-18T01:30", "2018-02-19T02:30"]),
        ("America/St_Johns", "0 0 * * *", "2010-11-06T12:00", "2010-11-08T12:00",
         ["2010-11-07T02:30", "2010-11-08T03:30"]),
    ],
)  # fmt: skip
def test_a_wall_time_that_occurs_twice_runs_once_at_its_first(
    zone: str, expression: str, after: str, until: str, expected: list[str]
) -> None:
    assert fired(zone, expression, after, until) == [utc(at) for at in expected]


@pytest.mark.parametrize("expression", ["0,30 2 * * *", "0,30 2,3 * * *", "1-59/7 2 * * *"])
def test_fixed_times_in_the_same_gap_run_as_one(expression: str) -> None:
    after_the_gap = utc("2026-03-29T01:00")
    found = fired("Europe/Paris", expression, "2026-03-29T00:00", "2026-03-29T01:01")
    assert found == [after_the_gap]
    assert Cron.parse(expression, ZoneInfo("Europe/Paris")).next_after(after_the_gap) > after_the_gap


def test_a_start_in_the_second_pass_of_an_overlap_does_not_go_back_to_the_first() -> None:
    second_pass = utc("2026-10-25T01:15")
    assert Cron.parse("30 2 * * *", ZoneInfo("Europe/Paris")).next_after(second_pass) == utc("2026-10-26T01:30")


@pytest.mark.parametrize(
    ("zone", "expression", "after", "until", "expected"),
    [
        ("Europe/Paris", "30 * * * *", "2026-03-29T00:00", "2026-03-29T03:00",
         ["2026-03-29T00:30", "2026-03-29T01:30", "2026-03-29T02:30"]),
        ("Europe/Paris", "*/30 2 * * *", "2026-03-28T12:00", "2026-03-30T12:00",
         ["2026-03-30T00:00", "2026-03-30T00:30"]),
        ("Europe/Paris", "*/30 2 * * *", "2026-10-24T12:00", "2026-10-25T12:00",
         ["2026-10-25T00:00", "2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30"]),
        ("Australia/Lord_Howe", "*/30 * * * *", "2026-10-03T14:30", "2026-10-03T16:30",
         ["2026-10-03T15:00", "2026-10-03T15:30", "2026-10-03T16:00", "2026-10-03T16:30"]),
        ("Australia/Lord_Howe", "0 * * * *", "2026-04-04T13:30", "2026-04-04T17:00",
         ["2026-04-04T14:00", "2026-04-04T15:30", "2026-04-04T16:30"]),
        ("America/Sao_Paulo", "0 */6 * * *", "2018-11-03T12:00", "2018-11-04T12:00",
         ["2018-11-03T15:00", "2018-11-03T21:00", "2018-11-04T08:00"]),
        ("America/St_Johns", "*/30 23 * * sat", "2010-11-07T01:00", "2010-11-07T05:00",
         ["2010-11-07T01:30", "2010-11-07T02:00", "2010-11-07T03:00"]),
        ("Pacific/Apia", "* * 30 12 *", "2011-12-29T00:00", "2012-01-01T00:00", []),
    ],
)  # fmt: skip
def test_a_wildcard_follows_real_time(zone: str, expression: str, after: str, until: str, expected: list[str]) -> None:
    assert fired(zone, expression, after, until) == [utc(at) for at in expected]


@pytest.mark.parametrize("zone", CHANGES)
def test_an_hourly_job_never_waits_longer_than_the_clock_change_makes_it(zone: str) -> None:
    for change in CHANGES[zone]:
        found = Cron.parse("0 * * * *", ZoneInfo(zone)).between(utc(change) - 30 * HOUR, utc(change) + 30 * HOUR, 99)
        assert all(HOUR / 2 <= later - earlier < 2 * HOUR for earlier, later in pairwise(found))


def _by_the_minute(expression: str, zone: ZoneInfo, after: datetime, until: datetime) -> Iterator[datetime]:
    """The same promise kept by patience: look at the clock on the wall every minute."""
    start = after - timedelta(days=2)
    walls = list(takewhile(lambda wall: wall <= wall_at(until, zone) + timedelta(days=2),
                           CronSim(expression, wall_at(start, zone) - MINUTE)))  # fmt: skip
    is_fixed = not any(field.startswith("*") for field in expression.split()[:2])
    waiting, named = walls[::-1], set(walls)
    for minute in range((until - start) // MINUTE + 1):
        instant = start + minute * MINUTE
        wall = wall_at(instant, zone)
        fires = wall in named
        if is_fixed:
            fires = bool(waiting) and waiting[-1] <= wall
            while waiting and waiting[-1] <= wall:
                waiting.pop()
        if fires and after < instant:
            yield instant


@pytest.mark.parametrize(("zone", "change"), [(zone, at) for zone, ats in CHANGES.items() for at in ats])
@pytest.mark.parametrize(
    "expression",
    [
        "30 2 * * *", "0 0 * * *", "15,45 0-3 * * *", "30 23 * * *", "0 0,1,2,3 * * *", "59 23 * * sat,sun",
        "*/20 * * * *", "0 * * * *", "0 */6 * * *", "*/30 2 * * *", "10 * */2 * *", "* 23 * * sat", "*/7 */5 * * *",
        "*/20 */12 */2 mar-nov *",
    ],
)  # fmt: skip
def test_around_a_change_it_fires_when_somebody_watching_the_clock_would(
    zone: str, change: str, expression: str
) -> None:
    after, until = utc(change) - 29 * HOUR, utc(change) + 31 * HOUR
    found = Cron.parse(expression, ZoneInfo(zone)).between(after, until, 10_000)
    assert list(found) == list(_by_the_minute(expression, ZoneInfo(zone), after, until))


AGREED_ZONES = [zone for zone in CHANGES if zone not in ("America/St_Johns", "Antarctica/Casey")]
"""Where an overlap does not begin on the hour, cronsim goes round in circles; the watched clock covers those."""


@pytest.mark.parametrize("zone", [*AGREED_ZONES, "Africa/Cairo", "Asia/Beirut", "Asia/Kathmandu", "UTC"])
@pytest.mark.parametrize(
    "expression",
    ["30 2 * * *", "0 0 * * *", "59 23 L * *", "0 0,1,2,3 * * 5L", "0 * * * *", "5 */3 13 * 5", "*/30 0-3 * * 0,6"],
)
def test_over_years_it_agrees_with_an_independent_cron(zone: str, expression: str) -> None:
    start = datetime(2010, 1, 1, tzinfo=UTC)
    until = start + timedelta(days=4 * 365)
    there = takewhile(lambda at: at <= until, CronSim(expression, start.astimezone(ZoneInfo(zone))))
    found = Cron.parse(expression, ZoneInfo(zone)).between(start, until, 100_000)
    assert len(found) > 40
    assert list(found) == [at.astimezone(UTC) for at in there]


def _independent(expression: str, start: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """What cronsim says, less the midnights that it names although the clocks skip them."""
    for at in CronSim(expression, start):
        wall = wall_at(at.astimezone(UTC), zone)
        if wall == at.replace(tzinfo=None, fold=0) or next(CronSim(expression, wall - MINUTE)) == wall:
            yield at.astimezone(UTC)


@example("*/20 */12 */2 mar-oct *", ZoneInfo("America/Havana"), datetime(2007, 3, 1))
@example("*/20 * */2 mar-oct *", ZoneInfo("America/Havana"), datetime(2007, 3, 10))
@given(
    expression=EXPRESSIONS,
    zone=st.sampled_from(AGREED_ZONES).map(ZoneInfo),
    start=st.datetimes(datetime(1995, 1, 1), datetime(2060, 1, 1)),
)
@settings(deadline=None, max_examples=150)
def test_any_expression_anywhere_agrees_with_an_independent_cron(
    expression: str, zone: ZoneInfo, start: datetime
) -> None:
    try:
        cron = Cron.parse(expression, zone)
    except BadInput:
        assume(False)
    local = start.replace(tzinfo=UTC).astimezone(zone)
    assume(local.fold == 0)
    # cronsim looks for a matching hour in steps of an hour, and so steps over part of it after a half-hour change.
    assume(zone.key != "Australia/Lord_Howe" or not cron.fields.real_time)
    found = list(islice(cron.instants(local), 40))
    assert found == list(islice(_independent(expression, local, zone), 40))
    assert all(earlier < later for earlier, later in pairwise(found))


def _fires(zone: str, expression: str, after: str, count: int) -> list[tuple[str | None, str | None]]:
    return [(fire.dst, fire.note) for fire in Cron.parse(expression, ZoneInfo(zone)).upcoming(utc(after), count)]


def test_a_firing_moved_out_of_a_gap_says_so() -> None:
    assert _fires("Europe/Paris", "30 2 * * *", "2026-03-28T00:00", 3) == [
        (None, None),
        ("gap", "02:30 does not exist that day; runs at 03:00"),
        (None, None),
    ]
    assert _fires("Europe/Paris", "0,30 2 * * *", "2026-03-29T00:00", 1) == [
        ("gap", "02:00 and 02:30 do not exist that day; runs once, at 03:00")
    ]
    assert _fires("Europe/Paris", "0-50/10 2 * * *", "2026-03-29T00:00", 1) == [
        ("gap", "6 times from 02:00 to 02:50 do not exist that day; runs once, at 03:00")
    ]
    assert _fires("Pacific/Apia", "0 9 * * *", "2011-12-30T00:00", 2) == [
        ("gap", "2011-12-30 09:00 does not exist; runs at 2011-12-31 00:00"),
        (None, None),
    ]


def test_a_firing_at_a_repeated_time_says_which_one_it_is() -> None:
    assert _fires("Europe/Paris", "30 2 * * *", "2026-10-24T12:00", 2) == [
        ("overlap", "02:30 occurs twice that day; runs the first time only"),
        (None, None),
    ]
    assert _fires("Europe/Paris", "30 * * * *", "2026-10-25T00:00", 3) == [
        ("overlap", "02:30 occurs twice that day; this is the first"),
        ("overlap", "02:30 occurs twice that day; this is the second"),
        ("overlap", None),
    ]


@pytest.mark.parametrize(
    ("zone", "day", "dst"),
    [
        ("Europe/Paris", "2026-03-29", "gap"),
        ("Europe/Paris", "2026-10-25", "overlap"),
        ("Europe/Paris", "2026-10-26", None),
        ("America/Sao_Paulo", "2018-11-04", "gap"),
        ("America/Sao_Paulo", "2018-02-17", "overlap"),
        ("America/Sao_Paulo", "2018-02-18", None),
        ("Australia/Lord_Howe", "2026-10-04", "gap"),
    ],
)
def test_every_firing_on_a_day_of_change_is_marked_even_far_from_the_change(
    zone: str, day: str, dst: str | None
) -> None:
    noon = datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=ZoneInfo(zone))
    (fire,) = Cron.parse("0 12 * * *", ZoneInfo(zone)).upcoming(noon - HOUR, 1)
    assert (fire.at, fire.wall, fire.dst, fire.note) == (noon, noon.replace(tzinfo=None), dst, None)
