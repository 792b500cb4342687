"""A job's status as a pure function of its facts and its executions."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.executions import ExecStatus
from core.status import Status


@dataclass(frozen=True, slots=True)
class Facts:
    """What is recorded about a job besides its executions."""

    queued: bool
    """It has entered the queue at least once."""
    finished: bool
    """It has ended, one way or another."""
    cancel_requested: bool
    retry_waiting: bool
    """A next attempt has its time."""
    parked: bool
    """A gate is open, or granted and not yet resumed from."""


def project(facts: Facts, executions: Sequence[ExecStatus]) -> Status:
    """The status that follows from a job's facts and its executions, oldest first."""
    if ExecStatus.DONE in executions and facts.finished:
        return Status.SUCCEEDED
    if any(execution.live for execution in executions) or ExecStatus.DONE in executions:
        return Status.RUNNING
    if facts.finished:
        return Status.CANCELLED if facts.cancel_requested else Status.FAILED
    if facts.parked:
        return Status.WAITING_FOR_APPROVAL
    if facts.retry_waiting:
        return Status.RETRYING
    return Status.QUEUED if facts.queued else Status.CREATED
