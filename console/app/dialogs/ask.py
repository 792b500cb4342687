"""One line of text, checked while it is typed."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from console.app.dialogs.base import Dialog, content, shown
from console.app.widgets.plain_input import PlainInput
from core.refusals import JobdeckError


class Ask(Dialog[str]):
    """Asks for a text; what is wrong with it is said while it is typed, and enter takes it once nothing is."""

    def __init__(
        self,
        question: str,
        detail: str = "",
        *,
        value: str = "",
        check: Callable[[str], str | None] = lambda _: None,
        hint: str = "",
    ) -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._check = check
        self._line = PlainInput(value, placeholder=hint, id="line")
        self._wrong = Static("", classes="wrong", markup=False)

    def compose(self) -> ComposeResult:
        """The question, the line, and what is wrong with it."""
        with Vertical():
            yield shown(self._question, classes="question")
            if self._detail:
                yield shown(self._detail, classes="detail")
            yield self._line
            yield self._wrong

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what is wrong with it, or what it means."""
        self._wrong.update(content(self.wrong(event.value) or ""))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take it, if it can be taken."""
        wrong = self.wrong(event.value)
        if wrong is None:
            self.dismiss(event.value)
        else:
            self._wrong.update(content(wrong))

    def wrong(self, text: str) -> str | None:
        """What is wrong with a text, if anything is."""
        try:
            return self._check(text)
        except JobdeckError as error:
            return str(error)
