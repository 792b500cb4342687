"""Lines of a log made fit for a terminal: colours stay, every other sequence is shown or dropped, nothing acts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from console.plain import plain

# Colours and styles (SGR) with nothing but numbers in them; any other escape sequence, known or not, is dropped whole.
_SEQUENCE = re.compile(
    r"\x1b\[(?P<sgr>[0-9;:]{0,100})m"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)"
    r"|\x1b[ -/]*[0-~]?"
)
RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that is plain, or a change of style."""

    text: str
    style: str | None = None
    """The numbers of a style to change to; None for text."""


def pieces(line: str) -> Iterator[Piece]:
    """A line taken apart into plain text and styles."""
    # A progress bar writes over itself: what it came to is what is shown.
    line = line.rstrip("\r\n")
    line = line[line.rfind("\r") + 1 :]
    place = 0
    for found in _SEQUENCE.finditer(line):
        if found.start() > place:
            yield Piece(plain(line[place : found.start()]))
        if found["sgr"] is not None:
            yield Piece("", found["sgr"])
        place = found.end()
    if place < len(line):
        yield Piece(plain(line[place:]))


def coloured(line: str) -> str:
    """A line with its colours and nothing else that a terminal would act on."""
    shown = "".join(piece.text if piece.style is None else f"\x1b[{piece.style}m" for piece in pieces(line))
    return shown + RESET if "\x1b" in shown else shown


def uncoloured(line: str) -> str:
    """A line without colours."""
    return "".join(piece.text for piece in pieces(line))
