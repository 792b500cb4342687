"""Handing in jobs: checked, put at the tail of their priority, one live job per type and key."""

from dataclasses import dataclass
from typing import Any

from core.ids import uuid7
from core.jobs import NewJob
from core.refusals import BadInput, Refused
from core.status import Status
from store.job_columns import (
    approval_column,
    backoff_column,
    command_column,
    concurrency_column,
    deadline_column,
    id_column,
    key_column,
    params_column,
    priority_column,
    retries_column,
    tags_column,
    time_column,
    timeout_column,
    type_column,
)
from store.operations.cancelling import Stopping
from store.rows import Row, to_us_or_none
from store.sqlite import driver
from store.tx import JOB_BY_UUID

INSERT_JOB = """
INSERT INTO jobs (job_id, job_type, job_key, status, priority, position, held, ready, concurrency_key, max_retries,
                  backoff, scheduled_run_time, deadline_at, timeout, created_at, created_by, queued_at, updated_at,
                  updated_by, event, template_id, schedule_id, fire_time, reservation_id, tags, command, approval,
                  params)
VALUES (:job_id, :job_type, :job_key, :status, :priority, :position, :held, :ready, :concurrency_key, :max_retries,
        :backoff, :scheduled_run_time, :deadline_at, :timeout, :now, :actor, :queued_at, :now,
        :actor, :event, :template_id, :schedule_id, :fire_time, :reservation_id, :tags, :command, :approval,
        :params)
"""
LIVE_BY_KEY = """
SELECT * FROM jobs WHERE job_type = :job_type AND job_key = :job_key
  AND status IN ('CREATED', 'QUEUED', 'RUNNING', 'WAITING_FOR_APPROVAL', 'RETRYING')
"""
RESERVATION_STATUS = "SELECT status, expires_at FROM direct_reservations WHERE reservation_id = :reservation_id"

IF_EXISTS = ("error", "return", "replace")


@dataclass(frozen=True, slots=True)
class Submitted:
    """What a submit came to."""

    id: int
    job_id: str
    created: bool
    """False when a job that was there already answers it."""
    replaced: int | None = None
    """The job that was cancelled to make room."""


class Submitting(Stopping):
    """Handing in jobs."""

    def submit(self, new: NewJob, if_exists: str = "error") -> Submitted:
        """Put a job into the queue, or aside as a draft; what is wrong with it is said in one sentence."""
        if if_exists not in IF_EXISTS:
            raise BadInput(f'"{if_exists[:40]}" is not a way to treat a taken key; use {", ".join(IF_EXISTS)}')
        values = self._columns(new)
        # Nearly every key is free, so the database is asked only once it has refused; its refusal undoes that
        # one statement and leaves the transaction as it was.
        try:
            return self._insert(values)
        except driver.IntegrityError:
            row = self.one(JOB_BY_UUID, job_id=values["job_id"])
            if row is not None:
                return Submitted(row["id"], row["job_id"], created=False)
            live = self.live_by_key(values["job_type"], values["job_key"])
            if live is None:
                raise
        if if_exists == "return":
            return Submitted(live["id"], live["job_id"], created=False)
        named = f'job {live["id"]} of type "{live["job_type"]}" with key "{live["job_key"]}"'
        if if_exists == "error":
            raise Refused(
                f"{named} is {live['status']} already; wait for it, or submit with --if-exists return or replace"
            )
        if live["status"] == Status.RUNNING:
            raise Refused(
                f"{named} is RUNNING and can't be replaced; cancel it first with: jobdeck cancel {live['id']}"
            )
        self.stop(live, "replaced by a new submission")
        return self._insert(values, replaced=live["id"])

    def live_by_key(self, job_type: str, job_key: str) -> Row | None:
        """The one job of that type and key that has not ended, if there is one."""
        return self.one(LIVE_BY_KEY, job_type=job_type, job_key=job_key)

    def _insert(self, values: dict[str, Any], replaced: int | None = None) -> Submitted:
        number = self.connection.execute(INSERT_JOB, values).lastrowid
        return Submitted(number, values["job_id"], True, replaced)

    def _columns(self, new: NewJob) -> dict[str, Any]:
        """Every column of a new job, checked."""
        job_id = uuid7(self.now_us // 1000) if new.job_id is None else id_column(new.job_id)
        priority = priority_column(new.priority)
        start = new.scheduled_run_time
        if new.reservation_id is not None:
            self._check_direct(new)
        values = {
            "now": self.now_us,
            "actor": self.actor,
            "job_id": job_id,
            "job_type": type_column(new.job_type),
            "job_key": job_id if new.job_key is None else key_column(new.job_key),
            "priority": priority,
            "held": 1 if new.held else 0,
            "scheduled_run_time": None if start is None else time_column(start, "the scheduled time"),
            "ready": 1 if start is None or start <= self.now else 0,
            "concurrency_key": concurrency_column(new.concurrency_key),
            "max_retries": retries_column(new.max_retries),
            "backoff": backoff_column(new.backoff),
            "deadline_at": None if new.deadline_at is None else deadline_column(new.deadline_at, start, self.now),
            "timeout": timeout_column(new.timeout),
            "template_id": new.template_id,
            "schedule_id": new.schedule_id,
            "fire_time": to_us_or_none(new.fire_time),
            "reservation_id": new.reservation_id,
            "tags": tags_column(new.tags),
            "command": command_column(new.command),
            "approval": approval_column(new.approval),
            "params": params_column(new.params),
        }
        if new.draft:
            return values | {"status": "CREATED", "position": 0, "queued_at": None, "event": "draft"}
        values["status"] = "QUEUED"
        # Asked for last, so that what is refused takes no place in the queue.
        values["position"] = self.next_position(priority)
        values["queued_at"] = self.now_us
        values["event"] = "submit"
        return values

    def _check_direct(self, new: NewJob) -> None:
        """Refuse a direct job without an active reservation, or one that is not meant to start at once."""
        if new.draft or new.held or new.scheduled_run_time is not None:
            raise BadInput("a direct job takes the next free slot; it can't be a draft, held, or scheduled for later")
        row = self.one(RESERVATION_STATUS, reservation_id=new.reservation_id)
        if row is None:
            raise Refused("there is no such reservation; make one first")
        if row["status"] != "ACTIVE" or row["expires_at"] <= self.now_us:
            raise Refused("that reservation has ended; make a new one first")
