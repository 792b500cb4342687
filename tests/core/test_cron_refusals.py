"""Cron expressions that are refused: at once, whatever they hold, with a sentence that says what is wrong."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cron import Cron
from core.refusals import BadInput
from tests.core.effort import at_once

START = datetime(2026, 1, 1, tzinfo=UTC)


def cron(expression: str) -> Cron:
    return Cron.parse(expression, ZoneInfo("UTC"))


@pytest.mark.parametrize(
    "expression",
    ["0 0 30 2 *", "0 0 31 feb *", "0 0 31 4,6,9,11 *", "* * 30,31 2 *", "0 0 30 2 */2", "0 0 */31 2 mon#5"],
)
def test_a_date_that_no_year_has_is_refused_at_once(expression: str) -> None:
    with at_once(), pytest.raises(BadInput, match="can never fire"):
        cron(expression)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("", "it has 0 fields"),
        ("* * * *", "it has 4 fields"),
        ("0 * * * * *", "it has 6 fields"),
        ("@daily @daily", "it has 2 fields"),
        ("@reboot", 'there is no "@reboot"'),
        ("@", 'there is no "@"'),
        ("60 * * * *", "minute 60 is not in 0-59"),
        ("0 24 * * *", "hour 24 is not in 0-23"),
        ("0 0 0 * *", "day of month 0 is not in 1-31"),
        ("0 0 32 * *", "day of month 32 is not in 1-31"),
        ("0 0 * 13 *", "month 13 is not in 1-12"),
        ("0 0 * * 8", "day of week 8 is not in 0-7"),
        ("0 0 * mon *", "month mon is not in 1-12"),
        ("0 22-2 * * *", "hour 22-2 runs backwards; write 22-23,0-2"),
        ("0 0 * * fri-mon", "day of week fri-mon runs backwards; write 5-6,0-1"),
        ("*/0 * * * *", "has a step of 0"),
        ("5-5/0 * * * *", "has a step of 0"),
        ("0 0 * * 1,5#2", "can't mix"),
    ],
)
def test_a_refusal_says_which_field_is_wrong(expression: str, reason: str) -> None:
    with pytest.raises(BadInput) as refusal:
        cron(expression)
    assert "is not a cron expression" in str(refusal.value)
    assert reason in str(refusal.value)


@pytest.mark.parametrize(
    "term",
    [
        "R", "H", "H/5", "R(0-9)", "?", "-5", "--", "1-", "-", "1--2", "1,,2", ",", "*-5", "1.5", "1e1", "0x1", "+1",
        "*/", "/5", "*/*", "**", "*/-1", "1/2/3", "999999999999", "5#1", "L", "5L", "W", "\x00", "\x1b[31m", "５", "٣",
    ],
)  # fmt: skip
def test_no_other_form_is_taken_for_a_minute(term: str) -> None:
    with pytest.raises(BadInput) as refusal:
        cron(f"{term} * * * *")
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize("day", ["15W", "W", "LW", "L-3", "25-L", "?", "l5", "mon"])
def test_no_other_form_is_taken_for_a_day_of_month(day: str) -> None:
    with pytest.raises(BadInput):
        cron(f"0 0 {day} * *")


@pytest.mark.parametrize(
    "day", ["mon#0", "mon#6", "#2", "mon#", "*#2", "1-5#2", "L", "L5", "monday", "xyz", "8L", "xyzL"]
)
def test_no_other_form_is_taken_for_a_day_of_week(day: str) -> None:
    with pytest.raises(BadInput):
        cron(f"0 0 * * {day}")


def test_an_expression_of_endless_length_is_refused_without_being_repeated() -> None:
    with pytest.raises(BadInput) as refusal:
        cron("0," * 100_000 + "0 * * * *")
    assert len(str(refusal.value)) < 200


@given(st.text(max_size=40) | st.text(alphabet="0123456789*/-,#lLwWrRhH@?() ", max_size=40))
@settings(deadline=None)
def test_any_text_is_understood_or_refused_with_one_line(text: str) -> None:
    try:
        parsed = cron(text)
    except BadInput as refusal:
        said = str(refusal)
    else:
        assert parsed.next_after(START) > START
        said = parsed.describe()
    assert said
    assert said.isprintable()
