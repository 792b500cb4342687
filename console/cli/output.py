"""Writing for people: plain lines on stdout, notes on stderr, colour only where it is welcome."""

import os
import sys
from contextlib import suppress

from console.plain import plain
from core.status import Status

BOLD = "1"
DIM = "2"
RED = "31"
GREEN = "32"
YELLOW = "33"
BLUE = "34"
MAGENTA = "35"
CYAN = "36"

STATUS_COLOURS: dict[str, str] = {
    Status.CREATED: DIM,
    Status.QUEUED: CYAN,
    Status.RUNNING: BLUE,
    Status.WAITING_FOR_APPROVAL: MAGENTA,
    Status.RETRYING: YELLOW,
    Status.SUCCEEDED: GREEN,
    Status.FAILED: RED,
    Status.CANCELLED: DIM,
}

LONGEST_CELL = 200
"""Without a terminal lines may be long, but not endless."""


def line(text: str = "") -> None:
    """One line on stdout; the caller has made foreign text plain."""
    if sys.stdout is not None:
        sys.stdout.write(text + "\n")


def aside(text: str) -> None:
    """One line on stderr, for what is not the answer itself; nothing depends on anyone reading it."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(plain(text) + "\n")


def in_colour() -> bool:
    """Whether stdout is a terminal that wants colour."""
    return (
        sys.stdout is not None
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def painted(text: str, colour: str | None) -> str:
    """The text in a colour, where colour is welcome."""
    return f"\x1b[{colour}m{text}\x1b[0m" if colour and text and in_colour() else text


def line_width() -> int | None:
    """How many columns a line may take; None when nobody's screen limits it."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isascii() and wanted.isdigit() and int(wanted[:9]) > 0:
        return int(wanted[:9])
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError, AttributeError):
        return None


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 job`, `2,000 jobs`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
