"""The outbox: what could not be told and why, what waits to be told, and who is switched off."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from console.app.actions import ACTIONS, Action, On
from console.app.deck import Deck
from console.app.doing import Doing
from console.app.outbox_keys import OWN, SHARED, bindings
from console.app.snapshot import MOST, Snapshot
from console.app.tabs.base import LONGEST, RowsList
from console.app.targets import Meant
from console.app.widgets.key_bar import KeyBar
from console.app.widgets.list_pane import ListPane
from console.app.widgets.pane_column import PaneColumn
from console.moments import exact
from console.plain import plain
from core.filters import Filter
from core.jobs import Schedule
from core.notifications import Notification
from core.refusals import JobdeckError
from core.when import format_relative
from store.views import Listener, OutboxCounts, Views

if TYPE_CHECKING:
    from console.app.app import JobdeckApp

SIGNS = {"failed": "✗", "retrying": "↻", "pending": "·"}
STYLES = {"failed": "status--failed", "retrying": "status--retrying", "pending": "status--queued"}


@dataclass(frozen=True, slots=True)
class OutboxSight:
    """What the screen shows."""

    rows: Sequence[Notification]
    counts: OutboxCounts
    listeners: Sequence[Listener]


def look(views: Views) -> OutboxSight:
    """What failed, then what waits."""
    rows = [*views.failed_notifications(MOST), *views.waiting_notifications(MOST)]
    return OutboxSight(rows, views.outbox_counts(), views.listeners())


class OutboxList(RowsList[Notification]):
    """The notifications that have not arrived."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        super().__init__(
            [
                PaneColumn("", lambda one: SIGNS.get(one.state, ""), 1, style=_style),
                PaneColumn("ID", lambda one: str(one.id), 5, right=True, drop=4),
                PaneColumn("EVENT", lambda one: one.event, 17, least=12, style=_style),
                PaneColumn("JOB", lambda one: "" if one.job is None else str(one.job), 6, right=True, drop=2),
                PaneColumn("TARGET", lambda one: one.target, 12, least=8),
                PaneColumn("WHY", lambda one: one.last_error or "", 20, least=12, grows=True),
                PaneColumn("TRIES", lambda one: str(one.attempts), 5, right=True, drop=3),
                PaneColumn("AGAIN", self._again, 8, right=True, drop=1),
            ]
        )

    def key_of(self, row: Notification) -> Hashable:
        """Its number."""
        return row.id

    def _again(self, one: Notification) -> str:
        return "" if one.next_attempt_at is None else format_relative(one.next_attempt_at, self._deck.clock())


class OutboxScreen(Screen[None]):
    """A list, what stands under its cursor in full, and the keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings()
    DEFAULT_CSS = """
    OutboxScreen {
        .title { height: 1; background: $panel; color: $text; text-style: bold; }
        .detail { height: auto; max-height: 8; padding: 0 1; background: $surface; color: $text; }
        OutboxList { height: 1fr; }
    }
    """
    if TYPE_CHECKING:
        app: JobdeckApp

    def __init__(self, deck: Deck) -> None:
        super().__init__()
        self.deck = deck
        self.doing = Doing(self)
        self.list = OutboxList(deck)
        self.sight: OutboxSight | None = None
        self._title = Static(Content(" Outbox"), classes="title", markup=False)
        self._below = Static(classes="detail", markup=False)
        self._key_bar = KeyBar()
        self._asking = self._ask_again = False

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield self._title
        yield self.list
        yield self._below
        yield self._key_bar

    def on_mount(self) -> None:
        """Read it."""
        self._below.display = False
        self.list.focus()
        self._ask()
        self._show_keys()
        self.set_interval(1.0, self.list.repaint)

    def on_screen_resume(self) -> None:
        """Something may have happened while another screen was above."""
        self._ask()

    def store_changed(self, _snapshot: Snapshot) -> None:
        """Look again."""
        self._ask()

    @property
    def hiding(self) -> Filter:
        """No filter hides anything here."""
        return Filter()

    def meant(self, *, many: bool) -> Meant:
        """A job is never meant here."""
        del many
        return Meant()

    @property
    def slipped(self) -> bool:
        """Whether the notification under the cursor has just gone."""
        return self.list.slipped

    def schedule(self) -> Schedule | None:
        """A schedule is never meant here."""
        return None

    def acting(self, action: Action) -> None:
        """Nothing was marked."""

    def action_do(self, name: str) -> None:
        """A key was pressed."""
        self.do(OWN[name] if name in OWN else ACTIONS[name])

    def do(self, action: Action) -> None:
        """Do it, or say why not."""
        own = getattr(self, f"do_{action.name}", None)
        if own is not None:
            own()
        elif action.on is On.VIEW:
            self.app.do(action)
        else:
            self.doing.do(action)
        self._show_keys()

    def do_back(self) -> None:
        """Leave."""
        self.dismiss()

    def do_open(self) -> None:
        """Open the job that it is about."""
        one = self.list.selected_row()
        if one is None or one.job is None:
            self.app.tell("there is no job here to open", severity="warning")
        else:
            self.app.open_job(one.job, "facts")

    def do_again(self) -> None:
        """Tell this one again."""
        one = self.list.selected_row()
        if one is None:
            self.app.tell("there is nothing here to tell again", severity="warning")
        elif self.slipped:
            words = "what was under the cursor has just left; look where it is now, and press again"
            self.app.tell(words, severity="warning")
        else:
            self.doing.do(ACTIONS["tell-again"], str(one.id))

    @on(ListPane.Moved)
    def _moved(self, _event: ListPane.Moved) -> None:
        self._show_detail()

    @on(ListPane.Opened)
    def _opened(self, _event: ListPane.Opened) -> None:
        self.do_open()

    @on(KeyBar.Chosen)
    def _key_chosen(self, event: KeyBar.Chosen) -> None:
        self.do(event.action)

    def _ask(self) -> None:
        """Have it read; what changes meanwhile is read once more afterwards, not each time."""
        if self._asking:
            self._ask_again = True
            return
        self._asking = True
        self.app.ask(look, self._told)

    def _told(self, found: OutboxSight | JobdeckError) -> None:
        self._asking = False
        if not self.is_attached:
            return
        if isinstance(found, JobdeckError):
            self._title.update(Content(f" Outbox · {plain(str(found))}"))
        elif found != self.sight:
            self.sight = found
            self.list.hints = self._hints(found)
            self.list.show_rows(found.rows)
            self._title.update(Content(plain(self._headline(found))))
            self._show_detail()
        if self._ask_again:
            self._ask_again = False
            self._ask()

    def _headline(self, found: OutboxSight) -> str:
        parts = [" Outbox"]
        parts += [f"{found.counts.failed:,} failed"] if found.counts.failed else []
        parts += [f"{found.counts.waiting:,} waiting"] if found.counts.waiting else []
        parts += [f"{one.name} is switched off: {one.off}" for one in found.listeners if one.off is not None]
        return " · ".join(parts)

    def _hints(self, found: OutboxSight) -> Sequence[str]:
        if found.listeners:
            names = ", ".join(one.name for one in found.listeners)
            return ("everything was told", "", plain(f"Who listens: {names}"), "Try one out:  jobdeck notify test NAME")
        return (
            "nobody is told anything",
            "",
            "Name someone in the config, under [notify.NAME], with a url, a command",
            "or a terminal; an engine that runs reads it by itself.",
        )

    def _show_detail(self) -> None:
        one = self.list.selected_row()
        self._below.display = one is not None
        if one is not None:
            lines = [one.message, f"to {one.target}, {self._standing(one)}", f"id {one.notification_id}"]
            self._below.update(Content("\n".join(plain(line[:LONGEST]) for line in lines)))

    def _standing(self, one: Notification) -> str:
        now, zone = self.deck.clock(), self.deck.zone
        parts = [f"since {exact(one.created_at, zone, now)}"]
        if one.failed_at is not None:
            parts.append(f"given up {exact(one.failed_at, zone, now)}")
        if one.last_error:
            parts.append(one.last_error)
        return "; ".join(parts)

    def _show_keys(self) -> None:
        own = [(action, action.on is On.VIEW or not self.deck.read_only) for action in OWN.values()]
        self._key_bar.show([*own, *self.doing.possible(SHARED)], self.app.changed_keys)


def _style(one: Notification) -> str:
    return STYLES.get(one.state, "")
