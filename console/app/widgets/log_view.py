"""A log of any size: its lines, a line that says where one is, and a search that can be stopped."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from console.app.page_turner import Search
from console.app.widgets.log_lines import LogLines
from console.app.widgets.plain_input import PlainInput
from console.log_pages import Row
from console.log_search import Needle
from console.plain import cut, plain, width
from core.jsontext import format_bytes

Part = tuple[str, bool]
"""Words for the line below, and whether they are loud."""


class LogBar(Widget):
    """One line below the log; what matters less leaves first when it gets narrow."""

    DEFAULT_CSS = """
    LogBar { height: 1; background: $panel; color: $text; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._parts: Sequence[Part] = ()

    def show(self, parts: Sequence[Part]) -> None:
        """Show these words."""
        if parts != self._parts:
            self._parts = parts
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The words side by side, as far as they fit."""
        base, room = self.rich_style, self.size.width
        segments: list[Segment] = []
        used = 0
        for text, loud in self._parts if y == 0 else ():
            words = f" {plain(text)} "
            if used + width(words) > room and segments:
                continue
            words = cut(words, room - used)
            segments.append(Segment(words, base + Style(reverse=True, bold=True) if loud else base))
            used += width(words)
        return Strip(segments, used).adjust_cell_length(room, base)


class SearchLine(Horizontal):
    """Where the words for a search are typed."""

    DEFAULT_CSS = """
    SearchLine {
        height: 1;
        background: $panel;
        display: none;
        &.asking { display: block; }
        Static { width: 2; color: $accent; text-style: bold; }
        Input { border: none; height: 1; padding: 0; background: $panel; width: 1fr; }
        Input:focus { border: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.typed = PlainInput(compact=True, placeholder="search; an upper-case letter makes case matter")

    def compose(self) -> ComposeResult:
        """The sign, and the line."""
        yield Static("/", markup=False)
        yield self.typed

    @on(events.DescendantBlur)
    def _left(self) -> None:
        self.remove_class("asking")


class LogView(Vertical):
    """A log, followed at its end until the reader goes elsewhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "search", show=False),
        Binding("n", "again(False)", "next hit", show=False),
        Binding("N", "again(True)", "previous hit", show=False),
        Binding("w", "wrap", "wrap", show=False),
    ]
    DEFAULT_CSS = """
    LogView { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines = LogLines()
        """The lines themselves."""
        self._line = SearchLine()
        self._bar = LogBar()
        self._title = ""
        self._search: Search | None = None
        self._share = 0.0
        self._said = ""

    @property
    def path(self) -> Path | None:
        """The log that is shown."""
        window = self.lines.window
        return None if window is None else window.path

    @property
    def following(self) -> bool:
        """Whether the reader is at the end."""
        window = self.lines.window
        return window is None or window.following

    def compose(self) -> ComposeResult:
        """The lines, the search, the bar."""
        yield self.lines
        yield self._line
        yield self._bar

    def on_unmount(self) -> None:
        """Nobody waits for the search any more."""
        self._stop_search()

    def show_log(self, path: Path | None, title: str, hint: str = "") -> None:
        """Show this log, from its end if it is another one than before."""
        if path != self.path:
            self._stop_search()
            self._said = ""
        self._title = title
        self.lines.hint = hint
        self.lines.show_log(path)
        self._show_bar()

    def focus_lines(self) -> None:
        """Let keys go to the lines."""
        self.lines.focus()

    def leave_search(self) -> bool:
        """Leave what a search has opened, the innermost first; whether there was anything to leave."""
        if self._line.has_class("asking"):
            self._line.remove_class("asking")
            self.lines.focus()
        elif self._search is not None:
            self._stop_search()
            self._said = "stopped"
        elif self.lines.needle is not None:
            self.lines.look_for(None)
            self._said = ""
        else:
            return False
        self._show_bar()
        return True

    def action_search(self) -> None:
        """Type what to search for."""
        self._line.add_class("asking")
        typed = self._line.typed
        typed.value = "" if self.lines.needle is None else self.lines.needle.text
        typed.select_all()
        typed.focus()

    def action_again(self, back: bool) -> None:
        """Go to the next hit, or to the one before."""
        needle, hit = self.lines.needle, self.lines.hit
        if needle is None:
            self.action_search()
            return
        if hit is None or not self.lines.shows(hit):
            first = self.lines.first_in_sight()
            self._begin(needle, 0 if first is None else first.start, back=back)
        else:
            self._begin(needle, hit if back else hit + 1, back=back)

    def action_wrap(self) -> None:
        """Fold long lines, or cut them."""
        self.lines.toggle_wrap()

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        self._line.remove_class("asking")
        self.lines.focus()
        text = event.value
        self.lines.look_for(Needle.typed(text) if text else None)
        self._said = ""
        self._stop_search()
        if text:
            self.lines.hit = None
            self.action_again(back=False)
        self._show_bar()

    @on(LogLines.Changed)
    def _changed(self, event: LogLines.Changed) -> None:
        event.stop()
        self._show_bar()

    def _begin(self, needle: Needle, place: int, *, back: bool) -> None:
        """Search in a thread; what it finds is shown unless something else is wanted by then."""
        self._stop_search()
        path = self.path
        if path is None:
            return
        app = self.app

        def progress(share: float) -> None:
            deliver(self._progressed, search, share)

        def found(row: Row | None, trouble: str | None) -> None:
            deliver(self._found, search, row, trouble)

        def deliver(act: Any, *values: object) -> None:
            with suppress(RuntimeError):
                if app.is_running:
                    app.call_later(act, *values)

        search = Search(path, needle, place, back=back, progress=progress, found=found)
        self._search, self._share, self._said = search, 0.0, ""
        search.start()
        self._show_bar()

    def _progressed(self, search: Search, share: float) -> None:
        if search is self._search and self.is_attached:
            self._share = share
            self._show_bar()

    def _found(self, search: Search, row: Row | None, trouble: str | None) -> None:
        if search is not self._search or not self.is_attached:
            return
        self._search = None
        if row is not None:
            self.lines.go_to_hit(row)
        self._said = trouble or ("" if row is not None else "no hit")
        self._show_bar()

    def _stop_search(self) -> None:
        if self._search is not None:
            self._search.stop()
            self._search = None

    def _show_bar(self) -> None:
        self._bar.show(list(self._parts()))

    def _parts(self) -> Iterator[Part]:
        """What stands below the lines, the most important first."""
        lines = self.lines
        window = lines.window
        if self._search is not None:
            yield f'searching for "{self._search.needle.text}" … {self._share:.0%}, esc stops', True
        elif self._said and lines.needle is not None:
            yield f'"{lines.needle.text}": {self._said}', True
        if window is not None and window.page is not None and window.page.rows:
            page = window.page
            if window.following:
                yield ("gone; this is what was read of it" if page.trouble else "following"), bool(page.trouble)
            elif window.bytes_came:
                came = _lines(window.came) if window.came else format_bytes(window.bytes_came)
                yield f"+{came} · G follows", True
            else:
                yield f"{window.span()[1]:.0%} · G follows", False
            yield self._title, False
            if window.cut_short:
                yield "it was cut short or replaced meanwhile", True
            yield format_bytes(page.size - page.begins_at), False
            if page.begins_at:
                yield f"the first {format_bytes(page.begins_at)} were let go", False
            if lines.needle is not None and self._search is None and not self._said:
                yield f'"{lines.needle.text}": n next, N previous', False
            if lines.wraps:
                yield "wrapped", False
        else:
            yield self._title, False


def _lines(number: int) -> str:
    return f"{number:,} line{'' if number == 1 else 's'}"
