"""Watching the queue: when jobs are ready and none starts for longer than is usual, that is told, once."""

from core.notifications import Told
from core.stuck import LATELY, stuck_after
from core.when import format_duration
from store.operations.outbox import Outbox, job_facts, job_words
from store.rows import from_us, span_from_us
from store.views.counting import PAUSED

STUCK = "stuck"
"""The setting that says since when the queue stood still when that was told the last time."""
HEAD = """
SELECT * FROM jobs INDEXED BY jobs_ready
WHERE status = 'QUEUED' AND held = 0 AND ready = 1 AND (reservation_id IS NULL OR attempt > 0)
ORDER BY priority DESC, position, created_at, id LIMIT 1
"""
LATEST_CLAIM = "SELECT leased_at FROM executions WHERE id = (SELECT max(id) FROM executions)"
LATEST_WAITS = """
SELECT max(0, started_at - max(queued_at, coalesce(scheduled_run_time, 0))) AS waited FROM jobs
WHERE finished_at IS NOT NULL AND started_at IS NOT NULL AND queued_at IS NOT NULL
ORDER BY finished_at DESC LIMIT :limit
"""


class Watching(Outbox):
    """What nobody does, and nobody would notice."""

    def watch_queue(self) -> bool:
        """Tell if the queue is stuck, unless that was told already; whether it was told now."""
        if not self.hears(Told.QUEUE_STUCK) or self.one(PAUSED) is not None:
            return False
        head = self.one(HEAD)
        if head is None:
            return False
        latest = self.one(LATEST_CLAIM)
        since = max(head["updated_at"], 0 if latest is None else latest["leased_at"])
        stood = self.now - from_us(since)
        waits = [span_from_us(row["waited"]) for row in self.all(LATEST_WAITS, limit=LATELY)]
        if stood <= stuck_after([one for one in waits if one is not None]) or self.setting(STUCK) == since:
            return False
        self.set_setting(STUCK, since)
        message = f"no job has started for {format_duration(stood)}; {job_words(head)} is the first that is ready"
        self.announce(Told.QUEUE_STUCK, message, {**job_facts(head), "seconds": round(stood.total_seconds())})
        return True
