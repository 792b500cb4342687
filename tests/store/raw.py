"""Jobs brought into each state by plain SQL, without any of the store's operations."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.status import Status
from store import sqlite

NOW = 1_772_000_000_000_000

INSERT_JOB = """
INSERT INTO jobs (job_id, job_type, job_key, status, position, created_at, created_by, queued_at, updated_at,
                  updated_by, event)
VALUES (:job_id, 't', :job_id, :status, 100, :now, 'raw', :queued_at, :now, 'raw', 'submit')
"""
INSERT_EXECUTION = """
INSERT INTO executions (exec_id, job_id, attempt, status, lease_owner, lease_expires_at, leased_at)
VALUES (:exec_id, :job_id, :attempt, 'LEASED', 'w', :now + 60000000, :now)
"""
OPEN_GATE = """
INSERT INTO approvals (approval_id, job_id, exec_id, name, message, requested_at, requested_by, token_digest)
VALUES (:exec_id, :job_id, :exec_id, :exec_id, 'go on?', :now, 'raw', :digest)
"""
GRANT = """
UPDATE approvals SET decision = 'APPROVED', decided_at = :now, decided_by = 'raw'
WHERE job_id = :job_id AND decision IS NULL
"""
ABORT = """
UPDATE executions SET status = 'ABORTED', outcome = 'FAILED', error = 'x', finished_at = :now
WHERE job_id = :job_id AND status IN ('LEASED', 'IN_PROGRESS')
"""
PARK = """
UPDATE executions SET status = 'PARKED', finished_at = :now
WHERE job_id = :job_id AND status IN ('LEASED', 'IN_PROGRESS')
"""
START = "UPDATE executions SET status = 'IN_PROGRESS', started_at = :now WHERE job_id = :job_id AND status = 'LEASED'"
COMMIT = """
UPDATE executions SET status = 'COMMITTED', committed_at = :now WHERE job_id = :job_id AND status = 'IN_PROGRESS'
"""
DONE = """
UPDATE executions SET status = 'DONE', outcome = 'COMPLETED', finished_at = :now
WHERE job_id = :job_id AND status = 'COMMITTED'
"""
PREPARE: dict[Status, tuple[str, ...]] = {
    Status.CREATED: (ABORT,),
    Status.QUEUED: (ABORT,),
    Status.SUCCEEDED: (START, COMMIT, DONE),
    Status.FAILED: (ABORT,),
    Status.RETRYING: (ABORT,),
    Status.CANCELLED: (ABORT,),
}
"""What its execution has to go through before a job may come to a state."""
TURN: dict[Status, str] = {
    Status.CREATED: """UPDATE jobs SET status = 'CREATED', error_message = NULL, error_type = NULL
        WHERE job_id = :job_id""",
    Status.QUEUED: """UPDATE jobs SET status = 'QUEUED', queued_at = coalesce(queued_at, :now), next_retry_at = NULL,
        approval_token = NULL, error_message = NULL, error_type = NULL WHERE job_id = :job_id""",
    Status.RUNNING: """UPDATE jobs SET status = 'RUNNING', exec_id = :exec_id, attempt = :attempt, next_retry_at = NULL,
        approval_token = NULL, started_at = coalesce(started_at, :now), error_message = NULL, error_type = NULL
        WHERE job_id = :job_id""",
    Status.WAITING_FOR_APPROVAL: """UPDATE jobs SET status = 'WAITING_FOR_APPROVAL', approval_token = :digest,
        next_retry_at = NULL, error_message = NULL, error_type = NULL WHERE job_id = :job_id""",
    Status.RETRYING: """UPDATE jobs SET status = 'RETRYING', next_retry_at = :now + 1, retry_count = retry_count + 1,
        approval_token = NULL, error_message = 'x', error_type = 'RETRYABLE' WHERE job_id = :job_id""",
    Status.SUCCEEDED: """UPDATE jobs SET status = 'SUCCEEDED', finished_at = :now, next_retry_at = NULL,
        approval_token = NULL, error_message = NULL, error_type = NULL WHERE job_id = :job_id""",
    Status.FAILED: """UPDATE jobs SET status = 'FAILED', finished_at = :now, next_retry_at = NULL,
        approval_token = NULL, error_message = 'x', error_type = 'TERMINAL' WHERE job_id = :job_id""",
    Status.CANCELLED: """UPDATE jobs SET status = 'CANCELLED', finished_at = :now, next_retry_at = NULL,
        approval_token = NULL, cancel_requested_at = :now WHERE job_id = :job_id""",
}
"""The statement that brings a job to a state, with every column as that state wants it."""
PATHS: dict[Status, tuple[Status, ...]] = {
    Status.CREATED: (Status.CREATED,),
    Status.QUEUED: (Status.QUEUED,),
    Status.RUNNING: (Status.QUEUED, Status.RUNNING),
    Status.WAITING_FOR_APPROVAL: (Status.QUEUED, Status.RUNNING, Status.WAITING_FOR_APPROVAL),
    Status.RETRYING: (Status.QUEUED, Status.RUNNING, Status.RETRYING),
    Status.SUCCEEDED: (Status.QUEUED, Status.RUNNING, Status.SUCCEEDED),
    Status.FAILED: (Status.QUEUED, Status.RUNNING, Status.FAILED),
    Status.CANCELLED: (Status.QUEUED, Status.CANCELLED),
}


def uuid(number: int) -> str:
    """A readable UUID."""
    return f"{number:08x}-0000-7000-8000-000000000000"


class RawStore:
    """A connection that writes rows by hand."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite.connect(path)
        self._last = 0

    def new_id(self) -> str:
        """A UUID that was not used before."""
        self._last += 1
        return uuid(self._last)

    def run(self, statement: str, **values: object) -> Any:
        """One statement with the values that all of them share."""
        return self.connection.execute(statement, {"now": NOW, "digest": "d" * 64, **values})

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One transaction, rolled back when the block fails."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def job_in(self, status: Status) -> str:
        """A new job, brought to that state by the shortest legal path."""
        first, *rest = PATHS[status]
        job_id = self.new_id()
        self.run(INSERT_JOB, job_id=job_id, status=first, queued_at=None if first is Status.CREATED else NOW)
        for step in rest:
            self.turn(job_id, step)
        return job_id

    def turn(self, job_id: str, target: Status) -> None:
        """Bring a job to a state in one transaction, its execution and its gate as that state wants them."""
        row = self.run("SELECT status, attempt FROM jobs WHERE job_id = :job_id", job_id=job_id).fetchone()
        resumed = row["status"] == Status.WAITING_FOR_APPROVAL
        exec_id, attempt = self.new_id(), row["attempt"] + (not resumed)
        with self.transaction():
            for statement in PREPARE.get(target, ()):
                self.run(statement, job_id=job_id)
            if target is Status.WAITING_FOR_APPROVAL:
                self.run(OPEN_GATE, job_id=job_id, exec_id=exec_id)
                self.run(PARK, job_id=job_id)
            if target is Status.RUNNING and resumed:
                self.run(GRANT, job_id=job_id)
            self.run(TURN[target], job_id=job_id, exec_id=exec_id, attempt=attempt)
            if target is Status.RUNNING:
                self.run(INSERT_EXECUTION, job_id=job_id, exec_id=exec_id, attempt=attempt)

    def status_of(self, job_id: str) -> str:
        """The status that is stored."""
        return str(self.run("SELECT status FROM jobs WHERE job_id = :job_id", job_id=job_id).fetchone()[0])
