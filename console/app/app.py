"""The app: holds the threads that read, write and run jobs, and leads from screen to screen."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable

from textual.binding import Binding, BindingType
from textual.command import CommandPalette, Provider
from textual.notifications import SeverityLevel

from console.app import ahead
from console.app.actions import Action
from console.app.commands import Colours, Command, Filtering, OpenJob, Perform, parse_command
from console.app.deck import Deck
from console.app.dialogs.base import Dialog
from console.app.done import Done
from console.app.engine_seat import EngineSeat
from console.app.hand import Hand
from console.app.keymap import keymap
from console.app.keys_in_order import KeysInOrder
from console.app.lookout import Lookout
from console.app.memory import recall, remember
from console.app.palette import ActionProvider, Palette
from console.app.ringing import Ringing
from console.app.screens.deck import DeckScreen
from console.app.screens.welcome import WelcomeScreen
from console.app.snapshot import Sight, Snapshot
from console.app.terminal import Terminal
from console.app.themes import NAMES, THEMES
from console.app.underway import Underway
from console.app.widgets.header import Header
from console.app.widgets.prompt import Prompt
from console.plain import plain
from core.filter_parser import parse
from core.jobs import Schedule
from core.refusals import JobdeckError
from store.store import Store
from store.views import Views

if TYPE_CHECKING:
    from store.work import Work

T = TypeVar("T")

PATIENCE = 20.0
"""So many seconds a console that was left waits for a store that doesn't answer."""


@runtime_checkable
class LivingScreen(Protocol):
    """A screen above the deck that shows things of the store."""

    def store_changed(self, snapshot: Snapshot) -> None:
        """Something has changed, or time has passed: look again."""
        ...


class JobdeckApp(KeysInOrder):
    """The console."""

    TITLE = "jobdeck"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ActionProvider}
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "leave", "quit", show=False, priority=True)]

    def __init__(self, deck: Deck) -> None:
        super().__init__()
        self.driver_class = Terminal
        self.deck = deck
        self.changed_keys, self._complaints = keymap(deck.config.keys)
        """The keys that the operator has changed, by action."""
        self.memory = recall(deck.places.home)
        self._deck_screen = DeckScreen(deck, self.memory.commands)
        self._lookout = Lookout(deck, self._delivered, self._unreadable)
        self._hand = Hand(deck)
        self.engine = EngineSeat(self, self._lookout.hint)
        self.underway = Underway(self, self._hand)
        self._ringing = Ringing(self)
        for theme in THEMES:
            self.register_theme(theme)

    async def settled(self, pause: Callable[[], Awaitable[None]]) -> None:
        """Wait until everything that was asked of the threads has arrived on the screen; for pictures and tests."""
        await pause()
        while self._busy:
            await asyncio.sleep(0.005)
            if not self._busy:
                await pause()
        await pause()

    @property
    def _busy(self) -> bool:
        from console.app.widgets.log_lines import LogLines

        reading = not (self._lookout.idle and self._hand.idle and all(log.idle for log in self.screen.query(LogLines)))
        return reading or self._deck_screen.query_one(Prompt).waiting

    def now(self) -> datetime:
        """The present instant, as this console has it."""
        return self.deck.clock()

    def on_mount(self) -> None:
        """Show the deck, then start the threads: the first paint waits for nothing."""
        self.theme = NAMES.get(self.deck.config.theme or self.memory.theme or "dark", NAMES["dark"])
        self.set_keymap(self.changed_keys)
        self.push_screen(self._deck_screen)
        for complaint in self._complaints:
            self.tell(complaint, severity="warning")
        if not self.memory.welcomed:
            self.memory.welcomed = True
            self.push_screen(WelcomeScreen())
        self._lookout.start()
        self._hand.start()
        if not self.is_headless:
            for number in (signal.SIGHUP, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, self.engine.hang_up)
        if self.deck.engine and not self.deck.read_only:
            self.engine.start()

    def on_unmount(self) -> None:
        """Let the threads end, and keep what is worth remembering."""
        if not self.deck.demo:
            remember(self.deck.places.home, self.memory)
        self._lookout.end()
        self._hand.end()

    def see_out(self, tell: Callable[[str], None]) -> None:
        """Without a screen any more: let the engine end, and what was decided be done."""
        self.engine.see_out(tell)
        for thread in (self._hand, self._lookout):
            if thread.is_alive():
                thread.join(PATIENCE)

    def lost_terminal(self) -> None:
        """There is no terminal any more; called in the threads that read and paint it."""
        self.from_thread(self.engine.hang_up)

    @property
    def failure(self) -> Exception | None:
        """The defect that ended it, if one did."""
        return self._exception

    def _fatal_error(self) -> None:
        # Whoever runs it tells the failure, in a sentence.
        self._close_messages_no_wait()

    def look_at(self, sight: Sight) -> None:
        """Have this read."""
        self._lookout.look_at(sight)

    def look_again(self) -> None:
        """Something was changed here: show it at once."""
        self._lookout.nudge()

    def carry_out(self, operation: Callable[["Work"], Done], told: Callable[[Done | JobdeckError], None]) -> None:
        """Have this written."""

        def done(result: Done | JobdeckError) -> None:
            self.from_thread(lambda: told(result))
            self._lookout.nudge()

        self._hand.do(operation, done)

    def send(self, errand: Callable[[Store], T], told: Callable[[T | JobdeckError], None]) -> None:
        """Have something done that takes more than one look at the store."""

        def done(result: T | JobdeckError) -> None:
            self.from_thread(lambda: told(result))
            self._lookout.nudge()

        self._hand.send(errand, done)

    def show_progress(self) -> None:
        """Show what is under way."""
        if self._deck_screen.is_running:
            self._deck_screen.show_progress(self.underway.progress)

    @property
    def snapshot(self) -> Snapshot | None:
        """What the operator sees; None until the store was read."""
        return self._deck_screen.snapshot

    def ask(self, query: Callable[[Views], T], told: Callable[[T | JobdeckError], None]) -> None:
        """Have something read once; `told` is called in the screen's thread."""
        self._lookout.ask(query, lambda found: self.from_thread(lambda: told(found)))

    def tell(self, text: str, severity: SeverityLevel = "information") -> None:
        """Tell the operator something; whatever the text holds, it is only text."""
        self.notify(plain(text), severity=severity, markup=False, timeout=5 if severity == "information" else 10)

    def ring(self, sequence: str) -> None:
        """Send the terminal something that it does not paint."""
        if not self.is_headless and self._driver is not None:
            self._driver.write(sequence)

    def next_theme(self) -> None:
        """The next set of colours."""
        names = list(NAMES)
        current = next((name for name in names if NAMES[name] == self.theme), names[-1])
        self.set_colours(names[(names.index(current) + 1) % len(names)])

    def set_colours(self, name: str) -> None:
        """Take these colours, now and the next time."""
        self.theme = NAMES[name]
        self.memory.theme = name

    def do(self, action: Action) -> None:
        """Do an action on the deck, wherever it was chosen."""
        self._deck_screen.do(action)

    def command(self, text: str) -> None:
        """Carry out what was typed behind a colon."""
        try:
            self._carry_out_command(parse_command(text))
        except JobdeckError as error:
            self.tell(str(error), severity="warning")

    def _carry_out_command(self, wanted: Command | None) -> None:
        match wanted:
            case OpenJob():
                self.open_job(wanted.job, "facts")
            case Filtering():
                self._deck_screen.set_filter(parse(wanted.text))
            case Colours():
                self.set_colours(wanted.name)
            case Perform():
                self._deck_screen.do(wanted.action, wanted.value)

    def show_help(self) -> None:
        """Every key."""
        from console.app.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.changed_keys))

    def queue_samples(self) -> None:
        """Queue a few harmless jobs, to have something to look at."""
        from console.app.samples import queue_samples

        self.carry_out(queue_samples, self._deck_screen.doing.told)

    def action_command_palette(self) -> None:
        """Find an action by its words."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(id="--command-palette"))

    def action_leave(self) -> None:
        """Ctrl-C is a way to leave, not to break."""
        self.engine.leave()

    def from_thread(self, act: Callable[[], Any]) -> None:
        """Have something done in the screen's thread, unless it is gone."""
        if self.is_running:
            self.call_later(act)

    def _delivered(self, snapshot: Snapshot) -> None:
        self.from_thread(lambda: self._show(snapshot))

    def _show(self, snapshot: Snapshot) -> None:
        if not self._deck_screen.is_running:
            return
        ahead.begin()
        header = self._deck_screen.query_one(Header)
        header.engine, header.alarm = self.engine.words(snapshot)
        self._deck_screen.show(snapshot)
        self._ringing.say(snapshot.said)
        if isinstance(self.screen, LivingScreen):
            self.screen.store_changed(snapshot)

    def _unreadable(self, words: str) -> None:
        self.from_thread(lambda: self.notify(plain(words), severity="error", markup=False))

    def open_job(self, job: int, tab: str) -> None:
        """Show a job whole; one that is on top already only turns to that tab."""
        from console.app.screens.job import JobScreen

        if isinstance(self.screen, JobScreen) and self.screen.job == job:
            self.screen.open_tab(tab)
            return
        screen = JobScreen(self.deck, job, tab, undo=self._deck_screen.doing.undo)
        screen.snapshot = self.snapshot
        self.push_screen(screen)

    def open_outbox(self) -> None:
        """Show what could not be told, and what waits to be."""
        from console.app.screens.outbox import OutboxScreen

        if not isinstance(self.screen, OutboxScreen):
            self.push_screen(OutboxScreen(self.deck))

    def open_gate(self, job: int, *, grant: bool) -> None:
        """Answer the gate that a job stands at."""
        from console.app.dialogs.gate_dialog import GateDialog
        from console.app.evidence import gather

        self._present(lambda views: gather(views, job), lambda found: GateDialog(found, grant=grant))

    def open_editor(self, job: int) -> None:
        """Change a job."""
        from console.app.dialogs.job_editor import JobEditor, editable

        deck = self.deck
        self._present(
            lambda views: editable(views, job),
            lambda found: JobEditor(found, deck.config.type_named(found.job_type), deck.zone),
        )

    def open_schedule_form(self, schedule: Schedule | None) -> None:
        """Make a schedule, or change one."""
        from console.app.dialogs.schedule_form import ScheduleForm

        deck = self.deck
        self._present(
            lambda views: (views.templates(), None if schedule is None else views.schedule(schedule.name)),
            lambda found: ScheduleForm(deck.config, found[0], deck.zone, found[1]),
        )

    def open_job_form(self) -> None:
        """Submit a job."""
        from console.app.dialogs.job_form import JobForm

        self._present(lambda views: views.templates(), lambda found: JobForm(self.deck.config, found))

    def open_direct(self) -> None:
        """Run a template's job in the next free slot."""
        from console.app.dialogs.direct_dialog import DirectDialog

        self._present(lambda views: views.templates(), lambda found: DirectDialog(self.deck.config, found))

    def _present(self, query: Callable[[Views], T], dialog: Callable[[T], Dialog[Done]]) -> None:
        """Show a dialog about something that has to be read first; what it has done is told, and kept to be undone."""

        def read(found: T | JobdeckError) -> None:
            self.opened()
            if isinstance(found, JobdeckError):
                self.tell(str(found), severity="error")
            elif not isinstance(self.screen, Dialog):
                self.push_screen(dialog(found), done)

        def done(result: Done | None) -> None:
            if result is not None:
                self._deck_screen.doing.told(result)

        self.opening()
        self.ask(query, read)
