"""Answering a gate: the evidence first, then an explicit choice; pinned to this very gate, whatever its job does."""

from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from console.app.dialogs.base import Dialog, content, shown
from console.app.dialogs.form import AROUND, Order
from console.app.done import Done
from console.app.evidence import Evidence, as_text, over, standing
from console.app.panes.base import job_name
from console.app.snapshot import Snapshot
from console.app.widgets.fact import Fact
from console.app.widgets.field import Field, Line
from console.masking import masked_json
from console.moments import exact
from core.bounds import GATE_TEXT_LIMIT
from core.gates import token
from core.jobs import Approval, Job
from core.jsontext import check_text
from core.refusals import BadInput, JobdeckError, Refused
from core.when import format_duration, format_relative
from store.work import Work

if TYPE_CHECKING:
    from console.app.app import JobdeckApp


class GateDialog(Dialog[Done]):
    """Approve, deny, or leave it; just pressing enter leaves it."""

    DEFAULT_CSS = """
    GateDialog {
        & > Vertical { width: 110; padding: 0 2; }
        .question { margin: 0; }
        .body { height: auto; scrollbar-size-vertical: 1; }
        .says { height: auto; max-height: 3; color: $error; }
        .buttons { margin: 0; }
    }
    """
    if TYPE_CHECKING:
        app: JobdeckApp

    def __init__(self, evidence: Evidence, *, grant: bool) -> None:
        super().__init__()
        self._evidence = evidence
        self._grant = grant
        self._over = False
        self._sent = False
        self._body = VerticalScroll(classes="body")
        self._says = Static("", classes="says", markup=False)
        self._expires = Fact("expires")
        self._leave = Button(Content("No, leave it (esc)"), id="leave", compact=True)

    def compose(self) -> ComposeResult:
        """The question, the evidence, the comment, the answers."""
        gate, job = self._evidence.gate, self._evidence.job
        with Vertical():
            yield shown(f"{'Approve' if self._grant else 'Deny'} job {job.id}?", classes="question")
            with self._body:
                yield shown(gate.message, classes="question")
                yield from self._facts(gate, job)
            yield Line("comment", "comment", hint="a comment; to deny it, the reason")
            yield self._says
            with Horizontal(classes="buttons"):
                yield self._leave
                yield Button(Content("Approve"), id="approve", variant="success", compact=True)
                yield Button(Content("Deny"), id="deny", variant="error", compact=True)

    def on_mount(self) -> None:
        """Leaving is the answer that takes no effort."""
        self._leave.focus()
        self._says.display = False
        self._tick()
        self.set_interval(1.0, self._tick)

    def on_resize(self, event: events.Resize) -> None:
        """The evidence scrolls where it doesn't all fit."""
        self._body.styles.max_height = max(3, event.size.height * 9 // 10 - AROUND)

    def store_changed(self, _snapshot: Snapshot) -> None:
        """See whether the gate still waits."""
        self.app.ask(lambda views: standing(views, self._evidence.gate), self._seen)

    def _facts(self, gate: Approval, job: Job) -> ComposeResult:
        now, zone = self.app.now(), self.app.deck.zone
        name = job_name(job.job_type, job.job_key, job.job_id, job.command_text)
        yield Fact("job", f"{job.id} ({name}), type {job.job_type}, attempt {job.attempt}")
        yield Fact("asked", f'by {gate.requested_by} at gate "{gate.name}", {exact(gate.requested_at, zone, now)}')
        yield self._expires
        yield Fact("four eyes", self._four_eyes())
        yield Fact("command", job.command_text)
        yield Fact("params", as_text(masked_json(dict(job.params))) if job.params else "")
        yield Fact("checkpoint", "" if job.checkpoint is None else as_text(job.checkpoint))
        yield Fact("before", "\n".join(self._told(one) for one in self._evidence.earlier))
        yield Fact("log", "\n".join(self._evidence.log))

    def _four_eyes(self) -> str:
        gate, submitter = self._evidence.gate, self._evidence.job.created_by
        if not gate.four_eyes:
            return ""
        if submitter == self.app.deck.actor:
            return "you have submitted this job, so someone else must approve it"
        return f"asked for; {submitter} has submitted it, and you are someone else"

    def _told(self, gate: Approval) -> str:
        decision = (gate.decision or "open").lower()
        by = f" by {gate.decided_by}" if gate.decided_by else ""
        when = "" if gate.decided_at is None else f" {format_relative(gate.decided_at, self.app.now())}"
        comment = f': "{gate.comment}"' if gate.comment else ""
        return f'job {gate.job}, gate "{gate.name}": {decision}{by}{when}{comment}'

    def _tick(self) -> None:
        """Count down; a gate that has expired can't be answered."""
        at = self._evidence.gate.expires_at
        if at is None:
            self._expires.show("never")
            return
        now = self.app.now()
        if at <= now:
            self._expires.show("now")
            self._close("it has expired, so nobody can answer it any more")
        else:
            left = format_duration(at - now)
            self._expires.show(f"in {left}, {at.astimezone(self.app.deck.zone):%Y-%m-%d %H:%M:%S}")

    def _seen(self, found: tuple[Approval | None, Job] | JobdeckError) -> None:
        if not self.is_attached or self._sent:
            return
        sentence = str(found) if isinstance(found, JobdeckError) else over(*found)
        if sentence is not None:
            self._close(sentence)

    def _close(self, sentence: str) -> None:
        """Nothing can be answered here any more."""
        if not self._over:
            self._over = True
            for name in ("approve", "deny"):
                self.query_one(f"#{name}", Button).disabled = True
            self._leave.focus()
            self._say(sentence)

    def _say(self, sentence: str) -> None:
        self._says.update(content(sentence))
        self._says.display = True

    @on(Field.Entered)
    def _comment_entered(self) -> None:
        self._leave.focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "leave":
            self.action_leave()
        elif not self._over and not self._sent:
            self._answer(grant=event.button.id == "approve")

    def _answer(self, *, grant: bool) -> None:
        field = self.query_one(Line)
        try:
            order = answer(self._evidence.gate, grant=grant, comment=field.text.strip())
        except BadInput as error:
            self._say(str(error))
            field.entry.focus()
            return
        self._sent = True
        self.app.carry_out(order, self._answered)

    def _answered(self, result: Done | JobdeckError) -> None:
        self._sent = False
        if isinstance(result, JobdeckError):
            self._say(str(result))
            self.app.ask(lambda views: standing(views, self._evidence.gate), self._seen)
        else:
            self.dismiss(result)


def answer(gate: Approval, *, grant: bool, comment: str) -> Order:
    """The order that answers this gate and no other; its token is made where the key is."""
    if comment:
        check_text(comment, "the comment", GATE_TEXT_LIMIT)
    elif not grant:
        raise BadInput("say why; the reason becomes the job's error")

    def order(work: Work) -> Done:
        now = work.approval(gate.approval_id)
        sentence = over(now, work.job(now.job_id))
        if sentence is not None:
            raise Refused(sentence)
        presented = token(work.key(), now.approval_id)
        if grant:
            work.approve(now.job_id, presented, comment or None)
            return Done(f'job {now.job} may pass gate "{now.name}"')
        work.deny(now.job_id, presented, comment)
        return Done(f'gate "{now.name}" of job {now.job} is denied, and the job failed')

    return order
