"""Writing for people: plain lines on stdout, notes on stderr, colour only where it is welcome."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field

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


@dataclass
class Captured:
    """What would have been written."""

    out: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)


_captured: ContextVar[Captured | None] = ContextVar("captured", default=None)


@contextmanager
def captured() -> Iterator[Captured]:
    """Keep what this thread writes, for somebody else's terminal; other threads write as ever."""
    kept = Captured()
    token = _captured.set(kept)
    try:
        yield kept
    finally:
        _captured.reset(token)


def out(text: str) -> None:
    """Text on stdout as it stands."""
    kept = _captured.get()
    if kept is not None:
        kept.out.append(text)
    elif sys.stdout is not None:
        sys.stdout.write(text)


def line(text: str = "") -> None:
    """One line on stdout; the caller has made foreign text plain."""
    out(text + "\n")


def aside(text: str) -> None:
    """One line on stderr, for what is not the answer itself; nothing depends on anyone reading it."""
    kept = _captured.get()
    if kept is not None:
        kept.asides.append(plain(text))
    elif sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(plain(text) + "\n")


def is_utf8() -> bool:
    """Whether every letter can be written."""
    return _captured.get() is not None or "utf" in (getattr(sys.stdout, "encoding", None) or "").lower()


def in_colour() -> bool:
    """Whether stdout is a terminal that wants colour."""
    return (
        _captured.get() is None
        and sys.stdout is not None
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
