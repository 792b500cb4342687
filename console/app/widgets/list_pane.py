"""A list painted line by line: as fast with a million rows as with ten, its cursor on a thing and not on a line."""

import math
import time
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from console.app.widgets.pane_column import PaneColumn, shared_out
from console.columns import GAP
from console.plain import cut, padded, plain

Row = TypeVar("Row")

SLIP = 0.7
"""For so many seconds after its thing has gone, keys for the cursor's thing are not taken for the next one."""
STEERED = 2.0
"""For so many seconds after someone asked for other rows, it is no surprise that the cursor lies on another one."""
MARK = "▌"
"""Stands before a marked row, so that the mark is seen without colour."""


class ListPane(ScrollView, Generic[Row], can_focus=True):
    """A scrolling list with a cursor. What it shows is handed in; it asks for nothing itself."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "list--heads",
        "list--cursor",
        "list--marked",
        "list--dim",
        "list--empty",
        "status--created",
        "status--queued",
        "status--running",
        "status--waiting",
        "status--retrying",
        "status--succeeded",
        "status--failed",
        "status--cancelled",
    }
    """`list--heads` is the line of titles, `list--cursor` the row of the cursor, the others paint cells."""
    DEFAULT_CSS = """
    ListPane {
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
        overflow-y: auto;
        & > .list--heads { color: $muted; text-style: bold; }
        & > .list--cursor { background: $surface-lighten-2; }
        &:focus > .list--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: bold;
        }
        & > .list--marked { color: $accent; text-style: bold; }
        & > .list--dim { color: $muted; }
        & > .list--empty { color: $muted; }
        & > .status--created { color: $muted; }
        & > .status--queued { color: $status-queued; }
        & > .status--running { color: $status-running; }
        & > .status--waiting { color: $status-waiting; text-style: bold; }
        & > .status--retrying { color: $status-retrying; }
        & > .status--succeeded { color: $status-succeeded; }
        & > .status--failed { color: $status-failed; text-style: bold; }
        & > .status--cancelled { color: $muted; text-style: strike; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "cursor(1)", "down", show=False),
        Binding("up,k", "cursor(-1)", "up", show=False),
        Binding("pagedown,ctrl+f", "page(1)", "page down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "page up", show=False),
        Binding("home,g", "end(-1)", "first", show=False),
        Binding("end,G", "end(1)", "last", show=False),
    ]

    class Moved(Message):
        """The cursor stands on something else, or what is in sight has changed."""

        def __init__(self, pane: "ListPane[Any]") -> None:
            super().__init__()
            self.pane = pane

        @property
        def control(self) -> "ListPane[Any]":
            """The list."""
            return self.pane

    class Opened(Moved):
        """Someone wants to see the thing under the cursor."""

    def __init__(self, columns: Sequence[PaneColumn[Row]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._columns = columns
        self._widths: list[int] = []
        self._widths_for = -1
        self.cursor = 0
        """The line of the cursor; it follows `selected`."""
        self.selected: Hashable | None = None
        """The key of the thing that the cursor stands on."""
        self._slipped_at = self._steered_at = -math.inf
        self._painted: dict[int, Strip] = {}
        self._fresh: dict[int, Strip] = {}
        """Lines that were painted to see whether they look different, until they are asked for."""
        self._fresh_for = (Size(), 0)
        self._base: Style | None = None
        self.hints: Sequence[str] = ()
        """What to say, line by line, when there is nothing to show."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def row_at(self, index: int) -> Row | None:
        """The row at that place; None when it has not arrived yet."""

    @abstractmethod
    def key_of(self, row: Row) -> Hashable:
        """What a row is known by."""

    def is_marked(self, row: Row) -> bool:
        """Whether a row is marked."""
        del row
        return False

    @property
    def lines_in_sight(self) -> int:
        """How many rows fit below the titles."""
        return max(1, self.size.height - 1)

    @property
    def top(self) -> int:
        """The first row in sight."""
        return round(self.scroll_y)

    def arranged(self) -> None:
        """The rows have changed: keep the cursor on its thing and that where it stood on the screen."""
        before = self.cursor
        self.cursor = self._find_selected()
        self._take_room()
        if self.cursor != before and self.top <= before < self.top + self.lines_in_sight:
            self.scroll_to(y=max(0, self.top + self.cursor - before), animate=False, force=True, immediate=True)
        row = self.row_at(self.cursor) if self.count else None
        if row is not None:
            self._lies_on(self.key_of(row))
        elif not self.count:
            self.selected = None
        self.repaint()

    def repaint(self) -> None:
        """Paint the lines again that look different now; a slow line to the terminal carries nothing else."""
        fresh = {y: self._paint(y) for y in range(self.size.height)}
        for y, strip in fresh.items():
            if self._painted.get(y) != strip:
                self.refresh(Region(0, y, self.size.width, 1))
        self._fresh, self._fresh_for = fresh, self._room

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Paint these parts again, or all of it, whatever it was painted from before."""
        if not regions:
            self._fresh, self._base = {}, None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def notify_style_update(self) -> None:
        """Other colours now."""
        self._fresh, self._base = {}, None
        super().notify_style_update()

    @property
    def slipped(self) -> bool:
        """Whether the thing under the cursor has just gone, so that a key may still be meant for that."""
        return time.monotonic() - self._slipped_at < SLIP

    def steer(self) -> None:
        """Other rows are about to be shown because someone wants it so."""
        self._steered_at = time.monotonic()

    def _lies_on(self, key: Hashable) -> None:
        """The cursor lies on this now, though nobody moved it."""
        now = time.monotonic()
        if self.selected is not None and key != self.selected and now - self._steered_at > STEERED:
            self._slipped_at = now
        self.selected = key

    def selected_row(self) -> Row | None:
        """The row under the cursor."""
        return self.row_at(self.cursor) if self.count else None

    def select(self, index: int) -> None:
        """Put the cursor on a row and bring that into sight."""
        self._slipped_at = -math.inf
        index = max(0, min(index, self.count - 1))
        before, self.cursor = self.cursor, index
        row = self.row_at(index) if self.count else None
        self.selected = None if row is None else self.key_of(row)
        self._refresh_row(before)
        self._refresh_row(index)
        self._into_sight(index)
        self.post_message(self.Moved(self))

    def action_cursor(self, by: int) -> None:
        """Move the cursor by rows."""
        if self.count:
            self.select(self.cursor + by)

    def action_page(self, by: int) -> None:
        """Move the cursor by what is in sight."""
        if self.count:
            self.select(self.cursor + by * max(1, self.lines_in_sight - 1))

    def action_end(self, by: int) -> None:
        """Move the cursor to the first or the last row."""
        if self.count:
            self.select(0 if by < 0 else self.count - 1)

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor there; a second one opens it."""
        index = event.get_content_offset(self)
        if index is None or index.y < 1 or index.y - 1 + self.top >= self.count:
            return
        self.select(index.y - 1 + self.top)
        if event.chain > 1:
            self.post_message(self.Opened(self))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """What is in sight has changed."""
        self._fresh = {}
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Moved(self))

    def on_resize(self) -> None:
        """More or less fits now."""
        self._take_room()
        self._into_sight(self.cursor)
        self.post_message(self.Moved(self))

    def render_line(self, y: int) -> Strip:
        """Paint one line: the titles on top, the rows below."""
        fresh = self._fresh.pop(y, None) if self._fresh_for == self._room else None
        self._painted[y] = self._paint(y) if fresh is None else fresh
        return self._painted[y]

    @property
    def _room(self) -> tuple[Size, int]:
        """What there is to paint on."""
        return self.size, self.scrollable_content_region.width

    def _paint(self, y: int) -> Strip:
        room = self.scrollable_content_region.width
        if room != self._widths_for:
            self._widths_for = room
            self._widths = shared_out(self._columns, room)
        if not self.count:
            return self._painted_hint(y, room)
        if y == 0:
            return self._painted_heads(room)
        index = self.top + y - 1
        if index >= self.count:
            return Strip.blank(room, self.rich_style)
        row = self.row_at(index)
        if self._base is None:
            self._base = self.rich_style
        if row is None:
            return Strip([Segment("  …".ljust(room), self.get_component_rich_style("list--dim"))], room)
        return self._painted_row(row, index, room)

    def _painted_hint(self, y: int, room: int) -> Strip:
        at = y - max(0, (self.size.height - len(self.hints)) // 3)
        text = self.hints[at] if 0 <= at < len(self.hints) else ""
        return Strip([Segment(padded(f"  {text}", room), self.get_component_rich_style("list--empty"))], room)

    def _painted_heads(self, room: int) -> Strip:
        style = self.get_component_rich_style("list--heads")
        text = " " + "  ".join(
            padded(column.title, wide, right=column.right)
            for column, wide in zip(self._columns, self._widths, strict=True)
            if wide
        )
        return Strip([Segment(padded(text, room), style)], room)

    def _painted_row(self, row: Row, index: int, room: int) -> Strip:
        under_cursor = index == self.cursor
        base = self.get_component_rich_style("list--cursor") if under_cursor else self._base or self.rich_style
        marked = self.is_marked(row)
        mark = self.get_component_rich_style("list--marked", partial=True) if marked else Style.null()
        segments = [Segment(MARK if marked else " ", base + mark)]
        used = 1
        for column, wide in zip(self._columns, self._widths, strict=True):
            if not wide:
                continue
            name = column.style(row) if column.style is not None else ""
            style = base + self.get_component_rich_style(name, partial=True) if name and not under_cursor else base
            text = padded(cut(plain(column.text(row)), wide), wide, right=column.right)
            segments.append(Segment(text + "  ", style))
            used += wide + GAP
        return Strip(segments, used).adjust_cell_length(room, base)

    def _take_room(self) -> None:
        """Be as long as the list; a new length alone is no reason to lay the whole screen out again."""
        size = Size(self.size.width, self.count + 1)
        if size != self.virtual_size:
            self.set_reactive(ListPane.virtual_size, size)
            self._scroll_update(size)

    def _find_selected(self) -> int:
        """Where the selected thing is now; when it is gone, what took its place."""
        return max(0, min(self.cursor, self.count - 1))

    def _refresh_row(self, index: int) -> None:
        self._fresh.pop(index - self.top + 1, None)
        self.refresh(Region(0, index - self.top + 1, self.size.width, 1))

    def _into_sight(self, index: int) -> None:
        top, sight = self.top, self.lines_in_sight
        if index < top:
            self.scroll_to(y=index, animate=False, force=True, immediate=True)
        elif index >= top + sight:
            self.scroll_to(y=index - sight + 1, animate=False, force=True, immediate=True)
