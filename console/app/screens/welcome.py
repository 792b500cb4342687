"""The card for the first time: the five keys that matter."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

CARD = (
    ("enter", "open a job: its facts, timeline, log and data"),
    ("u d", "move it up or down in the queue; z takes it back"),
    ("c", "cancel it; this asks first"),
    ("/", "show only what matches"),
    ("?", "every other key"),
)


class WelcomeScreen(ModalScreen[None]):
    """Shown once; any key puts it away."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,space,q", "dismiss", "go on", show=False)]
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
            card.border_subtitle = Content("enter goes on")
            lines = [Content.assemble((key.rjust(7), "bold $accent"), "   ", words) for key, words in CARD]
            yield Static(Content("\n").join(lines), markup=False)
            yield Static(Content("\nA key that isn't possible now says why. Escape leaves anything."), markup=False)

    def on_click(self) -> None:
        """A click puts it away too."""
        self.dismiss()
