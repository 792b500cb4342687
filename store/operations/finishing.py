"""How an execution ends, and what that makes of its job."""

from random import Random

from core.classify import ErrorType, Failure
from core.executions import ExecStatus
from core.jobs import Json
from core.refusals import Refused
from core.retry import RetryAt, RetryPolicy, decide, parse_backoff
from core.status import Status
from store.operations.gate_news import GateNews
from store.operations.running import UNPASSED_GATE, Running, fence
from store.rows import Row, to_us

DONE = """
UPDATE executions SET status = 'DONE', outcome = 'COMPLETED', finished_at = :now, exit_code = :exit_code, error = :error
WHERE exec_id = :exec_id AND status = 'COMMITTED'
"""
# A duplicate that finds a commit already there was skipped; any other end before the commit is a failure.
ABORT = """
UPDATE executions SET status = 'ABORTED', finished_at = :now, exit_code = :exit_code, error = :error,
       error_type = :error_type,
       outcome = CASE WHEN EXISTS (SELECT 1 FROM executions c WHERE c.job_id = executions.job_id
                                   AND c.status IN ('COMMITTED', 'DONE')) THEN 'SKIPPED' ELSE 'FAILED' END
WHERE exec_id = :exec_id AND status IN ('LEASED', 'IN_PROGRESS')
"""
PARK = """
UPDATE executions SET status = 'PARKED', finished_at = :now
WHERE exec_id = :exec_id AND status IN ('LEASED', 'IN_PROGRESS')
"""
JOB_SUCCEEDED = """
UPDATE jobs SET status = 'SUCCEEDED', finished_at = :now, updated_at = :now, updated_by = :actor, event = 'finish',
       reason = :reason, revision = revision + 1
WHERE job_id = :job_id AND status = 'RUNNING'
"""
JOB_FAILED = """
UPDATE jobs SET status = 'FAILED', finished_at = :now, error_message = :error, error_type = :error_type,
       next_retry_at = NULL, approval_token = NULL, updated_at = :now, updated_by = :actor, event = :event,
       reason = :reason, revision = revision + 1
WHERE job_id = :job_id AND status IN ('RUNNING', 'QUEUED', 'WAITING_FOR_APPROVAL')
"""
JOB_RETRYING = """
UPDATE jobs SET status = 'RETRYING', next_retry_at = :at, retry_count = :retry_count, error_message = :error,
       error_type = :error_type, updated_at = :now, updated_by = :actor, event = 'fail', reason = :reason,
       revision = revision + 1
WHERE job_id = :job_id AND status = 'RUNNING'
"""
JOB_CANCELLED = """
UPDATE jobs SET status = 'CANCELLED', finished_at = :now, updated_at = :now, updated_by = :actor, event = 'cancel',
       reason = :reason, revision = revision + 1
WHERE job_id = :job_id AND status = 'RUNNING'
"""
JOB_PARKED = """
UPDATE jobs SET status = 'WAITING_FOR_APPROVAL', updated_at = :now, updated_by = :actor, event = 'park',
       reason = :reason, revision = revision + 1,
       approval_token = (SELECT token_digest FROM approvals a WHERE a.job_id = jobs.job_id AND a.consumed_at IS NULL
                         AND (a.decision IS NULL OR a.decision = 'APPROVED') ORDER BY a.id DESC LIMIT 1)
WHERE job_id = :job_id AND status = 'RUNNING'
"""
WITHDRAW_GATE = """
UPDATE approvals SET decision = 'WITHDRAWN', decided_at = :now, decided_by = :actor, comment = :reason
WHERE job_id = :job_id AND decision IS NULL
"""
EXPIRED_LEASES = """
SELECT exec_id FROM executions WHERE status IN ('LEASED', 'IN_PROGRESS', 'COMMITTED') AND lease_expires_at <= :now
ORDER BY lease_expires_at LIMIT :limit
"""
RECOVER = "recover"
LOST = Failure("the worker was lost: its lease ran out", ErrorType.RETRYABLE)
UNREPORTED = Failure("nobody reported a result in time", ErrorType.RETRYABLE)


class Finishing(Running, GateNews):
    """The ends of an execution: done, failed, parked, lost."""

    def finish(self, exec_id: str, owner: str, exit_code: int = 0, result: Json = None) -> Status:
        """Its process ended well: commit if it has not, then done and SUCCEEDED, in one go."""
        row = self.execution(exec_id)
        if row["lease_owner"] == owner and row["status"] == ExecStatus.DONE:
            return Status.SUCCEEDED
        fence(row, owner, self.now_us)
        if row["status"] != ExecStatus.COMMITTED:
            # Ending well without having passed a gate one asked for is no success.
            if self.at_gate(row):
                return self.park_row(row)
            self.commit(exec_id, owner, result)
        return self.conclude(row, exit_code, None)

    def fail(self, exec_id: str, owner: str, failure: Failure, rng: Random) -> Status:
        """Its process failed, timed out or was stopped: retry, fail for good, or cancel as it was asked to."""
        row = self.execution(exec_id)
        if row["lease_owner"] == owner and row["status"] in {ExecStatus.ABORTED, ExecStatus.DONE, ExecStatus.PARKED}:
            return Status(row["job_status"])
        fence(row, owner, self.now_us)
        return self.end(row, failure, rng)

    def abort_expired(self, rng: Random, limit: int = 1000) -> list[int]:
        """Take back every execution whose lease ran out; what was committed is finished, never run again."""
        ended = []
        for lost in self.all(EXPIRED_LEASES, limit=limit):
            row = self.execution(lost["exec_id"])
            self.end(row, LOST if row["handed_over_at"] is None else UNREPORTED, rng)
            ended.append(int(row["job"]))
        return ended

    def park(self, exec_id: str, owner: str) -> Status:
        """Stop cleanly at the gate that was asked for; no slot is held while people think."""
        row = self.execution(exec_id)
        if row["lease_owner"] == owner and row["status"] == ExecStatus.PARKED:
            return Status(row["job_status"])
        fence(row, owner, self.now_us)
        if not self.at_gate(row):
            raise Refused(f"job {row['job']} stands at no gate, so it can't be parked")
        return self.park_row(row)

    def end(self, row: Row, failure: Failure, rng: Random) -> Status:
        """End an execution that did not finish well, whoever found out, and move its job on."""
        if row["status"] == ExecStatus.COMMITTED:
            return self.conclude(row, failure.exit_code, failure.message)
        if self.at_gate(row):
            return self.park_row(row)
        self.abort(row, failure)
        if row["cancel_requested_at"] is not None:
            return self._cancelled(row)
        policy = RetryPolicy(row["max_retries"], parse_backoff(row["backoff"]))
        verdict = decide(policy, row["retry_count"], failure.error_type, self.now, rng)
        if isinstance(verdict, RetryAt):
            self.run(
                JOB_RETRYING,
                job_id=row["job_id"],
                at=to_us(verdict.at),
                retry_count=verdict.retry_count,
                error=failure.message,
                error_type=failure.error_type,
                reason=failure.message,
            )
            return Status.RETRYING
        self.fail_job(row["job_id"], failure, "fail", verdict.reason)
        return Status.FAILED

    def conclude(self, row: Row, exit_code: int | None, error: str | None) -> Status:
        """After the commit: done and SUCCEEDED, even if the process then ended badly."""
        self.run(DONE, exec_id=row["exec_id"], exit_code=exit_code, error=error)
        self.run(JOB_SUCCEEDED, job_id=row["job_id"], reason=error)
        return Status.SUCCEEDED

    def park_row(self, row: Row) -> Status:
        """Park an execution at its gate, unless its job was asked to stop meanwhile."""
        if row["cancel_requested_at"] is not None:
            self.abort(row, Failure("cancelled at its gate", ErrorType.TERMINAL))
            return self._cancelled(row)
        self.run(PARK, exec_id=row["exec_id"])
        self.run(JOB_PARKED, job_id=row["job_id"], reason=None)
        self.announce_gate(row["job_id"])
        return Status.WAITING_FOR_APPROVAL

    def fail_job(self, job_id: str, failure: Failure, event: str, reason: str | None) -> None:
        """Fail a job for good."""
        self.run(
            JOB_FAILED, job_id=job_id, error=failure.message, error_type=failure.error_type, event=event, reason=reason
        )
        if event != RECOVER:
            # What recovery fails is mostly run again at once; it tells of the rest by itself.
            self.announce_failure(job_id, failure.message)

    def _cancelled(self, row: Row) -> Status:
        self.run(WITHDRAW_GATE, job_id=row["job_id"], reason="the job was cancelled")
        self.run(JOB_CANCELLED, job_id=row["job_id"], reason="stopped on request")
        return Status.CANCELLED

    def abort(self, row: Row, failure: Failure) -> None:
        """End an execution before its commit; what becomes of its job is another step."""
        self.run(
            ABORT,
            exec_id=row["exec_id"],
            exit_code=failure.exit_code,
            error=failure.message,
            error_type=failure.error_type,
        )

    def at_gate(self, row: Row) -> bool:
        """Whether it asked for a gate that it has not passed."""
        return self.one(UNPASSED_GATE, job_id=row["job_id"], exec_id=row["exec_id"]) is not None
