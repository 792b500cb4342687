"""What is typed behind a colon: an action by its name, with a value where it takes one, or a job's number."""

from dataclasses import dataclass
from difflib import get_close_matches

from console.app.actions import ACTIONS, Action
from console.app.themes import NAMES
from core.refusals import BadInput

SHORT = {"q": "quit", "h": "help"}


@dataclass(frozen=True, slots=True)
class OpenJob:
    """Open the job of that number."""

    job: int


@dataclass(frozen=True, slots=True)
class Perform:
    """Do an action; some take a value."""

    action: Action
    value: str = ""


@dataclass(frozen=True, slots=True)
class Filtering:
    """Show only what matches."""

    text: str


@dataclass(frozen=True, slots=True)
class Colours:
    """Take these colours."""

    name: str


Command = OpenJob | Perform | Filtering | Colours


def parse_command(text: str) -> Command | None:
    """The command that was typed; None for nothing, and a sentence for nonsense."""
    words = text.strip().removeprefix(":").strip()
    if not words:
        return None
    number = words.removeprefix("#").removeprefix("job ").strip()
    if number.isascii() and number.isdigit() and len(number) < 18:
        return OpenJob(int(number))
    name, _, value = words.partition(" ")
    name, value = SHORT.get(name, name), value.strip()
    if name == "filter":
        return Filtering(value)
    if name == "drafts":
        return Filtering("status:created")
    if name == "theme" and value:
        if value not in NAMES:
            raise BadInput(f'there are no colours "{value[:40]}"; use {", ".join(NAMES)}')
        return Colours(value)
    if name in ACTIONS:
        return Perform(ACTIONS[name], value)
    close = get_close_matches(name, [*ACTIONS, "filter", "drafts"], n=1)
    hint = f"did you mean {close[0]}?" if close else "? shows every action"
    raise BadInput(f'there is no action "{name[:40]}"; {hint}')
