"""Instants: what people may type, what they are shown, and what wall time means in real time."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.refusals import BadInput
from core.when import (
    EARLIEST,
    LATEST,
    as_utc,
    iso,
    parse_instant,
    parse_zone,
    quoted,
    resolve_wall,
    wall_at,
)
from tests.core.effort import at_once

PARIS = ZoneInfo("Europe/Paris")
NOW = datetime(2026, 1, 14, 12, 0, tzinfo=UTC)
"""A Wednesday, 13:00 in Paris."""
MICROSECOND = timedelta(microseconds=1)

instants = st.datetimes(datetime(1970, 1, 2), datetime(9998, 12, 30), timezones=st.just(UTC))
zones = st.sampled_from(["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "America/Havana", "Pacific/Apia"])


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", "2026-01-14T12:00"),
        ("10m", "2026-01-14T12:10"),
        ("in 1h30m", "2026-01-14T13:30"),
        ("+2d", "2026-01-16T12:00"),
        ("18:00", "2026-01-14T17:00"),
        ("at 9am", "2026-01-15T08:00"),
        ("13:00", "2026-01-15T12:00"),
        ("13:00:01", "2026-01-14T12:00:01"),
        ("12am", "2026-01-14T23:00"),
        ("12:30 pm", "2026-01-15T11:30"),
        ("today 6:00", "2026-01-14T05:00"),
        ("tomorrow 6:00", "2026-01-15T05:00"),
        ("Tomorrow  at 6PM", "2026-01-15T17:00"),
        ("tomorrow", "2026-01-14T23:00"),
        ("mon 9:00", "2026-01-19T08:00"),
        ("wednesday 9:00", "2026-01-21T08:00"),
        ("wed 14:00", "2026-01-14T13:00"),
        ("2031-05-01", "2031-04-30T22:00"),
        ("2031-05-01T09:00", "2031-05-01T07:00"),
        ("2031-05-01 09:00:30.5", "2031-05-01T07:00:30.500000"),
        ("2031-05-01T09:00Z", "2031-05-01T09:00"),
        ("2031-05-01t09:00 z", "2031-05-01T09:00"),
        ("2031-05-01T09:00+05:30", "2031-05-01T03:30"),
        ("2031-05-01T09:00-0800", "2031-05-01T17:00"),
        ("@1700000000", "2023-11-14T22:13:20"),
    ],
)
def test_an_instant_is_what_a_person_in_that_zone_means(text: str, expected: str) -> None:
    assert parse_instant(text, NOW, PARIS) == at(expected)


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "9", "2030", "25:00", "24:00", "12:60", "13pm", "0am", "am", "6:0", "tomorrow tomorrow",
        "next monday", "mo 9:00", "yesterday", "2026-02-30", "2026-13-01", "2026-1-1", "20260101", "2026-W01-1",
        "2026-01-01T24:00", "2026-01-01T00:00:60Z",
        "2026-01-01T10:00+99:99", "2026-01-01T10:00 Europe/Paris", "@", "@1e5", "@-1", "@nan", "\x00",
        "２０３１-05-01", "\ud800", "today\x1b[2J", "1d 6:00", "tomorrow " * 50_000, "9" * 1000,
    ],
)  # fmt: skip
def test_what_is_no_instant_is_refused_at_once_with_some_that_are(text: str) -> None:
    with at_once(), pytest.raises(BadInput) as refusal:
        parse_instant(text, NOW, PARIS)
    assert "try 18:00, tomorrow 6:00, mon 9:00, in 10m or 2031-05-01T09:00Z" in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 250


@pytest.mark.parametrize(
    "text", ["1969-12-31", "0001-01-01", "9999-12-31T23:59", "1970-01-01T00:00+14:00", "@999999999999", f"@{'9' * 60}"]
)
def test_an_instant_outside_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="use the years 1970 to 9998"):
        parse_instant(text, NOW, PARIS)


@given(st.text(max_size=70) | st.text("0123456789:-+TtZz @.inamptomrwhsd", max_size=40), zones)
def test_any_text_is_an_instant_in_the_calendar_or_refused_in_one_line(text: str, zone: str) -> None:
    try:
        said = iso(parse_instant(text, NOW, ZoneInfo(zone)))
        assert EARLIEST <= datetime.fromisoformat(said) <= LATEST
    except BadInput as refusal:
        said = str(refusal)
    assert said.isprintable()


@pytest.mark.parametrize(
    ("zone", "text", "expected"),
    [
        ("Europe/Paris", "2026-03-29 02:30", "2026-03-29T01:00"),
        ("America/New_York", "2026-03-08T02:00", "2026-03-08T07:00"),
        ("Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-03T15:30"),
        ("America/Havana", "2026-03-08", "2026-03-08T05:00"),
        ("Pacific/Apia", "2011-12-30 15:00", "2011-12-30T10:00"),
    ],
)
def test_a_wall_time_that_does_not_exist_is_the_first_instant_after_the_gap(
    zone: str, text: str, expected: str
) -> None:
    assert parse_instant(text, NOW, ZoneInfo(zone)) == at(expected)


@pytest.mark.parametrize(
    ("zone", "text", "expected"),
    [
        ("Europe/Paris", "2026-10-25 02:30", "2026-10-25T00:30"),
        ("America/New_York", "2026-11-01 01:30", "2026-11-01T05:30"),
        ("Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-04T14:45"),
    ],
)
def test_a_wall_time_that_occurs_twice_is_the_first_of_them(zone: str, text: str, expected: str) -> None:
    assert parse_instant(text, NOW, ZoneInfo(zone)) == at(expected)


def test_tomorrow_and_a_bare_clock_time_cross_a_change_of_the_clocks() -> None:
    eve = at("2026-03-28T12:00")
    assert parse_instant("tomorrow 6:00", eve, PARIS) == at("2026-03-29T04:00")
    assert parse_instant("2:30", eve, PARIS) == at("2026-03-29T01:00")
    assert parse_instant("24h", eve, PARIS) == at("2026-03-29T12:00")


def test_a_clock_time_in_the_second_pass_of_an_overlap_is_tomorrows() -> None:
    assert parse_instant("2:30", at("2026-10-25T01:15"), PARIS) == at("2026-10-26T01:30")


def test_a_weekday_that_a_zone_left_out_is_that_of_the_next_week() -> None:
    apia = ZoneInfo("Pacific/Apia")
    after_the_gap = at("2011-12-30T12:00")
    assert parse_instant("fri 9:00", after_the_gap, apia) == at("2012-01-05T19:00")


@given(instants, zones)
def test_an_instant_written_as_iso_reads_back_the_same(instant: datetime, zone: str) -> None:
    assert parse_instant(iso(instant), NOW, ZoneInfo(zone)) == instant
    assert iso(instant.astimezone(ZoneInfo(zone))) == iso(instant)


@given(instants.map(lambda each: each.replace(microsecond=0)), zones)
def test_a_wall_time_leads_back_to_an_instant_at_which_the_clock_shows_it(instant: datetime, zone: str) -> None:
    there = ZoneInfo(zone)
    wall = wall_at(instant, there)
    resolved = resolve_wall(wall, there)
    assert resolved <= instant
    assert wall_at(resolved, there) == wall


@given(st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1)), zones)
def test_every_wall_time_has_its_instant_and_none_before_it_has_passed_it(wall: datetime, zone: str) -> None:
    there = ZoneInfo(zone)
    resolved = resolve_wall(wall, there)
    assert wall_at(resolved, there) >= wall
    assert wall_at(resolved - MICROSECOND, there) < wall


def test_iso_is_utc_and_short() -> None:
    assert iso(datetime(2031, 5, 1, 9, 0, tzinfo=timezone(timedelta(hours=2)))) == "2031-05-01T07:00:00Z"
    assert iso(datetime(2031, 5, 1, 9, 0, 0, 250_000, tzinfo=UTC)) == "2031-05-01T09:00:00.250000Z"


def test_an_instant_without_a_zone_is_a_mistake_that_shows() -> None:
    for mistaken in (as_utc, iso):
        with pytest.raises(ValueError, match="needs a time zone"):
            mistaken(datetime(2031, 5, 1))


@pytest.mark.parametrize("name", ["Europe/Paris", "UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires"])
def test_a_zone_goes_by_its_iana_name(name: str) -> None:
    assert parse_zone(name).key == name


@pytest.mark.parametrize(
    "name",
    ["", "Europe", "../../etc/passwd", "/etc/passwd", "A/B\x00", "posix/UTC", "right/UTC", "localtime", "a" * 100_000],
)
def test_no_file_beside_the_zones_is_taken_for_one(name: str) -> None:
    with at_once(), pytest.raises(BadInput) as refusal:
        parse_zone(name)
    assert "is not a time zone" in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_a_misspelt_zone_is_met_with_the_one_that_was_meant() -> None:
    for misspelt in ("europe/paris", "Europe/Pariss", "Europ/Paris"):
        with pytest.raises(BadInput, match=r"did you mean Europe/Paris\?"):
            parse_zone(misspelt)


def test_quoted_text_stays_on_one_line_and_ends() -> None:
    assert quoted("a\nb\x1b[31m") == '"a�b�[31m"'
    assert quoted("x" * 64) == f'"{"x" * 64}"'
    assert quoted("x" * 65) == f'"{"x" * 64}…"'
