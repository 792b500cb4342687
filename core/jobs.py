"""The things that jobdeck keeps, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from core.executions import ExecStatus, Outcome
from core.status import Phase, Status

Json = Any
"""A value that came through the checks in `core.jsontext`."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a job runs: an argv list, never a shell string unless `shell` says so."""

    argv: tuple[str, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    shell: bool = False

    @property
    def text(self) -> str:
        """The command as one line, for people and for filters."""
        return " ".join(self.argv)


@dataclass(frozen=True, slots=True)
class Gate:
    """An approval asked for before the run."""

    message: str
    four_eyes: bool = False
    expires_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job as it is handed in; every field has the default that `submit` has."""

    job_type: str = "command"
    job_key: str | None = None
    """One live job per type and key; its own job_id when not given."""
    command: Command = Command()
    params: Mapping[str, Json] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    priority: int = 0
    scheduled_run_time: datetime | None = None
    deadline_at: datetime | None = None
    """Not started by then, it fails."""
    timeout: timedelta | None = None
    draft: bool = False
    held: bool = False
    approval: Gate | None = None
    max_retries: int = 3
    backoff: str = "fixed:1s"
    concurrency_key: str = ""
    template_id: str | None = None
    schedule_id: str | None = None
    fire_time: datetime | None = None
    """The schedule's instant that this job answers."""
    reservation_id: str | None = None
    job_id: str | None = None
    """Chosen by a caller who may have to submit again after a lost answer."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it is stored."""

    id: int
    job_id: str
    job_type: str
    job_key: str
    status: Status
    priority: int
    position: int
    held: bool
    attempt: int
    retry_count: int
    max_retries: int
    backoff: str
    retry_of: str | None
    next_retry_at: datetime | None
    scheduled_run_time: datetime | None
    deadline_at: datetime | None
    timeout: timedelta | None
    concurrency_key: str
    exec_id: str | None
    cancel_requested_at: datetime | None
    error_message: str | None
    error_type: str | None
    created_by: str
    created_at: datetime
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    updated_at: datetime
    updated_by: str
    revision: int
    template_id: str | None
    schedule_id: str | None
    fire_time: datetime | None
    reservation_id: str | None
    tags: Mapping[str, str]
    command: Command
    approval: Gate | None
    params: Mapping[str, Json]
    checkpoint: Json
    result: Json

    @property
    def phase(self) -> Phase:
        """The coarse phase its status belongs to."""
        return self.status.phase

    @property
    def command_text(self) -> str:
        """Its command as one line."""
        return self.command.text


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a job under one lease."""

    exec_id: str
    job_id: str
    attempt: int
    status: ExecStatus
    outcome: Outcome | None
    lease_owner: str
    lease_expires_at: datetime
    exit_code: int | None
    error: str | None
    error_type: str | None
    leased_at: datetime
    started_at: datetime | None
    handed_over_at: datetime | None
    """When what it started went on elsewhere; from then on it waits for a report."""
    committed_at: datetime | None
    finished_at: datetime | None
    log_path: str | None
    pid: int | None
    pid_started: int | None
    boot_id: str | None
    progress: float | None
    progress_text: str | None
    params_snapshot: Mapping[str, Json]
    artifacts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a worker needs to run a job it has just claimed."""

    job: Job
    exec_id: str
    attempt: int
    lease_expires_at: datetime
    resumed_gate: str | None
    """The gate whose approval brought it back, if one did."""


@dataclass(frozen=True, slots=True)
class StopRequest:
    """An execution whose job was asked to stop."""

    exec_id: str
    elsewhere: bool
    """There is no process here that could be stopped."""
    at_once: bool = False
    """It is not to be given time to end by itself."""


@dataclass(frozen=True, slots=True)
class Approval:
    """A gate: what was asked, and what was answered."""

    approval_id: str
    job_id: str
    job: int
    """The number of its job."""
    exec_id: str | None
    name: str
    message: str
    requested_at: datetime
    requested_by: str
    four_eyes: bool
    expires_at: datetime | None
    decision: str | None
    decided_at: datetime | None
    decided_by: str | None
    comment: str | None
    consumed_at: datetime | None
    """When a resumed execution passed it."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One line of a job's history."""

    id: int
    job_id: str
    job: int
    previous_status: Status | None
    new_status: Status
    event: str
    actor: str
    reason: str | None
    metadata: Json
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Template:
    """A named kind of job with its defaults."""

    template_id: str
    name: str
    new_job: NewJob
    created_at: datetime
    created_by: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class NewSchedule:
    """A schedule as it is handed in."""

    name: str
    template: str
    cron_expression: str
    timezone: str = "UTC"
    enabled: bool = True
    catch_up: str = "one"
    overlap: str = "skip"
    pause_on_failure: bool = False
    param_overrides: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A template that is submitted by the clock."""

    schedule_id: str
    name: str
    template_id: str
    template_name: str
    cron_expression: str
    timezone: str
    enabled: bool
    catch_up: str
    overlap: str
    pause_on_failure: bool
    param_overrides: Mapping[str, Json]
    last_triggered_at: datetime | None
    next_trigger_at: datetime | None
    fired_count: int
    skipped_count: int
    missed_count: int
    last_skip_reason: str | None
    created_at: datetime
    created_by: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Reservation:
    """The right of one direct caller to the next free slot."""

    reservation_id: str
    reserved_at: datetime
    reserved_by: str
    status: str
    expires_at: datetime
    ended_at: datetime | None
