"""What the panes show, as it was at one instant: read in one go, never changed, replaced as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum

from core.filters import Filter
from core.jobs import Approval, Job, Schedule
from core.leading import Leader
from core.limits import Usage
from core.machine.procfs import Use
from core.notifications import Notification
from core.status import Status
from core.waiting import Flow
from store.views import Chain, NextEvent, OutboxCounts, Paused, QueueRow, RecoveryReport, RunningJob

MOST = 500
"""Rows of the short lists; whoever runs or waits for more than that has other worries."""


class PaneNumber(IntEnum):
    """The panes, by the key that opens each."""

    QUEUE = 1
    RUNNING = 2
    CHAINS = 3
    SCHEDULES = 4
    APPROVALS = 5
    HISTORY = 6


@dataclass(frozen=True, slots=True)
class Sight:
    """What the panes look at now; the lookout reads that, and no more."""

    panes: frozenset[PaneNumber] = frozenset(PaneNumber)
    queue_offset: int = 0
    queue_limit: int = 100
    selected: int | None = None
    """The queued job whose place is wanted too."""
    queue_filter: Filter = field(default_factory=Filter)
    queue_matches: int = MOST
    history_filter: Filter = field(default_factory=Filter)
    history_limit: int = 200
    marked: tuple[int, ...] = ()
    """Marked jobs, unless they are too many to look after."""


@dataclass(frozen=True, slots=True)
class QueueSlice:
    """A stretch of the queue."""

    rows: Sequence[QueueRow] = ()
    offset: int = 0
    total: int = 0
    """How long the queue is, or how many match; see `more`."""
    more: bool = False
    """Whether more match than were looked for."""
    selected: int | None = None
    """The job whose place was wanted too."""
    selected_rank: int | None = None
    """Its place; None when it isn't queued any more."""


@dataclass(frozen=True, slots=True)
class RunningLine:
    """A running job with what the machine tells about it."""

    running: RunningJob
    use: Use | None = None
    cpu: float | None = None
    """The share of one processor that it took lately, in percent."""
    last_line: str = ""
    """The last line of its log, as bytes became text."""

    @property
    def job(self) -> Job:
        """The job itself."""
        return self.running.job


@dataclass(frozen=True, slots=True)
class ScheduleLine:
    """A schedule with how its last jobs ended."""

    schedule: Schedule
    results: Sequence[Status]
    """The states of its latest jobs, the newest last."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that the deck shows."""

    at: datetime
    counts: Mapping[Status, int] = field(default_factory=dict)
    held: int = 0
    flow: Flow = field(default_factory=lambda: Flow(None, Usage()))
    leader: Leader | None = None
    paused: Paused | None = None
    next_event: NextEvent | None = None
    recovery: RecoveryReport | None = None
    queue: QueueSlice = field(default_factory=QueueSlice)
    running: Sequence[RunningLine] = ()
    chains: Sequence[Chain] = ()
    schedules: Sequence[ScheduleLine] = ()
    approvals: Sequence[tuple[Approval, Job]] = ()
    finished: Sequence[Job] = ()
    marked: Mapping[int, Status | None] = field(default_factory=dict)
    """The states of the marked jobs that were asked for; None for one that is gone."""
    starts: Mapping[int, datetime] = field(default_factory=dict)
    """When queued jobs will probably start."""
    usual: Mapping[str, timedelta] = field(default_factory=dict)
    """How long jobs of a type usually take."""
    ended: Sequence[int] = ()
    """How many jobs ended in each of the last stretches of time, the present one last."""
    outbox: OutboxCounts = field(default_factory=lambda: OutboxCounts(0, 0, 0))
    off: Sequence[str] = ()
    """Who is told nothing more, because they were switched off."""
    said: Sequence[Notification] = ()
    """What the terminals are to say, since the snapshot before."""

    @property
    def untold(self) -> int:
        """How much could not be told, so far or for good."""
        return self.outbox.failed + self.outbox.tried

    @property
    def empty(self) -> bool:
        """Whether there has never been a job."""
        return not any(self.counts.values())
