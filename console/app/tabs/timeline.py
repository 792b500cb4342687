"""What happened to a job, when, by whom and why; how long it stayed in each state, drawn to scale."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest

from textual import events

from console.app.deck import Deck
from console.app.job_sight import JobSight
from console.app.panes.base import SIGNS, STATUS_STYLES
from console.app.tabs.base import ListTab, RowsList
from console.app.widgets.pane_column import PaneColumn
from console.moments import exact
from core.executions import Outcome
from core.jobs import Execution, HistoryEntry
from core.when import format_duration

_OTHERS = 46
"""Columns that the list needs beside the bars."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened, or a time that something lasted."""

    key: Hashable
    at: datetime
    until: datetime | None
    """None for what took no time."""
    what: str
    by: str
    why: str
    style: str
    fill: str
    """What its bar is made of."""
    open: bool = False
    """Whether it still goes on."""


def moments_of(sight: JobSight, now: datetime) -> list[Moment]:
    """States, events and attempts in the order in which they began."""
    found = [*_states(sight, now), *(_attempt(one, now) for one in sight.whole.executions)]
    return sorted(found, key=lambda moment: moment.at)


def _states(sight: JobSight, now: datetime) -> Iterator[Moment]:
    changes = [entry for entry in sight.history if entry.previous_status != entry.new_status]
    ends: dict[int, HistoryEntry | None] = {one.id: after for one, after in zip_longest(changes, changes[1:])}
    for entry in sight.history:
        status = entry.new_status
        why = entry.event if not entry.reason else f"{entry.event}: {entry.reason}"
        if entry.id not in ends:
            yield Moment(entry.id, entry.created_at, None, f"  {entry.event}", entry.actor, entry.reason or "", "", "◆")
            continue
        after = ends[entry.id]
        until = after.created_at if after is not None else None if status.final else now
        what = f"{SIGNS[status]} {status.lower().replace('_', ' ')}"
        fill = "◆" if until is None else "█"
        open_ = after is None and not status.final
        yield Moment(entry.id, entry.created_at, until, what, entry.actor, why, STATUS_STYLES[status], fill, open_)


def _attempt(execution: Execution, now: datetime) -> Moment:
    ended = execution.finished_at
    told = [(execution.outcome or execution.status).lower().replace("_", " ")]
    if execution.exit_code is not None:
        told.append(f"exit {execution.exit_code}")
    if execution.error:
        told.append(execution.error)
    style = {Outcome.COMPLETED: "status--succeeded", Outcome.FAILED: "status--failed"}.get(
        execution.outcome or Outcome.SKIPPED, "list--dim"
    )
    return Moment(
        key=execution.exec_id,
        at=execution.started_at or execution.leased_at,
        until=ended or (now if execution.status.live else execution.started_at or execution.leased_at),
        what=f"  ├ attempt {execution.attempt}",
        by=execution.lease_owner,
        why=", ".join(told),
        style=style,
        fill="▒",
        open=ended is None and execution.status.live,
    )


def bar(moment: Moment, first: datetime, last: datetime, wide: int) -> str:
    """A moment on an axis of so many columns; what is shorter than one takes one."""
    whole = max((last - first) / timedelta(microseconds=1), 1.0)

    def column(at: datetime) -> float:
        return (at - first) / timedelta(microseconds=1) / whole * wide

    start = max(0, min(wide - 1, int(column(moment.at))))
    if moment.until is None:
        return " " * start + moment.fill
    long = max(1, min(wide - start, round(column(moment.until)) - start))
    return " " * start + moment.fill * (long - 1) + ("▸" if moment.open else moment.fill)


class MomentList(RowsList[Moment]):
    """Moments with their bars."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        self._axis = (deck.clock(), deck.clock())
        super().__init__(self._made(20))
        self.hints = ("nothing has happened yet",)

    def show_moments(self, moments: Sequence[Moment], last: datetime) -> None:
        """Show these on an axis that ends there."""
        if moments:
            self._axis = (moments[0].at, max(last, *(moment.until or moment.at for moment in moments)))
        self._lay_out()
        self.show_rows(moments)

    def on_resize(self, event: events.Resize | None = None) -> None:
        """The bars take what is there."""
        del event
        self._lay_out()
        super().on_resize()

    def key_of(self, row: Moment) -> Hashable:
        """A line of history by its number, an attempt by its execution."""
        return row.key

    def _lay_out(self) -> None:
        self.rearrange(self._made(max(12, (self.size.width - _OTHERS) // 2)))

    def _made(self, wide: int) -> list[PaneColumn[Moment]]:
        first, last = self._axis
        whole = format_duration(last - first)
        return [
            PaneColumn("WHEN", self._when, 14 if self._days else 8),
            PaneColumn("WHAT", lambda row: row.what, 24, least=12, style=lambda row: row.style),
            PaneColumn("LASTED", _lasted, 7, right=True),
            PaneColumn(_scale(whole, wide), lambda row: bar(row, first, last, wide), wide, style=lambda row: row.style),
            PaneColumn("BY", lambda row: row.by, 10, least=4, drop=2),
            PaneColumn("WHY", lambda row: row.why, 12, least=8, drop=1, grows=True, style=lambda _: "list--dim"),
        ]  # fmt: skip

    @property
    def _days(self) -> bool:
        """Whether the hour alone would not do."""
        first, last = self._axis
        return first.astimezone(self._deck.zone).date() != last.astimezone(self._deck.zone).date()

    def _when(self, row: Moment) -> str:
        local = row.at.astimezone(self._deck.zone)
        return f"{local:%m-%d %H:%M:%S}" if self._days else f"{local:%H:%M:%S}"


class TimelineTab(ListTab):
    """A job's history."""

    NAME = "Timeline"

    def __init__(self, deck: Deck) -> None:
        self._moments = MomentList(deck)
        super().__init__(self._moments)
        self._deck = deck
        self._sight: JobSight | None = None

    def show(self, sight: JobSight) -> None:
        """Show what happened."""
        self._sight = sight
        now = self._deck.clock()
        moments = moments_of(sight, now)
        last = moments[-1].at if sight.job.status.final and moments else now
        self._moments.show_moments(moments, last)
        self.show_detail()

    def tick(self) -> None:
        """What goes on has become longer."""
        if self._sight is not None and not self._sight.job.status.final:
            self.show(self._sight)

    def detail(self) -> str:
        """The whole of what is under the cursor."""
        moment = self._moments.selected_row()
        if moment is None:
            return ""
        when = exact(moment.at, self._deck.zone, self._deck.clock())
        lasted = f", {'for' if moment.open else 'lasted'} {_lasted(moment)}" if moment.until is not None else ""
        why = f": {moment.why}" if moment.why else ""
        return f"{moment.what.strip(' ├')} {when}{lasted}, by {moment.by}{why}"

    def paged(self) -> str:
        """Every line, in full."""
        rows = self._moments.rows
        zone = self._deck.zone
        return "\n".join(
            f"{row.at.astimezone(zone):%Y-%m-%d %H:%M:%S}  {row.what}  {_lasted(row)}  {row.by}  {row.why}"
            for row in rows
        )


def _lasted(row: Moment) -> str:
    return "" if row.until is None else format_duration(max(timedelta(0), row.until - row.at))


def _scale(whole: str, wide: int) -> str:
    """The axis: how long it is from end to end."""
    return f"├{f' {whole} '.center(wide - 2, '─')}┤"
