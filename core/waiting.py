"""What a queued job is waiting for, in words: the first thing that would have to change before it starts."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from core.limits import Lane, Limits, Room, Usage
from core.when import format_relative


class Obstacle(StrEnum):
    """The kinds of things a queued job waits for."""

    HOLD = "hold"
    TIME = "time"
    PAUSED = "paused"
    RESERVATION = "reservation"
    ENGINE = "engine"
    SLOT = "slot"
    LIMIT = "limit"
    TURN = "turn"


@dataclass(frozen=True, slots=True)
class Why:
    """Why a job has not started."""

    obstacle: Obstacle
    words: str


@dataclass(frozen=True)
class Flow:
    """What decides for all queued jobs whether one may start."""

    limits: Limits | None
    """The limits of the engine that leads; None when none does."""
    usage: Usage
    paused: bool = False
    reserved: str | None = None
    """The direct reservation that keeps the queue waiting."""


class Waiting(Protocol):
    """What of a queued job matters here."""

    @property
    def held(self) -> bool: ...
    @property
    def scheduled_run_time(self) -> datetime | None: ...
    @property
    def reservation_id(self) -> str | None: ...
    @property
    def job_type(self) -> str: ...
    @property
    def concurrency_key(self) -> str: ...


def why(job: Waiting, flow: Flow, now: datetime) -> Why:
    """What the job waits for; what it could do about itself comes first."""
    if job.held:
        return Why(Obstacle.HOLD, "it is held")
    if job.scheduled_run_time is not None and job.scheduled_run_time > now:
        return Why(Obstacle.TIME, f"its time comes {format_relative(job.scheduled_run_time, now)}")
    if flow.paused:
        return Why(Obstacle.PAUSED, "the queue is paused")
    if flow.reserved is not None and flow.reserved != job.reservation_id:
        return Why(Obstacle.RESERVATION, "a direct job takes the next free slot first")
    if flow.limits is None:
        return Why(Obstacle.ENGINE, "no engine runs; start one with: jobdeck serve")
    room = Room(flow.limits, flow.usage)
    blocked = room.why_not(Lane(job.job_type, job.concurrency_key))
    if blocked is None:
        return Why(Obstacle.TURN, "its turn comes next")
    return Why(Obstacle.LIMIT if room.slots_left else Obstacle.SLOT, blocked)
