"""Running a job again: now if it waits for its retry, as a new link behind its chain if it has ended."""

from dataclasses import dataclass

from core.ids import uuid7
from core.jobs import Job
from core.refusals import Refused, Trouble
from core.status import FINAL, Status
from store.job_columns import reason_column
from store.operations.outbox import Outbox
from store.operations.submitting import Submitting
from store.rows import Row
from store.tx import Ref

RETRY_OF = "SELECT * FROM jobs WHERE retry_of = :job_id"
# Not inherited: what belonged to one moment (hold, times, reservation) and what the runs of the other came to.
LINK = """
INSERT INTO jobs (job_id, job_type, job_key, status, priority, position, concurrency_key, retry_count, max_retries,
                  backoff, retry_of, timeout, created_at, created_by, queued_at, updated_at, updated_by, event, reason,
                  template_id, schedule_id, fire_time, group_id, tags, command, approval, params, checkpoint)
SELECT :job_id, job_type, job_key, 'QUEUED', priority, :position, concurrency_key, :retry_count, max_retries,
       backoff, job_id, timeout, :now, :created_by, :now, :now, :actor, 'retry', :reason,
       template_id, schedule_id, fire_time, group_id, tags, command, approval, params, :checkpoint
FROM jobs WHERE id = :id
"""
GIVE_UP = """
UPDATE jobs SET status = 'FAILED', finished_at = :now, next_retry_at = NULL, updated_at = :now, updated_by = :actor,
       event = 'give-up', reason = :reason, revision = revision + 1
WHERE id = :id AND status = 'RETRYING'
"""
GRANTS = "SELECT approval_id FROM approvals WHERE job_id = :job_id AND decision = 'APPROVED' ORDER BY id"
# Passed already: the gate counts as granted, and nothing waits to be resumed by it.
COPY_GRANT = """
INSERT INTO approvals (approval_id, job_id, name, message, requested_at, requested_by, token_digest, four_eyes,
                       expires_at, decision, decided_at, decided_by, comment, consumed_at)
SELECT :new_approval_id, :new_job_id, name, message, requested_at, requested_by, token_digest, four_eyes,
       expires_at, decision, decided_at, decided_by, comment, :now
FROM approvals WHERE approval_id = :approval_id
"""


@dataclass(frozen=True, slots=True)
class Retried:
    """What a retry came to."""

    job: Job
    new: bool
    """Whether it is a new job, a link behind the old one."""


class Linking(Submitting, Outbox):
    """Retries by hand and by recovery."""

    def retry(self, ref: Ref, reason: str | None = None) -> Retried:
        """Run a job again: at once when it waits for its retry, as a new job when its chain has ended."""
        reason = reason_column(reason)
        row = self.row_for("retry", ref)
        if row["status"] == Status.RETRYING:
            self.requeue(row, reason)
            return Retried(self.job(row["id"]), new=False)
        tail = self._tail(row)
        if tail["status"] not in FINAL:
            raise Refused(
                f"job {row['id']} was retried already: job {tail['id']} is {tail['status']}; "
                "wait for it, or cancel it first"
            )
        live = self.live_by_key(tail["job_type"], tail["job_key"])
        if live is not None:
            raise Refused(
                f'job {tail["id"]} can\'t be retried now: job {live["id"]} with the same key "{live["job_key"]}" '
                f"is {live['status']}; wait for it, or cancel it first"
            )
        link, _ = self._link(tail, reason, retry_count=0, checkpoint=None, created_by=self.actor)
        return Retried(self.job(link), new=True)

    def give_up(self, ref: Ref, reason: str | None = None) -> Job:
        """Cut the retries that a job has left, which fails it."""
        reason = reason_column(reason)
        row = self.row_for("give-up", ref)
        self.run(GIVE_UP, id=row["id"], reason=reason)
        self.announce_failure(row["job_id"], f"{self.actor} cut its remaining retries")
        return self.job(row["id"])

    def link_automatically(self, row: Row, reason: str | None) -> int | None:
        """Retry a FAILED job without anyone's asking, within its budget: the new job's number, None when it may not."""
        if (
            row["status"] != Status.FAILED
            or row["retry_count"] >= row["max_retries"]
            or row["cancel_requested_at"] is not None
            or self.one(RETRY_OF, job_id=row["job_id"]) is not None
            or self.live_by_key(row["job_type"], row["job_key"]) is not None
        ):
            return None
        # The submitter stays the submitter, so that four eyes stay four.
        link, job_id = self._link(
            row,
            reason,
            retry_count=row["retry_count"] + 1,
            checkpoint=row["checkpoint"],
            created_by=row["created_by"],
        )
        for grant in self.all(GRANTS, job_id=row["job_id"]):
            self.run(
                COPY_GRANT,
                approval_id=grant["approval_id"],
                new_approval_id=uuid7(self.now_us // 1000),
                new_job_id=job_id,
            )
        return link

    def _link(
        self, row: Row, reason: str | None, *, retry_count: int, checkpoint: str | None, created_by: str
    ) -> tuple[int, str]:
        """A new job behind that one: its number and its UUID."""
        job_id = uuid7(self.now_us // 1000)
        number = self.insert(
            LINK,
            id=row["id"],
            job_id=job_id,
            position=self.next_position(row["priority"]),
            retry_count=retry_count,
            checkpoint=checkpoint,
            created_by=created_by,
            reason=reason,
        )
        return number, job_id

    def _tail(self, row: Row) -> Row:
        """The last link of the chain that a job belongs to."""
        seen = {row["job_id"]}
        while (link := self.one(RETRY_OF, job_id=row["job_id"])) is not None:
            if link["job_id"] in seen:
                raise Trouble(f"the retries of job {row['id']} run in a circle; see: jobdeck doctor")
            seen.add(link["job_id"])
            row = link
        return row
