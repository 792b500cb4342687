"""The seat of the engine in this console: started here, watched, told about, and seen out when the console leaves."""

import os
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

from console.app.engine_thread import EngineThread
from console.app.snapshot import Snapshot
from core.engine.events import Event
from core.machine.procfs import host
from core.owners import parse_owner
from core.when import format_duration

if TYPE_CHECKING:
    from console.app.app import JobdeckApp
    from console.app.dialogs.quit_dialog import Leaving

ENDING = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
"""What tells a process to end."""
TOGETHER = 0.3
"""What a recovery settles within so many seconds is told in one sentence."""


class EngineSeat:
    """What becomes of the engine, and what the operator hears of it."""

    def __init__(self, app: "JobdeckApp", stepped: Callable[[], None]) -> None:
        self._app = app
        self._stepped = stepped
        self._recovered = 0
        self._leaving = False
        self.thread: EngineThread | None = None
        """The engine of this process, once it was started."""

    def start(self) -> None:
        """Lead the store, or wait to take over."""
        self.thread = EngineThread(self._app.deck, self._told, self._stepped, self._ended)
        self.thread.start()

    def words(self, snapshot: Snapshot) -> tuple[str, bool]:
        """What the engine does, in a word, and whether that is something to worry about."""
        if self.thread is not None and self.thread.trouble is not None:
            return f"TROUBLE: {self.thread.trouble}", True
        if self.thread is not None and self.thread.leads:
            return "leading", False
        leader = snapshot.leader
        if leader is None or leader.until <= snapshot.at or _is_this(leader.owner):
            return "no engine", True
        return f"attached to pid {leader.pid}", False

    def leave(self) -> None:
        """Leave a form, else the console: at once, or as is chosen while jobs run in it."""
        from console.app.dialogs.form import Form
        from console.app.dialogs.quit_dialog import Draining, Leaving, QuitDialog

        app, thread = self._app, self.thread
        if isinstance(app.screen, Form):
            app.screen.action_leave()
        elif isinstance(app.screen, Draining):
            app.screen.action_harder()
        elif app.underway.progress:
            app.tell(f"{app.underway.progress}; esc stops it, then it can be left", severity="warning")
        elif thread is None or not thread.is_alive():
            app.exit(0)
        elif not thread.running or app.deck.demo:
            # What a demo runs is only pretended.
            self._leave_so(thread, Leaving.STOP)
        elif not isinstance(app.screen, QuitDialog):
            dialog = QuitDialog(lambda: thread.running, app.deck.config.grace)
            app.push_screen(dialog, lambda how: None if how is None else self._leave_so(thread, how))

    def hang_up(self) -> None:
        """The terminal is gone, or someone told the process to end: leave it, and let the engine drain behind."""
        self._leaving = True
        self._app.exit(0)

    def see_out(self, tell: Callable[[str], None]) -> None:
        """Without a screen any more: let what runs end within the grace time, then stop it; a signal stops it now."""
        thread = self.thread
        if thread is None or not thread.is_alive():
            return
        grace = self._app.deck.config.grace
        before = {number: signal.signal(number, lambda *_: thread.stop_now()) for number in ENDING}
        try:
            if thread.running:
                tell(f"waiting up to {format_duration(grace)} for running jobs; Ctrl-C stops them now")
            thread.drain(grace)
            while thread.is_alive():
                # A signal is heard between two turns.
                thread.join(0.1)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _leave_so(self, thread: EngineThread, how: "Leaving") -> None:
        from console.app.dialogs.quit_dialog import Draining

        self._leaving = True
        self._app.push_screen(Draining(thread, how))

    def _told(self, event: Event) -> None:
        if event.kind == "trouble":
            self._app.from_thread(lambda: self._app.tell(event.words, severity="error"))
        elif event.kind == "config":
            self._app.from_thread(lambda: self._app.tell(event.words))
        elif event.kind == "recover":
            self._app.from_thread(lambda: self._recovering(event))

    def _recovering(self, event: Event) -> None:
        """One sentence for all that a recovery settles, however much that is."""
        self._recovered += 1
        if self._recovered == 1:
            self._app.set_timer(TOGETHER, lambda: self._tell_recovery(event))

    def _tell_recovery(self, first: Event) -> None:
        count, self._recovered = self._recovered, 0
        more = "" if count == 1 else f"; and {count - 1:,} more, see: jobdeck status"
        self._app.tell(f"recovered: job {first.job}: {first.words}{more}", severity="warning")

    def _ended(self, trouble: str | None) -> None:
        """Called in the engine's thread; an end that nobody asked for is shown until it is answered."""
        if not self._leaving:
            words = trouble or "it was told to end"
            self._app.from_thread(lambda: self._ask_what_next(words))

    def _ask_what_next(self, words: str) -> None:
        from console.app.dialogs.engine_dialog import EngineDialog

        self._app.push_screen(EngineDialog(words), lambda again: self.start() if again else None)


def _is_this(owner: str) -> bool:
    """Whether it is this very process, which no longer leads when its engine doesn't."""
    process = parse_owner(owner)
    return process is not None and process.pid == os.getpid() and process.host == host()
