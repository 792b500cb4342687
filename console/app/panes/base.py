"""What every pane has: a number, a place in the snapshot, and the job or thing that its cursor stands on."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime
from typing import ClassVar, TypeVar

from textual.content import Content

from console.app.marks import Marks
from console.app.snapshot import PaneNumber, Snapshot
from console.app.targets import ANY, JobTarget, Meant, only
from console.app.widgets.list_pane import ListPane
from console.app.widgets.pane_column import PaneColumn
from console.plain import plain
from core.filters import Filter
from core.status import Status

Row = TypeVar("Row")
Clock = Callable[[], datetime]


class Pane(ListPane[Row]):
    """A list in a frame, fed by snapshots."""

    NUMBER: ClassVar[PaneNumber]
    NAME: ClassVar[str]
    STATES: ClassVar[frozenset[Status]] = ANY
    """The states of the jobs in it; a mark goes when its job leaves them."""
    DEFAULT_CSS = """
    Pane {
        border: round $border-blurred;
        border-title-color: $muted;
        border-subtitle-color: $muted;
        &:focus { border: round $border; border-title-color: $text; border-title-style: bold; }
    }
    """

    def __init__(self, columns: Sequence[PaneColumn[Row]], clock: Clock) -> None:
        super().__init__(columns, id=f"pane-{self.NUMBER.value}")
        self.clock = clock
        self.snapshot: Snapshot | None = None
        self.marks = Marks()
        self._names = ("", "")

    @property
    def whole(self) -> bool:
        """Whether every row there is stands ready; of a long list only those around what is in sight do."""
        return True

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        self.snapshot = snapshot
        self.take(snapshot)
        self._drop_left(snapshot)
        self.name_itself()
        self.arranged()

    def take(self, snapshot: Snapshot) -> None:
        """Take one's rows out of the snapshot."""
        raise NotImplementedError

    def told(self) -> str:
        """What stands in the frame beside the name."""
        return f"{self.count:,}" if self.count else ""

    def name_itself(self) -> None:
        """Write the name, the count and the marks into the frame."""
        told = self.told()
        title = f"{self.NUMBER.value} {self.NAME}{' · ' if told else ''}{plain(told)}"
        marked = f"{len(self.marks):,} marked" if self.marks else ""
        # Setting one paints the whole pane.
        if (title, marked) != self._names:
            self._names = (title, marked)
            self.border_title, self.border_subtitle = Content(title), Content(marked)

    def target(self) -> JobTarget | None:
        """The job under the cursor."""
        row = self.selected_row()
        return None if row is None else self.target_of(row)

    def meant(self, *, many: bool) -> Meant:
        """What an action is done to: all that is marked, if it may be several, else what is under the cursor."""
        if not (many and self.marks):
            return only(self.target())
        at_hand = {target.id: target for row in self.at_hand() if (target := self.target_of(row)) is not None}
        return Meant(self.marks, [target for job, target in at_hand.items() if job in self.marks], self.STATES)

    def is_marked(self, row: Row) -> bool:
        """Whether the job of a row is marked."""
        target = self.target_of(row) if self.marks else None
        return target is not None and target.id in self.marks

    def toggle_mark(self) -> None:
        """Mark what is under the cursor, or unmark it, and go on."""
        target = self.target()
        if target is not None:
            self.marks.turn(target.id)
            self.select(self.cursor + 1)
            self.marks_changed()

    def mark(self, jobs: Iterable[int]) -> None:
        """Mark these jobs and no others."""
        self.marks.take(jobs)
        self.marks_changed()

    def mark_at_hand(self) -> None:
        """Mark every row that stands ready."""
        self.mark({target.id for row in self.at_hand() if (target := self.target_of(row)) is not None})

    def marks_changed(self) -> None:
        """Show what is marked."""
        self.repaint()
        self.name_itself()
        self.post_message(self.Moved(self))

    def at_hand(self) -> Iterable[Row]:
        """The rows that stand ready."""
        return (row for index in range(self.count) if (row := self.row_at(index)) is not None)

    def target_of(self, row: Row) -> JobTarget | None:
        """The job of a row; what is no job has none."""
        del row
        return None

    def _drop_left(self, snapshot: Snapshot) -> None:
        """Marks go with the jobs that have left this pane."""
        self.marks.drop(job for job, status in snapshot.marked.items() if status is None or status not in self.STATES)


class Filtered:
    """What a pane with a filter has besides."""

    filter = Filter()
    """What is shown; nothing in it shows all."""

    @property
    def scope(self) -> frozenset[Status]:
        """The states of the jobs that are looked through."""
        raise NotImplementedError


class RowsPane(Pane[Row]):
    """A pane whose rows are all at hand."""

    def __init__(self, columns: Sequence[PaneColumn[Row]], clock: Clock) -> None:
        super().__init__(columns, clock)
        self.rows: Sequence[Row] = ()

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def row_at(self, index: int) -> Row | None:
        """The row at that place."""
        return self.rows[index] if 0 <= index < len(self.rows) else None

    def _find_selected(self) -> int:
        for index, row in enumerate(self.rows):
            if self.key_of(row) == self.selected:
                return index
        return super()._find_selected()

    def key_of(self, row: Row) -> Hashable:
        """What a row is known by."""
        raise NotImplementedError


STATUS_STYLES = {
    Status.CREATED: "status--created",
    Status.QUEUED: "status--queued",
    Status.RUNNING: "status--running",
    Status.WAITING_FOR_APPROVAL: "status--waiting",
    Status.RETRYING: "status--retrying",
    Status.SUCCEEDED: "status--succeeded",
    Status.FAILED: "status--failed",
    Status.CANCELLED: "status--cancelled",
}
SIGNS = {
    Status.CREATED: "✎",
    Status.QUEUED: "·",
    Status.RUNNING: "▶",
    Status.WAITING_FOR_APPROVAL: "⚑",
    Status.RETRYING: "↻",
    Status.SUCCEEDED: "✓",
    Status.FAILED: "✗",
    Status.CANCELLED: "⊘",
}
"""A state is never told by colour alone."""


def job_name(job_type: str, job_key: str, job_id: str, command: str) -> str:
    """What people call a job: its key if they gave it one, else its command."""
    return job_key if job_key != job_id else command or job_type
