"""What the views answer with, where a plain job would not do."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from core.jobs import Approval, Execution, Job
from core.status import Status


class QueueKey(NamedTuple):
    """A place in the queue's total order."""

    priority: int
    position: int
    created_at: datetime
    id: int


class FinishedKey(NamedTuple):
    """A place among the finished jobs, newest first."""

    finished_at: datetime
    id: int


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A job that has yet to start, as a list shows it, without its larger parts."""

    id: int
    job_id: str
    status: Status
    """QUEUED; drafts and jobs that wait for a retry are listed only when a filter asks for them."""
    job_type: str
    job_key: str
    priority: int
    position: int
    held: bool
    ready: bool
    """Its scheduled time has come, or it has none."""
    attempt: int
    retry_count: int
    max_retries: int
    concurrency_key: str
    scheduled_run_time: datetime | None
    deadline_at: datetime | None
    created_at: datetime
    created_by: str
    queued_at: datetime | None
    """None for a draft."""
    next_retry_at: datetime | None
    reservation_id: str | None
    schedule_id: str | None
    command_text: str

    @property
    def key(self) -> QueueKey:
        """Its place in the order."""
        return QueueKey(self.priority, self.position, self.created_at, self.id)


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of the queue."""

    rows: list[QueueRow]
    offset: int
    """How many jobs stand before the first row."""
    total: int
    """How many jobs are queued in all."""


@dataclass(frozen=True, slots=True)
class RunningJob:
    """A job with the execution that holds it."""

    job: Job
    execution: Execution


@dataclass(frozen=True, slots=True)
class Link:
    """One job of a chain, with its attempts."""

    job: Job
    executions: list[Execution]


@dataclass(frozen=True, slots=True)
class Chain:
    """A job and its retries, the first one first."""

    links: list[Link]

    @property
    def tail(self) -> Job:
        """The job that the chain has come to."""
        return self.links[-1].job


@dataclass(frozen=True, slots=True)
class WholeJob:
    """Everything about one job."""

    job: Job
    executions: list[Execution]
    chain: list[int]
    """The numbers of the jobs in its chain, itself among them."""
    approvals: list[Approval]
    template: str | None
    schedule: str | None


@dataclass(frozen=True, slots=True)
class Paused:
    """Who stopped the queue, when and why."""

    by: str
    at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class NextEvent:
    """Something that the clock will bring."""

    at: datetime
    what: str
    """Its kind: retry, run, schedule, gate or reservation."""
    words: str


@dataclass(frozen=True, slots=True)
class RecoveryReport:
    """What a recovery did."""

    at: datetime
    did: list[tuple[int, str]]
    """The numbers of the jobs that it settled, with what became of each."""
    more: int
    """How many more there were."""


@dataclass(frozen=True, slots=True)
class OutboxCounts:
    """How the outbox stands."""

    waiting: int
    """What is still to be delivered."""
    tried: int
    """How many of these have been tried in vain."""
    failed: int
    """What was given up."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Someone who is told."""

    name: str
    events: tuple[str, ...]
    off: str | None
    """Why nothing more is told; None while it listens."""
