"""Leaving while jobs run: wait for them, stop them, or stay; and the sight of a console that is leaving."""

from collections.abc import Callable
from datetime import timedelta
from enum import Enum
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from console.app.dialogs.base import Dialog, content, shown
from core.when import LONGEST, format_duration

LOOK_EVERY = 0.1
REPEAT_EVERY = 10
"""After so many looks the order is given again, should the engine have been too young to hear the first."""


class Leaving(Enum):
    """How to leave."""

    WAIT = "wait"
    """When the last running job has ended."""
    STOP = "stop"
    """Once they have been asked to end and have ended, or their grace time is over."""
    KILL = "kill"
    """Once they are killed."""


class Engine(Protocol):
    """What leaving needs of an engine."""

    @property
    def running(self) -> int:
        """How many jobs run in it."""
        ...

    @property
    def trouble(self) -> str | None:
        """Why it can't write, in words."""
        ...

    def is_alive(self) -> bool:
        """Whether it is still there."""
        ...

    def drain(self, grace: timedelta) -> None:
        """Start nothing more, wait so long for what runs, then ask it to end."""
        ...

    def stop_now(self) -> None:
        """Kill what runs."""
        ...


class QuitDialog(Dialog[Leaving]):
    """Jobs run in this console: what is to become of them?"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "choose('wait')", "wait", show=False),
        Binding("s", "choose('stop')", "stop", show=False),
        Binding("left", "app.focus_previous", "other", show=False),
        Binding("right", "app.focus_next", "other", show=False),
    ]

    def __init__(self, running: Callable[[], int], grace: timedelta) -> None:
        super().__init__()
        self._count = running
        self._grace = grace
        self._asked = Static("", classes="question", markup=False)
        self._stay = Button(Content("Stay (esc)"), id="stay", variant="primary")

    def compose(self) -> ComposeResult:
        """The question and the three answers."""
        with Vertical():
            yield self._asked
            yield shown(
                f"Wait: nothing new starts, and the console leaves when they have ended.\n"
                f"Stop: they are asked to end, and killed after {format_duration(self._grace)}; "
                f"a job that may be tried again is, the next time.",
                classes="detail",
            )
            with Horizontal(classes="buttons"):
                yield self._stay
                yield Button(Content("Wait (w)"), id="wait")
                yield Button(Content("Stop (s)"), id="stop", variant="error")

    def on_mount(self) -> None:
        """Staying takes no effort."""
        self._stay.focus()
        self._ask()
        self.set_interval(0.5, self._ask)

    def action_choose(self, how: str) -> None:
        """Leave in that way."""
        self.dismiss(Leaving(how))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(None if event.button.id == "stay" else Leaving(event.button.id))

    def _ask(self) -> None:
        self._asked.update(content(f"{_jobs_run(self._count())} in this console. Leave?"))


class Draining(Dialog[None]):
    """Says how many jobs are left until none is; each order is a harder one than that before."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "harder", "stop", show=False)]

    def __init__(self, engine: Engine, how: Leaving) -> None:
        super().__init__()
        self._engine = engine
        self._how = how
        self._looks = 0
        self._doing = Static("", classes="question", markup=False)
        self._trouble = Static("", classes="detail", markup=False)
        self._harder = Button(Content(""), id="harder", variant="error")

    def compose(self) -> ComposeResult:
        """What is waited for, and the way to wait no longer."""
        with Vertical():
            yield self._doing
            yield self._trouble
            with Horizontal(classes="buttons"):
                yield self._harder

    def on_mount(self) -> None:
        """Give the order, and watch."""
        self._order()
        self.look()
        self.set_interval(LOOK_EVERY, self.look)

    def look(self) -> None:
        """See how far it is; with the engine gone, the console goes."""
        if not self._engine.is_alive():
            self.app.exit(0)
            return
        self._looks += 1
        if self._looks % REPEAT_EVERY == 0:
            self._order()
        running = self._engine.running
        doing = {Leaving.WAIT: "Waiting for", Leaving.STOP: "Stopping", Leaving.KILL: "Killing"}[self._how]
        self._doing.update(content(f"{doing} {_jobs(running)} …" if running else "Leaving …"))
        trouble = self._engine.trouble
        self._trouble.update(content("" if trouble is None else f"the store can't be written: {trouble}"))
        harder = {Leaving.WAIT: "Stop them (s)", Leaving.STOP: "Kill them (s)", Leaving.KILL: "Leave anyway (s)"}
        self._harder.label = Content(harder[self._how])

    def action_harder(self) -> None:
        """Wait no longer: stop instead of waiting, kill instead of stopping, leave instead of anything."""
        if self._how is Leaving.KILL:
            self.app.exit(0)
            return
        self._how = Leaving.STOP if self._how is Leaving.WAIT else Leaving.KILL
        self._order()
        self.look()

    def action_leave(self) -> None:
        """There is no way back: the engine takes nothing new."""

    @on(Button.Pressed)
    def _pressed(self) -> None:
        self.action_harder()

    def _order(self) -> None:
        if self._how is Leaving.KILL:
            self._engine.stop_now()
        else:
            self._engine.drain(LONGEST if self._how is Leaving.WAIT else timedelta(0))


def _jobs(number: int) -> str:
    return "1 job" if number == 1 else f"{number:,} jobs"


def _jobs_run(number: int) -> str:
    return f"{_jobs(number)} {'runs' if number == 1 else 'run'}"
