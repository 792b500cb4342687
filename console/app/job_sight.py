"""What the screen of one job shows, as it was at one instant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from console.app.targets import JobTarget
from console.facts import shown_key
from core.jobs import HistoryEntry, Job
from core.status import Status
from core.waiting import Flow
from store.views import Chain, Views, WholeJob

MOST_HISTORY = 1_000
"""So many of the latest lines of a job's history are shown."""


@dataclass(frozen=True, slots=True)
class JobSight:
    """One job, whole."""

    whole: WholeJob
    chain: Chain
    history: Sequence[HistoryEntry]
    """The oldest first."""
    rank: int | None
    flow: Flow
    starts_at: datetime | None = None
    """When it will probably start."""

    @property
    def job(self) -> Job:
        """The job itself."""
        return self.whole.job

    def starting(self, at: datetime | None) -> "JobSight":
        """The same, with another forecast."""
        return self if at == self.starts_at else replace(self, starts_at=at)


def sight_of(views: Views, job: int) -> JobSight:
    """Everything about a job, in one read."""
    whole = views.whole_job(job)
    return JobSight(
        whole=whole,
        chain=views.chain(job),
        history=views.history(job, None, MOST_HISTORY)[::-1],
        rank=views.queue_rank(job) if whole.job.status is Status.QUEUED else None,
        flow=views.flow(),
    )


def name_of(job: Job) -> str:
    """What people call a job: its key if they gave it one, else its command, else its type."""
    return shown_key(job) or job.command_text or job.job_type


def target_of(job: Job) -> JobTarget:
    """The job as something that can be acted on."""
    return JobTarget(job.id, job.status, job.held, f"job {job.id} ({name_of(job)})")
