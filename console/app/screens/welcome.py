"""The card for the first time: the five keys that matter."""

from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

if TYPE_CHECKING:
    from console.app.app import JobdeckApp

CARD = (
    ("enter", "open a job: its facts, timeline, log and data"),
    ("u d", "move it up or down in the queue; z takes it back"),
    ("c", "cancel it; this asks first"),
    ("/", "show only what matches"),
    ("?", "every other key"),
)


class WelcomeScreen(ModalScreen[None]):
    """Shown once; any key puts it away."""

    if TYPE_CHECKING:
        app: JobdeckApp

    DEFAULT_CSS = """
    WelcomeScreen {
        align: center middle;
        Vertical {
            width: 64;
            max-width: 96%;
            height: auto;
            border: round $border;
            background: $surface;
            padding: 1 2;
        }
    }
    """

    def compose(self) -> ComposeResult:
        """The card."""
        with Vertical() as card:
            card.border_title = Content("Welcome to jobdeck")
            card.border_subtitle = Content("any key goes on")
            lines = [Content.assemble((key.rjust(7), "bold $accent"), "   ", words) for key, words in CARD]
            yield Static(Content("\n").join(lines), markup=False)
            words = "\n".join(("", "A key that isn't possible now says why.", "Escape leaves anything."))
            yield Static(Content(words), markup=False)

    def on_key(self, event: events.Key) -> None:
        """Whatever is pressed: it was read, or is not wanted."""
        event.stop()
        self.dismiss()
        if event.key == "question_mark":
            self.app.show_help()

    def on_click(self) -> None:
        """A click puts it away too."""
        self.dismiss()
