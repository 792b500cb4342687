"""One execution as the engine holds it while it lives: its process, and why that is being stopped, if it is."""

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from core.classify import ErrorType, Failure, Said, classify_exit, classify_timeout, heed
from core.job_types import JobType, Kind
from core.jobs import Claim
from core.ports import Process
from core.when import format_duration

LOOK_SOON = 0.050
"""Seconds until what ends without a word, a rest of a tree or an orphan, is looked at again."""


class Cause(Enum):
    """Why an engine stops a process."""

    CANCEL = "cancel"
    TIMEOUT = "timeout"
    SILENCE = "silence"
    GATE = "gate"
    SHUTDOWN = "shutdown"
    LOST = "lost"
    """Someone else ended the execution, so nothing that it does counts any more."""


@dataclass
class Run:
    """A claimed execution, from its claim to the transaction that records its end."""

    claim: Claim
    type: JobType
    secret: str
    """What its process proves itself with."""
    process: Process | None = None
    spawn_failure: Failure | None = None
    spawned_at: float = 0.0
    """By the clock that only goes forward, as all instants here."""
    heard_at: float = 0.0
    """When it last said something."""
    recorded: bool = False
    """Whether the store knows that it was started."""
    exit_code: int | None = None
    cause: Cause | None = None
    kill_at: float | None = None
    """When the polite request to end gives way to the certain one."""
    said: Said | None = None
    """What it told about its failure."""
    news: tuple[float | None, str | None] | None = None
    """Progress that the store has not been told yet."""
    log_path: str | None = None

    @property
    def exec_id(self) -> str:
        """The execution's name."""
        return self.claim.exec_id

    @property
    def timeout(self) -> timedelta | None:
        """How long it may take."""
        return self.claim.job.timeout if self.claim.job.timeout is not None else self.type.timeout

    @property
    def over(self) -> bool:
        """Whether nothing of it runs any more, so that its end can be recorded."""
        if self.spawn_failure is not None:
            return True
        return self.exit_code is not None and self.process is not None and self.process.gone()

    @property
    def unrecorded(self) -> bool:
        """Whether its process runs and the store is still to be told; of a lost one it wants to know nothing."""
        return self.process is not None and not self.recorded and self.cause is not Cause.LOST

    def stop(self, cause: Cause, now: float, grace: timedelta) -> None:
        """Ask its process to end, and remember until when politely.

        The first cause stays, unless it is lost after all, and so does the shortest grace.
        """
        if self.cause is None or cause is Cause.LOST:
            self.cause = cause
        if self.process is None:
            return
        kill_at = now + grace.total_seconds()
        if self.kill_at is None:
            self.process.terminate()
        self.kill_at = kill_at if self.kill_at is None else min(self.kill_at, kill_at)

    def press(self, now: float) -> None:
        """End it for certain once its grace is over, and whoever has slipped away at the next look."""
        if self.process is None or self.kill_at is None or now < self.kill_at:
            return
        if not self.over:
            self.kill_at = now + LOOK_SOON
            self.process.kill()

    def deadline(self) -> float | None:
        """When it will have run or kept silent for too long, whichever comes first."""
        if self.process is None or self.exit_code is not None or self.cause is not None:
            return None
        limits = []
        if self.timeout is not None:
            limits.append(self.spawned_at + self.timeout.total_seconds())
        if self.type.heartbeat is not None:
            limits.append(self.heard_at + self.type.heartbeat.total_seconds())
        return min(limits, default=None)

    def instants(self, now: float) -> list[float]:
        """When to look at it again, though nobody reports anything."""
        deadline = self.deadline()
        instants = [] if deadline is None else [deadline]
        if self.kill_at is not None:
            # What is left of its tree ends without a word.
            instants.append(min(max(self.kill_at, now), now + LOOK_SOON))
        return instants

    def overdue(self, now: float) -> Cause | None:
        """Which of its limits it has passed."""
        deadline = self.deadline()
        if deadline is None or now < deadline:
            return None
        timeout = self.timeout
        in_time = timeout is None or now < self.spawned_at + timeout.total_seconds()
        return Cause.SILENCE if in_time else Cause.TIMEOUT


class Good(Enum):
    """Ends that are no failure."""

    FINISHED = "finished"
    HANDED_OVER = "handed over"
    PARKED = "parked"


def verdict(run: Run) -> Good | Failure | None:
    """What a run that is over comes to; None when nobody wants to know any more."""
    if run.spawn_failure is not None:
        return run.spawn_failure
    code = run.exit_code or 0
    if run.cause is Cause.LOST:
        return None
    if run.said is not None:
        return heed(run.said, classify_exit(code, run.type.exits) if code else None)
    match run.cause:
        case Cause.GATE:
            return Good.PARKED
        case Cause.CANCEL:
            return _stopped("stopped on request", ErrorType.TERMINAL, code)
        case Cause.TIMEOUT:
            return classify_timeout(run.timeout or timedelta(0))
        case Cause.SILENCE:
            silence = format_duration(run.type.heartbeat or timedelta(0))
            return Failure(f"it said nothing for {silence}, so it was taken for hung", ErrorType.RETRYABLE)
        case Cause.SHUTDOWN:
            return _stopped("stopped with its engine", ErrorType.RETRYABLE, code)
    if code:
        return classify_exit(code, run.type.exits)
    return Good.HANDED_OVER if run.type.kind is Kind.EXTERNAL else Good.FINISHED


def _stopped(words: str, error_type: ErrorType, code: int) -> Failure:
    ended_itself = code >= 0
    return Failure(words, error_type, exit_code=code if ended_itself else None, signal=None if ended_itself else -code)
