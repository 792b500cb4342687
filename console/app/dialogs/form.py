"""A form: fields that say what is wrong while one types, one transaction when it is sent, nothing lost by accident."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from console.app.dialogs.base import Confirm, Dialog, content
from console.app.done import Done
from console.app.widgets.field import Field, Line
from core.refusals import BadInput, JobdeckError
from store.work import Work

if TYPE_CHECKING:
    from console.app.app import JobdeckApp

AROUND = 7
"""Lines of a form that are no fields: its frame, the title, what it says, the buttons."""

T = TypeVar("T")
Order = Callable[[Work], Done]
"""What a form asks for, as one transaction."""


class Unchanged(BadInput):
    """There is nothing to send yet, which is no mistake while one still types."""


class Form(Dialog[Done]):
    """Enter goes on to the next field and, in the last one, sends it; ctrl+s sends it from anywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "send", "send", show=False)]
    DEFAULT_CSS = """
    Form {
        & > Vertical { width: 110; padding: 0 2; }
        .question { margin: 0; }
        .body { height: auto; scrollbar-size-vertical: 1; }
        .says { height: auto; max-height: 3; color: $text-muted; }
        .says.wrong { color: $error; }
        .buttons { margin: 0; }
    }
    """
    if TYPE_CHECKING:
        app: JobdeckApp

    def __init__(self, title: str, verb: str) -> None:
        super().__init__()
        self._title = title
        self._verb = verb
        self._fields: dict[str, Field] = {}
        self._notes: dict[str, tuple[str, bool]] = {}
        self._wrong: Field | None = None
        self._said: tuple[str, bool] | None = None
        self._sending = False
        self._sent = False
        self._blank: dict[str, str] = {}
        self._body = VerticalScroll(classes="body", can_focus=False)
        self._says = Static("", classes="says", markup=False)
        self.notice = ""
        """What stands at the bottom when there is nothing else to say."""

    def fields(self) -> Iterable[Field]:
        """The fields, from top to bottom."""
        raise NotImplementedError

    def read(self) -> Order | None:
        """What the fields ask for, None while something is wrong; what each means, or what is wrong, is noted."""
        raise NotImplementedError

    def first(self) -> str:
        """The field to begin with."""
        return next(iter(self._fields))

    def compose(self) -> ComposeResult:
        """The title, the fields, what there is to say about all of them, and the two ways out."""
        with Vertical():
            yield Static(content(self._title), classes="question", markup=False)
            with self._body:
                self._fields = {field.key: field for field in self.fields()}
                yield from self._fields.values()
            yield self._says
            with Horizontal(classes="buttons"):
                yield Button(Content("Leave (esc)"), id="leave", compact=True)
                yield Button(Content(f"{self._verb} (ctrl+s)"), id="send", variant="primary", compact=True)

    def on_mount(self) -> None:
        """Begin."""
        self._blank = self._texts()
        self._look()
        self.field(self.first()).entry.focus()

    def on_resize(self, event: events.Resize) -> None:
        """The fields scroll where they don't all fit."""
        self._body.styles.max_height = max(3, event.size.height * 9 // 10 - AROUND)

    def field(self, key: str) -> Field:
        """The field of that name."""
        return self._fields[key]

    def text(self, key: str) -> str:
        """What stands in a field."""
        return self.field(key).text

    def taken(self, key: str, read: Callable[[str], T], means: Callable[[T], str] = lambda _: "") -> T | None:
        """A field's value, None while it is empty or wrong; what is wrong, or what it means, is noted."""
        text = self.text(key)
        self.note(key, "")
        if not text.strip():
            return None
        try:
            value = read(text)
            self.note(key, means(value))
        except JobdeckError as error:
            self.refuse(key, str(error))
            return None
        return value

    def note(self, key: str, text: str) -> None:
        """Note what a field means."""
        self._notes[key] = (text, False)

    def noted(self, key: str) -> str:
        """What is noted about a field."""
        return self._notes[key][0]

    def refuse(self, key: str, sentence: str) -> None:
        """Note what is wrong with a field."""
        self._notes[key] = (sentence, True)
        self._wrong = self._wrong or self.field(key)

    def miss(self, key: str, sentence: str) -> None:
        """Note that a field needs a value: a hint while one types, a complaint once it is sent."""
        self._notes[key] = (sentence, self._sending)
        self._wrong = self._wrong or self.field(key)

    def wrong(self, key: str) -> bool:
        """Whether something is wrong with a field."""
        return self._notes[key][1]

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Say something about the whole form."""
        if (text, wrong) != self._said:
            self._said = (text, wrong)
            self._says.update(content(text))
            self._says.set_class(wrong, "wrong")
            self._says.display = bool(text)

    def action_send(self) -> None:
        """Have it carried out, if nothing is wrong."""
        if self._sent:
            return
        self._sending = True
        order = self._look()
        self._sending = False
        if self._wrong is not None:
            self.say(f"{self._wrong.label}: {self._wrong.note}", wrong=True)
            self._wrong.entry.focus()
        elif order is not None:
            self._sent = True
            self.say("…")
            self.app.carry_out(order, self._told)

    def action_leave(self) -> None:
        """Leave; what was typed is asked about first."""
        if self._sent:
            return
        if self._texts() == self._blank:
            self.dismiss(None)
            return
        question = Confirm("Leave without saving?", "What you have typed here is lost.", yes="Leave")
        self.app.push_screen(question, self._left)

    def _left(self, really: bool | None) -> None:
        if really:
            self.dismiss(None)

    def refused(self, error: JobdeckError) -> None:
        """The transaction was refused; everything is as it was, here and in the store."""
        self.say(str(error), wrong=True)

    def _told(self, result: Done | JobdeckError) -> None:
        self._sent = False
        if isinstance(result, JobdeckError):
            self.refused(result)
        else:
            self.dismiss(result)

    def _look(self) -> Order | None:
        """Read the fields and show what is noted; a sentence about all of them together stands at the bottom."""
        self._wrong = None
        order, said, wrong = None, self.notice, bool(self.notice)
        try:
            order = self.read()
        except JobdeckError as error:
            if self._sending or not isinstance(error, Unchanged):
                said, wrong = str(error), True
        for key, (text, refused) in self._notes.items():
            self.field(key).say(text, wrong=refused)
        self.say(said, wrong=wrong)
        return order if self._wrong is None else None

    def _texts(self) -> dict[str, str]:
        return {key: field.text for key, field in self._fields.items()}

    @on(Field.Changed)
    def _changed(self) -> None:
        self._look()

    @on(Field.Entered)
    def _entered(self, event: Field.Entered) -> None:
        last = [field for field in self._fields.values() if isinstance(field, Line) and field.display][-1]
        if event.field is last:
            self.action_send()
        else:
            self.focus_next()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "send":
            self.action_send()
        else:
            self.action_leave()
