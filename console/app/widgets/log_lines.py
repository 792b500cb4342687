"""The lines of a log, painted from where the reader stands; whatever its size, only what is in sight is held."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from console.app.log_paint import Span, cut_out, folded, highlighted, spans_of, strip_of, wide
from console.app.log_window import LogWindow
from console.app.page_turner import Page, PageTurner
from console.log_pages import Row
from console.log_search import Needle
from console.plain import padded, plain

GLANCE = 0.2
"""Seconds between two looks whether the log has grown, while it is in sight."""
WHEEL = 3
SIDEWAYS = 10
MARK = "▌"
_MOST_KEPT = 2_000


class LogLines(Widget, can_focus=True):
    """Rows of a log with a scrollbar that shows the place by bytes. It never moves a reader who is not at the end."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"log--hit", "log--here", "log--bar", "log--thumb", "log--hint"}
    """`log--hit` is what a search found, `log--here` marks the row of the current hit, the others say themselves."""
    DEFAULT_CSS = """
    LogLines {
        height: 1fr;
        & > .log--hit { text-style: reverse bold; }
        & > .log--here { color: $accent; text-style: bold; }
        & > .log--bar { color: $border-blurred; }
        & > .log--thumb { color: $border-blurred; }
        &:focus > .log--thumb { color: $border; }
        & > .log--hint { color: $text-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "by(1)", "down", show=False),
        Binding("up,k", "by(-1)", "up", show=False),
        Binding("pagedown,ctrl+f,space", "page(1)", "page down", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "page up", show=False),
        Binding("home,g", "first", "first", show=False),
        Binding("end,G", "follow", "end", show=False),
        Binding("right", "sideways(1)", "right", show=False),
        Binding("left", "sideways(-1)", "left", show=False),
    ]

    class Changed(Message):
        """Something else is in sight, or there is more of the log."""

    def __init__(self) -> None:
        super().__init__()
        self.window: LogWindow | None = None
        self.hint = ""
        """What to say where there is no log."""
        self.needle: Needle | None = None
        self.hit: int | None = None
        """Where the row of the current hit begins."""
        self.wraps = False
        self._left = 0
        self._turner: PageTurner | None = None
        self._sight: Sequence[tuple[Row, int]] = ()
        self._span = (0.0, 1.0)
        self._spans: dict[tuple[int, int], list[Span]] = {}
        self._lines: dict[tuple[int, int], list[list[Span]]] = {}
        self._dragging = False

    def show_log(self, path: Path | None) -> None:
        """Show this log from its end; one that is shown already stays as it is."""
        if path is None or self.window is None or path != self.window.path:
            self.window = None if path is None else LogWindow(path, self._tall)
            self.hit, self._left = None, 0
            self._forget()
            self._arrange()

    def look_for(self, needle: Needle | None) -> None:
        """Make this visible wherever it is."""
        self.needle = needle
        if needle is None:
            self.hit = None
        self._forget()
        self._arrange()

    def go_to_hit(self, row: Row) -> None:
        """Show a hit with lines around it."""
        self.hit = row.start
        if self.window is not None:
            self.window.go(row.start, above=self.size.height // 3)
            self._bring_into_sight(row)
            self._arrange()

    def toggle_wrap(self) -> None:
        """Fold long lines, or cut them."""
        self.wraps, self._left = not self.wraps, 0
        self._lines.clear()
        self._arrange()

    def text_in_sight(self) -> str:
        """What is in sight, or the row of the current hit, as plain text."""
        rows = list(dict.fromkeys(row for row, _ in self._sight))
        rows = [row for row in rows if row.start == self.hit] or rows
        return "\n".join("".join(text for text, _ in spans_of(row)) for row in rows)

    def first_in_sight(self) -> Row | None:
        """The row on top."""
        return self._sight[0][0] if self._sight else None

    def shows(self, start: int) -> bool:
        """Whether the row that begins there is in sight."""
        return any(row.start == start for row, _ in self._sight)

    def on_mount(self) -> None:
        """Look now and then whether there is more."""
        self.set_interval(GLANCE, self._glance)

    def on_unmount(self) -> None:
        """Let the thread end."""
        if self._turner is not None:
            self._turner.end()

    @property
    def idle(self) -> bool:
        """Whether all that it wanted to see was read."""
        return self._turner is None or self._turner.idle

    def on_show(self) -> None:
        """It may have grown while nobody looked."""
        self._glance()

    def on_resize(self) -> None:
        """More or less fits now."""
        self._lines.clear()
        self._arrange()

    def action_by(self, lines: int) -> None:
        """Move by lines."""
        if self.window is not None:
            self.window.scroll(lines)
            self._arrange()

    def action_page(self, pages: int) -> None:
        """Move by what is in sight."""
        self.action_by(pages * max(1, self.size.height - 2))

    def action_first(self) -> None:
        """Go to the beginning."""
        if self.window is not None:
            self.window.first()
            self._arrange()

    def action_follow(self) -> None:
        """Go to the end, and follow it."""
        if self.window is not None:
            self.window.follow()
            self._arrange()

    def action_sideways(self, by: int) -> None:
        """Move sideways, as far as what is in sight reaches."""
        widest = max((wide(self._painted(row)) for row, _ in self._sight), default=0)
        most = 0 if self.wraps else max(0, widest - self._room)
        self._left = max(0, min(self._left + by * SIDEWAYS, most))
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel moves by a few lines."""
        event.stop()
        self.action_by(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel moves by a few lines."""
        event.stop()
        self.action_by(-WHEEL)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """The bar at the right goes where it is taken."""
        if event.x >= self.size.width - 1:
            self._dragging = True
            self.capture_mouse()
            self._jump(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The bar follows the mouse."""
        if self._dragging:
            self._jump(event.y)

    def on_mouse_up(self) -> None:
        """The bar is let go."""
        self._dragging = False
        self.release_mouse()

    def render_line(self, y: int) -> Strip:
        """One line: the mark of a hit, the text, the bar."""
        base, room = self.rich_style, self._room
        if not self._sight:
            return self._painted_hint(y)
        if y < len(self._sight):
            row, line = self._sight[y]
            spans = self._folded(row)[line] if self.wraps else cut_out(self._painted(row), self._left, room)
            here = row.start == self.hit
        else:
            spans, here = [], False
        mark = Segment(MARK, base + self.get_component_rich_style("log--here", partial=True)) if here else None
        text = strip_of(spans, base, room)
        return Strip([mark or Segment(" ", base), *text, self._bar(y)], room + 2)

    @property
    def _room(self) -> int:
        return max(2, self.size.width - 2)

    def _painted_hint(self, y: int) -> Strip:
        page = None if self.window is None else self.window.page
        if self.window is None:
            words = self.hint
        elif page is None:
            words = "reading …"
        else:
            words = page.trouble or "nothing was printed yet"
        text = padded(f"  {plain(words)}", self.size.width) if y == self.size.height // 3 else " " * self.size.width
        return Strip([Segment(text, self.get_component_rich_style("log--hint"))], self.size.width)

    def _bar(self, y: int) -> Segment:
        """A cell of the bar: the part of the log that is in sight, by bytes."""
        first, last = self._span
        high = self.size.height
        top = min(high - 1, int(first * high))
        bottom = max(top, min(high - 1, int(last * high - 0.001)))
        inside = top <= y <= bottom
        name = "log--thumb" if inside else "log--bar"
        return Segment("█" if inside else "│", self.get_component_rich_style(name))

    def _arrange(self) -> None:
        """Something has moved: ask for what is needed, and paint what is at hand."""
        window = self.window
        if window is not None:
            window.height = max(1, self.size.height)
            if self.is_mounted and self.size.height and window.must_ask():
                self._reader().want(window.ask())
        self._sight = [] if window is None else window.in_sight()
        self._span = (0.0, 1.0) if window is None else window.span()
        self.refresh()
        self.post_message(self.Changed())

    def _reader(self) -> PageTurner:
        if self._turner is None:
            app = self.app

            def deliver(page: Page) -> None:
                # The app may be ending while its reader still reads.
                with suppress(RuntimeError):
                    if app.is_running:
                        app.call_later(self._turned, page)

            self._turner = PageTurner(deliver)
            self._turner.start()
        return self._turner

    def _turned(self, page: Page) -> None:
        window = self.window
        if window is not None and self.is_attached and page.want.path == window.path:
            known = None if window.page is None else (window.page.identity, window.page.begins_at)
            if known != (page.identity, page.begins_at):
                self._forget()
            window.turned(page)
            self._arrange()

    def _glance(self) -> None:
        seen = self.is_attached and self.screen.is_active and all(node.display for node in self.ancestors_with_self)
        if self._turner is not None and seen:
            self._turner.glance()

    def _jump(self, y: int) -> None:
        if self.window is not None:
            high = max(1, self.size.height - 1)
            self.window.jump(y / high)
            self._arrange()

    def _bring_into_sight(self, row: Row) -> None:
        """Move sideways to where the hit is, if it would be cut off."""
        text = "".join(piece for piece, _ in spans_of(row))
        at = next(self.needle.hits(text), (0, 0)) if self.needle is not None else (0, 0)
        if not (self._left < at[0] + 1 and at[1] < self._left + self._room):
            self._left = 0 if at[1] < self._room else max(0, at[0] - self._room // 3)

    def _painted(self, row: Row) -> list[Span]:
        key = (row.start, row.end)
        if key not in self._spans:
            if len(self._spans) > _MOST_KEPT:
                self._forget()
            hit: Style = self.get_component_rich_style("log--hit", partial=True)
            self._spans[key] = highlighted(spans_of(row), self.needle, hit)
        return self._spans[key]

    def _folded(self, row: Row) -> list[list[Span]]:
        key = (row.start, row.end)
        if key not in self._lines:
            self._lines[key] = folded(self._painted(row), self._room)
        return self._lines[key]

    def _tall(self, row: Row) -> int:
        return len(self._folded(row)) if self.wraps else 1

    def _forget(self) -> None:
        self._spans.clear()
        self._lines.clear()
