"""The states of a job as a drawing, made from the transition table, with the way that one job took through them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from textual.content import Content

from console.app.canvas import Canvas, Weight
from console.app.panes.base import SIGNS
from core.jobs import HistoryEntry
from core.status import Status
from core.transitions import EDGES

_LIVE = [status for status in Status if not status.final]
_FINAL = [status for status in Status if status.final]
_LANE = 3
_MOST_ORDERS = 4

COLOURS = {
    Status.CREATED: "$text-muted",
    Status.QUEUED: "$status-queued",
    Status.RUNNING: "$status-running",
    Status.WAITING_FOR_APPROVAL: "$status-waiting",
    Status.RETRYING: "$status-retrying",
    Status.SUCCEEDED: "$status-succeeded",
    Status.FAILED: "$status-failed",
    Status.CANCELLED: "$text-muted",
}


@dataclass(frozen=True, slots=True)
class Visit:
    """A state that a job came to."""

    status: Status
    at: datetime


def path_of(history: Sequence[HistoryEntry]) -> list[Visit]:
    """The states that a job went through, from its history, the oldest first."""
    return [Visit(entry.new_status, entry.created_at) for entry in history if entry.previous_status != entry.new_status]


class StateDiagram:
    """The drawing: live states below each other, ways between them at the left, ways to an end at the right."""

    def __init__(self, path: Sequence[Visit], zone: ZoneInfo, now: datetime) -> None:
        self._path = path
        self._zone = zone
        self._now = now
        self._taken = {(one.status, other.status) for one, other in pairwise(path)}
        self._canvas = Canvas()
        self._lines = {status: 2 * at for at, status in enumerate(_LIVE)}
        self._lines |= {status: 2 * len(_LIVE) + at for at, status in enumerate(_FINAL)}
        self._left = _left_lanes()
        self._names = 2 * len(self._left) + 2
        self._right = self._names + 2 + max(map(len, Status)) + 2
        self.wide = self._right + _LANE * len(_FINAL)
        """How many columns it takes without the notes beside it."""
        self._draw()

    def content(self) -> Content:
        """The drawing, its notes at the right."""
        here = self._path[-1].status if self._path else None
        at_line = {line: status for status, line in self._lines.items()}
        lines: list[Content] = []
        for y in range(max(self._lines.values()) + 1):
            before, behind = self._canvas.text(y, 0, self._names), self._canvas.text(y, self._names, self.wide)
            status = at_line.get(y)
            if status is None:
                lines.append(Content(before + behind))
                continue
            name = f"{SIGNS[status]} {status.value}"
            visited = any(visit.status is status for visit in self._path)
            style = "dim" if not visited else f"{COLOURS[status]} bold{' reverse' if status is here else ''}"
            behind = behind[len(name) :]
            lines.append(Content.assemble(before, (name, style), behind, (f" {self._note(status, here)}", style)))
        return Content("\n").join(lines)

    def _note(self, status: Status, here: Status | None) -> str:
        """When it came there: as which of its steps, and at what time the last."""
        orders = [str(at) for at, visit in enumerate(self._path, start=1) if visit.status is status]
        if not orders:
            return ""
        last = max(visit.at for visit in self._path if visit.status is status)
        local = last.astimezone(self._zone)
        time = f"{local:%H:%M:%S}" if abs(self._now - last) < timedelta(hours=20) else f"{local:%Y-%m-%d %H:%M}"
        shown = ", ".join(orders if len(orders) <= _MOST_ORDERS else [orders[0], "…", *orders[-2:]])
        return f"{shown} · {time}{' · now' if status is here else ''}"

    def _draw(self) -> None:
        for edge in EDGES:
            if edge.source is None:
                continue
            weight = Weight.THICK if (edge.source, edge.target) in self._taken else Weight.THIN
            if edge.target.final:
                self._to_end(edge.source, edge.target, weight)
            elif _below(edge.source, edge.target):
                self._canvas.down(self._names, self._lines[edge.source], self._lines[edge.target], weight)
                self._canvas.write(self._names + 2, self._lines[edge.source] + 1, edge.verb)
            else:
                self._to_other(edge.source, edge.target, weight)
        self._join()
        for status, y in self._lines.items():
            self._canvas.write(self._names, y, f"{SIGNS[status]} {status.value}")

    def _to_other(self, source: Status, target: Status, weight: Weight) -> None:
        """From below a state along a lane at the left to another one's front."""
        lane, leave, arrive = 2 * self._left.index(target), self._lines[source] + 1, self._lines[target]
        self._canvas.down(self._names, self._lines[source], leave, weight)
        self._canvas.across(leave, lane, self._names, weight)
        self._canvas.down(lane, leave, arrive, weight)
        self._canvas.across(arrive, lane, self._names - 2, weight)
        self._canvas.write(self._names - 2, arrive, "→")

    def _to_end(self, source: Status, target: Status, weight: Weight) -> None:
        """From a state along a lane at the right to an end."""
        lane, leave, arrive = self._lane(target), self._lines[source], self._lines[target]
        self._canvas.across(leave, self._behind(source), lane, weight)
        self._canvas.down(lane, leave, arrive, weight)
        self._canvas.across(arrive, self._behind(target), lane, weight)
        self._canvas.write(self._behind(target), arrive, "←")

    def _join(self) -> None:
        """Where lines cross and join at once, a dot says so; full where the job went."""
        for edge in EDGES:
            if edge.source is not None and edge.target.final:
                x, y = self._lane(edge.target), self._lines[edge.source]
                if self._canvas.crossed(x, y):
                    self._canvas.write(x, y, "●" if (edge.source, edge.target) in self._taken else "○")

    def _lane(self, target: Status) -> int:
        return self._right + _LANE * _FINAL.index(target)

    def _behind(self, status: Status) -> int:
        """The first column behind a state's name."""
        return self._names + 2 + len(status.value) + 1


def _below(source: Status, target: Status) -> bool:
    """Whether a state stands right below another."""
    return not target.final and _LIVE.index(target) == _LIVE.index(source) + 1


def _left_lanes() -> list[Status]:
    """The states that are reached along the left side; the longest way lies outside."""
    ways = [
        (abs(_LIVE.index(edge.source) - _LIVE.index(edge.target)), edge.target)
        for edge in EDGES
        if edge.source is not None and not edge.target.final and not _below(edge.source, edge.target)
    ]
    return list(dict.fromkeys(target for _, target in sorted(ways, key=lambda way: -way[0])))
