"""Cron in wall time: when an expression fires in a zone, through every change of its clocks."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property
from itertools import islice, takewhile
from typing import Literal
from zoneinfo import ZoneInfo

from core.cron_fields import Fields, parse_fields
from core.cron_words import describe, join_words
from core.refusals import BadInput
from core.when import LATEST, as_utc, first_second, resolve_wall, wall_at

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_MICROSECOND = timedelta(microseconds=1)

ClockChange = Literal["gap", "overlap"]


@dataclass(frozen=True)
class Fire:
    """One firing, told so that people see what the clocks do to it."""

    at: datetime
    wall: datetime
    """What the clock in the schedule's zone reads then, without a zone."""
    dst: ClockChange | None
    """Whether that calendar day has wall times that don't exist, or some that occur twice."""
    note: str | None
    """What the change does to this very firing, in words."""


@dataclass(frozen=True)
class Cron:
    """A cron expression in a time zone.

    Fixed times fire once for each matching wall time: one that a gap skips at the first instant after the
    gap, one that occurs twice at its first. With a wildcard minute or hour, it fires at every real instant
    whose wall time matches: twice through an overlap, and not at all for what a gap skips.
    """

    # The split and both rules are cronsim's (and Debian's). Unlike cronsim, a start inside the second pass
    # of an overlap never yields an instant of the first pass: fires must come after what they come after.

    fields: Fields
    zone: ZoneInfo

    @classmethod
    def parse(cls, expression: str, zone: ZoneInfo) -> "Cron":
        """The cron that this expression means, or a sentence that says what is wrong with it."""
        return cls(parse_fields(expression), zone)

    @property
    def expression(self) -> str:
        """The expression as it was written."""
        return self.fields.expression

    def describe(self) -> str:
        """The expression in plain words."""
        return describe(self.fields)

    def next_after(self, instant: datetime) -> datetime:
        """The first firing strictly after an instant."""
        found = next(self.instants(instant), None)
        if found is None:
            raise BadInput(f'"{self.expression}" does not fire before the year {LATEST.year + 1}')
        return found

    def between(self, after: datetime, until: datetime, limit: int) -> tuple[datetime, ...]:
        """The first firings after one instant and not after the other, at most so many."""
        return tuple(islice(takewhile(lambda at: at <= until, self.instants(after)), limit))

    def latest(self, after: datetime, until: datetime, limit: int) -> tuple[datetime, ...]:
        """The last firings after one instant and not after the other, at most so many, oldest first."""
        # Looking back in growing steps keeps this cheap for a minutely cron and a year alike.
        look_back = timedelta(hours=1)
        while True:
            start = max(after, until - look_back) if until - after > look_back else after
            found = deque(takewhile(lambda at: at <= until, self.instants(start)), maxlen=max(limit, 0))
            if start == after or len(found) >= limit:
                return tuple(found)
            look_back *= 4

    def upcoming(self, after: datetime, count: int) -> tuple[Fire, ...]:
        """The next firings after an instant, with what the clocks do to each."""
        return tuple(self.fire(at) for at in islice(self.instants(after), count))

    def instants(self, after: datetime) -> Iterator[datetime]:
        """Every firing strictly after an instant, in UTC and strictly increasing, to the end of the calendar."""
        after = as_utc(after)
        if after > LATEST:
            return iter(())
        return self._real_instants(after) if self.fields.real_time else self._fixed_instants(after)

    @cached_property
    def _times(self) -> tuple[timedelta, ...]:
        """The matching wall times of a day, as their distance from midnight."""
        return tuple(
            timedelta(hours=hour, minutes=minute) for hour in self.fields.hours for minute in self.fields.minutes
        )

    def _fixed_instants(self, after: datetime) -> Iterator[datetime]:
        latest = after
        for day in self.fields.dates_from(wall_at(after, self.zone).date()):
            midnight = datetime.combine(day, time())
            start, end = self._bounds(day)
            unchanged = end - start == _DAY
            for since_midnight in self._times:
                wall = midnight + since_midnight
                at = start + since_midnight if unchanged else resolve_wall(wall, self.zone)
                if at > latest:
                    latest = at
                    yield at

    def _real_instants(self, after: datetime) -> Iterator[datetime]:
        """Stretch by stretch: from a moment to its midnight, or to a change of the clocks before it."""
        moment = after + _MICROSECOND
        while moment <= LATEST:
            wall = wall_at(moment, self.zone)
            midnight = datetime.combine(wall.date(), time())
            start = moment - (wall - midnight)
            end = start + _DAY
            changed = self._change(moment, end)
            if self.fields.matches(wall.date()):
                for since_midnight in self._times[bisect_left(self._times, wall - midnight) :]:
                    at = start + since_midnight
                    if at >= (changed or end):
                        break
                    yield at
                moment = changed or end
            elif changed:
                moment = changed
            else:
                # Clocks set back just after midnight repeat the end of the day before. Leaping only from a
                # day that does not match leaves such a repeat of a matching day to be walked through.
                day = next(self.fields.dates_from(wall.date() + _DAY), None)
                if day is None:
                    return
                moment = max(end, resolve_wall(datetime.combine(day, time()), self.zone))

    def _change(self, after: datetime, until: datetime) -> datetime | None:
        """The instant in a stretch of at most a day at which the clocks change, if they do."""
        offset = after.astimezone(self.zone).utcoffset()
        if until.astimezone(self.zone).utcoffset() == offset:
            return None
        return first_second(after, until, lambda at: at.astimezone(self.zone).utcoffset() != offset)

    def _bounds(self, day: date) -> tuple[datetime, datetime]:
        """The first instant of a calendar day and of the next one; equal where the clocks left the day out."""
        midnight = datetime.combine(day, time())
        return resolve_wall(midnight, self.zone), resolve_wall(midnight + _DAY, self.zone)

    def fire(self, at: datetime) -> Fire:
        """One firing with what the clocks do to it."""
        at = as_utc(at)
        wall = wall_at(at, self.zone)
        skipped = self._skipped_until(at, wall)
        if skipped:
            return Fire(at, wall, "gap", _moved(skipped, wall))
        first, second = (wall.replace(tzinfo=self.zone, fold=fold).timestamp() for fold in (0, 1))
        if first < second:
            return Fire(at, wall, "overlap", self._repeated(wall, at.timestamp() == first))
        start, end = self._bounds(wall.date())
        dst: ClockChange | None = None
        if end - start != _DAY:
            dst = "gap" if end - start < _DAY else "overlap"
        return Fire(at, wall, dst, None)

    def _skipped_until(self, at: datetime, wall: datetime) -> list[datetime]:
        """The matching wall times in the gap that ends at this instant, if they fire there."""
        gap_start = wall_at(at - _SECOND, self.zone) + _SECOND
        if self.fields.real_time or gap_start >= wall:
            return []
        days = takewhile(lambda day: day <= wall.date(), self.fields.dates_from(gap_start.date()))
        times = [datetime.combine(day, time()) + since for day in days for since in self._times]
        return [each for each in times if gap_start <= each < wall]

    def _repeated(self, wall: datetime, is_first: bool) -> str:
        if not self.fields.real_time:
            return f"{wall:%H:%M} occurs twice that day; runs the first time only"
        return f"{wall:%H:%M} occurs twice that day; this is the {'first' if is_first else 'second'}"


def _moved(skipped: list[datetime], wall: datetime) -> str:
    """Why a firing runs where it does, after the gap that swallowed these wall times."""
    same_day = skipped[0].date() == wall.date()
    shape = "%H:%M" if same_day else "%Y-%m-%d %H:%M"
    that_day = " that day" if same_day else ""
    runs_at = wall.strftime(shape)
    if len(skipped) == 1:
        return f"{skipped[0].strftime(shape)} does not exist{that_day}; runs at {runs_at}"
    if len(skipped) <= 3:
        named = join_words([each.strftime(shape) for each in skipped])
    else:
        named = f"{len(skipped)} times from {skipped[0].strftime(shape)} to {skipped[-1].strftime(shape)}"
    return f"{named} do not exist{that_day}; runs once, at {runs_at}"
