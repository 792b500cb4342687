"""What the store should hold, kept in a few lists: the order of the queue and the status of every job."""

from dataclasses import dataclass, field
from datetime import datetime

from core.status import Status


@dataclass
class ModelJob:
    """A job as the model knows it."""

    id: int
    priority: int
    status: Status
    held: bool = False
    wakes_at: datetime | None = None
    gated: bool = False
    exec_id: str = ""
    owner: str = ""
    lease_until: datetime | None = None
    retry_at: datetime | None = None
    retries_left: int = 0
    cancel_asked: bool = False
    committed: bool = False
    at_gate: bool = False
    granted: bool = False


@dataclass
class QueueModel:
    """All jobs, and for each priority its queue from first to last."""

    jobs: dict[int, ModelJob] = field(default_factory=dict)
    queues: dict[int, list[int]] = field(default_factory=dict)

    def enqueue(self, job: ModelJob) -> None:
        """To the tail of its priority."""
        job.status = Status.QUEUED
        self.queues.setdefault(job.priority, []).append(job.id)

    def dequeue(self, job: ModelJob) -> None:
        """Out of the queue."""
        self.queues[job.priority].remove(job.id)

    def order(self) -> list[int]:
        """The whole queue, first to last."""
        return [ref for priority in sorted(self.queues, reverse=True) for ref in self.queues[priority]]

    def in_state(self, *states: Status) -> list[ModelJob]:
        """The jobs that are in one of these states."""
        return [job for job in self.jobs.values() if job.status in states]

    def end(self, job: ModelJob, status: Status) -> None:
        """It comes to its end, from wherever it is."""
        if job.status is Status.QUEUED:
            self.dequeue(job)
        job.status = status

    def place(self, job: ModelJob, where: str, other: ModelJob | None) -> None:
        """Move a queued job."""
        queue = self.queues[job.priority]
        at = queue.index(job.id)
        queue.remove(job.id)
        if where in {"before", "after"} and other is not None:
            job.priority = other.priority
            queue = self.queues[job.priority]
            queue.insert(queue.index(other.id) + (where == "after"), job.id)
            return
        target = {"up": max(0, at - 1), "down": min(len(queue), at + 1), "top": 0, "bottom": len(queue)}[where]
        queue.insert(target, job.id)
