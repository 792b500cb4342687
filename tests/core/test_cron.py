"""Cron expressions: what is understood, what is refused, and which days and times they name."""

import calendar
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice, pairwise, product
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim, CronSimError
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cron import Cron
from core.refusals import BadInput
from tests.core.effort import at_once

UTC_ZONE = ZoneInfo("UTC")
START = datetime(2026, 1, 1, tzinfo=UTC)


def cron(expression: str) -> Cron:
    return Cron.parse(expression, UTC_ZONE)


def days(expression: str, year: int) -> list[date]:
    """The dates of one year on which an expression fires."""
    after, until = datetime(year, 1, 1, tzinfo=UTC) - timedelta(seconds=1), datetime(year, 12, 31, 23, 59, tzinfo=UTC)
    return sorted({at.date() for at in cron(expression).between(after, until, 600_000)})


def every_day(year: int) -> Iterator[date]:
    return (date(year, 1, 1) + timedelta(days=day) for day in range(366 if calendar.isleap(year) else 365))


@pytest.mark.parametrize(
    ("alias", "spelled_out"),
    [
        ("@hourly", "0 * * * *"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"),
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        ("@DAILY", "0 0 * * *"),
    ],
)
def test_an_alias_fires_as_the_expression_it_stands_for(alias: str, spelled_out: str) -> None:
    until = START + timedelta(days=800)
    assert cron(alias).between(START, until, 20_000) == cron(spelled_out).between(START, until, 20_000)
    assert cron(alias).fields.real_time == cron(spelled_out).fields.real_time


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0 0 * jan,DEC *", "0 0 * 1,12 *"),
        ("0 0 * * Mon-Fri", "0 0 * * 1-5"),
        ("0 0 * * 7", "0 0 * * 0"),
        ("0 0 * * fri-sun", "0 0 * * 5,6,0"),
        ("0 0 * * 5-7", "0 0 * * 5,6,0"),
        ("0 0 * * 7-2", "0 0 * * 0,1,2"),
        ("0 0 * * sun-sun", "0 0 * * 0"),
        ("0 9-9 * * *", "0 9 * * *"),
        ("0 9-9/2 * * *", "0 9 * * *"),
        ("30/10 * * * *", "30,40,50 * * * *"),
        ("0 0 * * 1/2", "0 0 * * 1,3,5,0"),
        ("  05   09 * *\t*  ", "5 9 * * *"),
        ("*/90 * * * *", "0 * * * *"),
        ("0 0 * * 7L", "0 0 * * sunl"),
        ("0 0 * * 7#2", "0 0 * * SUN#2"),
    ],
)
def test_two_spellings_of_the_same_times_fire_alike(one: str, other: str) -> None:
    until = START + timedelta(days=400)
    found = cron(one).between(START, until, 50_000)
    assert found
    assert found == cron(other).between(START, until, 50_000)


@pytest.mark.parametrize(("low", "step"), list(product(range(7), range(1, 9))))
def test_a_stepped_range_of_weekdays_that_ends_on_sunday_takes_every_nth_day(low: int, step: int) -> None:
    wanted = {day % 7 for day in range(low, 8, step)}
    assert {day.isoweekday() % 7 for day in days(f"0 0 * * {low}-7/{step}", 2026)} == wanted


def test_both_day_fields_set_means_either_of_them() -> None:
    wanted = [day for day in every_day(2026) if day.day == 13 or day.weekday() == calendar.FRIDAY]
    assert days("0 0 13 * fri", 2026) == wanted


def test_a_day_field_that_begins_with_a_star_must_match_as_well() -> None:
    wanted = [day for day in every_day(2026) if day.day % 2 == 1 and day.weekday() == calendar.MONDAY]
    assert days("0 0 */2 * mon", 2026) == wanted
    wanted = [day for day in every_day(2026) if day.day == 13 and day.isoweekday() % 7 in {0, 3, 6}]
    assert days("0 0 13 * */3", 2026) == wanted


def test_l_is_the_last_day_of_every_month() -> None:
    for year in (2027, 2028):
        assert days("0 0 L * *", year) == [
            date(year, month, calendar.monthrange(year, month)[1]) for month in range(1, 13)
        ]


def test_a_weekday_with_a_number_or_l_is_that_one_of_the_month() -> None:
    for year in (2026, 2028):
        fridays = [day for day in every_day(year) if day.weekday() == calendar.FRIDAY]
        by_month = [[day for day in fridays if day.month == month] for month in range(1, 13)]
        assert days("0 0 * * fri#2", year) == [of_month[1] for of_month in by_month]
        assert days("0 0 * * fri#5", year) == [of_month[4] for of_month in by_month if len(of_month) == 5]
        assert days("0 0 * * friL", year) == [of_month[-1] for of_month in by_month]
        assert days("0 0 * * fri#1,fril", year) == sorted(
            day for of_month in by_month for day in (of_month[0], of_month[-1])
        )


def test_leap_day_fires_in_leap_years_only() -> None:
    found = cron("0 0 29 2 *").between(datetime(2088, 1, 1, tzinfo=UTC), datetime(2112, 12, 31, tzinfo=UTC), 99)
    assert [at.year for at in found] == [2088, 2092, 2096, 2104, 2108, 2112]
    assert {(at.month, at.day) for at in found} == {(2, 29)}


def test_leap_day_or_a_monday_fires_on_every_monday_of_february_too() -> None:
    assert days("0 0 29 2 1", 2028) == [date(2028, 2, day) for day in (7, 14, 21, 28, 29)]


@pytest.mark.parametrize("expression", ["0 0 29 2 */7", "0 0 * 2 sun#5"])
def test_a_day_that_comes_once_in_forty_years_is_found_at_once(expression: str) -> None:
    years = [y for y in range(2026, 2200) if calendar.isleap(y) and date(y, 2, 29).weekday() == calendar.SUNDAY]
    assert max(later - earlier for earlier, later in pairwise(years)) == 40
    with at_once():
        found = list(islice(cron(expression).instants(START), len(years)))
    assert [at.date() for at in found] == [date(year, 2, 29) for year in years]


def test_an_impossible_date_beside_a_possible_weekday_is_allowed() -> None:
    assert days("0 0 30 2 mon", 2026) == [date(2026, 2, day) for day in (2, 9, 16, 23)]


def test_every_value_of_every_field_may_be_written_out() -> None:
    written = " ".join(
        ",".join(map(str, values)) for values in (range(60), range(24), range(1, 32), range(1, 13), range(7))
    )
    assert cron(written).next_after(START) == START + timedelta(minutes=1)


def _terms(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    step = st.integers(1, high)
    spans = st.tuples(number, number).map(sorted)
    # cronsim takes a step over a range of one value to run on to the end of the field.
    wide = spans.filter(lambda span: span[0] < span[1])
    return st.one_of(
        number.map(str),
        spans.map(lambda span: f"{span[0]}-{span[1]}"),
        st.tuples(wide, step).map(lambda both: f"{both[0][0]}-{both[0][1]}/{both[1]}"),
        st.tuples(number, step).map(lambda both: f"{both[0]}/{both[1]}"),
    )


def _field(low: int, high: int) -> st.SearchStrategy[str]:
    return st.one_of(
        st.just("*"),
        st.integers(1, high).map(lambda step: f"*/{step}"),
        st.lists(_terms(low, high), min_size=1, max_size=3).map(",".join),
    )


EXPRESSIONS = st.tuples(
    _field(0, 59),
    _field(0, 23),
    _field(1, 31) | st.sampled_from(["L", "L,15"]),
    _field(1, 12) | st.sampled_from(["jan", "FEB", "mar-oct"]),
    _field(0, 7) | st.sampled_from(["mon", "tue,sat", "1#2", "5L", "0#1,7#5", "mon-fri"]),
).map(" ".join)


@given(expression=EXPRESSIONS, start=st.datetimes(datetime(1990, 1, 1), datetime(2095, 1, 1)))
@settings(deadline=None, max_examples=150)
def test_without_clock_changes_it_fires_when_an_independent_cron_does(expression: str, start: datetime) -> None:
    start = start.replace(tzinfo=UTC)
    try:
        parsed = cron(expression)
    except BadInput:
        with pytest.raises((CronSimError, StopIteration)):
            next(CronSim(expression, start))
        return
    assert list(islice(parsed.instants(start), 30)) == list(islice(CronSim(expression, start), 30))


def test_the_next_firing_is_strictly_later_to_the_microsecond() -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    for expression in ("0 12 * * *", "0 * * * *"):
        assert cron(expression).next_after(noon - timedelta(microseconds=1)) == noon
        assert cron(expression).next_after(noon) > noon


def test_an_instant_without_a_zone_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="time zone"):
        cron("@daily").next_after(START.replace(tzinfo=None))


def test_between_leaves_out_its_start_and_takes_in_its_end() -> None:
    hour = timedelta(hours=1)
    assert cron("@hourly").between(START, START + 3 * hour, 10) == (START + hour, START + 2 * hour, START + 3 * hour)
    assert cron("@hourly").between(START, START + 3 * hour, 2) == (START + hour, START + 2 * hour)
    assert cron("@hourly").between(START, START, 10) == ()
    assert cron("@hourly").between(START, START - hour, 10) == ()


@pytest.mark.parametrize("expression", ["* * * * *", "7 */5 * * *", "0 3 * * mon", "0 0 1 * *", "0 0 29 2 *"])
@pytest.mark.parametrize("limit", [1, 7, 100])
def test_the_latest_are_the_end_of_all_that_lie_between(expression: str, limit: int) -> None:
    until = START + timedelta(days=61, minutes=3)
    for after in (START, START - timedelta(days=1000), until - timedelta(minutes=5), until, until + timedelta(1)):
        every = cron(expression).between(after, until, 2_000_000)
        assert cron(expression).latest(after, until, limit) == every[-limit:]


def test_upcoming_tells_as_many_as_were_asked_for() -> None:
    fires = cron("30 2 * * *").upcoming(START, 3)
    assert [fire.at for fire in fires] == [datetime(2026, 1, day, 2, 30, tzinfo=UTC) for day in (1, 2, 3)]
    assert all(fire.dst is None and fire.note is None for fire in fires)
    assert [fire.wall for fire in fires] == [fire.at.replace(tzinfo=None) for fire in fires]


def test_each_of_a_year_of_minutes_takes_a_few_calls() -> None:
    parsed, year = Cron.parse("* * * * *", ZoneInfo("Europe/Paris")), 365 * 24 * 60
    with at_once(most=20 * year):
        found = sum(1 for _ in islice(parsed.instants(START), year))
    assert found == year


def test_the_calendar_ends_with_a_sentence_and_not_with_a_crash() -> None:
    for expression in ("0 0 29 2 *", "* * 29 2 *"):
        with pytest.raises(BadInput, match="does not fire before the year 9999"):
            cron(expression).next_after(datetime(9997, 1, 1, tzinfo=UTC))
        assert cron(expression).upcoming(datetime(9999, 12, 31, tzinfo=UTC), 5) == ()
