"""Schedules: templates that the clock submits. What they do when their time comes is in firing."""

from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from core.bounds import NAME_LIMIT
from core.cron import Cron
from core.edits import ScheduleEdit, chosen, merged
from core.ids import uuid7
from core.jobs import NewSchedule, Schedule
from core.jsontext import check_text
from core.refusals import BadInput, NoSuchThing, Refused
from core.schedules import CatchUp, Overlap
from core.when import parse_zone
from store.job_columns import params_column
from store.operations.templates import Templates
from store.rows import Row, from_us, schedule_of, to_us

SCHEDULE = """
SELECT s.*, t.name AS template_name FROM schedules s JOIN job_templates t ON t.template_id = s.template_id
WHERE s.name = :name AND s.removed_at IS NULL
"""
ADD = """
INSERT INTO schedules (schedule_id, name, template_id, cron_expression, timezone, enabled, catch_up, overlap,
                       pause_on_failure, next_trigger_at, created_at, created_by, updated_at, param_overrides)
VALUES (:schedule_id, :name, :template_id, :cron_expression, :timezone, :enabled, :catch_up, :overlap,
        :pause_on_failure, :next_trigger_at, :now, :actor, :now, :param_overrides)
"""
EDIT = """
UPDATE schedules SET template_id = :template_id, cron_expression = :cron_expression, timezone = :timezone,
       catch_up = :catch_up, overlap = :overlap, pause_on_failure = :pause_on_failure,
       param_overrides = :param_overrides, next_trigger_at = :next_trigger_at, updated_at = :now
WHERE schedule_id = :schedule_id AND removed_at IS NULL
"""
ENABLE = """
UPDATE schedules SET enabled = :enabled, next_trigger_at = :next_trigger_at, updated_at = :now
WHERE schedule_id = :schedule_id AND removed_at IS NULL
"""
REMOVE = """
UPDATE schedules SET removed_at = :now, enabled = 0, next_trigger_at = NULL, updated_at = :now
WHERE schedule_id = :schedule_id AND removed_at IS NULL
"""
CRON_LIMIT = 256
Choice = TypeVar("Choice", bound=StrEnum)


class Schedules(Templates):
    """Adding, changing and removing schedules."""

    def add_schedule(self, new: NewSchedule) -> Schedule:
        """Submit a template by the clock, from now on."""
        check_text(new.name, "the name of a schedule", NAME_LIMIT)
        cron = cron_of(new.cron_expression, new.timezone)
        columns = {
            "catch_up": _choice(CatchUp, new.catch_up, "catch-up"),
            "overlap": _choice(Overlap, new.overlap, "overlap"),
            "param_overrides": params_column(new.param_overrides, "the param overrides"),
            "template_id": self.template_row(new.template)["template_id"],
        }
        if self.one(SCHEDULE, name=new.name) is not None:
            raise Refused(f'there is a schedule "{new.name}" already; remove it first, or take another name')
        self.run(
            ADD,
            schedule_id=uuid7(self.now_us // 1000),
            name=new.name,
            cron_expression=new.cron_expression,
            timezone=new.timezone,
            enabled=int(new.enabled),
            pause_on_failure=int(new.pause_on_failure),
            next_trigger_at=to_us(cron.next_after(self.now)) if new.enabled else None,
            **columns,
        )
        return self.schedule(new.name)

    def edit_schedule(self, name: str, edit: ScheduleEdit) -> Schedule:
        """Change a schedule; another cron or zone counts from now on."""
        row = self.schedule_row(name)
        old = schedule_of(row)
        expression = chosen(edit.cron_expression, old.cron_expression)
        timezone = chosen(edit.timezone, old.timezone)
        cron = cron_of(expression, timezone)
        next_at = row["next_trigger_at"]
        if old.enabled and (expression, timezone) != (old.cron_expression, old.timezone):
            next_at = self._next(cron, row)
        self.run(
            EDIT,
            schedule_id=row["schedule_id"],
            template_id=self.template_row(chosen(edit.template, old.template_name))["template_id"],
            cron_expression=expression,
            timezone=timezone,
            catch_up=_choice(CatchUp, chosen(edit.catch_up, old.catch_up), "catch-up"),
            overlap=_choice(Overlap, chosen(edit.overlap, old.overlap), "overlap"),
            pause_on_failure=int(chosen(edit.pause_on_failure, old.pause_on_failure)),
            param_overrides=params_column(merged(old.param_overrides, edit.param_overrides), "the param overrides"),
            next_trigger_at=next_at,
        )
        return self.schedule(name)

    def enable_schedule(self, name: str, enabled: bool) -> Schedule:
        """Let a schedule fire from now on, or stop it; what passed while it was off is never made up."""
        row = self.schedule_row(name)
        if bool(row["enabled"]) != enabled:
            cron = cron_of(row["cron_expression"], row["timezone"]) if enabled else None
            next_at = None if cron is None else self._next(cron, row)
            self.run(ENABLE, schedule_id=row["schedule_id"], enabled=int(enabled), next_trigger_at=next_at)
        return self.schedule(name)

    def remove_schedule(self, name: str) -> None:
        """Take a schedule away; the jobs it has made stay."""
        self.run(REMOVE, schedule_id=self.schedule_row(name)["schedule_id"])

    def schedule(self, name: str) -> Schedule:
        """The schedule of that name."""
        return schedule_of(self.schedule_row(name))

    def schedule_row(self, name: str) -> Row:
        """The row of the schedule of that name, with its template's name."""
        row = self.one(SCHEDULE, name=name)
        if row is None:
            raise NoSuchThing(f'there is no schedule "{name}"')
        return row

    def _next(self, cron: Cron, row: Row) -> int:
        """The next trigger after now and, should the clock have been set back, after what has fired."""
        last: datetime | None = None if row["last_triggered_at"] is None else from_us(row["last_triggered_at"])
        return to_us(cron.next_after(self.now if last is None else max(self.now, last)))


def cron_of(expression: str, timezone: str) -> Cron:
    """A schedule's cron in its zone, or the sentence that says what is wrong with either."""
    check_text(expression, "the cron expression", CRON_LIMIT)
    return Cron.parse(expression, parse_zone(timezone))


def _choice(kind: type[Choice], text: str, what: str) -> Choice:
    try:
        return kind(text)
    except ValueError:
        raise BadInput(f'"{text[:40]}" is not a {what} policy; use {", ".join(kind)}') from None
