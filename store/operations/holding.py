"""Changing a job that waits: releasing a draft, holding, priority, and what it is made of."""

from typing import Any

from core.edits import UNSET, Edit, chosen, merged
from core.jobs import Command, Job
from core.refusals import BadInput, Refused
from core.status import Status
from store.job_columns import (
    approval_column,
    backoff_column,
    command_column,
    concurrency_column,
    deadline_column,
    params_column,
    priority_column,
    reason_column,
    retries_column,
    tags_column,
    time_column,
    timeout_column,
)
from store.operations.base import Operation
from store.rows import Row, job_of
from store.tx import Ref

RELEASE = """
UPDATE jobs SET status = 'QUEUED', position = :position, queued_at = :now, ready = :ready, updated_at = :now,
       updated_by = :actor, event = 'release', reason = NULL, revision = revision + 1
WHERE id = :id AND status = 'CREATED'
"""
HOLD = """
UPDATE jobs SET held = :held, updated_at = :now, updated_by = :actor, event = :event, reason = :reason,
       revision = revision + 1
WHERE id = :id AND status IN ('CREATED', 'QUEUED', 'RETRYING')
"""
PRIORITY = """
UPDATE jobs SET priority = :priority, position = :position, updated_at = :now, updated_by = :actor, event = 'priority',
       reason = NULL, revision = revision + 1
WHERE id = :id AND status IN ('CREATED', 'QUEUED', 'RETRYING')
"""
EDIT = """
UPDATE jobs SET params = :params, tags = :tags, command = :command, scheduled_run_time = :scheduled_run_time,
       ready = :ready, deadline_at = :deadline_at, timeout = :timeout, max_retries = :max_retries, backoff = :backoff,
       approval = :approval, concurrency_key = :concurrency_key, updated_at = :now, updated_by = :actor,
       event = 'edit', reason = :reason, revision = revision + 1
WHERE id = :id AND status IN ('CREATED', 'QUEUED')
"""


class Holding(Operation):
    """What is changed about a job that waits."""

    def release(self, ref: Ref) -> Job:
        """Put a draft into the queue, at the tail of its priority."""
        row = self.row_for("release", ref)
        ready = row["scheduled_run_time"] is None or row["scheduled_run_time"] <= self.now_us
        self.run(RELEASE, id=row["id"], position=self.next_position(row["priority"]), ready=int(ready))
        return self.job(row["id"])

    def hold(self, ref: Ref, reason: str | None = None) -> bool:
        """Keep a job from starting; False when it was held already."""
        reason = reason_column(reason)
        row = self.row_for("hold", ref)
        return not row["held"] and bool(self.run(HOLD, id=row["id"], held=1, event="hold", reason=reason))

    def unhold(self, ref: Ref) -> bool:
        """Let a held job start again; False when it was not held."""
        row = self.row_for("unhold", ref)
        return bool(row["held"]) and bool(self.run(HOLD, id=row["id"], held=0, event="unhold", reason=None))

    def set_priority(self, ref: Ref, priority: int) -> Job:
        """Give a job another priority; in the queue it goes to the tail of that priority."""
        priority_column(priority)
        row = self.row_for("priority", ref)
        if priority != row["priority"]:
            position = self.next_position(priority) if row["status"] == Status.QUEUED else row["position"]
            self.run(PRIORITY, id=row["id"], priority=priority, position=position)
        return self.job(row["id"])

    def edit(self, ref: Ref, edit: Edit) -> Job:
        """Change what a job is made of; params and command only until its first run."""
        row = self.row_for("edit", ref)
        columns = self._edited(row, edit)
        names = [name for name, value in columns.items() if name != "ready" and value != row[name]]
        if not names:
            return job_of(row)
        _check_frozen(row, names)
        self.run(EDIT, id=row["id"], reason=", ".join(names), **columns)
        return self.job(row["id"])

    def _edited(self, row: Row, edit: Edit) -> dict[str, Any]:
        """The columns that an edit can change, with what they are to be."""
        job = job_of(row)
        start = chosen(edit.scheduled_run_time, job.scheduled_run_time)
        deadline = chosen(edit.deadline_at, job.deadline_at)
        max_retries = retries_column(chosen(edit.max_retries, job.max_retries))
        if max_retries < job.retry_count:
            raise BadInput(f"job {job.id} has used {job.retry_count} retries already; max retries can't be less")
        same_command = edit.argv is UNSET and edit.cwd is UNSET and edit.env is UNSET
        command = Command(
            argv=chosen(edit.argv, job.command.argv),
            cwd=chosen(edit.cwd, job.command.cwd),
            env=merged(job.command.env, edit.env),
            shell=job.command.shell,
        )
        # A deadline that was not touched is none of this edit's business, even if it has passed.
        timed = edit.scheduled_run_time is not UNSET or edit.deadline_at is not UNSET
        return {
            "params": row["params"] if edit.params is UNSET else params_column(merged(job.params, edit.params)),
            "tags": row["tags"] if edit.tags is UNSET else tags_column(merged(job.tags, edit.tags)),
            "command": row["command"] if same_command else command_column(command),
            "scheduled_run_time": time_column(start, "the scheduled time"),
            "ready": int(start is None or start <= self.now),
            "deadline_at": deadline_column(deadline, start, self.now)
            if timed
            else time_column(deadline, "the deadline"),
            "timeout": timeout_column(chosen(edit.timeout, job.timeout)),
            "max_retries": max_retries,
            "backoff": backoff_column(chosen(edit.backoff, job.backoff)),
            "approval": row["approval"] if edit.approval is UNSET else approval_column(edit.approval),
            "concurrency_key": concurrency_column(chosen(edit.concurrency_key, job.concurrency_key)),
        }


def _check_frozen(row: Row, names: list[str]) -> None:
    """Refuse a change of what every run of a job must have in common."""
    frozen = " and ".join(name for name in ("params", "command") if name in names)
    if row["attempt"] > 0 and frozen:
        raise Refused(
            f"job {row['id']} has run already, so its {frozen} can't be changed; cancel it and submit another"
        )
