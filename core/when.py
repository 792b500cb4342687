"""Durations and instants: how people type them, how they are shown, how wall time becomes real time."""

import difflib
import re
import zoneinfo
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from core.refusals import BadInput

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(9998, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
"""One year before Python's calendar ends, so that no zone's offset can carry an instant past it."""
LONGEST = timedelta(days=3653)

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_MICROSECOND = timedelta(microseconds=1)
_TEXT_LIMIT = 64

_UNITS = {
    "w": 7 * _DAY,
    "d": _DAY,
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": _SECOND,
    "ms": timedelta(milliseconds=1),
}
_UNIT_NAMES = {
    "w": ("w", "week", "weeks"),
    "d": ("d", "day", "days"),
    "h": ("h", "hr", "hrs", "hour", "hours"),
    "m": ("m", "min", "mins", "minute", "minutes"),
    "s": ("s", "sec", "secs", "second", "seconds"),
    "ms": ("ms",),
}
_UNIT_OF = {name: unit for unit, names in _UNIT_NAMES.items() for name in names}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_DURATION_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]+) ?")
_DURATION_LIKE = re.compile(r"(?:[0-9.]+ ?[a-z]+ ?)+")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_ISO = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[T ](?P<clock>[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)"
    r" ?(?P<offset>Z|[+-][0-9]{2}:?[0-9]{2})?)?",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?)? ?(?P<half>am|pm)?")
_ZONE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,3}")
_NOT_ZONES = ("posix", "right", "localtime", "posixrules", "leapseconds")
"""Names beside the zones in the system's directory: copies, leap-second variants, this machine's own."""


def quoted(text: str) -> str:
    """What a person typed, fit to stand inside a sentence: one line, not endless."""
    shown = "".join(letter if letter.isprintable() else "�" for letter in text[: _TEXT_LIMIT + 1])
    return f'"{shown[:_TEXT_LIMIT]}…"' if len(shown) > _TEXT_LIMIT else f'"{shown}"'


def parse_duration(text: str) -> timedelta:
    """The length of time that `90s`, `1h30m`, `1.5h` or a plain number of seconds names."""
    words = text.strip().lower()
    if not words or not text.strip().isascii() or len(words) > _TEXT_LIMIT:
        raise _no_duration(text)
    total = Fraction(words) * Fraction(10**6) if _NUMBER.fullmatch(words) else _summed(words, text)
    if total > LONGEST // _MICROSECOND:
        raise BadInput(f"{quoted(text)} is too long; a duration is at most {LONGEST.days} days")
    return timedelta(microseconds=round(total))


def _summed(words: str, text: str) -> Fraction:
    """The microseconds that the parts of a duration add up to; each unit once, the largest first."""
    total, position, smallest = Fraction(0), 0, None
    while position < len(words):
        part = _DURATION_PART.match(words, position)
        unit = _UNITS.get(_UNIT_OF.get(part[2], "")) if part else None
        if part is None or unit is None or (smallest is not None and unit >= smallest):
            raise _no_duration(text)
        total += Fraction(part[1]) * (unit // _MICROSECOND)
        position, smallest = part.end(), unit
    return total


def _no_duration(text: str) -> BadInput:
    return BadInput(f"{quoted(text)} is not a duration; try 90s, 10m, 1h30m or 2d")


def parse_instant(text: str, now: datetime, zone: ZoneInfo) -> datetime:
    """The instant in UTC that a person in this zone means, seen from now."""
    now = as_utc(now)
    words = " ".join(text.split()).lower()
    if not words or not text.isascii() or len(words) > _TEXT_LIMIT:
        raise _no_instant(text)
    try:
        found = _from_now(words, now) or _absolute(words) or _iso(words, zone) or _named_day(words, now, zone)
    except ValueError:
        found = None
    except OverflowError:
        found = datetime.max.replace(tzinfo=UTC)
    if found is None:
        raise _no_instant(text)
    if not EARLIEST <= found <= LATEST:
        raise BadInput(f"{quoted(text)} is out of range; use the years {EARLIEST.year} to {LATEST.year}")
    return found


def _no_instant(text: str) -> BadInput:
    return BadInput(f"{quoted(text)} is not a time; try 18:00, tomorrow 6:00, mon 9:00, in 10m or 2031-05-01T09:00Z")


def _from_now(words: str, now: datetime) -> datetime | None:
    if words == "now":
        return now
    for prefix in ("in ", "+"):
        if words.startswith(prefix):
            return now + parse_duration(words.removeprefix(prefix))
    is_duration = _DURATION_LIKE.fullmatch(words) and not _CLOCK.fullmatch(words)
    return now + parse_duration(words) if is_duration else None


def _absolute(words: str) -> datetime | None:
    """Seconds since 1970, as `@1700000000`."""
    if not words.startswith("@") or not _NUMBER.fullmatch(words[1:]):
        return None
    return EARLIEST + timedelta(microseconds=round(Fraction(words[1:]) * 10**6))


def _iso(words: str, zone: ZoneInfo) -> datetime | None:
    match = _ISO.fullmatch(words)
    if not match:
        return None
    moment = datetime.combine(date.fromisoformat(match["day"]), time.fromisoformat(match["clock"] or "00:00"))
    if match["offset"]:
        return datetime.fromisoformat(f"{moment.isoformat()}{match['offset'].upper()}").astimezone(UTC)
    return resolve_wall(moment, zone)


def _named_day(words: str, now: datetime, zone: ZoneInfo) -> datetime | None:
    """A clock time today, tomorrow, on a weekday, or when the clock reads it next."""
    day_word, _, rest = words.partition(" ")
    rest = rest.removeprefix("at ")
    today = wall_at(now, zone).date()
    if day_word in ("today", "tomorrow"):
        day = today + _DAY if day_word == "tomorrow" else today
        return resolve_wall(datetime.combine(day, _clock(rest or "00:00")), zone)
    weekday = next((at for at, name in enumerate(_WEEKDAYS) if name.startswith(day_word) and len(day_word) >= 3), None)
    clock = _clock(words.removeprefix("at ") if weekday is None else rest or "00:00")
    # Today's may be past already, and clocks have left out whole days: nine days hold the next one.
    for days in range(9):
        day = today + days * _DAY
        if weekday is None or day.weekday() == weekday:
            found = resolve_wall(datetime.combine(day, clock), zone)
            if found > now:
                return found
    return None


def _clock(words: str) -> time:
    """The wall time that `18:00`, `6:30:15`, `9am` or `9:30pm` names, or a ValueError."""
    match = _CLOCK.fullmatch(words)
    if not match or not (match["minute"] or match["half"]):
        raise ValueError(words)
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(words)
        hour = hour % 12 + (12 if match["half"] == "pm" else 0)
    return time(hour, int(match["minute"] or 0), int(match["second"] or 0))


def parse_zone(name: str) -> ZoneInfo:
    """The time zone of this IANA name."""
    well_formed = len(name) <= _TEXT_LIMIT and _ZONE_NAME.fullmatch(name)
    if well_formed and name.partition("/")[0] not in _NOT_ZONES:
        try:
            return ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            pass
    raise BadInput(f"{quoted(name)} is not a time zone; {_zone_hint(name)}")


def _zone_hint(name: str) -> str:
    names = {zone.lower(): zone for zone in zoneinfo.available_timezones().difference(_NOT_ZONES)}
    close = difflib.get_close_matches(name[:_TEXT_LIMIT].lower(), names, n=1, cutoff=0.75)
    return f"did you mean {names[close[0]]}?" if close else "use an IANA name such as Europe/Paris or UTC"


def as_utc(instant: datetime) -> datetime:
    """The same instant in UTC; one without a zone is a mistake of the caller's, not of a person's."""
    if instant.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    return instant.astimezone(UTC)


def wall_at(instant: datetime, zone: ZoneInfo) -> datetime:
    """What the clock on the wall reads in this zone at an instant, without a zone."""
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def resolve_wall(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first instant at which the clock in this zone reads this wall time or, if it never does, a later one."""
    instant = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if wall_at(instant, zone) == wall:
        return instant
    before_gap = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    return first_second(before_gap, instant, lambda at: wall_at(at, zone) >= wall)


def first_second(low: datetime, high: datetime, holds: Callable[[datetime], bool]) -> datetime:
    """The first whole second after low at which something holds that holds at high, and from then on."""
    start = low.replace(microsecond=0)
    below, above = 0, -((start - high) // _SECOND)
    while above - below > 1:
        middle = (below + above) // 2
        if holds(start + middle * _SECOND):
            above = middle
        else:
            below = middle
    return start + above * _SECOND


def iso(instant: datetime) -> str:
    """An instant as ISO 8601 in UTC, with a fraction only if there is one."""
    return as_utc(instant).isoformat().removesuffix("+00:00") + "Z"


def format_duration(length: timedelta) -> str:
    """A length of time in at most two units, cut off rather than rounded: `1h30m`, `2d4h`, `1.2s`, `250ms`."""
    if length < timedelta(0):
        return f"-{format_duration(-length)}"
    if length < _SECOND:
        milliseconds = length // _UNITS["ms"]
        return f"{milliseconds}ms" if milliseconds else "0s"
    if length < 10 * _SECOND:
        tenths = length // (_SECOND / 10)
        return f"{tenths // 10}.{tenths % 10}s" if tenths % 10 else f"{tenths // 10}s"
    return _two_units(length, "dhms")


def exact_duration(length: timedelta) -> str:
    """A length of time with nothing cut off, in the largest unit that it is a whole number of: `90m`, `1500ms`."""
    if not length:
        return "0s"
    if length < timedelta(0):
        return f"-{exact_duration(-length)}"
    for name in ("d", "h", "m", "s", "ms"):
        if not length % _UNITS[name]:
            return f"{length // _UNITS[name]}{name}"
    microseconds = length // _MICROSECOND
    return f"{microseconds // 1000}.{microseconds % 1000:03d}ms"


def format_relative(instant: datetime, now: datetime) -> str:
    """How far an instant is from now, for a table: `3m ago`, `in 1h59m`, `now`."""
    distance = abs(instant - now)
    if distance < _SECOND:
        return "now"
    shown = _two_units(distance, "dhm" if distance >= _UNITS["m"] else "s")
    return f"in {shown}" if instant > now else f"{shown} ago"


def _two_units(length: timedelta, units: str) -> str:
    """The largest of these units that fits, and the one below it if it is not zero."""
    parts = []
    for unit in units:
        count, length = divmod(length, _UNITS[unit])
        if count:
            parts.append(f"{count}{unit}")
        elif parts:
            break
    return "".join(parts[:2])
