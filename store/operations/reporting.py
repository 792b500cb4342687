"""Results that come from outside: a job that only started something elsewhere, found again by its type and key."""

from datetime import timedelta
from random import Random

from core.classify import ErrorType, Failure
from core.executions import ExecStatus
from core.jobs import Job, Json
from core.jsontext import check_text
from core.refusals import NoSuchThing, Refused
from core.status import Status
from store.operations.gates import Gates
from store.rows import Row, job_of, to_us

# Whoever came last under a key is the live one, if one is: a key is free again only when its job has ended.
# The first comparison is the index's, without case; the second one decides.
LATEST_OF_KEY = """
SELECT * FROM jobs WHERE job_key = :job_key COLLATE NOCASE AND job_key = :job_key AND job_type = :job_type
ORDER BY id DESC LIMIT 1
"""
STILL_HELD = """
UPDATE executions SET lease_expires_at = max(lease_expires_at, :now + 1)
WHERE exec_id = :exec_id AND status IN ('LEASED', 'IN_PROGRESS', 'COMMITTED')
"""
# The lease is now the time within which someone has to report; no engine prolongs it.
HAND_OVER = """
UPDATE executions SET handed_over_at = :now, lease_expires_at = :until
WHERE exec_id = :exec_id AND status = 'IN_PROGRESS' AND handed_over_at IS NULL
"""
ERROR_LIMIT = 4000
STOPPED = Failure("stopped while it went on elsewhere", ErrorType.TERMINAL)


class Reporting(Gates):
    """Results reported by job type and job key."""

    def hand_over(self, exec_id: str, owner: str, within: timedelta, rng: Random) -> Status:
        """What was started goes on elsewhere: no slot is held, and within that time someone reports how it ended.

        If it has committed it is done instead, if it stands at a gate it is parked, and if it was asked to stop
        meanwhile it is cancelled: nobody would look at that again before the report.
        """
        row = self.leased(exec_id, owner)
        if row["status"] == ExecStatus.LEASED:
            raise Refused(f"job {row['job']} has not started, so there is nothing to hand over")
        if row["status"] == ExecStatus.COMMITTED:
            return self.conclude(row, 0, None)
        if row["cancel_requested_at"] is not None or self.at_gate(row):
            return self.end(row, STOPPED, rng)
        self.run(HAND_OVER, exec_id=exec_id, until=to_us(self.now + within))
        return Status.RUNNING

    def stop_elsewhere(self, exec_id: str, rng: Random) -> Status:
        """Cancel a job that goes on elsewhere, as it was asked to: there is nothing here to wait for."""
        row = self.execution(exec_id)
        if row["handed_over_at"] is None or row["cancel_requested_at"] is None:
            raise Refused(f"job {row['job']} was not handed over and asked to stop")
        return self.end(row, STOPPED, rng)

    def report(
        self,
        job_type: str,
        job_key: str,
        *,
        succeeded: bool,
        result: Json = None,
        error: str | None = None,
        rng: Random,
    ) -> Job:
        """Record how the running job of that key ended; the same report again changes nothing."""
        if error is not None:
            check_text(error, "error", ERROR_LIMIT, allow_newlines=True)
        row = self.one(LATEST_OF_KEY, job_type=job_type, job_key=job_key)
        if row is None:
            raise NoSuchThing(f'there is no job of type "{job_type[:100]}" with key "{job_key[:200]}"')
        status = Status(row["status"])
        if status is Status.RUNNING:
            self._ended_outside(row, succeeded=succeeded, result=result, error=error, rng=rng)
            return self.job(row["id"])
        told = {Status.SUCCEEDED: True, Status.FAILED: False, Status.RETRYING: False}
        if told.get(status) is succeeded:
            return job_of(row)
        word = "success" if succeeded else "failure"
        raise Refused(f"job {row['id']} is {status}, not RUNNING, so a {word} can't be reported for it")

    def _ended_outside(self, row: Row, *, succeeded: bool, result: Json, error: str | None, rng: Random) -> None:
        # A result that is here before anyone has taken the lease away counts, even if the lease ran out meanwhile.
        self.run(STILL_HELD, exec_id=row["exec_id"])
        execution = self.execution(row["exec_id"])
        owner = execution["lease_owner"]
        if not succeeded:
            self.fail(row["exec_id"], owner, Failure(error or "reported as failed", ErrorType.RETRYABLE), rng)
            return
        if execution["status"] == ExecStatus.LEASED:
            self.start(row["exec_id"], owner)
        self.finish(row["exec_id"], owner, 0, result)
