"""The transition table: the one place that says which state may follow which, by whom, in what words."""

from dataclasses import dataclass
from enum import StrEnum

from core.status import Status


class Who(StrEnum):
    """Who may take a step."""

    OPERATOR = "operator"
    ENGINE = "engine"
    SCHEDULE = "schedule"
    JOB = "job"


@dataclass(frozen=True, slots=True)
class Edge:
    """One legal step of a job: from where to where, what does it, who may, and the words for people."""

    source: Status | None
    target: Status
    verb: str
    by: frozenset[Who]
    words: str


_OPERATOR = frozenset({Who.OPERATOR})
_ENGINE = frozenset({Who.ENGINE})
_ALL_BUT_JOB = frozenset({Who.OPERATOR, Who.SCHEDULE, Who.ENGINE})
_ENGINE_OR_JOB = frozenset({Who.ENGINE, Who.JOB})
# A schedule whose overlap is "replace" cancels what it replaces; the engine, a direct job whose reservation ended.
_CANCELLERS = frozenset({Who.OPERATOR, Who.SCHEDULE})

EDGES: tuple[Edge, ...] = (
    Edge(None, Status.CREATED, "draft", _OPERATOR, "recorded as a draft"),
    Edge(None, Status.QUEUED, "submit", _ALL_BUT_JOB, "submitted"),
    Edge(Status.CREATED, Status.QUEUED, "release", _OPERATOR, "released into the queue"),
    Edge(Status.CREATED, Status.CANCELLED, "cancel", _OPERATOR, "cancelled as a draft"),
    Edge(Status.QUEUED, Status.RUNNING, "claim", _ENGINE, "claimed by a free slot"),
    Edge(Status.QUEUED, Status.CANCELLED, "cancel", _ALL_BUT_JOB, "cancelled before it ran"),
    Edge(Status.QUEUED, Status.FAILED, "expire", _ENGINE, "its deadline passed, or it can never be started"),
    Edge(Status.RUNNING, Status.SUCCEEDED, "finish", _ENGINE_OR_JOB, "committed and done"),
    Edge(Status.RUNNING, Status.FAILED, "fail", _ENGINE_OR_JOB, "failed for good"),
    Edge(Status.RUNNING, Status.RETRYING, "fail", _ENGINE_OR_JOB, "failed for now; another attempt will follow"),
    Edge(Status.RUNNING, Status.WAITING_FOR_APPROVAL, "park", _ENGINE_OR_JOB, "stopped at an approval gate"),
    Edge(Status.RUNNING, Status.CANCELLED, "cancel", _CANCELLERS, "stopped on request"),
    Edge(
        Status.RETRYING,
        Status.QUEUED,
        "retry",
        frozenset({Who.ENGINE, Who.OPERATOR}),
        "its backoff elapsed, or an operator said now",
    ),
    Edge(Status.RETRYING, Status.FAILED, "give-up", _OPERATOR, "its remaining retries were cut"),
    Edge(Status.RETRYING, Status.CANCELLED, "cancel", _CANCELLERS, "cancelled between two attempts"),
    Edge(Status.WAITING_FOR_APPROVAL, Status.RUNNING, "claim", _ENGINE, "approved, and resumed by a free slot"),
    Edge(
        Status.WAITING_FOR_APPROVAL,
        Status.FAILED,
        "deny",
        frozenset({Who.OPERATOR, Who.ENGINE}),
        "the gate was denied, or nobody answered in time",
    ),
    Edge(
        Status.WAITING_FOR_APPROVAL,
        Status.CANCELLED,
        "cancel",
        _CANCELLERS,
        "cancelled while waiting for approval",
    ),
)

LEGAL: frozenset[tuple[Status | None, Status]] = frozenset((edge.source, edge.target) for edge in EDGES)


def allowed(source: Status | None, target: Status) -> bool:
    """Whether a job may go from one state to another (None: before it exists)."""
    return (source, target) in LEGAL


def onward(source: Status | None) -> tuple[Edge, ...]:
    """Every step that can be taken from here."""
    return tuple(edge for edge in EDGES if edge.source is source)


def why_not(source: Status | None, target: Status) -> str | None:
    """Why a job may not go there from here, or None when it may."""
    if allowed(source, target):
        return None
    if source is None:
        return f"a job starts as CREATED or QUEUED, never as {target}"
    if source is target:
        return f"it is {source} already"
    if source.final:
        return f"it is {source}, which is final"
    ways = " or ".join(dict.fromkeys(edge.target for edge in onward(source)))
    return f"from {source} a job can only become {ways}, not {target}"
