"""The line on top: the engine, the slots, how many jobs are in which state, how fast it goes, what comes next."""

from collections.abc import Callable, Sequence
from datetime import datetime

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from console.app.panes.base import SIGNS
from console.app.reading import BAR
from console.app.snapshot import MOST, Snapshot
from console.plain import plain, width
from core.status import Status
from core.when import format_relative

_BARS = "▁▂▃▄▅▆▇█"
_SHORT = {
    Status.RUNNING: "running",
    Status.QUEUED: "queued",
    Status.WAITING_FOR_APPROVAL: "waiting",
    Status.RETRYING: "retrying",
    Status.SUCCEEDED: "ok",
    Status.FAILED: "failed",
}


class Header(Widget):
    """One line that is read from left to right; what matters less leaves first when it gets narrow."""

    DEFAULT_CSS = """
    Header { height: 1; background: $panel; color: $text; }
    """

    def __init__(self, clock: Callable[[], datetime], *, read_only: bool) -> None:
        super().__init__()
        self._clock = clock
        self._read_only = read_only
        self._snapshot: Snapshot | None = None
        self.engine = ""
        """What the engine is doing, in a word or a sentence."""
        self.alarm = False
        """Whether that is something to worry about."""

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        self._snapshot = snapshot
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line, cut where the screen ends."""
        base = self.rich_style
        if y:
            return Strip.blank(self.size.width, base)
        segments: list[Segment] = []
        used = 0
        for text, style in self._parts():
            wide = width(text)
            if used + wide > self.size.width:
                continue
            segments.append(Segment(text, base + style))
            used += wide
        return Strip(segments, used).adjust_cell_length(self.size.width, base)

    def _parts(self) -> list[tuple[str, Style]]:
        bold, dim, loud = Style(bold=True), Style(dim=True), Style(reverse=True, bold=True)
        snapshot = self._snapshot
        parts = [(" jobdeck ", bold), (f"{plain(self.engine)} ", loud if self.alarm else dim)]
        if snapshot is None:
            return [*parts, ("reading the store …", dim)]
        if self._read_only:
            parts.append(("READ-ONLY ", loud))
        if snapshot.paused is not None:
            parts.append((f"PAUSED by {plain(snapshot.paused.by)} ", loud))
        if snapshot.untold or snapshot.off:
            parts.append((f"│ ✉ {snapshot.untold:,} untold " if snapshot.untold else "│ ✉ switched off ", bold))
        if snapshot.flow.limits is not None:
            parts.append((f"│ {snapshot.flow.usage.total}/{snapshot.flow.limits.slots} slots ", Style.null()))
        # One that was approved and waits for its slot waits for nobody.
        asking = {Status.WAITING_FOR_APPROVAL: len(snapshot.approvals)} if len(snapshot.approvals) < MOST else {}
        counts = {**snapshot.counts, **asking}
        for status, word in _SHORT.items():
            count = counts.get(status, 0)
            if count:
                style = bold if status in (Status.FAILED, Status.WAITING_FOR_APPROVAL) else Style.null()
                parts.append((f"│ {SIGNS[status]} {count:,} {word} ", style))
        spark = sparkline(snapshot.ended)
        if spark:
            parts.append((f"│ {spark} ", dim))
        if snapshot.next_event is not None:
            at = format_relative(snapshot.next_event.at, self._clock())
            parts.append((f"│ {at}: {plain(snapshot.next_event.words)} ", dim))
        return parts


def sparkline(bars: Sequence[int]) -> str:
    """How many jobs ended in each of the last stretches of time, and how fast that is."""
    most = max(bars, default=0)
    if not most:
        return ""
    drawn = "".join(" " if not one else _BARS[(one * 8 - 1) // most] for one in bars)
    rate = sum(bars) / (len(bars) * BAR.total_seconds())
    return f"{drawn} {rate:.1f}/s" if rate >= 1 else f"{drawn} {rate * 60:.1f}/min"
