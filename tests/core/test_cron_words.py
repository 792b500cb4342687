"""Cron expressions in plain words."""

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings

from core.cron import Cron
from core.cron_words import join_words
from core.refusals import BadInput
from tests.core.test_cron import EXPRESSIONS

UTC_ZONE = ZoneInfo("UTC")


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 minutes"),
        ("0,30 * * * *", "every 30 minutes"),
        ("0 * * * *", "every hour"),
        ("30 * * * *", "every hour at minute 30"),
        ("*/7 * * * *", "at minutes 0, 7, … 56 of every hour"),
        ("5,10 * * * *", "at minutes 5 and 10 of every hour"),
        ("0 */6 * * *", "every 6 hours"),
        ("5 */6 * * *", "every 6 hours at minute 5"),
        ("0 */5 * * *", "every day at 00:00, 05:00, 10:00, 15:00 and 20:00"),
        ("30 2 * * *", "every day at 02:30"),
        ("0,30 9 * * *", "every day at 09:00 and 09:30"),
        ("0 9-17 * * *", "every hour from 09:00 to 17:00"),
        ("* 9 * * *", "every minute from 09:00 to 09:59"),
        ("*/10 1,5,9 * * *", "every 10 minutes in the hours 1, 5 and 9"),
        ("1-10 3 * * *", "at minutes 1 to 10 of the hour 3"),
        ("0 9 * * mon-fri", "at 09:00 on Monday to Friday"),
        ("0 9 * * sat,sun", "at 09:00 on Saturday and Sunday"),
        ("0 9 * * 1,3,5", "at 09:00 on Monday, Wednesday and Friday"),
        ("*/15 9-17 * * 1-5", "every 15 minutes from 09:00 to 17:45 on Monday to Friday"),
        ("0 9 * 6-8 sun", "at 09:00 on Sunday in June to August"),
        ("0 12 * 3 *", "every day at 12:00 in March"),
        ("0 0 1 * *", "at 00:00 on day 1 of every month"),
        ("0 0 1,15 * *", "at 00:00 on days 1 and 15 of every month"),
        ("0 0 1-7 1,7 *", "at 00:00 on days 1 to 7 of January and July"),
        ("0 0 29 2 *", "at 00:00 on 29 February"),
        ("0 0 L * *", "at 00:00 on the last day of every month"),
        ("0 0 * * fri#2", "at 00:00 on the second Friday of every month"),
        ("0 0 * 3 sunL", "at 00:00 on the last Sunday of March"),
        ("0 0 13 * fri", "at 00:00 on day 13 of every month or on Friday"),
        ("0 0 13 * */6", "at 00:00 on day 13 of every month if it is Saturday or Sunday"),
        ("0 0 */10 * mon#1", "at 00:00 on days 1, 11, 21 and 31 of every month if it is the first Monday of the month"),
        ("0 0 29 2 mon", "at 00:00 on 29 February or on Monday in February"),
        ("0 0 1,2 1 mon#1", "at 00:00 on days 1 and 2 of January or on the first Monday of January"),
        ("0 0 1-31 * mon", "every day at 00:00"),
        ("@weekly", "at 00:00 on Sunday"),
        ("@yearly", "at 00:00 on 1 January"),
    ],
)
def test_an_expression_reads_as_a_person_would_say_it(expression: str, words: str) -> None:
    assert Cron.parse(expression, UTC_ZONE).describe() == words


def test_a_list_reads_as_in_a_sentence() -> None:
    assert [join_words(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
    assert join_words(["a", "b"], "or") == "a or b"


@given(EXPRESSIONS)
@settings(deadline=None)
def test_every_expression_has_words_without_its_own_signs(expression: str) -> None:
    try:
        words = Cron.parse(expression, UTC_ZONE).describe()
    except BadInput:
        return
    assert words.isprintable()
    assert words.startswith(("every ", "at "))
    assert not set("*#/") & set(words)
    assert "  " not in words
