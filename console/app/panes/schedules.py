"""Schedules: what they say in words, when they fire next, and how their last jobs ended."""

from collections.abc import Hashable
from functools import lru_cache
from typing import ClassVar

from textual.binding import BindingType

from console.app.actions import keys_of
from console.app.panes.base import SIGNS, Clock, RowsPane
from console.app.snapshot import PaneNumber, ScheduleLine, Snapshot
from console.app.widgets.pane_column import PaneColumn
from core.cron_fields import parse_fields
from core.cron_words import describe
from core.jobs import Schedule
from core.refusals import BadInput
from core.when import format_relative


class SchedulesPane(RowsPane[ScheduleLine]):
    """The schedules, by name."""

    NUMBER: ClassVar[PaneNumber] = PaneNumber.SCHEDULES
    NAME: ClassVar[str] = "Schedules"
    BINDINGS: ClassVar[list[BindingType]] = keys_of(PaneNumber.SCHEDULES)

    def __init__(self, clock: Clock) -> None:
        super().__init__(
            [
                PaneColumn("", lambda row: "●" if row.schedule.enabled else "○", 1, style=_on_style),
                PaneColumn("SCHEDULE", lambda row: row.schedule.name, 16, least=12, grows=True, style=_on_style),
                PaneColumn("WHEN", _when, 24, least=14, drop=3, grows=True),
                PaneColumn("NEXT", self._next, 9, right=True, style=_on_style),
                PaneColumn("LAST", self._last, 9, right=True, drop=4),
                PaneColumn("RESULTS", _results, 10, drop=1),
                PaneColumn("NOTE", _note, 16, least=8, drop=5, style=lambda _: "list--dim"),
            ],
            clock,
        )
        self.hints = ("no schedules yet", "", "n makes one; from a shell:  jobdeck schedule add --help")

    def take(self, snapshot: Snapshot) -> None:
        """The schedules."""
        self.rows = snapshot.schedules

    def key_of(self, row: ScheduleLine) -> Hashable:
        """A schedule is known by its id; its name may be given to another."""
        return row.schedule.schedule_id

    def selected_schedule(self) -> Schedule | None:
        """The schedule under the cursor."""
        row = self.selected_row()
        return None if row is None else row.schedule

    def _next(self, row: ScheduleLine) -> str:
        at = row.schedule.next_trigger_at
        return "off" if at is None else format_relative(at, self.clock())

    def _last(self, row: ScheduleLine) -> str:
        at = row.schedule.last_triggered_at
        return "never" if at is None else format_relative(at, self.clock())


@lru_cache(maxsize=500)
def in_words(expression: str, zone: str) -> str:
    """A cron expression in words, with its zone unless that is UTC."""
    try:
        words = describe(parse_fields(expression))
    except BadInput:
        words = expression
    return words if zone == "UTC" else f"{words} ({zone})"


def _when(row: ScheduleLine) -> str:
    return in_words(row.schedule.cron_expression, row.schedule.timezone)


def _results(row: ScheduleLine) -> str:
    return "".join(SIGNS[status] for status in row.results)


def _note(row: ScheduleLine) -> str:
    schedule = row.schedule
    counts = ((schedule.skipped_count, "skipped"), (schedule.missed_count, "missed"))
    notes = [f"{count:,} {word}" for count, word in counts if count]
    if schedule.last_skip_reason:
        notes.append(schedule.last_skip_reason)
    return ", ".join(notes)


def _on_style(row: ScheduleLine) -> str:
    return "" if row.schedule.enabled else "list--dim"
