"""The engine of this console has stopped by itself: what that means, what is safe, and the ways to go on."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button

from console.app.dialogs.base import Dialog, shown

SAFE = (
    "Everything that was acknowledged is in the store. Nothing new starts here; what was running is found again, "
    "stopped and settled by the next engine that leads, and nothing that has committed is run again."
)


class EngineDialog(Dialog[bool]):
    """Start it again, or go on without it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "again", "start", show=False),
        Binding("left,right", "app.focus_next", "other", show=False),
    ]

    def __init__(self, trouble: str) -> None:
        super().__init__()
        self._trouble = trouble
        self._again = Button(Content("Start it again (s)"), id="again", variant="primary")

    def compose(self) -> ComposeResult:
        """What happened, what is safe, and the two answers."""
        with Vertical():
            yield shown("The engine in this console has stopped", classes="question")
            yield shown(self._trouble, classes="wrong")
            yield shown(f"\n{SAFE}", classes="detail")
            with Horizontal(classes="buttons"):
                yield self._again
                yield Button(Content("Go on without it (esc)"), id="without")

    def on_mount(self) -> None:
        """Starting again is always safe."""
        self._again.focus()

    def action_again(self) -> None:
        """Have it started."""
        self.dismiss(True)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "again")
