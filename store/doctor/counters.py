"""Whether the counters that triggers keep agree with a recount."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from core.status import Status
from store.buckets import BUCKET
from store.doctor.findings import Finding

COUNTS = "SELECT status, n FROM job_counts"
RECOUNT = "SELECT status, count(*) AS n FROM jobs GROUP BY status"
BUCKETS = "SELECT priority, bucket, n FROM queue_buckets"
QUEUE = "SELECT priority, position FROM jobs WHERE status = 'QUEUED' ORDER BY priority DESC, position"


def counters(connection: Any) -> Iterator[Finding]:
    """Counters that are off."""
    kept = {row["status"]: row["n"] for row in connection.execute(COUNTS).fetchall()}
    real = {row["status"]: row["n"] for row in connection.execute(RECOUNT).fetchall()}
    for status in Status:
        if status not in kept:
            yield Finding("counters", f"there is no count of the jobs that are {status}")
        elif kept[status] != real.get(status, 0):
            words = f"{kept[status]} jobs are counted as {status}, but {real.get(status, 0)} are"
            yield Finding("counters", words)
    yield from _buckets(connection)


def _buckets(connection: Any) -> Iterator[Finding]:
    kept = {(row["priority"], row["bucket"]): row["n"] for row in connection.execute(BUCKETS).fetchall()}
    places = ((row["priority"], row["position"] // BUCKET) for row in connection.execute(QUEUE))
    for place, group in groupby(places):
        n, counted = sum(1 for _ in group), kept.pop(place, 0)
        if n != counted:
            yield Finding("counters", f"{_stretch(place)} is counted as {counted} queued jobs long, but has {n}")
    for place, counted in kept.items():
        if counted:
            yield Finding("counters", f"{_stretch(place)} is counted as {counted} queued jobs long, but has none")


def _stretch(place: tuple[int, int]) -> str:
    return f"stretch {place[1]} of priority {place[0]} in the queue"
