"""Running a template's job in the next free slot, past the queue; while someone else has that slot, it says so."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from console.app.dialogs.form import Form, Order
from console.app.dialogs.job_words import template_offers
from console.app.done import Done
from console.app.snapshot import Snapshot
from console.app.widgets.field import Field, Line
from console.direct import submit_direct
from console.starts import start
from core.config import Config
from core.jobs import NewJob, Reservation, Template
from core.owners import shown_owner
from core.refusals import BadInput, JobdeckError
from core.when import format_relative
from store.work import Work

_NONE_YET = "there are none yet; make one with: jobdeck template add NAME -- COMMAND"


class DirectDialog(Form):
    """Nothing from the queue starts until the chosen job has its slot; what runs goes on."""

    DEFAULT_CSS = """
    DirectDialog .body { min-height: 8; }
    """

    def __init__(self, config: Config, templates: Sequence[Template]) -> None:
        super().__init__("Run in the next free slot", "Run")
        self._config = config
        self._templates = {one.name: one for one in templates}

    def fields(self) -> Iterator[Field]:
        """The template."""
        yield Line(
            "template", "template", hint="down and up choose", offers=template_offers([*self._templates.values()])
        )

    def read(self) -> Order | None:
        """The direct job that the template makes."""

        def known(name: str) -> NewJob:
            if name not in self._templates:
                raise BadInput(f'there is no template "{name}"')
            template = self._templates[name]
            base = replace(template.new_job, template_id=template.template_id)
            return start(self._config, self.app.deck.here(), None, base).submission({})

        new = self.taken("template", known, lambda new: f"runs {new.command.text or f'what type {new.job_type} runs'}")
        if new is None and not self.text("template").strip():
            self.miss("template", "choose one" if self._templates else _NONE_YET)
        return None if new is None else lambda work: _run(work, new)

    def store_changed(self, _snapshot: Snapshot) -> None:
        """See whether the slot is someone's."""
        self.app.ask(lambda views: views.active_reservation(), self._seen)

    def _seen(self, found: Reservation | JobdeckError | None) -> None:
        if not self.is_attached or isinstance(found, JobdeckError):
            return
        before, self.notice = self.notice, ""
        if found is not None:
            until = format_relative(found.expires_at, self.app.now())
            self.notice = (
                f"busy: {shown_owner(found.reserved_by)} has the next free slot, {until} at the latest it is free"
            )
        if self.notice != before:
            self._look()


def _run(work: Work, new: NewJob) -> Done:
    job = submit_direct(work, new)
    return Done(f"job {job.id} takes the next free slot; the queue waits for it")
