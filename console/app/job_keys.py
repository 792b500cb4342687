"""The keys of a job's screen: what can be done to a job anywhere, and what its tabs have of their own."""

from textual.binding import Binding, BindingType

from console.app.actions import ACTIONS, Action, On

OWN: dict[str, Action] = {
    action.name: action
    for action in (
        Action("back", "escape", "back", "leave the search, then the job", On.VIEW),
        Action("enter", "enter", "open", "open the link or the attempt; fold in the data", On.VIEW),
        Action("fold", "space", "fold", "fold or unfold in the data", On.VIEW),
        Action("pager", "v", "pager", "read it in the pager that PAGER names", On.VIEW),
        Action("older-log", "left_square_bracket", "older", "the log of the attempt before", On.VIEW),
        Action("newer-log", "right_square_bracket", "newer", "the log of the attempt after", On.VIEW),
        Action("search", "slash", "search", "search the log; n and N go to the next hit and the one before", On.VIEW),
        Action("wrap", "w", "wrap", "fold long lines of the log, or cut them", On.VIEW),
    )
}
"""What only this screen has. Each is done by the screen's method of that name."""

_COMMON = ("log", "copy", "theme", "help", "quit", "undo")

SHARED: tuple[Action, ...] = (
    *(action for action in ACTIONS.values() if action.on is On.JOB),
    *(ACTIONS[name] for name in _COMMON),
)
"""What has the same key here as on the deck."""

OF_TAB: dict[str, tuple[str, ...]] = {
    "facts": ("back", "pager"),
    "timeline": ("back", "pager"),
    "attempts": ("back", "enter", "pager"),
    "log": ("back", "search", "wrap", "older-log", "newer-log", "pager"),
    "data": ("back", "fold", "pager"),
}
"""Which of its own keys mean something in which tab."""


def bindings() -> list[BindingType]:
    """Every key of the screen, the tabs' numbers aside."""
    return [
        Binding(action.key, f"screen.do('{action.name}')", action.short, id=action.name, tooltip=action.words)
        for action in (*OWN.values(), *SHARED)
    ]
