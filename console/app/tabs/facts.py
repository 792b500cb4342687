"""The facts of a job: what it is, why it waits, when it will start, and its way through the states."""

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from console.app.deck import Deck
from console.app.job_sight import JobSight
from console.app.state_diagram import COLOURS, StateDiagram, path_of
from console.app.tabs.base import LONGEST, JobTab
from console.facts import facts, gate_line
from console.moments import exact
from console.plain import padded, plain, width
from core.status import Status
from core.waiting import why

WIDE = 140
"""From this width on the drawing stands beside the facts."""
_NAMES = 16
_MOST_LINES = 8


class Sheet(VerticalScroll, can_focus=True):
    """Scrolls with the keys of every list here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "down", show=False),
        Binding("k", "scroll_up", "up", show=False),
        Binding("g", "scroll_home", "first", show=False),
        Binding("G", "scroll_end", "last", show=False),
    ]


class FactsTab(JobTab):
    """Names and values, and the drawing."""

    NAME = "Facts"
    DEFAULT_CSS = """
    FactsTab {
        Sheet { height: 1fr; scrollbar-size-vertical: 1; }
        #facts { height: auto; padding: 0 1; }
        #states { height: auto; padding: 0 1; margin-top: 1; }
        &.wide Sheet { layout: horizontal; }
        &.wide #facts { width: 1fr; }
        &.wide #states { width: 72; margin-top: 0; }
    }
    """

    def __init__(self, deck: Deck) -> None:
        super().__init__()
        self._deck = deck
        self._sight: JobSight | None = None
        self._sheet = Sheet()
        self._facts = Static(id="facts", markup=False)
        self._states = Static(id="states", markup=False)

    def compose(self) -> ComposeResult:
        """The facts and the drawing, in one sheet that scrolls."""
        with self._sheet:
            yield self._facts
            yield self._states

    def show(self, sight: JobSight) -> None:
        """Show the facts."""
        self._sight = sight
        self.tick()

    def tick(self) -> None:
        """Ages have changed."""
        if self._sight is not None:
            room = self.size.width - (72 if self.has_class("wide") else 0) - 3
            self._facts.update(self._written(self._sight, max(20, room)))
            path = path_of(self._sight.history)
            diagram = StateDiagram(path, self._deck.zone, self._deck.clock())
            self._states.update(diagram.content())

    def on_resize(self, event: events.Resize) -> None:
        """The drawing goes where there is room."""
        self.set_class(event.size.width >= WIDE, "wide")
        self.tick()

    def take_focus(self) -> None:
        """Let keys scroll."""
        self._sheet.focus()

    def copied(self) -> str | None:
        """The job's number and command."""
        return self.paged()

    def paged(self) -> str | None:
        """Every fact, in full."""
        if self._sight is None:
            return None
        return "\n".join(f"{name:{_NAMES}}{plain(value)}" for name, value in self._told(self._sight) if value)

    def _written(self, sight: JobSight, room: int) -> Content:
        lines: list[Content] = []
        for name, value in self._told(sight):
            style = f"{COLOURS[sight.job.status]} bold" if name in ("status", "error") else ""
            for at, part in enumerate(_folded(plain(value[:LONGEST]), room - _NAMES) if value else ()):
                label = padded(name if at == 0 else "", _NAMES)
                lines.append(Content.assemble((label, "$text-muted"), (part, style)))
        return Content("\n").join(lines)

    def _told(self, sight: JobSight) -> Iterator[tuple[str, str]]:
        zone, now, job = self._deck.zone, self._deck.clock(), sight.job
        queued = job.status is Status.QUEUED
        waits_for = why(job, sight.flow, now).words if queued else ""
        for name, value in facts(sight.whole, sight.rank, waits_for, zone, now, _in_short):
            yield name, value
            if name == "waits for" and queued:
                yield "starts", self._start(sight)
        for approval in sight.whole.approvals:
            yield "gate", gate_line(approval, zone, now)

    def _start(self, sight: JobSight) -> str:
        at, now = sight.starts_at, self._deck.clock()
        if at is None:
            return "nobody can tell yet"
        return "probably next" if at <= now + timedelta(seconds=1) else f"probably {exact(at, self._deck.zone, now)}"


def _in_short(value: object) -> str:
    """JSON in a few words; the tab of the data has it whole."""
    if isinstance(value, Mapping | list) and len(text := json.dumps(value, ensure_ascii=False)) > 200:
        return f"{text[:200]} … (5 shows all of it)"
    return json.dumps(value, ensure_ascii=False)[:LONGEST]


def _folded(text: str, columns: int) -> list[str]:
    """The text in lines of so many columns, broken between words where there are any."""
    lines: list[str] = []
    rest = text
    while rest and len(lines) < _MOST_LINES:
        end = used = 0
        while end < len(rest) and (used := used + width(rest[end])) <= columns:
            end += 1
        if end < len(rest) and (space := rest.rfind(" ", columns // 2, end)) > 0:
            end = space + 1
        end = max(1, end)
        lines.append(rest[:end])
        rest = rest[end:]
    if rest:
        lines[-1] = f"{lines[-1].rstrip()} …"
    return lines
