"""An execution's states: one lease, one run, at most one commit."""

from dataclasses import dataclass
from enum import StrEnum


class ExecStatus(StrEnum):
    """How far an execution has come."""

    LEASED = "LEASED"
    IN_PROGRESS = "IN_PROGRESS"
    COMMITTED = "COMMITTED"
    DONE = "DONE"
    ABORTED = "ABORTED"
    PARKED = "PARKED"

    @property
    def live(self) -> bool:
        """Whether it still holds its job."""
        return self in LIVE_EXECUTIONS


class Outcome(StrEnum):
    """What became of an execution, written once."""

    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"


LIVE_EXECUTIONS = frozenset({ExecStatus.LEASED, ExecStatus.IN_PROGRESS, ExecStatus.COMMITTED})
BEFORE_COMMIT = frozenset({ExecStatus.LEASED, ExecStatus.IN_PROGRESS})


@dataclass(frozen=True, slots=True)
class ExecEdge:
    """One legal step of an execution: from where to where, what does it, and the words for people."""

    source: ExecStatus | None
    target: ExecStatus
    verb: str
    words: str


EXEC_EDGES: tuple[ExecEdge, ...] = (
    ExecEdge(None, ExecStatus.LEASED, "claim", "claimed under a lease"),
    ExecEdge(ExecStatus.LEASED, ExecStatus.IN_PROGRESS, "start", "its process started"),
    ExecEdge(ExecStatus.IN_PROGRESS, ExecStatus.COMMITTED, "commit", "its effect counts from here on"),
    ExecEdge(ExecStatus.COMMITTED, ExecStatus.DONE, "finish", "finished after its commit"),
    ExecEdge(ExecStatus.LEASED, ExecStatus.ABORTED, "abort", "ended before it started"),
    ExecEdge(ExecStatus.IN_PROGRESS, ExecStatus.ABORTED, "abort", "failed, lost, timed out or cancelled"),
    ExecEdge(ExecStatus.LEASED, ExecStatus.PARKED, "park", "stopped at a gate before its process started"),
    ExecEdge(ExecStatus.IN_PROGRESS, ExecStatus.PARKED, "park", "stopped cleanly at a gate"),
)

# Which outcomes a state may carry: none while it is open or parked, one for ever once it has ended.
OUTCOMES: dict[ExecStatus, frozenset[Outcome]] = {
    ExecStatus.LEASED: frozenset(),
    ExecStatus.IN_PROGRESS: frozenset(),
    ExecStatus.COMMITTED: frozenset(),
    ExecStatus.PARKED: frozenset(),
    ExecStatus.DONE: frozenset({Outcome.COMPLETED}),
    ExecStatus.ABORTED: frozenset({Outcome.FAILED, Outcome.SKIPPED}),
}

_LEGAL = frozenset((edge.source, edge.target) for edge in EXEC_EDGES)


def log_name(job: int, attempt: int, exec_id: str) -> str:
    """Where under the logs an execution's output goes: a thousand jobs to a directory, so that none grows endless."""
    return f"{job // 1000:03d}/{job}-{attempt}-{exec_id[-6:]}.log"


def exec_allowed(source: ExecStatus | None, target: ExecStatus) -> bool:
    """Whether an execution may step from one state to another."""
    return (source, target) in _LEGAL


def exec_why_not(source: ExecStatus, target: ExecStatus) -> str | None:
    """Why that step is refused, or None when it is legal."""
    if exec_allowed(source, target):
        return None
    onward = [edge.target for edge in EXEC_EDGES if edge.source is source]
    if not onward:
        return f"the execution is {source}, which is final"
    return f"an execution goes from {source} only to {' or '.join(onward)}, not to {target}"
