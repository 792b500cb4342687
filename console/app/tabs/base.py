"""What every tab of a job's screen has: it is shown a job, can be copied from, and can be read in a pager."""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from console.app.job_sight import JobSight
from console.app.widgets.list_pane import ListPane
from console.app.widgets.pane_column import PaneColumn
from console.plain import plain

Row = TypeVar("Row")

LONGEST = 2_000
"""More of one text is not put on a screen."""


class JobTab(Vertical):
    """One side of a job. What it shows is handed in; its own place in that survives every change."""

    NAME: ClassVar[str]
    DEFAULT_CSS = """
    JobTab {
        height: 1fr;
        .detail { height: auto; max-height: 6; padding: 0 1; background: $surface; color: $text; }
    }
    """

    def show(self, sight: JobSight) -> None:
        """Show this from now on."""
        raise NotImplementedError

    def tick(self) -> None:
        """A second has passed: ages and bars go on without the store."""

    def take_focus(self) -> None:
        """Let keys go to what can be moved in."""
        raise NotImplementedError

    def copied(self) -> str | None:
        """What the copy key takes."""
        return None

    def paged(self) -> Path | str | None:
        """What a pager shows: a file, or a text."""
        return None


class RowsList(ListPane[Row]):
    """A list whose rows are all at hand."""

    def __init__(self, columns: Sequence[PaneColumn[Row]]) -> None:
        super().__init__(columns)
        self.rows: Sequence[Row] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these; the cursor stays on its thing."""
        self.rows = rows
        self.arranged()

    def rearrange(self, columns: Sequence[PaneColumn[Row]]) -> None:
        """Show other columns."""
        self._columns = columns
        self._widths_for = -1
        self.refresh()

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def row_at(self, index: int) -> Row | None:
        """The row at that place."""
        return self.rows[index] if 0 <= index < len(self.rows) else None

    def key_of(self, row: Row) -> Hashable:
        """What a row is known by."""
        raise NotImplementedError

    def _find_selected(self) -> int:
        keys = (index for index, row in enumerate(self.rows) if self.key_of(row) == self.selected)
        return next(keys, super()._find_selected())


class ListTab(JobTab):
    """A tab with a list, and below it what stands under the cursor, in full."""

    def __init__(self, shown: ListPane[Any]) -> None:
        super().__init__()
        self._shown = shown
        self._below = Static(classes="detail", markup=False)

    def compose(self) -> ComposeResult:
        """The list, and the line below."""
        yield self._shown
        yield self._below

    def take_focus(self) -> None:
        """Let keys go to the list."""
        self._shown.focus()

    def detail(self) -> str:
        """What to say about the thing under the cursor."""
        return ""

    def on_list_pane_moved(self, event: ListPane.Moved) -> None:
        """Another thing is under the cursor."""
        event.stop()
        self.show_detail()

    def show_detail(self) -> None:
        """Say what is under the cursor."""
        text = self.detail()
        self._below.display = bool(text)
        self._below.update(Content(plain(text[:LONGEST])))

    def copied(self) -> str | None:
        """What is said about the thing under the cursor."""
        return self.detail() or None
