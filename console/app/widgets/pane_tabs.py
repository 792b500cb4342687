"""The names of the panes in a line, where only one of them fits: their numbers, and how much is in each."""

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from console.app.snapshot import PaneNumber, Snapshot
from console.plain import width
from core.status import FINAL, Status

_NAMES = {
    PaneNumber.QUEUE: "Queue",
    PaneNumber.RUNNING: "Running",
    PaneNumber.CHAINS: "Chains",
    PaneNumber.SCHEDULES: "Schedules",
    PaneNumber.APPROVALS: "Approvals",
    PaneNumber.HISTORY: "History",
}


class PaneTabs(Widget):
    """One line; a click goes to a pane as its number does."""

    DEFAULT_CSS = """
    PaneTabs { height: 1; background: $surface; color: $text-muted; }
    """

    class Chosen(Message):
        """Someone clicked on a name."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self) -> None:
        super().__init__()
        self._current = PaneNumber.QUEUE
        self._snapshot: Snapshot | None = None
        self._spans: list[tuple[int, int, PaneNumber]] = []

    def show(self, current: PaneNumber, snapshot: Snapshot) -> None:
        """Show this from now on."""
        self._current, self._snapshot = current, snapshot
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The names; the counts are left out where there is no room for them."""
        base = self.rich_style
        if y:
            return Strip.blank(self.size.width, base)
        names = {number: f" {number.value} {name}{self._count(number)} " for number, name in _NAMES.items()}
        if sum(map(width, names.values())) > self.size.width:
            names = {number: f" {number.value} {name} " for number, name in _NAMES.items()}
        segments, used = [], 0
        self._spans = []
        for number, text in names.items():
            style = Style(reverse=True, bold=True) if number is self._current else Style.null()
            segments.append(Segment(text, base + style))
            self._spans.append((used, used + width(text), number))
            used += width(text)
        return Strip(segments, used).adjust_cell_length(self.size.width, base)

    def on_click(self, event: events.Click) -> None:
        """A click on a name is its number."""
        for start, end, number in self._spans:
            if start <= event.x < end:
                self.post_message(self.Chosen(number.value))

    def _count(self, number: PaneNumber) -> str:
        snapshot = self._snapshot
        if snapshot is None:
            return ""
        counts = snapshot.counts
        count = {
            PaneNumber.QUEUE: counts.get(Status.QUEUED, 0),
            PaneNumber.RUNNING: counts.get(Status.RUNNING, 0),
            PaneNumber.CHAINS: counts.get(Status.RETRYING, 0),
            PaneNumber.SCHEDULES: len(snapshot.schedules),
            PaneNumber.APPROVALS: len(snapshot.approvals),
            PaneNumber.HISTORY: sum(counts.get(status, 0) for status in FINAL),
        }[number]
        return f" {count:,}" if count else ""
