"""Every key in one place, made from the table of actions."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.actions import ACTIONS, Action, On, shown_key
from console.app.job_keys import OWN
from console.app.outbox_keys import OWN as OF_OUTBOX
from console.app.snapshot import PaneNumber

WIDE, AROUND = 104, 8
"""How wide the page likes to be, and how much of that are frame and margins."""

MOVING = (
    ("1 … 6", "go to a pane: queue, running, chains, schedules, approvals, history"),
    ("tab", "go to the next pane; shift+tab to the one before"),
    ("↑ ↓ j k", "move the cursor; pgup, pgdn, home, end, g and G go further"),
    ("esc", "leave whatever is open; then clear marks, the filter, the zoom"),
    ("ctrl+p", "find any action by its words"),
)
FILTERS = (
    ("word", "in the type, key, command or tags"),
    ("status:failed", "one or more states, with commas between them; also phase:final, held:yes"),
    ("type:etl key:x*", "a star stands for anything"),
    ("tag:env=prod", "a tag with that value; tag:env for any value"),
    ("priority>5 age<1h", "numbers and ages; also attempt and id"),
    ("!status:failed", "a ! in front turns a condition round"),
)


class HelpScreen(ModalScreen[None]):
    """The keys by what they are done to."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "dismiss", "leave", show=False)]
    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        VerticalScroll {
            width: 104;
            max-width: 96%;
            height: 90%;
            border: round $border;
            background: $surface;
            padding: 1 2;
        }
    }
    """

    def __init__(self, keys: Mapping[str, str]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        """One page that scrolls."""
        with VerticalScroll() as page:
            page.border_title = Content("Keys")
            page.border_subtitle = Content("esc leaves")
            yield Static("", markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """The words are folded to the room there is."""
        room = min(WIDE, event.size.width * 96 // 100) - AROUND
        self.query_one(Static).update(Content("\n").join(list(self._lines(room))))

    def _lines(self, room: int) -> Iterator[Content]:
        yield from _section("Moving around", [(keys, "", words) for keys, words in MOVING], room)
        groups = (
            ("A job", On.JOB, None),
            ("The queue", On.JOB, PaneNumber.QUEUE),
            ("A schedule", On.SCHEDULE, PaneNumber.SCHEDULES),
            ("The whole store", On.STORE, None),
            ("The screen", On.VIEW, None),
        )
        for title, on, pane in groups:
            yield from _section(title, [self._line(action) for action in _chosen(on, pane)], room)
        yield from _section(
            "A job's screen", [("1 … 5", "", "facts, timeline, attempts, log, data"), *_of_a_job()], room
        )
        yield from _section("The outbox", [(shown_key(a.key), "", a.words) for a in OF_OUTBOX.values()], room)
        yield from _section("Filters", [(example, "", words) for example, words in FILTERS], room)

    def _line(self, action: Action) -> tuple[str, str, str]:
        notes = [note for note, holds in (("asks first", action.asks), ("can be undone", action.undoable)) if holds]
        extra = f" ({', '.join(notes)})" if notes else ""
        return shown_key(self._keys.get(action.name, action.key)), f":{action.name}", f"{action.words}{extra}"


def _of_a_job() -> list[tuple[str, str, str]]:
    return [(shown_key(action.key), "", action.words) for action in OWN.values()]


def _chosen(on: On, pane: PaneNumber | None) -> list[Action]:
    if pane is None:
        others = [action for action in ACTIONS.values() if action.on is on]
        return [action for action in others if on is not On.JOB or PaneNumber.QUEUE not in action.panes]
    return [action for action in ACTIONS.values() if action.on is on and pane in action.panes]


def _section(title: str, lines: Sequence[tuple[str, str, str]], room: int) -> Iterator[Content]:
    yield Content.styled(title, "bold")
    named = any(name for _, name, _ in lines)
    for keys, name, words in lines:
        first, second = f"  {keys.ljust(8 if named else 18)}", name.ljust(18) if named else ""
        indent = " " * len(first + second)
        folded = wrap(words, max(20, room - len(indent))) or [""]
        yield Content.assemble((first, "$accent"), (second, "$muted"), f"\n{indent}".join(folded))
    yield Content("")
