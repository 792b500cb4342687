"""The line on top of a job's screen: its sign, its status, its number and its name."""

from collections.abc import Callable
from datetime import datetime
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from console.app.job_sight import name_of
from console.app.panes.base import SIGNS, STATUS_STYLES
from console.app.panes.running import bar
from console.app.widgets.list_pane import ListPane
from console.facts import standing
from console.plain import cut, plain, width
from core.jobs import Execution, Job
from core.when import format_duration, format_relative
from store.views import WholeJob

_BAR = 10


class JobTitle(Widget):
    """One line; the name gives way when it gets narrow."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {name for name in ListPane.COMPONENT_CLASSES if name.startswith("status--")}
    DEFAULT_CSS = """
    JobTitle {
        height: 1;
        background: $panel;
        color: $text;
        & > .status--created { color: $text-muted; }
        & > .status--queued { color: $status-queued; }
        & > .status--running { color: $status-running; }
        & > .status--waiting { color: $status-waiting; }
        & > .status--retrying { color: $status-retrying; }
        & > .status--succeeded { color: $status-succeeded; }
        & > .status--failed { color: $status-failed; }
        & > .status--cancelled { color: $text-muted; }
    }
    """

    def __init__(self, number: int, clock: Callable[[], datetime]) -> None:
        super().__init__()
        self._number = number
        self._clock = clock
        self._whole: WholeJob | None = None
        self._said = "reading …"

    def show(self, whole: WholeJob) -> None:
        """Name this job."""
        self._whole = whole
        self.refresh()

    def say(self, sentence: str) -> None:
        """There is no job to name; this is why."""
        self._whole, self._said = None, sentence
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line."""
        base, room = self.rich_style, self.size.width
        if y:
            return Strip.blank(room, base)
        if self._whole is None:
            return Strip([Segment(cut(f" {self._number}  {plain(self._said)}", room), base)]).adjust_cell_length(room)
        job = self._whole.job
        colour = self.get_component_rich_style(STATUS_STYLES[job.status], partial=True)
        head = f" {SIGNS[job.status]} {standing(job)} "
        number, tail = f" {job.id} ", f" {cut(plain(self._going_on(job)), room // 2)} "
        name = cut(plain(name_of(job)), max(8, room - width(head) - width(number) - width(tail)))
        segments = [
            Segment(head, base + colour + Style(bold=True, reverse=True)),
            Segment(number, base + Style(bold=True)),
            Segment(name, base),
        ]
        used = width(head) + width(number) + width(name)
        if used + width(tail) <= room:
            segments += [Segment(" " * (room - used - width(tail)), base), Segment(tail, base + Style(dim=True))]
            used = room
        return Strip(segments, used).adjust_cell_length(room, base)

    def _going_on(self, job: Job) -> str:
        """What goes on with it just now."""
        now = self._clock()
        live = [one for one in self._whole.executions if one.status.live] if self._whole is not None else []
        if live:
            return _running(live[-1], now)
        waiting = [gate for gate in self._whole.approvals if gate.decision is None] if self._whole is not None else []
        if waiting and not job.status.final:
            return f"asked {format_relative(waiting[-1].requested_at, now)}: {waiting[-1].message}"
        if job.next_retry_at is not None and not job.status.final:
            return f"retry {job.retry_count} of {job.max_retries} {format_relative(job.next_retry_at, now)}"
        if job.finished_at is not None:
            took = f", took {format_duration(job.finished_at - job.started_at)}" if job.started_at is not None else ""
            return f"{format_relative(job.finished_at, now)}{took}"
        return ""


def _running(execution: Execution, now: datetime) -> str:
    parts = []
    if execution.progress is not None:
        parts.append(f"{bar(execution.progress, _BAR)} {execution.progress:.0f}%")
    if execution.progress_text:
        parts.append(execution.progress_text)
    parts.append(f"attempt {execution.attempt}")
    parts.append(f"for {format_duration(now - (execution.started_at or execution.leased_at))}")
    return " · ".join(parts)
