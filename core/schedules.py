"""What a schedule does when its time has come: which instants fire, and what a live job means for them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice, takewhile
from typing import Literal

from core.cron import Cron

DEFAULT_LIMIT = 100
DEFAULT_GRACE = timedelta(seconds=60)
MOST_COUNTED = 10_000
"""Missed instants are counted up to here, so that years of downtime cost no more than a week."""

_MICROSECOND = timedelta(microseconds=1)


class CatchUp(StrEnum):
    """What to do, after downtime, about the instants that passed meanwhile."""

    ONE = "one"
    """Fire the latest of them only."""
    ALL = "all"
    """Fire them all, the latest ones up to a limit."""
    NONE = "none"
    """Fire none but those that passed just now."""


class Overlap(StrEnum):
    """What to do about a new job while one of the same schedule is still live."""

    SKIP = "skip"
    """Leave this firing out."""
    QUEUE = "queue"
    """Let one wait behind the one that runs; leave out further ones."""
    ALLOW = "allow"
    """Add it all the same."""
    REPLACE = "replace"
    """Cancel what waits, ask what runs to stop, and add it."""


@dataclass(frozen=True)
class Due:
    """What a schedule owes now."""

    fire: tuple[datetime, ...]
    """The instants to fire now, oldest first."""
    missed: int
    """How many instants that came due are passed over for good."""
    missed_at_least: bool
    """Whether more were missed than could be counted."""
    next_at: datetime
    """The next trigger, after now and after everything that has ever fired."""


def due(
    cron: Cron,
    last_fired: datetime | None,
    next_at: datetime | None,
    now: datetime,
    catch_up: CatchUp,
    limit: int = DEFAULT_LIMIT,
    grace: timedelta = DEFAULT_GRACE,
) -> Due:
    """What to fire now, given what has fired and the trigger that was noted as the next one.

    Instants before next_at were dealt with or never wanted (the schedule was off). What has fired is a floor
    that holds whatever the clock says, so a clock set back repeats nothing.
    """
    floor = now if last_fired is None else max(now, last_fired)
    after = now if next_at is None else next_at - _MICROSECOND
    if last_fired is not None:
        after = max(after, last_fired)
    if after >= now:
        return Due((), 0, missed_at_least=False, next_at=cron.next_after(max(floor, after)))
    if catch_up is CatchUp.NONE:
        # An instant exactly as old as the grace still counts as on time.
        fire = cron.latest(max(after, now - grace - _MICROSECOND), now, limit)
    else:
        fire = cron.latest(after, now, limit if catch_up is CatchUp.ALL else 1)
    most = MOST_COUNTED + len(fire)
    came_due = sum(1 for _ in islice(takewhile(lambda at: at <= now, cron.instants(after)), most + 1))
    return Due(
        fire,
        missed=min(came_due, most) - len(fire),
        missed_at_least=came_due > most,
        next_at=cron.next_after(floor),
    )


def overlap_decision(overlap: Overlap, live_running: int, live_waiting: int) -> Literal["fire", "skip", "replace"]:
    """Whether a schedule's instant becomes a job, given its jobs that run (or are parked) and that wait."""
    live = live_running + live_waiting
    if overlap is Overlap.ALLOW or not live:
        return "fire"
    if overlap is Overlap.REPLACE:
        return "replace"
    if overlap is Overlap.QUEUE and not live_waiting:
        return "fire"
    return "skip"
