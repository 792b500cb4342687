"""Stopping jobs for good: at once where nothing runs, by request where something does."""

from dataclasses import dataclass

from core.jobs import Job, StopRequest
from core.refusals import Refused
from core.status import Status
from store.job_columns import reason_column
from store.operations.base import Operation
from store.operations.finishing import WITHDRAW_GATE
from store.rows import Row
from store.tx import Ref

COMMITTED = "SELECT exec_id FROM executions WHERE job_id = :job_id AND status IN ('COMMITTED', 'DONE')"
REQUEST_STOP = """
UPDATE jobs SET cancel_requested_at = :now, updated_at = :now, updated_by = :actor, event = 'cancel', reason = :reason,
       revision = revision + 1
WHERE id = :id AND status = 'RUNNING' AND cancel_requested_at IS NULL
"""
REQUEST_KILL = """
UPDATE jobs SET cancel_requested_at = coalesce(cancel_requested_at, :now), kill_requested_at = :now, updated_at = :now,
       updated_by = :actor, event = 'kill', reason = :reason, revision = revision + 1
WHERE id = :id AND status = 'RUNNING' AND kill_requested_at IS NULL
"""
CANCEL = """
UPDATE jobs SET status = 'CANCELLED', cancel_requested_at = coalesce(cancel_requested_at, :now), finished_at = :now,
       next_retry_at = NULL, approval_token = NULL, updated_at = :now, updated_by = :actor, event = 'cancel',
       reason = :reason, revision = revision + 1
WHERE id = :id AND status IN ('CREATED', 'QUEUED', 'RETRYING', 'WAITING_FOR_APPROVAL')
"""
STOPPING = """
SELECT e.exec_id, e.handed_over_at, j.kill_requested_at FROM jobs j JOIN executions e ON e.exec_id = j.exec_id
WHERE j.status = 'RUNNING' AND j.cancel_requested_at IS NOT NULL ORDER BY j.cancel_requested_at
"""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """What a cancel came to."""

    job: Job
    stopping: bool
    """Whether something runs that has yet to be stopped."""


class Stopping(Operation):
    """Cancelling a row that one has in hand."""

    def stop(self, row: Row, reason: str | None) -> bool:
        """Cancel a live job; True when it runs, so that it was only asked to stop."""
        if row["status"] != Status.RUNNING:
            self.run(WITHDRAW_GATE, job_id=row["job_id"], reason=reason or "the job was cancelled")
            self.run(CANCEL, id=row["id"], reason=reason)
            return False
        if row["cancel_requested_at"] is None:
            if self.one(COMMITTED, job_id=row["job_id"]) is not None:
                raise Refused(f"job {row['id']} has committed, so it can't be cancelled any more; it will be SUCCEEDED")
            self.run(REQUEST_STOP, id=row["id"], reason=reason)
        return True


class Cancelling(Stopping):
    """What an operator stops."""

    def stop_requests(self) -> list[StopRequest]:
        """The running jobs that were asked to stop."""
        return [
            StopRequest(
                row["exec_id"],
                elsewhere=row["handed_over_at"] is not None,
                at_once=row["kill_requested_at"] is not None,
            )
            for row in self.all(STOPPING)
        ]

    def kill(self, ref: Ref, reason: str | None = None) -> Job:
        """Have a running job stopped at once, without a grace time; asking again changes nothing."""
        reason = reason_column(reason)
        row = self.row_for("kill", ref)
        if self.stop(row, reason):
            self.run(REQUEST_KILL, id=row["id"], reason=reason)
        return self.job(row["id"])

    def cancel(self, ref: Ref, reason: str | None = None) -> Cancelled:
        """Cancel a job; one that runs is asked to stop, and asking again changes nothing."""
        reason = reason_column(reason)
        row = self.row_for("cancel", ref)
        stopping = self.stop(row, reason)
        return Cancelled(self.job(row["id"]), stopping)
