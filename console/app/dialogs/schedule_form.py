"""Making or changing a schedule: its cron expression in words, and when it fires next, while one types it."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, available_timezones

from console.app.dialogs.form import Form, Order, Unchanged
from console.app.dialogs.job_words import argv_of, checked_params, params_words, template_offers
from console.app.done import Done
from console.app.store_deeds import check_same
from console.app.widgets.field import Field, Flag, Line, Lines
from console.app.widgets.offers import Offer
from console.moments import note, to_the_minute
from console.starts import start
from console.typed import params_text
from core.bounds import NAME_LIMIT
from core.config import Config
from core.cron import Cron
from core.edits import ScheduleEdit, difference, same
from core.jobs import NewJob, NewSchedule, Schedule, Template
from core.jsontext import check_text
from core.refusals import BadInput, Refused
from core.schedules import CatchUp, Overlap
from core.when import format_relative, parse_zone
from store.operations.schedules import cron_of
from store.work import Work

Choice = TypeVar("Choice", bound=StrEnum)

FIRES = 5
"""So many firings are shown."""

_CATCH_UP = {
    CatchUp.ONE: "after downtime, fire the latest missed one only",
    CatchUp.ALL: "after downtime, fire all that were missed, within bounds",
    CatchUp.NONE: "after downtime, fire none of what was missed",
}
_OVERLAP = {
    Overlap.SKIP: "while its last job is live, leave a firing out",
    Overlap.QUEUE: "while its last job runs, let one wait behind it",
    Overlap.ALLOW: "start another all the same",
    Overlap.REPLACE: "stop its last job, and start another",
}
_HOW_TO = "there is no such template yet; give its command below, and it is made with the schedule"
_NO_TEMPLATES = "there are no templates yet: name a new one here and give its command below"


class ScheduleForm(Form):
    """A schedule, new or as it is."""

    def __init__(self, config: Config, templates: Sequence[Template], zone: ZoneInfo, old: Schedule | None) -> None:
        super().__init__("New schedule" if old is None else f"Schedule {old.name}", "Make" if old is None else "Save")
        self._config = config
        self._templates = {one.name: one for one in templates}
        self._zone = zone
        self._old = old

    def fields(self) -> Iterator[Field]:
        """What a schedule is made of."""
        old = self._old
        names = template_offers([*self._templates.values()])
        zone = self._zone.key if self._zone.key in _zones() else "UTC"
        yield Line("name", "name", "" if old is None else old.name, hint="nightly", fixed=old is not None)
        yield Line(
            "template", "template", "" if old is None else old.template_name, hint="what it submits", offers=names
        )
        yield Line("command", "command", hint="./nightly.sh --all")
        yield Line("cron", "cron", "" if old is None else old.cron_expression, hint="minute hour day month weekday")
        zones = [Offer(name) for name in _zones()]
        yield Line("timezone", "time zone", zone if old is None else old.timezone, hint="Europe/Paris", offers=zones)
        params = "" if old is None else params_text(old.param_overrides)
        yield Lines("params", "params", params, hint="name=value, one per line; they go over the template's")
        yield Flag("enabled", "", "enabled", on=old is None or old.enabled)
        yield Flag("pause", "", "disable it when a job fails", on=old is not None and old.pause_on_failure)
        yield Line("catch_up", "catch up", "one" if old is None else old.catch_up, offers=_offers(_CATCH_UP))
        yield Line("overlap", "overlap", "skip" if old is None else old.overlap, offers=_offers(_OVERLAP))

    def first(self) -> str:
        """A schedule's name never changes, so there its time is what matters."""
        return "name" if self._old is None else "cron"

    def read(self) -> Order | None:
        """The schedule that the fields ask for."""
        name = self.taken("name", lambda text: check_text(text, "the name", NAME_LIMIT))
        if name is None and not self.text("name"):
            self.miss("name", "give it a name")
        template = self._template()
        cron = self._cron()
        values: dict[str, Any] = {
            "template": self.text("template"),
            "cron_expression": self.text("cron"),
            "timezone": self.text("timezone"),
            "catch_up": self._choice("catch_up", CatchUp, _CATCH_UP),
            "overlap": self._choice("overlap", Overlap, _OVERLAP),
            "pause_on_failure": bool(self.text("pause")),
            "param_overrides": self.taken("params", checked_params, params_words) or {},
        }
        enabled = bool(self.text("enabled"))
        if self._wrong is not None or name is None or cron is None:
            return None
        if self._old is None:
            new = NewSchedule(name, enabled=enabled, **values)
            return lambda work: _made(work, new, template)
        return changed(self._old, values, template, enabled=enabled)

    def _template(self) -> NewJob | None:
        """A template to make with the schedule, when there is none of that name."""
        name = self.text("template")
        known = name in self._templates
        self.field("command").display = not known
        self.note("command", "")
        if known:
            self.note("template", f"runs {self._templates[name].new_job.command.text or 'what its type runs'}")
            return None
        if not name.strip():
            self.miss("template", _NO_TEMPLATES if not self._templates else "choose what it submits: down and up do")
            return None
        if self.taken("template", lambda text: check_text(text, "the name", NAME_LIMIT), lambda _: _HOW_TO) is None:
            return None
        if not self.text("command").strip():
            self.miss("command", "type what the new template runs, or choose a template that is there")
            return None
        begun = start(self._config, self.app.deck.here(), None)
        return self.taken("command", lambda text: begun.template({"argv": argv_of(text, shell=False)}), _runs)

    def _cron(self) -> Cron | None:
        zone = self.taken("timezone", parse_zone)
        if not self.text("timezone").strip():
            self.refuse("timezone", "give it a time zone, such as UTC or Europe/Paris")
        if not self.text("cron").strip():
            self.miss("cron", "five fields, such as: 30 2 * * * (every day at 02:30)")
            return None
        if zone is None:
            self.taken("cron", lambda text: cron_of(text, "UTC"), Cron.describe)
            return None
        return self.taken("cron", lambda text: cron_of(text, zone.key), self._fires)

    def _fires(self, cron: Cron) -> str:
        """The expression in words, and its next firings with what the clocks do to each."""
        now = self.app.now()
        lines = [f"{cron.describe()} ({cron.zone.key})"]
        for fire in cron.upcoming(now, FIRES):
            clocks = note(fire)
            when = f"{to_the_minute(fire.at, cron.zone)}  {format_relative(fire.at, now)}"
            lines.append(f"{when}{'  ' + clocks if clocks else ''}")
        return "\n".join(lines)

    def _choice(self, key: str, kind: type[Choice], words: Mapping[Choice, str]) -> Choice | None:
        def known(text: str) -> Choice:
            if text.strip() not in list(kind):
                raise BadInput(f"use {', '.join(kind)}")
            return kind(text.strip())

        chosen = self.taken(key, known, words.__getitem__)
        if not self.text(key).strip():
            self.refuse(key, f"use {', '.join(kind)}")
        return chosen


def changed(old: Schedule, values: Mapping[str, Any], template: NewJob | None, *, enabled: bool) -> Order:
    """What changes an old schedule into these values, and back; refused if it is no longer what it was."""
    was = _editable(old)
    now = {**values, "enabled": enabled}
    names = [name for name, value in values.items() if not same(value, was[name])]
    if not names and enabled == old.enabled:
        raise Unchanged("nothing is changed yet")

    def order(work: Work) -> Done:
        _check_unchanged(work, old, was)
        if template is not None:
            work.add_template(values["template"], template)
        work.edit_schedule(old.name, _edit(names, was, now))
        work.enable_schedule(old.name, enabled)
        return Done(f"schedule {old.name} is changed", undo)

    def undo(work: Work) -> Done:
        _check_unchanged(work, old, now)
        work.edit_schedule(old.name, _edit(names, now, was))
        work.enable_schedule(old.name, old.enabled)
        return Done(f"undone: schedule {old.name} is as before")

    return order


def _edit(names: Sequence[str], old: Mapping[str, Any], new: Mapping[str, Any]) -> ScheduleEdit:
    """The edit that brings the new values of what is named."""
    edits = {name: new[name] for name in names}
    if "param_overrides" in edits:
        edits["param_overrides"] = difference(old["param_overrides"], new["param_overrides"])
    return ScheduleEdit(**edits)


def _made(work: Work, new: NewSchedule, template: NewJob | None) -> Done:
    if template is not None:
        work.add_template(new.template, template)
    made = work.add_schedule(new)
    when = (
        "it is off" if made.next_trigger_at is None else f"it fires {format_relative(made.next_trigger_at, work.now)}"
    )
    also = f", and template {new.template}" if template is not None else ""
    return Done(f"schedule {made.name} is made{also}; {when}")


def _check_unchanged(work: Work, old: Schedule, was: Mapping[str, Any]) -> None:
    check_same(work, old)
    if not same(_editable(work.schedule(old.name)), was):
        raise Refused(f"schedule {old.name} was changed by someone else meanwhile; nothing was overwritten")


def _editable(schedule: Schedule) -> dict[str, Any]:
    return {
        "template": schedule.template_name,
        "cron_expression": schedule.cron_expression,
        "timezone": schedule.timezone,
        "catch_up": schedule.catch_up,
        "overlap": schedule.overlap,
        "pause_on_failure": schedule.pause_on_failure,
        "param_overrides": dict(schedule.param_overrides),
        "enabled": schedule.enabled,
    }


def _runs(new: NewJob) -> str:
    return f"runs {new.command.text} in {new.command.cwd or 'the home directory'}"


def _offers(words: Mapping[Choice, str]) -> list[Offer]:
    return [Offer(str(one), text) for one, text in words.items()]


@cache
def _zones() -> list[str]:
    """The names of all time zones, those with a place in them first."""
    names = available_timezones() - {"localtime"}
    return sorted(names, key=lambda name: ("/" not in name and name != "UTC", name))
