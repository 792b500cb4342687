"""What is usual: how long jobs of a type take, and how the last jobs of a schedule ended."""

from datetime import datetime, timedelta
from statistics import median

from core.status import Status
from store.rows import span_from_us, to_us
from store.tx import Tx

# First attempts only: between two attempts a job mostly waits.
LATEST_DURATIONS = """
SELECT finished_at - started_at AS took FROM jobs
WHERE job_type = :job_type AND finished_at IS NOT NULL AND status = 'SUCCEEDED' AND attempt = 1
ORDER BY finished_at DESC LIMIT :limit
"""
LATEST_OF_SCHEDULE = "SELECT status FROM jobs WHERE schedule_id = :schedule_id ORDER BY id DESC LIMIT :limit"
ENDED_BETWEEN = """
SELECT count(*) AS n FROM jobs WHERE finished_at IS NOT NULL AND finished_at >= :since AND finished_at < :until
"""

SAMPLE = 20


class UsualViews(Tx):
    """What one may expect, from what has been."""

    def usual_duration(self, job_type: str) -> timedelta | None:
        """The middle one of the latest durations of a type; None when none has ended well."""
        took = [row["took"] for row in self.all(LATEST_DURATIONS, job_type=job_type, limit=SAMPLE)]
        return span_from_us(round(median(took))) if took else None

    def ended_between(self, since: datetime, until: datetime) -> int:
        """How many jobs ended in a stretch of time."""
        row = self.one(ENDED_BETWEEN, since=to_us(since), until=to_us(until))
        return 0 if row is None else int(row["n"])

    def latest_results(self, schedule_id: str, limit: int) -> list[Status]:
        """The states of a schedule's latest jobs, the newest last."""
        rows = self.all(LATEST_OF_SCHEDULE, schedule_id=schedule_id, limit=limit)
        return [Status(row["status"]) for row in reversed(rows)]
