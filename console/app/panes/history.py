"""What has ended, newest first, with its outcome and how long it took."""

from collections.abc import Hashable
from typing import ClassVar

from textual.binding import BindingType

from console.app.actions import keys_of
from console.app.panes.base import SIGNS, STATUS_STYLES, Clock, Filtered, RowsPane, job_name
from console.app.snapshot import PaneNumber, Snapshot
from console.app.targets import JobTarget
from console.app.widgets.pane_column import PaneColumn
from core.jobs import Job
from core.status import FINAL, Status
from core.when import format_duration, format_relative

PAGE = 200
"""So many more are read when the end of what is at hand comes into sight."""


class HistoryPane(Filtered, RowsPane[Job]):
    """Jobs that have ended; further ones are read as one goes down."""

    NUMBER: ClassVar[PaneNumber] = PaneNumber.HISTORY
    NAME: ClassVar[str] = "History"
    STATES: ClassVar[frozenset[Status]] = FINAL
    BINDINGS: ClassVar[list[BindingType]] = keys_of(PaneNumber.HISTORY)

    def __init__(self, clock: Clock) -> None:
        super().__init__(
            [
                PaneColumn("ID", lambda row: str(row.id), 6, right=True),
                PaneColumn("OUTCOME", lambda row: f"{SIGNS[row.status]} {row.status.lower()}", 11, style=_style),
                PaneColumn("TYPE", lambda row: row.job_type, 10, least=6, drop=4),
                PaneColumn("JOB", _name, 20, least=14, grows=True),
                PaneColumn("TRIES", lambda row: str(row.attempt), 5, right=True, drop=5),
                PaneColumn("TOOK", _took, 7, right=True, drop=2),
                PaneColumn("ENDED", self._ended, 9, right=True, drop=1),
                PaneColumn("ERROR", lambda row: row.error_message or "", 20, least=10, drop=3, grows=True,
                           style=lambda _: "list--dim"),
            ],
            clock,
        )  # fmt: skip
        self.limit = PAGE
        self.hints = ("nothing has ended yet",)

    @property
    def whole(self) -> bool:
        """Whether all that has ended, or matches, is at hand."""
        return len(self.rows) < self.limit

    @property
    def scope(self) -> frozenset[Status]:
        """Everything here has ended."""
        return FINAL

    def take(self, snapshot: Snapshot) -> None:
        """The latest ends."""
        self.rows = snapshot.finished
        self.hints = ("nothing matches; esc shows all",) if self.filter.terms else ("nothing has ended yet",)

    def told(self) -> str:
        """How many have ended in all, or match."""
        if self.snapshot is None:
            return ""
        if self.filter.terms:
            more = "+" if len(self.rows) >= self.limit else ""
            return f"{len(self.rows):,}{more} match {self.filter}"
        return f"{sum(self.snapshot.counts.get(status, 0) for status in FINAL):,}"

    def key_of(self, row: Job) -> Hashable:
        """A job is known by its number."""
        return row.id

    def target_of(self, row: Job) -> JobTarget:
        """The job of a row."""
        return JobTarget(row.id, row.status, row.held, f"job {row.id} ({_name(row)})")

    def wanted(self) -> int:
        """How many rows to have at hand: back at the top, no more than a page."""
        if self.top + 3 * self.lines_in_sight >= len(self.rows) >= self.limit:
            self.limit += PAGE
        elif self.top == 0:
            self.limit = PAGE
        return self.limit

    def _ended(self, row: Job) -> str:
        return "" if row.finished_at is None else format_relative(row.finished_at, self.clock())


def _name(job: Job) -> str:
    return job_name(job.job_type, job.job_key, job.job_id, job.command_text)


def _style(row: Job) -> str:
    return STATUS_STYLES[row.status]


def _took(row: Job) -> str:
    if row.started_at is None or row.finished_at is None:
        return ""
    return format_duration(row.finished_at - row.started_at)
