"""Every action of the console, declared once: its key, its words, what it is done to, and from which states.

The bindings, the key bar, the help, the palette, the `:` commands, the reason shown when one is not possible now, and
read-only mode all come from this table.
"""

from dataclasses import dataclass
from enum import Enum

from textual.binding import Binding, BindingType

from console.app.snapshot import PaneNumber
from console.app.targets import Meant
from core.verbs import VERBS, refusal


class On(Enum):
    """What an action is done to."""

    JOB = "a job"
    SCHEDULE = "a schedule"
    STORE = "the whole store"
    VIEW = "the screen"


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a key does."""

    name: str
    """What it is called in `:` commands and in the config."""
    key: str
    short: str
    """A word for the key bar."""
    words: str
    """A line for the help."""
    on: On = On.JOB
    verb: str | None = None
    """The rule in `core` that says from which states it is possible."""
    panes: frozenset[PaneNumber] = frozenset()
    """Where its key works; nowhere named means everywhere."""
    many: bool = True
    """Whether marks make it several at once."""
    asks: bool = False
    """Whether it asks before it acts."""
    important: bool = False
    """Whether the key bar shows it even when there is little room."""
    taken_back: bool = False
    """Whether it can be undone, where no rule in `core` says so."""

    @property
    def changes(self) -> bool:
        """Whether it changes anything; read-only mode refuses those."""
        return self.on is not On.VIEW

    @property
    def undoable(self) -> bool:
        """Whether it can be undone."""
        return self.taken_back or (self.verb is not None and VERBS[self.verb].undoable)

    @property
    def dangerous(self) -> bool:
        """Whether it can't be taken back."""
        return self.verb is not None and VERBS[self.verb].dangerous


_QUEUE = frozenset({PaneNumber.QUEUE})
_SCHEDULES = frozenset({PaneNumber.SCHEDULES})
_LISTS = frozenset({PaneNumber.QUEUE, PaneNumber.HISTORY})

ACTIONS: dict[str, Action] = {
    action.name: action
    for action in (
        Action("open", "enter", "open", "show the job whole: facts, timeline, log, data", On.VIEW, important=True),
        Action("log", "l", "log", "show what the job prints", On.VIEW),
        Action("up", "u", "up", "move it up in the queue", verb="move", panes=_QUEUE, important=True),
        Action("down", "d", "down", "move it down in the queue", verb="move", panes=_QUEUE, important=True),
        Action("top", "t", "top", "move it to the head of its priority", verb="move", panes=_QUEUE),
        Action("bottom", "b", "bottom", "move it to the tail of its priority", verb="move", panes=_QUEUE),
        Action("raise", "plus", "raise", "raise its priority by one", verb="priority"),
        Action("lower", "minus", "lower", "lower its priority by one", verb="priority"),
        Action("priority", "equals_sign", "priority", "set its priority", verb="priority"),
        Action("hold", "h", "hold", "keep it from starting, or let it start again", verb="hold", important=True),
        Action("edit", "e", "edit", "change its params and more, before its first run", verb="edit", many=False),
        Action("release", "R", "release", "put a draft into the queue", verb="release"),
        Action("retry", "r", "retry", "run it again: now if it waits, as a new job if it has ended", verb="retry"),
        Action("give-up", "X", "give up", "cut its remaining retries, which fails it", verb="give-up", asks=True),
        Action("cancel", "c", "cancel", "stop it for good", verb="cancel", asks=True, important=True),
        Action("kill", "K", "kill", "stop it at once, without a grace time", verb="kill", asks=True),
        Action("approve", "a", "approve", "let it pass its gate", verb="approve", many=False, asks=True),
        Action("deny", "x", "deny", "refuse its gate, which fails it", verb="deny", many=False, asks=True),
        Action("copy", "y", "copy", "copy its id and command", On.VIEW),
        Action("mark", "space", "mark", "mark it, for an action on several", On.VIEW),
        Action("mark-all", "asterisk", "mark all", "mark all that match the filter", On.VIEW),
        Action("trigger", "t", "trigger", "submit the schedule's job now", On.SCHEDULE, panes=_SCHEDULES,
               important=True),
        Action("switch", "o", "on/off", "let the schedule fire, or stop it", On.SCHEDULE, panes=_SCHEDULES,
               important=True, taken_back=True),
        Action("edit-schedule", "e", "edit", "change the schedule", On.SCHEDULE, panes=_SCHEDULES, taken_back=True),
        Action("remove-schedule", "D", "remove", "take the schedule away", On.SCHEDULE, panes=_SCHEDULES, asks=True),
        Action("new-schedule", "n", "new", "make a schedule", On.STORE, panes=_SCHEDULES, important=True),
        Action("new", "n", "new job", "submit a job", On.STORE),
        Action("direct", "D", "direct", "run a template's job in the next free slot", On.STORE),
        Action("samples", "S", "samples", "queue a few harmless sample jobs", On.STORE),
        Action("pause", "p", "pause", "let nothing new start, or go on", On.STORE, important=True),
        Action("slots", "s", "slots", "change how many jobs run at once", On.STORE),
        Action("undo", "z", "undo", "take back the last move, priority, hold or edit", On.STORE, important=True),
        Action("filter", "slash", "filter", "show only what matches", On.VIEW, panes=_LISTS, important=True),
        Action("command", "colon", "command", "type an action, or a job's number", On.VIEW),
        Action("zoom", "f", "zoom", "show this pane alone, or all of them", On.VIEW),
        Action("outbox", "O", "outbox", "show what could not be told, and what waits to be", On.VIEW),
        Action("tell-again", "A", "tell again", "tell again now whatever could not be told", On.STORE),
        Action("theme", "T", "theme", "change the colours", On.VIEW),
        Action("help", "question_mark", "help", "show every key", On.VIEW, important=True),
        Action("quit", "q", "quit", "leave the console", On.VIEW, important=True),
    )
}  # fmt: skip


def keys_of(pane: PaneNumber | None) -> list[BindingType]:
    """The bindings of a pane's own actions, or of those that work everywhere."""
    return [
        Binding(action.key, f"screen.do('{action.name}')", action.short, id=action.name, tooltip=action.words)
        for action in ACTIONS.values()
        if (pane in action.panes if pane is not None else not action.panes)
    ]


def shown_key(key: str) -> str:
    """A key as it stands on a keyboard."""
    return {
        "plus": "+",
        "minus": "-",
        "equals_sign": "=",
        "slash": "/",
        "colon": ":",
        "asterisk": "*",
        "left_square_bracket": "[",
        "right_square_bracket": "]",
        "question_mark": "?",
        "enter": "⏎",
        "escape": "esc",
    }.get(key, key)


def with_a_key(verb: str, _job: str) -> str:
    """How a verb is done here, for the sentences of the rules."""
    action = next(action for action in ACTIONS.values() if action.verb == verb)
    return f"with the key {shown_key(action.key)}"


def why_not(action: Action, meant: Meant, *, read_only: bool) -> str | None:
    """Why an action can't be done to these jobs now; None when it can, at least to some of them."""
    if read_only and action.changes:
        return "this console only looks on; it was opened with --read-only"
    if action.on is not On.JOB:
        return None
    if not meant.jobs:
        return f"{action.short}: there is no job here"
    if action.verb is None:
        return None
    seen = {target.id: target.status for target in meant.known}
    if len(seen) < len(meant.jobs) and meant.states & VERBS[action.verb].sources:
        # What is not at hand may well allow it.
        return None
    reasons = [refusal(action.verb, status, str(job), with_a_key) for job, status in seen.items()]
    if not reasons:
        return f"{action.short} is not for jobs that are {' or '.join(sorted(meant.states))}"
    return None if None in reasons else reasons[0]


def actions_for(pane: PaneNumber) -> list[Action]:
    """The actions whose keys work in a pane, its own first."""
    own = [action for action in ACTIONS.values() if pane in action.panes]
    taken = {action.key for action in own}
    common = [action for action in ACTIONS.values() if not action.panes and action.key not in taken]
    return sorted([*own, *common], key=lambda action: not action.important)
