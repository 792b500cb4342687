"""A job's states and the coarser phases they belong to."""

from enum import StrEnum

from core.refusals import BadInput
from core.when import quoted


class Phase(StrEnum):
    """The four coarse phases of a job."""

    INITIAL = "initial"
    RUNNING = "running"
    ERROR = "error"
    FINAL = "final"


class Status(StrEnum):
    """The eight states of a job."""

    CREATED = "CREATED"
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    WAITING_FOR_APPROVAL = "WAITING_FOR_APPROVAL"
    RETRYING = "RETRYING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def phase(self) -> Phase:
        """The coarse phase this state belongs to."""
        return PHASES[self]

    @property
    def final(self) -> bool:
        """Whether nothing can follow any more."""
        return PHASES[self] is Phase.FINAL


PHASES: dict[Status, Phase] = {
    Status.CREATED: Phase.INITIAL,
    Status.QUEUED: Phase.INITIAL,
    Status.RUNNING: Phase.RUNNING,
    Status.WAITING_FOR_APPROVAL: Phase.RUNNING,
    Status.RETRYING: Phase.ERROR,
    Status.SUCCEEDED: Phase.FINAL,
    Status.FAILED: Phase.FINAL,
    Status.CANCELLED: Phase.FINAL,
}

MEANINGS: dict[Status, str] = {
    Status.CREATED: "a draft: recorded, not yet submitted",
    Status.QUEUED: "waiting its turn",
    Status.RUNNING: "an execution holds its lease",
    Status.WAITING_FOR_APPROVAL: "parked at a gate: no process, no slot",
    Status.RETRYING: "failed for now; waits for its next attempt",
    Status.SUCCEEDED: "finished well",
    Status.FAILED: "failed for good",
    Status.CANCELLED: "stopped by a decision",
}

ALIASES: dict[str, Status] = {
    "PENDING": Status.QUEUED,
    "WAITING": Status.WAITING_FOR_APPROVAL,
    "RETRY": Status.RETRYING,
    "COMPLETED": Status.SUCCEEDED,
    "CANCELED": Status.CANCELLED,
}

FINAL = frozenset(status for status in Status if status.final)
LIVE = frozenset(status for status in Status if not status.final)


def parse_status(text: str) -> Status:
    """The state that a person means by a name or an alias of it, in any case."""
    name = text.strip().upper().replace("-", "_")
    if name in ALIASES:
        return ALIASES[name]
    try:
        return Status(name)
    except ValueError:
        known = ", ".join(status.lower() for status in Status)
        raise BadInput(f"{quoted(text)} is not a status; use one of {known}") from None
