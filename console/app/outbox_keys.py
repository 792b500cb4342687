"""The keys that only the outbox has."""

from textual.binding import Binding, BindingType

from console.app.actions import ACTIONS, Action, On

OWN: dict[str, Action] = {
    action.name: action
    for action in (
        Action("back", "escape", "back", "leave the outbox", On.VIEW),
        Action("again", "r", "again", "tell this one again now, whatever it has come to", On.STORE),
        Action("open", "enter", "job", "open the job that it is about", On.VIEW),
    )
}
"""Each is done by the screen's method of that name."""

SHARED: tuple[Action, ...] = tuple(ACTIONS[name] for name in ("tell-again", "theme", "help", "quit"))
"""What has the same key here as on the deck."""


def bindings() -> list[BindingType]:
    """Every key of the screen."""
    return [
        Binding(action.key, f"screen.do('{action.name}')", action.short, id=action.name, tooltip=action.words)
        for action in (*OWN.values(), *SHARED)
    ]
