"""What every dialog has: a frame in the middle, escape to leave it, and text that is shown as it is."""

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from console.plain import plain

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer | None]):
    """A frame above the deck. Escape always leaves it without doing anything."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave", show=False)]
    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        & > Vertical {
            width: 72;
            max-width: 95%;
            height: auto;
            max-height: 90%;
            border: round $border;
            background: $surface;
            padding: 1 2;
        }
        .question { text-style: bold; margin-bottom: 1; }
        .detail { color: $text-muted; }
        .wrong { color: $error; height: auto; }
        .buttons { height: auto; margin-top: 1; align-horizontal: right; }
        Button { margin-left: 2; min-width: 12; }
    }
    """

    def action_leave(self) -> None:
        """Do nothing."""
        self.dismiss(None)


def shown(text: str, *, classes: str = "") -> Static:
    """A text that others wrote, as it is: no markup, no control bytes; its lines stay lines."""
    return Static(content(text), classes=classes, markup=False)


def content(text: str) -> Content:
    """Foreign text for any widget: lines stay lines, everything else is made plain."""
    return Content("\n".join(plain(line) for line in text.splitlines()))


class Confirm(Dialog[bool]):
    """A question that is answered with yes or no; no is what one gets by just pressing enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", show=False),
        Binding("n", "answer(False)", "no", show=False),
        Binding("left,right", "app.focus_next", "other", show=False),
    ]

    def __init__(self, question: str, detail: str = "", *, yes: str = "Yes") -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._yes = Button(Content(f"{yes} (y)"), id="yes", variant="error")
        self._no = Button(Content("No (n)"), id="no", variant="primary")

    def compose(self) -> ComposeResult:
        """The question, what it is about, and the two answers."""
        with Vertical():
            yield shown(self._question, classes="question")
            if self._detail:
                yield shown(self._detail, classes="detail")
            yield from self.extra()
            with Horizontal(classes="buttons"):
                yield self._yes
                yield self._no

    def extra(self) -> ComposeResult:
        """What stands between the question and the answers."""
        return ()

    def on_mount(self) -> None:
        """No is the answer that takes no effort."""
        self._no.focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """A key was chosen."""
        self.dismiss(answer)
