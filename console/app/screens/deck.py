"""The deck: all panes at once where there is room, one at a time where there is not."""

from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from console.app.actions import ACTIONS, Action, On, actions_for, keys_of
from console.app.deck import Deck
from console.app.doing import Doing
from console.app.looking import Looking
from console.app.panes.approvals import ApprovalsPane
from console.app.panes.base import Filtered, Pane
from console.app.panes.chains import ChainsPane
from console.app.panes.history import HistoryPane
from console.app.panes.queue import QueuePane
from console.app.panes.running import RunningPane
from console.app.panes.schedules import SchedulesPane
from console.app.snapshot import MOST, PaneNumber, Sight, Snapshot
from console.app.targets import Meant
from console.app.widgets.header import Header
from console.app.widgets.key_bar import KeyBar
from console.app.widgets.list_pane import ListPane
from console.app.widgets.pane_tabs import PaneTabs
from console.app.widgets.progress_line import ProgressLine
from console.app.widgets.prompt import Prompt
from core.filters import Filter
from core.jobs import Schedule

if TYPE_CHECKING:
    from console.app.app import JobdeckApp

WIDE, HIGH = 120, 30
"""From this size on all panes are shown at once."""


class DeckScreen(Screen[None]):
    """The panes, the line above them and the keys below."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys_of(None),
        *(
            Binding(str(number.value), f"pane({number.value})", number.name.title(), show=False)
            for number in PaneNumber
        ),
        Binding("tab", "next_pane(1)", "next pane", show=False),
        Binding("shift+tab", "next_pane(-1)", "previous pane", show=False),
        Binding("escape", "step_back", "back", show=False),
    ]
    DEFAULT_CSS = """
    DeckScreen {
        #upper { height: 3fr; }
        #lower { height: 2fr; }
        #right { width: 45%; }
        QueuePane { width: 55%; }
        RunningPane { height: 3fr; }
        ApprovalsPane { height: 2fr; }
        ChainsPane { width: 55%; }
        SchedulesPane { width: 45%; }
        &.one {
            #upper, #lower { height: 1fr; }
            #right, QueuePane, ChainsPane, SchedulesPane { width: 100%; }
            RunningPane, ApprovalsPane { height: 1fr; }
        }
    }
    """
    if TYPE_CHECKING:
        app: JobdeckApp

    def __init__(self, deck: Deck, commands: list[str]) -> None:
        super().__init__()
        self.deck = deck
        clock = deck.clock
        self.panes: dict[PaneNumber, Pane[Any]] = {
            pane.NUMBER: pane
            for pane in (
                QueuePane(clock),
                RunningPane(clock),
                ChainsPane(clock),
                SchedulesPane(clock),
                ApprovalsPane(clock),
                HistoryPane(clock),
            )
        }
        self._current = PaneNumber.QUEUE
        self._zoomed = False
        self.snapshot: Snapshot | None = None
        self._prompt = Prompt(commands)
        self.doing = Doing(self)
        self.looking = Looking(self)

    @property
    def active(self) -> Pane[Any]:
        """The pane that keys go to."""
        return self.panes[self._current]

    @property
    def queue(self) -> QueuePane:
        """The queue's pane."""
        pane = self.panes[PaneNumber.QUEUE]
        assert isinstance(pane, QueuePane)  # noqa: S101 - the table above says so
        return pane

    @property
    def history(self) -> HistoryPane:
        """The history's pane."""
        pane = self.panes[PaneNumber.HISTORY]
        assert isinstance(pane, HistoryPane)  # noqa: S101 - the table above says so
        return pane

    def compose(self) -> ComposeResult:
        """The line on top, the panes, the line for typing, the keys."""
        panes = self.panes
        yield Header(self.deck.clock, read_only=self.deck.read_only)
        yield PaneTabs()
        with Horizontal(id="upper"):
            yield panes[PaneNumber.QUEUE]
            with Vertical(id="right"):
                yield panes[PaneNumber.RUNNING]
                yield panes[PaneNumber.APPROVALS]
        with Horizontal(id="lower"):
            yield panes[PaneNumber.CHAINS]
            yield panes[PaneNumber.SCHEDULES]
        yield panes[PaneNumber.HISTORY]
        yield ProgressLine()
        yield self._prompt
        yield KeyBar()

    def on_mount(self) -> None:
        """Begin with the queue."""
        self.lay_out()
        self.active.focus()
        self.set_interval(1.0, self._tick)

    def on_resize(self, _event: events.Resize) -> None:
        """Show as much as fits."""
        self.lay_out()

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        self.snapshot = snapshot
        self.query_one(Header).show(snapshot)
        for pane in self.panes.values():
            if pane.display:
                pane.show(snapshot)
        self.query_one(PaneTabs).show(self._current, snapshot)
        self._show_keys()

    def lay_out(self) -> None:
        """Show all panes, or only the one that keys go to."""
        one = self._zoomed or self._current is PaneNumber.HISTORY or self.size.width < WIDE or self.size.height < HIGH
        self.set_class(one, "one")
        for number, pane in self.panes.items():
            pane.display = number is self._current if one else number is not PaneNumber.HISTORY
        for name in ("upper", "right", "lower"):
            box = self.query_one(f"#{name}")
            box.display = any(pane.display for pane in self.panes.values() if box in pane.ancestors)
        tabs = self.query_one(PaneTabs)
        tabs.display = one
        if self.snapshot is not None:
            self.show(self.snapshot)
        self.look()

    def look(self) -> None:
        """Have what is in sight read."""
        shown = frozenset(number for number, pane in self.panes.items() if pane.display)
        place = self.queue.place()
        sight = Sight(
            panes=shown,
            queue_offset=place.offset,
            queue_limit=place.limit,
            selected=place.selected,
            queue_filter=self.queue.filter,
            history_filter=self.history.filter,
            history_limit=self.history.wanted(),
            marked=self._watched_marks(),
        )
        self.app.look_at(sight)

    @property
    def hiding(self) -> Filter:
        """The filter that hides a part of the queue."""
        return self.queue.filter

    def meant(self, *, many: bool) -> Meant:
        """What is marked, or under the cursor."""
        return self.active.meant(many=many)

    @property
    def slipped(self) -> bool:
        """Whether the job under the cursor has just gone."""
        return self.active.slipped

    def schedule(self) -> Schedule | None:
        """The schedule under the cursor."""
        pane = self.active
        return pane.selected_schedule() if isinstance(pane, SchedulesPane) else None

    def acting(self, action: Action) -> None:
        """The marks have served, unless the block may be moved on; what a new order changes will be shown."""
        if action.verb in ("move", "priority", "hold"):
            self.queue.remember_starts()
        if action.verb != "move":
            self.active.mark(())

    def action_do(self, name: str) -> None:
        """An action's key was pressed."""
        self.do(ACTIONS[name])

    def do(self, action: Action, value: str = "") -> None:
        """Do an action, or say why not."""
        if action.on is On.VIEW:
            self.looking.do(action)
        else:
            self.doing.do(action, value)
        self._show_keys()

    def action_pane(self, number: int) -> None:
        """A pane's number was pressed."""
        self.go_to(PaneNumber(number))

    def go_to(self, number: PaneNumber) -> None:
        """Go to a pane."""
        self._current = number
        self.lay_out()
        self.active.focus()

    def action_next_pane(self, by: int) -> None:
        """Go to the next pane."""
        order = list(PaneNumber)
        self.go_to(order[(order.index(self._current) + by) % len(order)])

    def zoom(self) -> None:
        """Show the active pane alone, or all of them again."""
        self._zoomed = not self._zoomed
        self.lay_out()
        self.active.focus()

    def action_step_back(self) -> None:
        """Leave the innermost thing: what is under way, then marks, a filter, the zoom."""
        pane = self.active
        if self.app.underway.stop_latest():
            return
        if pane.marks:
            pane.mark(())
        elif isinstance(pane, Filtered) and pane.filter.terms:
            self.set_filter(Filter())
        elif self._zoomed:
            self.zoom()

    def set_filter(self, chosen: Filter) -> None:
        """Show only what matches; marks are for what was seen."""
        pane = self.active if isinstance(self.active, QueuePane | HistoryPane) else self.queue
        if chosen != pane.filter:
            pane.filter = chosen
            pane.steer()
            pane.mark(())
            pane.scroll_home(animate=False)
            self.look()

    @on(ListPane.Opened)
    def _opened(self, _event: ListPane.Opened) -> None:
        self.looking.open()

    @on(ListPane.Moved)
    def _moved(self, _event: ListPane.Moved) -> None:
        self._show_keys()
        self.look()

    @on(events.DescendantFocus)
    def _focused(self, event: events.DescendantFocus) -> None:
        if isinstance(event.widget, Pane):
            self._current = event.widget.NUMBER
            self._show_keys()

    @on(KeyBar.Chosen)
    def _key_chosen(self, event: KeyBar.Chosen) -> None:
        self.do(event.action)

    @on(PaneTabs.Chosen)
    def _tab_chosen(self, event: PaneTabs.Chosen) -> None:
        self.action_pane(event.number)

    @on(Prompt.Filtered)
    def _filtered(self, event: Prompt.Filtered) -> None:
        self.set_filter(event.chosen)

    @on(Prompt.Commanded)
    def _commanded(self, event: Prompt.Commanded) -> None:
        self.app.command(event.text)

    @on(Prompt.Left)
    def _prompt_left(self, _event: Prompt.Left) -> None:
        self.active.focus()

    def _watched_marks(self) -> tuple[int, ...]:
        """The marks that are few enough to be looked after one by one."""
        return tuple(job for pane in self.panes.values() if len(pane.marks) <= MOST for job in pane.marks)

    def show_progress(self, words: str) -> None:
        """Say what is under way, or nothing."""
        self.query_one(ProgressLine).show(words)

    def _tick(self) -> None:
        """Ages and countdowns go on without the store."""
        for pane in self.panes.values():
            if pane.display:
                pane.repaint()
        self.query_one(Header).refresh()

    def _show_keys(self) -> None:
        self.query_one(KeyBar).show(self.doing.possible(actions_for(self._current)), self.app.changed_keys)
