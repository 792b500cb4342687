"""The queue in its order: any stretch of it, and where a job stands, at about the same cost at any depth."""

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import islice

from core.filters import Filter
from core.status import Status
from store.filtering import narrowed, statuses_of
from store.ranks import Ranks, first_position
from store.rows import Row, from_us, from_us_or_none, job_of, to_us
from store.tx import Ref
from store.views.counting import QUEUED_TOTAL
from store.views.listing import SECTIONS
from store.views.values import QueueKey, QueueRow, Window

PRIORITIES = "SELECT priority, sum(n) AS n FROM queue_buckets GROUP BY priority ORDER BY priority DESC"
BUCKETS = "SELECT bucket, n FROM queue_buckets WHERE priority = :priority ORDER BY bucket"
KEY_IN_BUCKET = """
SELECT priority, position, created_at, id FROM jobs
WHERE status = 'QUEUED' AND priority = :priority AND position >= :low
ORDER BY position, created_at, id LIMIT 1 OFFSET :skip
"""
FROM_KEY = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority
  AND (position, created_at, id) >= (:position, :created_at, :id)
ORDER BY position, created_at, id LIMIT :limit
"""
AFTER_KEY = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority
  AND (position, created_at, id) > (:position, :created_at, :id)
ORDER BY position, created_at, id LIMIT :limit
"""
LOWER_PRIORITIES = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority < :priority
ORDER BY priority DESC, position, created_at, id LIMIT :limit
"""
BEFORE_KEY = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority
  AND (position, created_at, id) < (:position, :created_at, :id)
ORDER BY position DESC, created_at DESC, id DESC LIMIT :limit
"""
HIGHER_PRIORITIES = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority > :priority
ORDER BY priority, position DESC, created_at DESC, id DESC LIMIT :limit
"""


YET_TO_START = (Status.QUEUED, Status.RETRYING, Status.CREATED)


class QueueViews(Ranks):
    """The queue, read by its order."""

    def queue_window(self, offset: int, limit: int) -> Window:
        """The stretch of the queue that begins behind `offset` jobs."""
        total = self.number(QUEUED_TOTAL)
        offset = max(offset, 0)
        key = self._key_at(offset)
        if key is None:
            return Window([], offset, total)
        return Window(self._reading_on(FROM_KEY, key, limit), offset, total)

    def queue_around(self, ref: Ref, before: int, after: int) -> Window | None:
        """The stretch of the queue around a job, or None when it isn't queued."""
        row = self.job_row(ref)
        place = self.rank_of(row)
        if place is None:
            return None
        rank, key = place.before, _key_of(row)
        ahead = self.queue_before(key, min(before, rank))
        rows = [*ahead, _queue_row(row), *self.queue_after(key, after)]
        return Window(rows, rank - len(ahead), self.number(QUEUED_TOTAL))

    def queue_after(self, key: QueueKey, limit: int) -> list[QueueRow]:
        """The jobs that follow a place in the order, nearest first; the place itself may have been left."""
        return self._reading_on(AFTER_KEY, key, limit)

    def queue_before(self, key: QueueKey, limit: int) -> list[QueueRow]:
        """The jobs that stand before a place in the order, in queue order."""
        # A negative LIMIT would be none at all.
        limit = max(limit, 0)
        rows = self.all(BEFORE_KEY, **_values(key), limit=limit)
        if len(rows) < limit:
            rows += self.all(HIGHER_PRIORITIES, priority=key.priority, limit=limit - len(rows))
        return [_queue_row(row) for row in reversed(rows)]

    def queue_matching(self, chosen: Filter, limit: int) -> list[QueueRow]:
        """The first queued jobs that pass a filter, in queue order; behind them, if it names their state, others."""
        wanted = statuses_of(chosen) if chosen.names_states else {Status.QUEUED}
        found: list[QueueRow] = []
        for status in YET_TO_START:
            if status in wanted:
                found += islice(self._matching(SECTIONS[status], chosen), limit - len(found))
        return found

    def _matching(self, section: str, chosen: Filter) -> Iterator[QueueRow]:
        condition = narrowed(chosen, self.now)
        cursor = self.connection.execute(section.format(condition.where), {**self._always, **condition.values})
        # A statement left half read would keep its transaction open.
        with closing(cursor):
            for row in cursor:
                if chosen.matches(job_of(row), self.now):
                    yield _queue_row(row)

    def _key_at(self, offset: int) -> QueueKey | None:
        """The key of the job behind that many others: whole priorities and buckets are skipped by their counts."""
        left = offset
        for priority in self.all(PRIORITIES):
            if left >= priority["n"]:
                left -= priority["n"]
                continue
            for bucket in self.all(BUCKETS, priority=priority["priority"]):
                if left < bucket["n"]:
                    low = first_position(bucket["bucket"])
                    row = self.one(KEY_IN_BUCKET, priority=priority["priority"], low=low, skip=left)
                    return None if row is None else _key_of(row)
                left -= bucket["n"]
        return None

    def _reading_on(self, statement: str, key: QueueKey, limit: int) -> list[QueueRow]:
        # A negative LIMIT would be none at all.
        limit = max(limit, 0)
        rows = self.all(statement, **_values(key), limit=limit)
        if len(rows) < limit:
            rows += self.all(LOWER_PRIORITIES, priority=key.priority, limit=limit - len(rows))
        return [_queue_row(row) for row in rows]


def _key_of(row: Row) -> QueueKey:
    return QueueKey(row["priority"], row["position"], from_us(row["created_at"]), row["id"])


def _values(key: QueueKey) -> dict[str, int]:
    return {"priority": key.priority, "position": key.position, "created_at": to_us(key.created_at), "id": key.id}


def _queue_row(row: Row) -> QueueRow:
    return QueueRow(
        id=row["id"],
        job_id=row["job_id"],
        status=Status(row["status"]),
        job_type=row["job_type"],
        job_key=row["job_key"],
        priority=row["priority"],
        position=row["position"],
        held=bool(row["held"]),
        ready=bool(row["ready"]),
        attempt=row["attempt"],
        retry_count=row["retry_count"],
        max_retries=row["max_retries"],
        concurrency_key=row["concurrency_key"],
        scheduled_run_time=from_us_or_none(row["scheduled_run_time"]),
        deadline_at=from_us_or_none(row["deadline_at"]),
        created_at=from_us(row["created_at"]),
        created_by=row["created_by"],
        queued_at=from_us_or_none(row["queued_at"]),
        next_retry_at=from_us_or_none(row["next_retry_at"]),
        reservation_id=row["reservation_id"],
        schedule_id=row["schedule_id"],
        command_text=" ".join(json.loads(row["command"]).get("argv", ())),
    )
