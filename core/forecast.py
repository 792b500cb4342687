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


class _Line:
    """The jobs of one type that could start, in queue order, and when the places of their type become free."""

    def __init__(self, limit: int | None, busy: Sequence[datetime], now: datetime) -> None:
        self.jobs: list[tuple[int, Waiter]] = []
        self.never = limit is not None and limit <= 0
        self.places = None if limit is None else [*busy, *[now] * (limit - len(busy))][: max(limit, 0)]
        heapq.heapify(self.places or [])

    def opens(self, at: datetime) -> datetime:
        """When its first job finds a place, as far as its type is concerned."""
        return at if self.places is None else max(at, self.places[0])

    def start(self, until: datetime) -> None:
        """Its first job starts, and keeps a place until then."""
        heapq.heappop(self.jobs)
        if self.places is not None:
            heapq.heapreplace(self.places, until)


def forecast(
    running: Sequence[Runner],
    queue: Iterable[Waiter],
    limits: Limits,
    usual: Mapping[str, timedelta],
    now: datetime,
) -> dict[int, datetime]:
    """The probable starts of jobs in queue order; a type that never ran is taken to be as long as the middle one.

    Plays the claims to come: each slot that gets free takes the first job whose time has come and whose type has room.
    """
    if limits.slots == 0:
        return {}
    middle = sorted(usual.values())[len(usual) // 2] if usual else None
    slots = _slots(running, limits.slots, usual, now)
    lines: dict[str, _Line] = {}
    later: list[tuple[datetime, int, Waiter]] = []
    for place, job in enumerate(queue):
        if job.job_type not in lines:
            busy = [_ends(one, usual, now) or now + OVERDUE for one in running if one.job_type == job.job_type]
            lines[job.job_type] = _Line(limits.per_type.get(job.job_type), busy, now)
        if job.held or lines[job.job_type].never:
            continue
        if job.not_before is not None and job.not_before > now:
            later.append((job.not_before, place, job))
        else:
            lines[job.job_type].jobs.append((place, job))
    heapq.heapify(later)
    starts: dict[int, datetime] = {}
    while True:
        at = slots[0]
        while later and later[0][0] <= at:
            _, place, job = heapq.heappop(later)
            heapq.heappush(lines[job.job_type].jobs, (place, job))
        waiting = [line for line in lines.values() if line.jobs]
        ready = [line for line in waiting if line.opens(at) == at]
        if not ready:
            wakes = [line.opens(at) for line in waiting] + [one[0] for one in later[:1]]
            if not wakes:
                return starts
            heapq.heapreplace(slots, min(wakes))
            continue
        line = min(ready, key=lambda one: one.jobs[0][0])
        job = line.jobs[0][1]
        starts[job.id] = at
        length = usual.get(job.job_type, middle)
        if length is None:
            return starts
        line.start(at + length)
        heapq.heapreplace(slots, at + length)


def _slots(running: Sequence[Runner], count: int, usual: Mapping[str, timedelta], now: datetime) -> list[datetime]:
    """When each slot becomes free; one whose job's end can't be guessed is left out while another is free."""
    ends = [_ends(one, usual, now) for one in running]
    known = [at for at in ends if at is not None]
    if len(ends) >= count:
        known = sorted(now + OVERDUE if at is None else at for at in ends)[len(ends) - count :]
    slots = [*known, *[now] * (count - len(ends))]
    heapq.heapify(slots)
    return slots


def _ends(one: Runner, usual: Mapping[str, timedelta], now: datetime) -> datetime | None:
    length = usual.get(one.job_type)
    return None if length is None else max(one.started_at + length, now + OVERDUE)
