"""One job, whole: its facts, its timeline, its attempts, its log and its data, each in a tab."""

from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from console.app.actions import ACTIONS, Action, On
from console.app.deck import Deck
from console.app.doing import Doing, WaysBack
from console.app.job_keys import OF_TAB, OWN, SHARED, bindings
from console.app.job_sight import JobSight, sight_of, target_of
from console.app.pager import show_in_pager
from console.app.snapshot import Snapshot
from console.app.tabs.attempts import AttemptsTab
from console.app.tabs.base import JobTab
from console.app.tabs.data import DataTab
from console.app.tabs.facts import FactsTab
from console.app.tabs.log import LogTab
from console.app.tabs.timeline import TimelineTab
from console.app.targets import Meant, only
from console.app.widgets.job_title import JobTitle
from console.app.widgets.key_bar import KeyBar
from console.app.widgets.list_pane import ListPane
from console.app.widgets.tab_line import TabLine
from core.filters import Filter
from core.jobs import Schedule
from core.refusals import JobdeckError, NoSuchThing

if TYPE_CHECKING:
    from console.app.app import JobdeckApp


class JobScreen(Screen[None]):
    """A job that stays the same one, whatever becomes of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(),
        *(Binding(str(at), f"tab({at - 1})", show=False) for at in range(1, len(OF_TAB) + 1)),
        Binding("tab,right", "next_tab(1)", "next tab", show=False),
        Binding("shift+tab,left", "next_tab(-1)", "previous tab", show=False),
    ]
    if TYPE_CHECKING:
        app: JobdeckApp

    def __init__(self, deck: Deck, job: int, tab: str = "facts", *, undo: WaysBack | None = None) -> None:
        super().__init__()
        self.deck = deck
        self.job = job
        self.doing = Doing(self, undo)
        self.log_tab, self.attempts, self.data_tab = LogTab(), AttemptsTab(deck), DataTab()
        self.tabs: dict[str, JobTab] = {
            "facts": FactsTab(deck),
            "timeline": TimelineTab(deck),
            "attempts": self.attempts,
            "log": self.log_tab,
            "data": self.data_tab,
        }
        self._title = JobTitle(job, deck.clock)
        self._tab_line = TabLine([one.NAME for one in self.tabs.values()])
        self._key_bar = KeyBar()
        self.tab = tab if tab in self.tabs else "facts"
        """The name of the tab that is open."""
        self.sight: JobSight | None = None
        self.snapshot: Snapshot | None = None
        """What the deck knows, for the forecast."""
        self._asking = self._ask_again = False

    def compose(self) -> ComposeResult:
        """The job's name, the tabs, the keys."""
        yield self._title
        yield self._tab_line
        yield from self.tabs.values()
        yield self._key_bar

    def on_mount(self) -> None:
        """Open the tab that was wanted, and read."""
        self.open_tab(self.tab)
        self._ask()
        self.set_interval(1.0, self._tick)

    def on_screen_resume(self) -> None:
        """Something may have happened while another screen was above."""
        self._ask()

    def store_changed(self, snapshot: Snapshot) -> None:
        """Look again."""
        self.snapshot = snapshot
        self._ask()

    @property
    def hiding(self) -> Filter:
        """No filter hides anything here."""
        return Filter()

    def meant(self, *, many: bool) -> Meant:
        """This very job."""
        del many
        return only(None if self.sight is None else target_of(self.sight.job))

    @property
    def slipped(self) -> bool:
        """This job stays the same one."""
        return False

    def schedule(self) -> Schedule | None:
        """A schedule is never meant here."""
        return None

    def acting(self, action: Action) -> None:
        """Nothing was marked."""

    def open_tab(self, name: str) -> None:
        """Show one side of the job."""
        self.tab = name
        for one, tab in self.tabs.items():
            tab.display = one == name
        self._tab_line.show(list(self.tabs).index(name))
        self._show_tab()
        self.tabs[name].take_focus()
        self._show_keys()

    def action_tab(self, number: int) -> None:
        """A tab's number was pressed."""
        self.open_tab(list(self.tabs)[number])

    def action_next_tab(self, by: int) -> None:
        """Go to the next tab, or to the one before."""
        names = list(self.tabs)
        self.open_tab(names[(names.index(self.tab) + by) % len(names)])

    def action_do(self, name: str) -> None:
        """A key was pressed."""
        self.do(OWN[name] if name in OWN else ACTIONS[name])

    def do(self, action: Action, value: str = "") -> None:
        """Do an action to this job, or say why not."""
        if action.on is not On.VIEW:
            self.doing.do(action, value)
        elif (view := getattr(self, f"view_{action.name.replace('-', '_')}", None)) is not None:
            view()
        self._show_keys()

    def view_back(self) -> None:
        """Leave a search, then the job."""
        if self.tab != "log" or not self.log_tab.view.leave_search():
            self.dismiss()

    def view_enter(self) -> None:
        """Open what is under the cursor."""
        line = self.attempts.selected() if self.tab == "attempts" else None
        if self.tab == "data":
            self.data_tab.fold()
        elif line is not None and line.job.id != self.job:
            self.app.open_job(line.job.id, "facts" if line.execution is None else "log")
        elif line is not None and line.execution is not None:
            self.open_tab("log")
            self.log_tab.choose(line.execution.exec_id)

    def view_fold(self) -> None:
        """Fold, where there is something to fold."""
        if self.tab == "data":
            self.data_tab.fold()

    def view_log(self) -> None:
        """Show what the job prints."""
        self.open_tab("log")

    def view_search(self) -> None:
        """Search the log, from any tab."""
        self.open_tab("log")
        self.log_tab.view.action_search()

    def view_wrap(self) -> None:
        """Fold long lines of the log."""
        if self.tab == "log":
            self.log_tab.view.action_wrap()

    def view_older_log(self) -> None:
        """The log of the attempt before."""
        self._step_log(-1)

    def view_newer_log(self) -> None:
        """The log of the attempt after."""
        self._step_log(1)

    def view_copy(self) -> None:
        """Copy what the tab offers."""
        text = self.tabs[self.tab].copied()
        if text is None:
            self.app.tell("there is nothing to copy here", severity="warning")
        else:
            self.app.copy_to_clipboard(text)
            first, *more = text.splitlines() or [""]
            rest = f" … and {len(more):,} more lines" if more else ""
            self.app.tell(f"copied: {first[:80]}{'…' if len(first) > 80 else ''}{rest}")

    def view_pager(self) -> None:
        """Read the tab's content in a pager."""
        shown = self.tabs[self.tab].paged()
        trouble = "there is nothing to read here" if not shown else show_in_pager(self.app, shown)
        if trouble is not None:
            self.app.tell(trouble, severity="warning")

    def view_theme(self) -> None:
        """The next set of colours."""
        self.app.next_theme()

    def view_help(self) -> None:
        """Every key."""
        self.app.show_help()

    def view_quit(self) -> None:
        """Leave the console."""
        self.app.engine.leave()

    @on(TabLine.Chosen)
    def _tab_chosen(self, event: TabLine.Chosen) -> None:
        self.action_tab(event.number)

    @on(KeyBar.Chosen)
    def _key_chosen(self, event: KeyBar.Chosen) -> None:
        self.do(event.action)

    @on(ListPane.Opened)
    def _opened(self, _event: ListPane.Opened) -> None:
        self.view_enter()

    @on(events.DescendantFocus)
    def _focused(self) -> None:
        self._show_keys()

    def _step_log(self, by: int) -> None:
        self.open_tab("log")
        trouble = self.log_tab.step(by)
        if trouble is not None:
            self.app.tell(trouble, severity="warning")

    def _ask(self) -> None:
        """Have the job read; what changes meanwhile is read once more afterwards, not each time."""
        if self._asking:
            self._ask_again = True
            return
        self._asking = True
        job = self.job
        self.app.ask(lambda views: sight_of(views, job), self._told)

    def _told(self, found: JobSight | JobdeckError) -> None:
        self._asking = False
        if not self.is_attached:
            # It was left while the answer was on its way.
            return
        if isinstance(found, JobdeckError):
            if self.sight is None or isinstance(found, NoSuchThing):
                self.sight = None
                self._title.say(str(found))
                self._show_keys()
        else:
            starts = {} if self.snapshot is None else self.snapshot.starts
            fresh = found.starting(starts.get(self.job))
            if fresh != self.sight:
                self.sight = fresh
                self._title.show(fresh.whole)
                self._show_tab()
                self._show_keys()
        if self._ask_again:
            self._ask_again = False
            self._ask()

    def _show_tab(self) -> None:
        if self.sight is not None:
            self.tabs[self.tab].show(self.sight)

    def _tick(self) -> None:
        """Ages and bars go on without the store."""
        if self.is_active:
            self._title.refresh()
            self.tabs[self.tab].tick()

    def _show_keys(self) -> None:
        own = [(OWN[name], True) for name in OF_TAB[self.tab]]
        shared = self.doing.possible(SHARED)
        shared.sort(key=lambda pair: (not pair[1], not pair[0].important))
        self._key_bar.show([*own, *shared], self.app.changed_keys)
