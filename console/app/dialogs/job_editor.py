"""Changing a job before its first run: pinned to what the job was, so that nobody's change is overwritten unseen."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from console.app.actions import with_a_key
from console.app.dialogs.form import Form, Order, Unchanged
from console.app.dialogs.job_words import (
    argv_of,
    backoff_words,
    checked_params,
    checked_tags,
    command_text,
    command_words,
    gate_of,
    instant_of,
    instant_text,
    params_words,
    retries_of,
    retries_words,
    start_words,
    timeout_of,
    timeout_words,
)
from console.app.done import Done
from console.app.panes.base import job_name
from console.app.snapshot import Snapshot
from console.app.widgets.field import Field, Line, Lines
from console.moments import exact
from console.typed import params_text, tags_text
from console.wishes import Here
from core.edits import Edit, difference, same
from core.job_types import JobType, Kind, check_command
from core.job_types import argv_of as typed_argv
from core.jobs import Command, Job
from core.refusals import JobdeckError, Refused
from core.verbs import refusal
from core.when import exact_duration
from store.job_columns import backoff_column, command_column, concurrency_column, deadline_column
from store.views import Views
from store.work import Work

T = TypeVar("T")

FIXED = "it has run already, so this stays as it is"


class JobEditor(Form):
    """The fields of a job as it is; only what is changed in them becomes the edit."""

    def __init__(self, job: Job, job_type: JobType, zone: ZoneInfo) -> None:
        name = job_name(job.job_type, job.job_key, job.job_id, job.command_text)
        super().__init__(f"Change job {job.id} ({name})", "Save")
        self._job = job
        self._job_type = job_type
        self._zone = zone
        self._old = texts_of(job, zone)
        self._surprise = False
        """Whether someone else's change is there that was not looked at yet."""

    def fields(self) -> Iterator[Field]:
        """What can be changed, with what it is."""
        old, ran = self._old, self._job.attempt > 0
        yield Lines("params", "params", old["params"], hint="name=value, one per line", fixed=ran)
        yield Lines("tags", "tags", old["tags"], hint="name=value, one per line")
        yield Line("at", "not before", old["at"], hint="18:00, tomorrow 6:00, in 10m")
        yield Line("deadline", "deadline", old["deadline"], hint="fail if it has not started by then")
        yield Line("timeout", "timeout", old["timeout"], hint="90s, 1h30m")
        yield Line("max_retries", "retries", old["max_retries"])
        yield Line("backoff", "backoff", old["backoff"])
        yield Line("approval", "approval", old["approval"], hint="a question to be answered before it runs")
        yield Line("concurrency_key", "concurrency", old["concurrency_key"], hint="jobs with the same key take turns")
        yield Line("command", "command", old["command"], hint="what the type runs", fixed=ran)

    def first(self) -> str:
        """Params of a job that has run can't be changed."""
        return "tags" if self._job.attempt else "params"

    def read(self) -> Order | None:
        """The edit that the fields ask for, and the one that takes it back."""
        job, here = self._job, self.app.deck.here()
        change: dict[str, Any] = {
            **self._new("tags", "tags", checked_tags, empty={}),
            **self._new("at", "scheduled_run_time", lambda text: instant_of(text, here), _starts(here)),
            **self._new("timeout", "timeout", timeout_of, timeout_words),
            **self._new("max_retries", "max_retries", retries_of, retries_words),
            **self._new("backoff", "backoff", backoff_column, backoff_words),
            **self._new("approval", "approval", lambda text: gate_of(text, job.approval)),
            **self._new("concurrency_key", "concurrency_key", concurrency_column, empty=""),
        }
        change |= self._deadline(change.get("scheduled_run_time", job.scheduled_run_time), here)
        change |= self._what_runs(job)
        for key in ("max_retries", "backoff"):
            if not self.text(key).strip():
                self.refuse(key, f"this can't be empty; it was {self._old[key]}")
        if self._wrong is not None:
            return None
        back = {name: getattr(job, name) for name in change if name != "argv"}
        if "argv" in change:
            back["argv"] = job.command.argv
        for name in change.keys() & {"params", "tags"}:
            new = change[name]
            change[name], back[name] = difference(back[name], new), difference(new, back[name])
        if not change:
            raise Unchanged("nothing is changed yet")
        return edited(job, Edit(**change), Edit(**back))

    def action_send(self) -> None:
        """Save it; a change that someone else made meanwhile has to be seen first."""
        if self._surprise:
            self._surprise = False
            self.say(f"{self.notice}; save again to have it so", wrong=True)
        elif refusal("edit", self._job.status, str(self._job.id)) is not None:
            self.say(self.notice, wrong=True)
        else:
            super().action_send()

    def store_changed(self, _snapshot: Snapshot) -> None:
        """See whether the job is still what it was."""
        self.app.ask(lambda views: views.job(self._job.id), self._seen)

    def refused(self, error: JobdeckError) -> None:
        """Say why, and look what the job is now."""
        super().refused(error)
        self.app.ask(lambda views: views.job(self._job.id), self._seen)

    def _seen(self, now: Job | JobdeckError) -> None:
        if not self.is_attached:
            return
        if isinstance(now, JobdeckError):
            self._tell(str(now))
            return
        before, self._job = self._job, now
        if refusal("edit", now.status, str(now.id)) is not None:
            self._tell(f"job {now.id} is {now.status} now, so nothing of it can be changed any more")
        elif not alike(before, now):
            self._renew(now)

    def _renew(self, now: Job) -> None:
        """Show what someone else has changed, wherever nothing was typed."""
        before, self._old = self._old, texts_of(now, self._zone)
        changed = [field for key, field in self._fields.items() if self._old[key] != before[key]]
        for field in changed:
            if field.text == before[field.key]:
                field.text = self._old[field.key]
        self._surprise = True
        names = ", ".join(field.label for field in changed) or "something that is not shown here"
        self._tell(f"job {now.id} was changed by {now.updated_by} meanwhile: {names}")

    def _tell(self, sentence: str) -> None:
        self.notice = sentence
        self._look()

    def _new(
        self,
        key: str,
        name: str,
        read: Callable[[str], T],
        means: Callable[[T], str] = lambda _: "",
        *,
        empty: Any = None,
    ) -> dict[str, Any]:
        """The new value of a field that was changed, under the name that an edit has for it."""
        field, old = self.field(key), self._old[key]
        if field.text == old:
            self.note(key, FIXED if field.entry.disabled else "")
            return {}
        value = self.taken(key, read, means)
        if not self.wrong(key):
            self.note(key, "\n".join(filter(None, [self.noted(key), f"was {old}" if old else "was empty"])))
        return {name: empty if value is None else value}

    def _deadline(self, start: datetime | None, here: Here) -> dict[str, Any]:
        def read(text: str) -> datetime:
            instant = instant_of(text, here)
            deadline_column(instant, start, here.now)
            return instant

        return self._new("deadline", "deadline_at", read, lambda at: f"must start by {exact(at, here.zone, here.now)}")

    def _what_runs(self, job: Job) -> dict[str, Any]:
        """What is run: the command and the params, which may have to fit each other."""
        old = job.command

        def read(text: str) -> Command:
            command = replace(old, argv=argv_of(text, shell=old.shell))
            command_column(command)
            return command

        params = self._new("params", "params", checked_params, params_words, empty={})
        command = self._new("command", "command", read, lambda new: command_words(self._job_type, new))
        if self.wrong("command"):
            return params
        new = (command["command"] or replace(old, argv=())) if command else old
        try:
            check_command(self._job_type, new)
        except JobdeckError:
            self.refuse("command", "type what is to be run")
            return {}
        if not new.argv and self._job_type.kind is not Kind.PYTHON and (params or command):
            try:
                typed_argv(self._job_type, new, params.get("params", job.params))
            except JobdeckError as error:
                self.refuse("params", str(error))
        return params | ({"argv": new.argv} if command else {})


def editable(views: Views, ref: int) -> Job:
    """A job that can be edited now; refused when it can't."""
    job = views.job(ref)
    sentence = refusal("edit", job.status, str(ref), with_a_key)
    if sentence is not None:
        raise Refused(sentence)
    return job


def edited(pinned: Job, change: Edit, back: Edit) -> Order:
    """Change a job that is still what it was; taken back only while it is what this made of it."""

    def order(work: Work) -> Done:
        now = work.job(pinned.id)
        if now.revision != pinned.revision and not alike(now, pinned):
            raise Refused(f"job {now.id} was changed by {now.updated_by} meanwhile; nothing was overwritten")
        made = work.edit(now.id, change)
        return Done(f"job {now.id} is changed", lambda work: taken_back(work, made))

    def taken_back(work: Work, made: Job) -> Done:
        if not alike(work.job(made.id), made):
            raise Refused(f"job {made.id} was changed since; it stays as it is")
        work.edit(made.id, back)
        return Done(f"undone: job {made.id} is as before")

    return order


def alike(one: Job, other: Job) -> bool:
    """Whether two looks at a job show the same in all that can be edited."""
    names = ("tags", "command", "scheduled_run_time", "deadline_at", "timeout", "max_retries", "backoff", "approval")
    return all(getattr(one, name) == getattr(other, name) for name in (*names, "concurrency_key")) and same(
        one.params, other.params
    )


def texts_of(job: Job, zone: ZoneInfo) -> dict[str, str]:
    """What stands in the fields of a job."""
    return {
        "params": params_text(job.params),
        "tags": tags_text(job.tags),
        "at": "" if job.scheduled_run_time is None else instant_text(job.scheduled_run_time, zone),
        "deadline": "" if job.deadline_at is None else instant_text(job.deadline_at, zone),
        "timeout": "" if job.timeout is None else exact_duration(job.timeout),
        "max_retries": str(job.max_retries),
        "backoff": job.backoff,
        "approval": "" if job.approval is None else job.approval.message,
        "concurrency_key": job.concurrency_key,
        "command": command_text(job.command),
    }


def _starts(here: Here) -> Callable[[datetime], str]:
    return lambda instant: start_words(instant, here)
