"""Submitting a job: its fields are read as the command line's options are, and say what they mean while one types."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from console.app.dialogs.form import Form, Order
from console.app.dialogs.job_words import (
    argv_of,
    backoff_words,
    checked_params,
    checked_tags,
    command_text,
    command_words,
    gate_of,
    instant_of,
    params_words,
    priority_of,
    retries_of,
    retries_words,
    start_words,
    template_offers,
    timeout_of,
    timeout_words,
    type_offers,
    type_words,
)
from console.app.done import Done
from console.app.widgets.field import Field, Flag, Line, Lines
from console.starts import start
from console.typed import params_text, tags_text
from console.wishes import DEFAULT, Here, laid_over
from core.config import Config
from core.job_types import JobType, Kind
from core.job_types import argv_of as typed_argv
from core.jobs import Command, NewJob, Template
from core.refusals import BadInput, JobdeckError, Refused
from core.when import exact_duration
from store.job_columns import key_column, type_column
from store.work import Work


class JobForm(Form):
    """A new job, from nothing or from a template."""

    def __init__(self, config: Config, templates: Sequence[Template]) -> None:
        super().__init__("New job", "Submit")
        self._config = config
        self._templates = {one.name: one for one in templates}
        self._filled: dict[str, str] = {}
        self._filled_from: Template | None = None

    def fields(self) -> Iterator[Field]:
        """Everything that a job can be given here."""
        config = self._config
        yield Line("template", "template", hint="fills the rest", offers=template_offers([*self._templates.values()]))
        yield Line("type", "type", hint=DEFAULT.job_type, offers=type_offers(config))
        yield Line("command", "command", hint="echo 'hello world'")
        yield Flag("shell", "", "through the shell")
        yield Line("key", "key", hint="one live job per type and key")
        yield Line("priority", "priority", hint="0; higher runs first")
        yield Line("at", "not before", hint="18:00, tomorrow 6:00, mon 9:00, in 10m")
        yield Lines("tags", "tags", hint="name=value, one per line")
        yield Lines("params", "params", hint="name=value, one per line; a value may be JSON")
        yield Line("timeout", "timeout", hint="90s, 1h30m")
        yield Line("max_retries", "retries", hint=f"{DEFAULT.max_retries}, or the type's own")
        yield Line("backoff", "backoff", hint=f"{DEFAULT.backoff}, or exponential:1s:5m")
        yield Flag("hold", "", "hold: keep it from starting")
        yield Flag("draft", "", "draft: record it only")
        yield Line("approval", "approval", hint="a question to be answered before it runs")

    def first(self) -> str:
        """Whoever has templates probably wants one."""
        return "template" if self._templates else "command"

    def read(self) -> Order | None:
        """The job that the fields ask for."""
        here = self.app.deck.here()
        template = self._template()
        self._fill(template)
        name = self.taken("type", type_column)
        job_type = self._config.type_named(name or DEFAULT.job_type)
        if name is not None:
            self.note("type", type_words(self._config, job_type))
        wanted: dict[str, Any] = {"type": name, **self._wishes(here)}
        base = None if template is None else self._over(template, job_type, wanted)
        wanted.update(self._command(job_type, Command() if base is None else base.command, wanted.get("params"), here))
        if self._wrong is not None:
            return None
        new = start(self._config, here, name, base).submission(wanted)
        return lambda work: _submitted(work, new)

    def _template(self) -> Template | None:
        def known(name: str) -> Template:
            if name not in self._templates:
                raise BadInput(f'there is no template "{name}"')
            return self._templates[name]

        found = self.taken("template", known)
        if not self._templates and not self.text("template"):
            self.note("template", "there are none yet; make one with: jobdeck template add NAME -- COMMAND")
        return found

    def _fill(self, template: Template | None) -> None:
        """Once another template is chosen, fill in what it has, apart from what was typed by hand."""
        if template is self._filled_from or (template is None and self.text("template")):
            return
        self._filled_from = template
        before, self._filled = self._filled, {} if template is None else filled_by(template.new_job)
        for key in before.keys() | self._filled.keys():
            field = self.field(key)
            if field.text == before.get(key, ""):
                field.text = self._filled.get(key, "")

    def _wishes(self, here: Here) -> dict[str, Any]:
        """What is wished for beside the type and the command; what is empty or wrong is None."""
        self.taken("at", lambda text: instant_of(text, here), lambda instant: start_words(instant, here))
        self.taken("timeout", timeout_of, timeout_words)
        self.taken("backoff", str, backoff_words)
        self.taken("approval", gate_of)
        return {
            "key": self.taken("key", key_column),
            "priority": self.taken("priority", priority_of),
            "max_retries": self.taken("max_retries", retries_of, retries_words),
            "tags": self.taken("tags", checked_tags),
            "params": self.taken("params", checked_params, params_words),
            "hold": bool(self.text("hold")) or None,
            "draft": bool(self.text("draft")) or None,
            **{key: self.text(key) or None for key in ("at", "timeout", "backoff", "approval")},
        }

    def _over(self, template: Template, job_type: JobType, wanted: Mapping[str, Any]) -> NewJob:
        """What the job starts from: of the template, only what no field shows; a field that was emptied is empty."""
        own = job_type.new_job()
        new = template.new_job
        return replace(
            own,
            command=new.command,
            concurrency_key=new.concurrency_key or own.concurrency_key,
            approval=own.approval if wanted["approval"] is None else new.approval or own.approval,
            template_id=template.template_id,
        )

    def _command(
        self, job_type: JobType, base: Command, params: Mapping[str, Any] | None, here: Here
    ) -> dict[str, Any]:
        """The wishes for the command; the template's own, left as it was, keeps its directory."""
        shell = bool(self.text("shell"))
        if not self.text("command").strip():
            self._without_command(job_type, params or {})
            return {}
        same = base.argv and (self.text("command"), shell) == (command_text(base), base.shell)

        def read(text: str) -> Command:
            wishes = {} if same else {"argv": argv_of(text, shell=shell), "shell": shell}
            return laid_over(replace(DEFAULT, command=base), wishes, here).command

        command = self.taken("command", read, lambda found: command_words(job_type, found))
        return {} if same or command is None else {"argv": command.argv, "shell": shell}

    def _without_command(self, job_type: JobType, params: Mapping[str, Any]) -> None:
        """Only a type that has one of its own needs none."""
        has_own = job_type.function if job_type.kind is Kind.PYTHON else job_type.command
        if not has_own:
            example = "reports:monthly" if job_type.kind is Kind.PYTHON else "echo hello"
            self.miss("command", f"type what is to be run, such as: {example}")
            return
        self.note("command", "empty: what the type runs")
        if job_type.kind is not Kind.PYTHON:
            try:
                typed_argv(job_type, Command(), params)
            except JobdeckError as error:
                self.miss("params", str(error))


def filled_by(new: NewJob) -> dict[str, str]:
    """What a template puts into the fields."""
    return {
        "type": new.job_type,
        "command": command_text(new.command),
        "shell": "yes" if new.command.shell else "",
        "priority": str(new.priority),
        "tags": tags_text(new.tags),
        "params": params_text(new.params),
        "timeout": "" if new.timeout is None else exact_duration(new.timeout),
        "max_retries": str(new.max_retries),
        "backoff": new.backoff,
        "approval": "" if new.approval is None else new.approval.message,
    }


def _submitted(work: Work, new: NewJob) -> Done:
    live = None if new.job_key is None else work.live_by_key(new.job_type, new.job_key)
    if live is not None:
        raise Refused(
            f"job {live['id']} of that type and key is {live['status']} already; wait for it, or change the key"
        )
    job = work.submit(new)
    return Done(f"job {job.id} is {'a draft; release puts it into the queue' if new.draft else 'in the queue'}")
