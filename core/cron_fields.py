"""The five fields of a cron expression: what may be written in them, and which days they name."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from core.refusals import BadInput
from core.when import LATEST, quoted

LAST = -1
"""In place of a number: the last one of its month."""
LONGEST_EXPRESSION = 400
"""Room for every value of every field written out."""

_ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTH_LENGTHS = {month: (calendar.monthrange(2001, month)[1],) for month in range(1, 13)} | {2: (28, 29)}
_TERM = re.compile(r"(?P<low>\*|[a-z]{3}|[0-9]{1,2})(?:-(?P<high>[a-z]{3}|[0-9]{1,2}))?(?:/(?P<step>[0-9]{1,3}))?")
_NTH_WEEKDAY = re.compile(r"(?P<day>[a-z]{3}|[0-7])(?:#(?P<nth>[1-5])|l)")


@dataclass(frozen=True)
class _Field:
    """One position of the expression."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()

    def number(self, text: str) -> int:
        """The value that a number or a name stands for."""
        if text in self.names:
            return self.low + self.names.index(text)
        if not text.isdigit() or not self.low <= int(text) <= self.high:
            raise ValueError(f"{self.name} {text} is not in {self.low}-{self.high}")
        return int(text)


_MINUTE = _Field("minute", 0, 59)
_HOUR = _Field("hour", 0, 23)
_DAY = _Field("day of month", 1, 31)
_MONTH = _Field("month", 1, 12, _MONTHS)
_WEEKDAY = _Field("day of week", 0, 7, _WEEKDAYS)
_FIELDS = (_MINUTE, _HOUR, _DAY, _MONTH, _WEEKDAY)


@dataclass(frozen=True)
class Fields:
    """A cron expression taken apart."""

    expression: str
    """As it was written, in single spaces."""
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    """Days of the month; LAST is among them for `L`."""
    months: tuple[int, ...]
    weekdays: frozenset[int]
    """Days of the week that match in every week; 0 is Sunday."""
    nth_weekdays: frozenset[tuple[int, int]]
    """Days of the week that match once a month: the day, and which of that month or LAST."""
    either_day: bool
    """Whether matching one of the two day fields is enough; else both must match."""
    real_time: bool
    """Whether it follows real time, as a wildcard minute or hour does, or names fixed wall times."""

    @property
    def every_day(self) -> bool:
        """Whether the day fields leave out no day of a month."""
        return all(len(self.days_of(31, first)) == 31 for first in range(7))

    def days_of(self, length: int, first_weekday: int) -> list[int]:
        """The matching days of a month with so many days, whose first is that day of the week (0 is Sunday)."""
        return [day for day in range(1, length + 1) if self._matches(day, length, first_weekday)]

    def _matches(self, day: int, length: int, first_weekday: int) -> bool:
        weekday = (first_weekday + day - 1) % 7
        by_day = day in self.days or (day == length and LAST in self.days)
        by_weekday = (
            weekday in self.weekdays
            or (weekday, (day + 6) // 7) in self.nth_weekdays
            or (day + 7 > length and (weekday, LAST) in self.nth_weekdays)
        )
        return by_day or by_weekday if self.either_day else by_day and by_weekday

    def matches(self, day: date) -> bool:
        """Whether this calendar day is one of the expression's."""
        if day.month not in self.months:
            return False
        first, length = calendar.monthrange(day.year, day.month)
        return self._matches(day.day, length, (first + 1) % 7)

    def dates_from(self, start: date) -> Iterator[date]:
        """The matching calendar days, this one included, to the end of the calendar."""
        for year in range(start.year, LATEST.year + 1):
            for month in self.months:
                if (year, month) < (start.year, start.month):
                    continue
                first, length = calendar.monthrange(year, month)
                for day in self.days_of(length, (first + 1) % 7):
                    found = date(year, month, day)
                    if found >= start:
                        yield found

    def can_fire(self) -> bool:
        """Whether any day in all of the calendar matches; each length of month begins on every weekday."""
        return any(
            self.days_of(length, first)
            for month in self.months
            for length in _MONTH_LENGTHS[month]
            for first in range(7)
        )


def parse_fields(expression: str) -> Fields:
    """The fields of a cron expression, or a sentence that says what is wrong with it."""
    if len(expression) > LONGEST_EXPRESSION:
        raise BadInput(f"a cron expression has at most {LONGEST_EXPRESSION} characters; this one has {len(expression)}")
    written = " ".join(expression.split())
    texts = _ALIASES.get(written.lower(), written).lower().split()
    try:
        fields = _expanded(written, texts)
    except ValueError as error:
        raise BadInput(f"{quoted(expression)} is not a cron expression: {error}") from error
    if not fields.can_fire():
        raise BadInput(
            f"{quoted(expression)} can never fire: no such day exists; "
            "change the day of month, the month or the day of week"
        )
    return fields


def _expanded(written: str, texts: list[str]) -> Fields:
    # Loaded by whoever has a schedule. Its errors are ValueErrors.
    from croniter import croniter

    if written.startswith("@") and len(texts) == 1:
        raise ValueError(f"there is no {quoted(written)}; use @hourly, @daily, @weekly, @monthly or @yearly")
    if len(texts) != len(_FIELDS):
        raise ValueError(f"it has {len(texts)} fields; use five: minute, hour, day of month, month, day of week")
    terms = [[_checked(field, term) for term in text.split(",")] for field, text in zip(_FIELDS, texts, strict=True)]
    if len({"#" in term or term.startswith("l") for term in terms[4]}) > 1:
        raise ValueError("a day of week can't mix plain days with # or L; make it two schedules")
    expanded, nth = croniter.expand(" ".join(",".join(each) for each in terms))
    minutes, hours, days, months, weekdays = (
        range(field.low, field.high + 1) if "*" in values else [LAST if each == "l" else int(each) for each in values]
        for field, values in zip(_FIELDS, expanded, strict=True)
    )
    return Fields(
        expression=written,
        minutes=tuple(sorted(minutes)),
        hours=tuple(sorted(hours)),
        days=frozenset(days),
        months=tuple(sorted(months)),
        weekdays=frozenset(() if nth else (day % 7 for day in weekdays)),
        nth_weekdays=frozenset(
            (int(day), LAST if str(which) == "l" else int(which)) for day in nth for which in nth[day]
        ),
        # As in Vixie cron, what counts is that a field begins with a star: `*/2` is a wildcard too.
        either_day=not (texts[2].startswith("*") or texts[4].startswith("*")),
        real_time=texts[0].startswith("*") or texts[1].startswith("*"),
    )


def _checked(field: _Field, term: str) -> str:
    """One term of a field as croniter is to expand it, free of what croniter takes for something else.

    Left to itself it reads `5-5` as the whole range, steps wrongly through a range that runs backwards,
    and knows forms that are random or depend on when they are read.
    """
    if field is _DAY and term == "l":
        return term
    nth = _NTH_WEEKDAY.fullmatch(term) if field is _WEEKDAY else None
    if nth:
        day = field.number(nth["day"])
        return f"{day}#{nth['nth']}" if nth["nth"] else f"l{day}"
    match = _TERM.fullmatch(term)
    if not match or (match["low"] == "*" and match["high"]):
        raise ValueError(f"{field.name} {quoted(term)} is not understood; try *, */5, 3, 1-5 or 1,15")
    step = f"/{int(match['step'])}" if match["step"] else ""
    if step == "/0":
        raise ValueError(f"{field.name} {term} has a step of 0; use 1 or more")
    if match["low"] == "*":
        return f"*{step}"
    low = field.number(match["low"])
    high = field.number(match["high"]) if match["high"] else field.high if step else low
    if field is _WEEKDAY and match["high"] == "sun" and match["low"] != "sun":
        high = 7
    if field is _WEEKDAY and low == 7 > high:
        low = 0
    if high < low:
        end = 6 if field is _WEEKDAY else field.high
        raise ValueError(f"{field.name} {term} runs backwards; write {low}-{end},{field.low}-{high}")
    return str(low) if low == high else f"{low}-{high}{step}"
