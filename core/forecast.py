"""When queued jobs will probably start: from their order, the free slots, and what their types usually take."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.limits import Limits

OVERDUE = timedelta(seconds=1)
"""What has run longer than usual will end any moment."""


@dataclass(frozen=True, slots=True)
class Runner:
    """A job that runs now."""

    job_type: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Waiter:
    """A job in the queue."""

    id: int
    job_type: str
    held: bool = False
    not_before: datetime | None = None


def forecast(
    running: Sequence[Runner],
    queue: Iterable[Waiter],
    limits: Limits,
    usual: Mapping[str, timedelta],
    now: datetime,
) -> dict[int, datetime]:
    """The probable starts of jobs in queue order; a type that never ran is taken to be as long as the middle one."""
    if limits.slots == 0:
        return {}
    middle = sorted(usual.values())[len(usual) // 2] if usual else None
    free = [_ends(one, usual, now) for one in running]
    if any(at is None for at in free) and len(free) >= limits.slots:
        free = [now + OVERDUE if at is None else at for at in free]
    slots: list[datetime] = [at for at in free if at is not None]
    slots += [now] * (limits.slots - len(slots))
    heapq.heapify(slots)
    of_type = {name: _places(name, limit, running, usual, now) for name, limit in limits.per_type.items()}
    starts: dict[int, datetime] = {}
    for job in queue:
        if job.held:
            continue
        places = of_type.get(job.job_type)
        if places == []:
            continue
        start = max(slots[0], now if job.not_before is None else job.not_before)
        # Who waits for his own time, or for his own kind to make room, leaves the slot to others meanwhile.
        waits = start > slots[0]
        if places is not None and places[0] > start:
            start, waits = places[0], True
        starts[job.id] = start
        length = usual.get(job.job_type, middle)
        if length is None:
            break
        if not waits:
            heapq.heapreplace(slots, start + length)
        if places is not None:
            heapq.heapreplace(places, start + length)
    return starts


def _ends(one: Runner, usual: Mapping[str, timedelta], now: datetime) -> datetime | None:
    length = usual.get(one.job_type)
    return None if length is None else max(one.started_at + length, now + OVERDUE)


def _places(
    name: str, limit: int, running: Sequence[Runner], usual: Mapping[str, timedelta], now: datetime
) -> list[datetime]:
    """When the places of a limited type become free."""
    busy = [_ends(one, usual, now) or now + OVERDUE for one in running if one.job_type == name]
    places = [*busy, *[now] * (limit - len(busy))][: max(limit, 0)]
    heapq.heapify(places)
    return places
