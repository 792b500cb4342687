"""What a monitor asks every few seconds: each at a cost that does not grow with the store."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from core.status import Status
from store.rows import Row, from_us, to_us
from store.tx import Tx

SOME_PRIORITIES = "SELECT DISTINCT priority FROM queue_buckets ORDER BY priority DESC LIMIT 100"
# Named, since the index of all that is queued looks as good and may have a million held jobs in front.
HEAD_OF_PRIORITY = """
SELECT coalesce(scheduled_run_time, queued_at) AS since FROM jobs INDEXED BY jobs_ready
WHERE status = 'QUEUED' AND held = 0 AND ready = 1 AND (reservation_id IS NULL OR attempt > 0) AND priority = :priority
ORDER BY position, created_at, id LIMIT 1
"""
ENDED_AFTER = """
SELECT id, job_type, status, retry_count, started_at, finished_at FROM jobs
WHERE finished_at IS NOT NULL AND (finished_at, id) > (:at, :id) ORDER BY finished_at, id LIMIT :limit
"""
LAST_END = "SELECT id, finished_at FROM jobs WHERE finished_at IS NOT NULL ORDER BY finished_at DESC, id DESC LIMIT 1"
OPEN_GATES = """
SELECT count(*) AS n, min(requested_at) AS since FROM
  (SELECT requested_at FROM approvals WHERE decision IS NULL ORDER BY requested_at LIMIT 10000)
"""


@dataclass(frozen=True, slots=True)
class End:
    """A job that has ended."""

    job_type: str
    status: Status
    retries: int
    took: timedelta | None
    """From its first start to its end; None when it never started."""


@dataclass(frozen=True, slots=True)
class EndMark:
    """Up to where ends were read."""

    at: int
    id: int


@dataclass(frozen=True, slots=True)
class OpenGates:
    """Gates that wait for an answer."""

    count: int
    since: datetime | None


class MeasureViews(Tx):
    """Numbers for a monitor."""

    def head_waits_since(self) -> datetime | None:
        """Since when the job has waited that stands first in its priority, the longest waiting of these."""
        heads = (self.one(HEAD_OF_PRIORITY, priority=row["priority"]) for row in self.all(SOME_PRIORITIES))
        found = [int(head["since"]) for head in heads if head is not None]
        return from_us(min(found)) if found else None

    def open_gates(self) -> OpenGates:
        """How many gates wait for an answer, and since when the first of them."""
        row = self.one(OPEN_GATES)
        if row is None or not row["n"]:
            return OpenGates(0, None)
        return OpenGates(int(row["n"]), from_us(row["since"]))

    def last_end(self) -> EndMark:
        """The mark behind everything that has ended by now."""
        row = self.one(LAST_END)
        return EndMark(-1, -1) if row is None else EndMark(row["finished_at"], row["id"])

    def mark_at(self, instant: datetime) -> EndMark:
        """The mark behind everything that had ended at an instant."""
        return EndMark(to_us(instant), 2**63 - 1)

    def ended_after(self, mark: EndMark, limit: int) -> tuple[list[End], EndMark]:
        """What has ended behind a mark, oldest first, and the mark behind that."""
        rows = self.all(ENDED_AFTER, at=mark.at, id=mark.id, limit=limit)
        if rows:
            mark = EndMark(rows[-1]["finished_at"], rows[-1]["id"])
        return [_end(row) for row in rows], mark


def _end(row: Row) -> End:
    started = row["started_at"]
    # A clock that was set back makes no negative duration.
    took = None if started is None else timedelta(microseconds=max(0, row["finished_at"] - started))
    return End(row["job_type"], Status(row["status"]), row["retry_count"], took)
