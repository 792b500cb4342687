"""Keys that the operator has changed: what can be used of them, and a sentence for each that can't."""

import unicodedata
from collections.abc import Mapping

from console.app.actions import ACTIONS, Action, shown_key

RESERVED = frozenset(
    {"escape", "tab", "shift+tab", "up", "down", "pageup", "pagedown", "home", "end", "ctrl+c", "ctrl+p", *"123456"}
)
"""Keys that always do the same, so that nobody is ever lost."""
_NAMED = {"+": "plus", "-": "minus", "/": "slash", "*": "asterisk", " ": "space", "@": "at", "_": "underscore"}


def key_name(text: str) -> str:
    """The name that a key goes by inside, from what is printed on it."""
    if len(text) != 1 or text.isalnum():
        return text
    return _NAMED.get(text) or unicodedata.name(text, text).lower().replace("-", "_").replace(" ", "_")


def keymap(wanted: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The changed keys by action, and what is wrong with the others."""
    complaints: list[str] = []
    changed: dict[str, str] = {}
    for name, text in wanted.items():
        if name not in ACTIONS:
            complaints.append(f'keys: there is no action "{name[:40]}"; ? shows them all')
        elif not text.strip() or key_name(text) in RESERVED:
            complaints.append(f'keys: {name} can\'t be on "{text[:20]}", which is taken for moving around')
        else:
            changed[name] = key_name(text)
    for name in list(changed):
        other = _clash(ACTIONS[name], changed)
        if other is not None:
            key = shown_key(changed[name])
            complaints.append(f"keys: {name} and {other.name} would share {key}; {name} stays as it was")
            del changed[name]
    return changed, complaints


def _clash(action: Action, changed: Mapping[str, str]) -> Action | None:
    """Another action with the same key where both work; one that a pane has of its own hides the common one."""
    for other in ACTIONS.values():
        same_key = other.name != action.name and changed.get(other.name, other.key) == changed[action.name]
        if same_key and (other.panes == action.panes or other.panes & action.panes):
            return other
    return None
