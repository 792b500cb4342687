"""What a worker does under its lease: start, renew, progress, checkpoint, artifacts, commit. All of it is fenced."""

from collections.abc import Iterable
from datetime import timedelta

from core.executions import BEFORE_COMMIT, ExecStatus
from core.jobs import Json
from core.jsontext import CHECKPOINT_LIMIT, PARAMS_LIMIT, RESULT_LIMIT, check_text, dumps
from core.refusals import BadInput, Fenced, NoSuchThing, Refused
from store.operations.base import Operation
from store.rows import Row, dump, load, to_us

EXECUTION = """
SELECT e.*, j.id AS job, j.status AS job_status, j.exec_id AS current_exec_id, j.cancel_requested_at, j.retry_count,
       j.max_retries, j.backoff, j.created_by
FROM executions e JOIN jobs j ON j.job_id = e.job_id WHERE e.exec_id = :exec_id
"""
START = """
UPDATE executions SET status = 'IN_PROGRESS', started_at = :now, pid = :pid, pid_started = :pid_started,
       boot_id = :boot_id, log_path = :log_path
WHERE exec_id = :exec_id AND lease_owner = :owner AND status = 'LEASED' AND lease_expires_at > :now
"""
RENEW = """
UPDATE executions SET lease_expires_at = :until
WHERE exec_id = :exec_id AND lease_owner = :owner AND status IN ('LEASED', 'IN_PROGRESS', 'COMMITTED')
  AND lease_expires_at > :now
"""
CHECKPOINT = "UPDATE jobs SET checkpoint = :checkpoint, updated_at = :now WHERE job_id = :job_id AND status = 'RUNNING'"
PROGRESS = """
UPDATE executions SET progress = coalesce(:progress, progress), progress_text = :text WHERE exec_id = :exec_id
"""
ARTIFACTS = "UPDATE executions SET artifacts = :artifacts WHERE exec_id = :exec_id"
COMMIT = """
UPDATE executions SET status = 'COMMITTED', committed_at = :now
WHERE exec_id = :exec_id AND lease_owner = :owner AND status = 'IN_PROGRESS' AND lease_expires_at > :now
"""
RESULT = "UPDATE jobs SET result = :result, updated_at = :now WHERE job_id = :job_id AND status = 'RUNNING'"
UNPASSED_GATE = """
SELECT name, decision FROM approvals WHERE job_id = :job_id AND exec_id = :exec_id AND consumed_at IS NULL
  AND (decision IS NULL OR decision = 'APPROVED')
"""
MAX_ARTIFACTS = 1000


class Running(Operation):
    """The steps of an execution that holds its lease."""

    def execution(self, exec_id: str) -> Row:
        """An execution with the facts of its job that decide what becomes of it."""
        row = self.one(EXECUTION, exec_id=exec_id)
        if row is None:
            raise NoSuchThing(f"there is no execution {exec_id[:40]}")
        return row

    def leased(self, exec_id: str, owner: str) -> Row:
        """The execution, if that owner still holds its lease; otherwise it is told that it is fenced."""
        row = self.execution(exec_id)
        fence(row, owner, self.now_us)
        return row

    def start(
        self,
        exec_id: str,
        owner: str,
        *,
        pid: int | None = None,
        pid_started: int | None = None,
        boot_id: str | None = None,
        log_path: str | None = None,
    ) -> None:
        """Its process runs; said twice by the same owner, it changes nothing."""
        row = self.leased(exec_id, owner)
        if row["status"] == ExecStatus.LEASED:
            self.run(
                START, exec_id=exec_id, owner=owner, pid=pid, pid_started=pid_started, boot_id=boot_id,
                log_path=log_path,
            )  # fmt: skip

    def renew(self, exec_ids: Iterable[str], owner: str, lease: timedelta) -> list[str]:
        """Hold on to these for another lease; those that are lost already come back as fenced."""
        until = to_us(self.now + lease)
        return [one for one in exec_ids if not self.run(RENEW, exec_id=one, owner=owner, until=until)]

    def checkpoint(self, exec_id: str, owner: str, value: Json) -> None:
        """Keep how far the job has come; its next attempt or its resume starts from there."""
        text = dumps(value, "checkpoint", CHECKPOINT_LIMIT)
        row = self.leased(exec_id, owner)
        self.run(CHECKPOINT, job_id=row["job_id"], checkpoint=text)

    def progress(self, exec_id: str, owner: str, share: float | None, text: str | None = None) -> None:
        """How much of the work is done, in percent, and a word about it."""
        if share is not None and not 0 <= share <= 100:
            raise BadInput(f"progress goes from 0 to 100, not {share}")
        if text is not None:
            check_text(text, "progress text", 500, allow_empty=True)
        self.leased(exec_id, owner)
        self.run(PROGRESS, exec_id=exec_id, progress=None if share is None else round(share * 100), text=text)

    def add_artifact(self, exec_id: str, owner: str, path: str) -> None:
        """Name a file that the run produced; a name given twice is kept once."""
        check_text(path, "artifact path", 4096)
        row = self.leased(exec_id, owner)
        artifacts = load(row["artifacts"])
        if path in artifacts:
            return
        if len(artifacts) >= MAX_ARTIFACTS:
            raise Refused(f"job {row['job']} has {MAX_ARTIFACTS} artifacts already, which is the limit")
        grown = dump([*artifacts, path])
        if len(grown.encode()) > PARAMS_LIMIT:
            raise Refused(f"the artifact names of job {row['job']} would take more than 1 MiB")
        self.run(ARTIFACTS, exec_id=exec_id, artifacts=grown)

    def commit(self, exec_id: str, owner: str, result: Json = None) -> None:
        """The boundary: from here on the job has happened, whatever becomes of its process. Said twice, it is once."""
        text = None if result is None else dumps(result, "result", RESULT_LIMIT)
        row = self.execution(exec_id)
        if row["lease_owner"] == owner and row["status"] in {ExecStatus.COMMITTED, ExecStatus.DONE}:
            return
        fence(row, owner, self.now_us)
        gate = self.one(UNPASSED_GATE, job_id=row["job_id"], exec_id=exec_id)
        if gate is not None:
            raise Refused(f'job {row["job"]} stands at gate "{gate["name"]}" and can\'t commit before it has passed it')
        if row["status"] == ExecStatus.LEASED:
            raise Refused(f"job {row['job']} has not started, so there is nothing to commit")
        if not self.run(COMMIT, exec_id=exec_id, owner=owner):
            raise Fenced(f"job {row['job']}: this execution is no longer the one that counts")
        if text is not None:
            self.run(RESULT, job_id=row["job_id"], result=text)


def fence(row: Row, owner: str, now_us: int) -> None:
    """Refuse whatever an execution says once it has ended, changed hands, or let its lease run out."""
    status = ExecStatus(row["status"])
    if not status.live:
        raise Fenced(f"job {row['job']}: this execution has ended ({status}); nothing it says counts any more")
    if row["lease_owner"] != owner:
        raise Fenced(f"job {row['job']}: this execution belongs to another worker")
    if status in BEFORE_COMMIT and row["lease_expires_at"] <= now_us:
        raise Fenced(f"job {row['job']}: the lease of this execution ran out; nothing it says counts any more")
