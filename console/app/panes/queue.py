"""The queue: what will run, in its order, why each job waits and when it will probably start."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from textual.binding import BindingType

from console.app.actions import ACTIONS, keys_of, shown_key
from console.app.panes.base import Clock, Filtered, Pane, job_name
from console.app.snapshot import PaneNumber, QueueSlice, Snapshot
from console.app.targets import JobTarget
from console.app.widgets.pane_column import PaneColumn
from core.status import Status
from core.waiting import Obstacle, why
from core.when import format_duration, format_relative
from store.views import MOST_COUNTED, QueueRow

_ANY_MOMENT = timedelta(seconds=1)
SHIFT_SHOWN = timedelta(seconds=6)
"""So long after a change of the order it is shown which starts come sooner by it, and which later."""
_SHIFT = timedelta(seconds=2)
SCREENS = 3
"""So many screenfuls of rows are at hand around what is in sight."""
MATCHES = 500
"""So many more of those that match are read when the end of what is at hand comes into sight."""
MOST_MATCHES = 2_000
"""A filter that lets more through is too wide to read on."""


FIRST_STEPS = (
    "No jobs yet. Submit one from a shell:",
    "",
    "    jobdeck submit -- echo hello",
    "",
    "or right here:  n opens a form,  S queues a few harmless sample jobs.",
)
"""What an empty store teaches."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which stretch of the queue the pane wants."""

    offset: int
    limit: int
    matches: int
    """So many of those that match are looked for."""
    selected: int | None


class QueuePane(Filtered, Pane[QueueRow]):
    """A window on a queue of any length."""

    NUMBER: ClassVar[PaneNumber] = PaneNumber.QUEUE
    NAME: ClassVar[str] = "Queue"
    STATES: ClassVar[frozenset[Status]] = frozenset({Status.QUEUED, Status.RETRYING, Status.CREATED})
    BINDINGS: ClassVar[list[BindingType]] = keys_of(PaneNumber.QUEUE)

    def __init__(self, clock: Clock) -> None:
        super().__init__(
            [
                PaneColumn("ID", lambda row: str(row.id), 6, right=True),
                PaneColumn("PRI", lambda row: str(row.priority), 3, right=True, drop=3),
                PaneColumn("TYPE", lambda row: row.job_type, 10, least=6, drop=5),
                PaneColumn("JOB", _named, 16, least=8, grows=True),
                PaneColumn("AGE", self._age, 6, right=True, drop=6),
                PaneColumn("WAITS FOR", self._why, 20, least=8, drop=2, style=_why_style),
                PaneColumn("STARTS", self._start, 7, right=True, drop=4),
            ],
            clock,
        )
        self._slice = QueueSlice()
        self._matches = MATCHES
        self._starts_before: Mapping[int, datetime] = {}
        self._reordered_at: datetime | None = None

    @property
    def count(self) -> int:
        """How many jobs are queued, or match."""
        return self._slice.total

    @property
    def whole(self) -> bool:
        """Whether all of the queue, or all that matches, is at hand."""
        return not self._slice.more and len(self._slice.rows) == self._slice.total

    @property
    def scope(self) -> frozenset[Status]:
        """The states of the jobs that are listed here now."""
        return self.STATES if self.filter.names_states else frozenset({Status.QUEUED})

    def at_hand(self) -> Iterable[QueueRow]:
        """The stretch that was read."""
        return self._slice.rows

    def remember_starts(self) -> None:
        """The order is about to change: show afterwards what that changes."""
        self._starts_before = {} if self.snapshot is None else self.snapshot.starts
        self._reordered_at = self.clock()

    def row_at(self, index: int) -> QueueRow | None:
        """The job at that place, if that stretch is at hand."""
        at = index - self._slice.offset
        return self._slice.rows[at] if 0 <= at < len(self._slice.rows) else None

    def key_of(self, row: QueueRow) -> Hashable:
        """A job is known by its number."""
        return row.id

    def take(self, snapshot: Snapshot) -> None:
        """The stretch that was asked for."""
        self._slice = snapshot.queue
        if self.filter.terms:
            self.hints = ("nothing in the queue matches; esc shows all",)
        elif snapshot.empty:
            self.hints = FIRST_STEPS
        else:
            self.hints = ("the queue is empty", "", "n submits a job")

    def told(self) -> str:
        """How long the queue is, and what of it is shown."""
        snapshot = self.snapshot
        if snapshot is None:
            return ""
        parts = [f"{self.count:,}{'+' if self._slice.more else ''}"]
        if self.filter.terms:
            parts = [f"{parts[0]} match {self.filter}"]
        if snapshot.held:
            parts.append(f"{snapshot.held:,}{'+' if snapshot.held >= MOST_COUNTED else ''} held")
        if drafts := snapshot.counts.get(Status.CREATED, 0):
            parts.append(f"{drafts:,} {'draft' if drafts == 1 else 'drafts'} (:drafts)")
        if snapshot.paused is not None:
            parts.append("PAUSED")
        return " · ".join(parts)

    def target_of(self, row: QueueRow) -> JobTarget:
        """The job of a row."""
        return JobTarget(row.id, row.status, row.held, f"job {row.id} ({_named(row)})")

    def place(self) -> Place:
        """What to read so that scrolling on finds its rows at hand."""
        sight = self.lines_in_sight
        offset = max(0, self.top - sight)
        selected = self.selected if isinstance(self.selected, int) else None
        if self.top == 0:
            self._matches = MATCHES
        elif self._slice.more and self.top + SCREENS * sight >= self.count:
            self._matches = min(self._matches + MATCHES, MOST_MATCHES)
        return Place(offset, SCREENS * sight + 10, self._matches, selected)

    def _find_selected(self) -> int:
        # The cursor may have moved on since this stretch was asked for.
        if self._slice.selected_rank is not None and self._slice.selected == self.selected:
            return self._slice.selected_rank
        for at, row in enumerate(self._slice.rows):
            if row.id == self.selected:
                return self._slice.offset + at
        return super()._find_selected()

    def _age(self, row: QueueRow) -> str:
        return format_duration(self.clock() - (row.queued_at or row.created_at))

    def _why(self, row: QueueRow) -> str:
        if self.snapshot is None:
            return ""
        if row.status is Status.CREATED:
            return f"a draft; {shown_key(ACTIONS['release'].key)} releases it"
        if row.status is Status.RETRYING and row.next_retry_at is not None:
            return f"another attempt {format_relative(row.next_retry_at, self.clock())}"
        found = why(row, self.snapshot.flow, self.clock())
        return "" if found.obstacle is Obstacle.TURN else found.words

    def _start(self, row: QueueRow) -> str:
        start = None if self.snapshot is None else self.snapshot.starts.get(row.id)
        if start is None:
            return ""
        now = self.clock()
        when = "next" if start <= now + _ANY_MOMENT else "~" + format_relative(start, now).removeprefix("in ")
        return self._shift(row.id, start, now) + when

    def _shift(self, job: int, start: datetime, now: datetime) -> str:
        """Whether a change of the order made a start come sooner or later."""
        before = self._starts_before.get(job)
        if before is None or self._reordered_at is None or now - self._reordered_at > SHIFT_SHOWN:
            return ""
        return "▲" if before - start >= _SHIFT else "▼" if start - before >= _SHIFT else ""


def _named(row: QueueRow) -> str:
    return job_name(row.job_type, row.job_key, row.job_id, row.command_text)


def _why_style(row: QueueRow) -> str:
    return "list--marked" if row.held else "list--dim"
