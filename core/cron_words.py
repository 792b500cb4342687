"""A cron expression in plain words."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from core.cron_fields import LAST, Fields

_MOST_TIMES = 6
"""More wall times than this are told by their rule instead of one by one."""
_ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", LAST: "last"}
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_WEEK = (1, 2, 3, 4, 5, 6, 0)
"""The days of the week in the order in which people tell them."""


def describe(fields: Fields) -> str:
    """When an expression fires, in words, such as `at 09:00 on Monday to Friday`."""
    times = _times(fields)
    days = _days(fields)
    if days:
        return f"{times} {days}"
    every_day = "every day " if times.startswith("at ") and ":" in times else ""
    months = f" in {_months(fields)}" if len(fields.months) < 12 else ""
    return f"{every_day}{times}{months}"


def join_words(words: Sequence[str], link: str = "and") -> str:
    """Words as a list in a sentence: `a`, `a and b`, `a, b and c`."""
    return f" {link} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _times(fields: Fields) -> str:
    minutes, hours = fields.minutes, fields.hours
    all_day = len(hours) == 24
    if not fields.real_time and len(minutes) * len(hours) <= 4:
        return _listed(hours, minutes)
    pace = _pace(minutes, 60, "minute")
    if pace and all_day:
        return pace
    if pace and _is_run(hours):
        return f"{pace} from {_clock(hours[0], 0)} to {_clock(hours[-1], minutes[-1])}"
    if pace:
        return f"{pace} in the {_hours(hours)}"
    if len(minutes) == 1:
        past = f" at minute {minutes[0]}" if minutes[0] else ""
        if all_day:
            return f"every hour{past}"
        hourly = _pace(hours, 24, "hour") if fields.real_time else None
        if hourly and len(hours) > 1:
            return f"{hourly}{past}"
        if len(hours) > 2 and _is_run(hours):
            return f"every hour from {_clock(hours[0], minutes[0])} to {_clock(hours[-1], minutes[0])}"
    if len(minutes) * len(hours) <= _MOST_TIMES:
        return _listed(hours, minutes)
    listed = f"at minute{'s' if len(minutes) > 1 else ''} {_numbers(minutes)}"
    return f"{listed} of every hour" if all_day else f"{listed} of the {_hours(hours)}"


def _listed(hours: Sequence[int], minutes: Sequence[int]) -> str:
    return f"at {join_words([_clock(hour, minute) for hour in hours for minute in minutes])}"


def _pace(values: Sequence[int], whole: int, unit: str) -> str | None:
    """`every 15 minutes`, if the values go evenly round the whole from zero; None for a single one."""
    if len(values) < 2 or whole % len(values) or list(values) != list(range(0, whole, whole // len(values))):
        return None
    step = whole // len(values)
    return f"every {unit}" if step == 1 else f"every {step} {unit}s"


def _days(fields: Fields) -> str:
    """The days an expression keeps to, or nothing if it keeps to none."""
    if fields.every_day:
        return ""
    every_weekday = len(fields.weekdays) == 7
    every_date = set(range(1, 32)) <= fields.days
    if every_date and not fields.either_day:
        return f"on {_weekdays(fields)}"
    if every_weekday and not fields.either_day:
        return f"on {_dates(fields)}"
    if fields.either_day:
        return f"on {_dates(fields)} or on {_weekdays(fields)}"
    return f"on {_dates(fields)} if it is {_weekday_choice(fields, 'or', 'the month')}"


def _dates(fields: Fields) -> str:
    """The days of the month, with their months."""
    numbers = sorted(fields.days - {LAST})
    if len(numbers) == 1 and len(fields.months) == 1 and LAST not in fields.days:
        return f"{numbers[0]} {_MONTHS[fields.months[0] - 1]}"
    named = [f"day{'s' if len(numbers) > 1 else ''} {_numbers(numbers)}"] if numbers else []
    if LAST in fields.days:
        named.append("the last day")
    return f"{join_words(named)} of {_months(fields)}"


def _weekdays(fields: Fields) -> str:
    """The days of the week, with their months."""
    named = _weekday_choice(fields, "and", _months(fields))
    return f"{named} in {_months(fields)}" if len(fields.months) < 12 and fields.weekdays else named


def _weekday_choice(fields: Fields, link: str, of_what: str) -> str:
    """The days of the week by name, those that come once a month as the first or the last of it."""
    if fields.weekdays:
        days = [_WEEK.index(day) for day in fields.weekdays]
        return _runs(days, lambda at: _WEEKDAYS[_WEEK[at]], link)
    by_week = sorted(fields.nth_weekdays, key=lambda each: (each[1] == LAST, each[1], _WEEK.index(each[0])))
    named = [f"{_ORDINALS[which]} {_WEEKDAYS[day]}" for day, which in by_week]
    return f"the {join_words(named, link)} of {of_what}"


def _months(fields: Fields) -> str:
    return "every month" if len(fields.months) == 12 else _runs(fields.months, lambda at: _MONTHS[at - 1])


def _hours(hours: Sequence[int]) -> str:
    return f"hour{'s' if len(hours) > 1 else ''} {_numbers(hours)}"


def _numbers(values: Sequence[int]) -> str:
    """Numbers in words; a long even row by its beginning and its end."""
    steps = {later - value for value, later in pairwise(values)}
    if len(values) > _MOST_TIMES and len(steps) == 1 and steps != {1}:
        return f"{values[0]}, {values[1]}, … {values[-1]}"
    return _runs(values, str)


def _runs(values: Iterable[int], name: Callable[[int], str], link: str = "and") -> str:
    """Values by name, three or more in a row as `first to last`."""
    runs: list[list[int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    words: list[str] = []
    for run in runs:
        words += [f"{name(run[0])} to {name(run[-1])}"] if len(run) > 2 else [name(value) for value in run]
    return join_words(words, link)


def _is_run(values: Sequence[int]) -> bool:
    return values[-1] - values[0] == len(values) - 1


def _clock(hour: int, minute: int) -> str:
    return f"{hour:02d}:{minute:02d}"
