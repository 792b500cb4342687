"""The line for typing: a filter after `/`, a command after `:`; each with completion and, for commands, a memory."""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester
from textual.timer import Timer
from textual.widgets import Input, Static

from console.app.actions import ACTIONS
from console.app.themes import NAMES
from console.app.widgets.plain_input import PlainInput
from console.plain import plain
from core.filter_parser import completions, parse
from core.filters import Filter
from core.refusals import JobdeckError

MEMORY = 100
PAUSE = 0.15
"""After so many seconds without a key what is typed is tried out."""


class _FilterSuggester(Suggester):
    """Completes the last word of a filter."""

    async def get_suggestion(self, value: str) -> str | None:
        words = completions(value)
        if not words or not value or value[-1].isspace():
            return None
        begun = value.rsplit(" ", maxsplit=1)[-1]
        return next((value + word[len(begun) :] for word in words if word.startswith(begun) and word != begun), None)


class _CommandSuggester(Suggester):
    """Completes an action's name."""

    async def get_suggestion(self, value: str) -> str | None:
        names = [*ACTIONS, *(f"theme {name}" for name in NAMES)]
        return next((name for name in names if value and name.startswith(value) and name != value), None)


class Prompt(Horizontal):
    """Hidden until something is to be typed."""

    DEFAULT_CSS = """
    Prompt {
        height: 1;
        background: $panel;
        display: none;
        &.asking { display: block; }
        .sign { width: 2; color: $accent; text-style: bold; }
        .wrong { width: auto; max-width: 60%; color: $error; }
        Input { border: none; height: 1; padding: 0; background: $panel; width: 1fr; }
        Input:focus { border: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave", show=False),
        Binding("up", "earlier", "earlier", show=False),
        Binding("down", "later", "later", show=False),
        Binding("tab", "complete", "complete", show=False),
    ]

    class Filtered(Message):
        """A filter is being typed, and this is what it means up to now."""

        def __init__(self, chosen: Filter) -> None:
            super().__init__()
            self.chosen = chosen

    class Commanded(Message):
        """A command was typed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """Typing is over."""

    def __init__(self, commands: list[str]) -> None:
        super().__init__()
        self._commands = commands
        """The commands that were typed before, the latest last."""
        self._at = 0
        self._sign = "/"
        self._before = Filter()
        self._line = PlainInput(compact=True)
        self._soon: Timer | None = None

    def compose(self) -> ComposeResult:
        """The sign, the line, and what is wrong with it."""
        yield Static("", classes="sign", markup=False)
        yield self._line
        yield Static("", classes="wrong", markup=False)

    @property
    def waiting(self) -> bool:
        """Whether what is typed is yet to be tried out."""
        return self._soon is not None

    def ask_filter(self, chosen: Filter) -> None:
        """Let a filter be typed; what matches is shown meanwhile."""
        self._before = chosen
        text = str(chosen)
        hint = "status:failed type:etl tag:env=prod key:x* priority>5 age<1h"
        self._ask("/", f"{text} " if text else "", _FilterSuggester(use_cache=False), hint)

    def ask_command(self) -> None:
        """Let a command be typed."""
        self._at = len(self._commands)
        self._ask(":", "", _CommandSuggester(), "an action, or a job's number")

    def action_leave(self) -> None:
        """Type nothing; the filter is what it was."""
        if self._sign == "/":
            self._stop_waiting()
            self.post_message(self.Filtered(self._before))
        self._close()

    def action_earlier(self) -> None:
        """The command before this one."""
        self._recall(-1)

    def action_later(self) -> None:
        """The command after this one."""
        self._recall(1)

    def action_complete(self) -> None:
        """Take what is offered behind the cursor."""
        self._line.action_cursor_right()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._say("")
        if self._sign == "/":
            self._stop_waiting()
            self._soon = self.set_timer(PAUSE, self._preview)

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        if self._sign == ":":
            text = event.value.strip()
            self._close()
            if text:
                self._commands[:] = [*(one for one in self._commands if one != text), text][-MEMORY:]
                self.post_message(self.Commanded(text))
        elif self._preview():
            self._close()

    @on(events.DescendantBlur)
    def _left(self) -> None:
        self.remove_class("asking")

    def _preview(self) -> bool:
        """Show what the filter matches; what is wrong with it is said beside it."""
        self._stop_waiting()
        try:
            chosen = parse(self._line.value)
        except JobdeckError as error:
            self._say(str(error))
            return False
        self.post_message(self.Filtered(chosen))
        return True

    def _stop_waiting(self) -> None:
        if self._soon is not None:
            self._soon.stop()
            self._soon = None

    def _say(self, words: str) -> None:
        self.query_one(".wrong", Static).update(Content(f" {plain(words)}" if words else ""))

    def _close(self) -> None:
        self.remove_class("asking")
        self.post_message(self.Left())

    def _ask(self, sign: str, value: str, suggester: Suggester, hint: str) -> None:
        self._sign = sign
        self.query_one(".sign", Static).update(sign)
        self._say("")
        self._line.suggester = suggester
        self._line.placeholder = hint
        with self.prevent(Input.Changed):
            self._line.value = value
        self._line.cursor_position = len(value)
        self.add_class("asking")
        self._line.focus()

    def _recall(self, by: int) -> None:
        if self._sign != ":" or not self._commands:
            return
        self._at = max(0, min(len(self._commands), self._at + by))
        self._line.value = self._commands[self._at] if self._at < len(self._commands) else ""
        self._line.cursor_position = len(self._line.value)
