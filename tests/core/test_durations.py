"""Lengths of time: what people may type, and what they are shown."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.refusals import BadInput
from core.when import LONGEST, exact_duration, format_duration, format_relative, parse_duration

NOW = datetime(2026, 1, 14, 12, 0, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

lengths = st.timedeltas(timedelta(0), LONGEST)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90),
        ("0", 0),
        ("10m", 600),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("1.5h", 5400),
        ("  2D ", 172_800),
        ("1w1d", 691_200),
        ("500ms", 0.5),
        ("2.25s", 2.25),
        ("1 hour 30 minutes", 5400),
        ("3 weeks", 1_814_400),
        ("1d2h3m4s5ms", 93_784.005),
    ],
)
def test_a_duration_means_what_it_says(text: str, seconds: float) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "-5m", "+5m", "m", "ms", "1m1h", "1h1h", "1h30", ".5h", "5.", "1.5.5h", "1e3", "1_000s",
        "0x10", "1h,30m", "5 fortnights", "inf", "nan", "١m", "５m", "5\nm", "5m\x00", "\x1b[31m5m", "\ud800", "9" * 65,
        "1h" * 100_000, "1 " * 40,
    ],
)  # fmt: skip
def test_what_is_no_duration_is_refused_with_one_that_is(text: str) -> None:
    with pytest.raises(BadInput) as refusal:
        parse_duration(text)
    assert "try 90s, 10m, 1h30m or 2d" in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("text", ["3654d", "522w", "99999999h", "9" * 60 + "w", "3653d1ms"])
def test_a_duration_of_more_than_ten_years_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="at most 3653 days"):
        parse_duration(text)
    assert parse_duration("3653d") == LONGEST


@pytest.mark.parametrize(
    ("length", "written"),
    [
        (timedelta(0), "0s"),
        (timedelta(days=7), "7d"),
        (timedelta(hours=25), "25h"),
        (timedelta(seconds=90), "90s"),
        (timedelta(milliseconds=1500), "1500ms"),
        (MICROSECOND, "0.001ms"),
        (-MICROSECOND, "-0.001ms"),
        (timedelta(minutes=-90), "-90m"),
    ],
)
def test_an_exact_duration_is_whole_in_its_largest_unit(length: timedelta, written: str) -> None:
    assert exact_duration(length) == written


@given(lengths)
@example(timedelta(days=3652, seconds=86_399, microseconds=999_999))
def test_an_exact_duration_loses_nothing(length: timedelta) -> None:
    assert parse_duration(exact_duration(length)) == length


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0s"),
        (0.0004, "0s"),
        (0.25, "250ms"),
        (1, "1s"),
        (1.29, "1.2s"),
        (9.99, "9.9s"),
        (59.9, "59s"),
        (60, "1m"),
        (5400, "1h30m"),
        (3605, "1h"),
        (86_399, "23h59m"),
        (187_200, "2d4h"),
        (-90, "-1m30s"),
    ],
)
def test_a_shown_duration_has_two_units_at_most(seconds: float, shown: str) -> None:
    assert format_duration(timedelta(seconds=seconds)) == shown


@given(lengths)
def test_a_shown_duration_is_never_longer_than_it_was_and_close_to_it(length: timedelta) -> None:
    read_back = parse_duration(format_duration(length))
    assert read_back <= length
    assert length - read_back <= max(length / 24, timedelta(milliseconds=1))


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "now"),
        (0.9, "now"),
        (-0.9, "now"),
        (1, "in 1s"),
        (-59, "59s ago"),
        (-185, "3m ago"),
        (7199, "in 1h59m"),
        (-90_000, "1d1h ago"),
    ],
)
def test_a_distance_from_now_says_which_way(seconds: float, shown: str) -> None:
    assert format_relative(NOW + timedelta(seconds=seconds), NOW) == shown
