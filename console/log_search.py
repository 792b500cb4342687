"""Searching a log of any size: a stretch at a time, for what people see of it, forward or backward, round its end."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from console.ansi import uncoloured
from console.log_pages import BLOCK, LogPages, Row

STRETCH = 1 << 20
"""So many bytes are looked through between two looks whether the search is still wanted."""

_SEQUENCES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\n]*?(?:\x07|\x1b\\|(?=\n)|\Z)|[ -/]*[0-~]?)")
_LONGEST_SEQUENCE = 200


@dataclass(frozen=True)
class Needle:
    """What is searched for: plain text, in any case unless it has an upper-case letter."""

    text: str
    exact: bool
    """Whether upper and lower case are told apart."""

    @classmethod
    def typed(cls, text: str) -> Self:
        """What a person means by it."""
        return cls(text, any(letter.isupper() for letter in text))

    @cached_property
    def wanted(self) -> str:
        """The text that is compared."""
        return self.folded(self.text)

    def within(self, shown: str) -> bool:
        """Whether a text has it."""
        return bool(self.wanted) and self.wanted in self.folded(shown)

    def hits(self, shown: str) -> Iterator[tuple[int, int]]:
        """Where a text has it, from letter to letter."""
        text, long = self.folded(shown), len(self.wanted)
        at = text.find(self.wanted) if long else -1
        while at >= 0:
            yield at, at + long
            at = text.find(self.wanted, at + long)

    def folded(self, text: str) -> str:
        """The text without regard to case, if that is meant; as long as it was, letter by letter."""
        if self.exact:
            return text
        lowered = text.lower()
        if len(lowered) == len(text):
            return lowered
        return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def shown_text(text: bytes) -> str:
    """What people see of a row, without its colours."""
    # What the trimming of a file leaves of the line that it cut is empty space.
    return uncoloured(text.lstrip(b"\0").decode("utf-8", "replace"))


Going = Callable[[int], bool]
"""Told how many bytes were looked through; whether to go on."""


def find(pages: LogPages, needle: Needle, place: int, going: Going, *, back: bool = False) -> Row | None:
    """The first row with a hit from a place on, or the last one before it; past the end it goes on at the other one."""
    done = 0
    for low, high in _stretches(pages, place, back=back):
        if not going(done):
            return None
        if _may_have(b"".join(pages.parts(low, min(high + 2 * BLOCK, pages.size))), needle):
            rows = pages.stretch(low, high)
            hit = next((row for row in (reversed(rows) if back else rows) if _has(pages, row, needle)), None)
            if hit is not None:
                return hit
        done += high - low
    return None


def _stretches(pages: LogPages, place: int, *, back: bool) -> Iterator[tuple[int, int]]:
    """The log in stretches, each byte once, from a place round to it."""
    begin, end = pages.begins_at, pages.size
    place = max(begin, min(place, end))
    if back:
        for first, last in ((begin, place), (place, end)):
            for high in range(last, first, -STRETCH):
                yield max(first, high - STRETCH), high
    else:
        for first, last in ((place, end), (begin, place)):
            for low in range(first, last, STRETCH):
                yield low, min(low + STRETCH, last)


def _may_have(data: bytes, needle: Needle) -> bool:
    """Whether a row of a stretch may show the needle; a look that is fast where nothing is."""
    text, wanted = needle.folded(_readable(data)), needle.wanted
    if wanted in text:
        return True
    # Colours may stand in the midst of it, right behind its beginning.
    cut = "\x1b" in text and any(f"{wanted[:long]}\x1b" in text for long in range(1, len(wanted)))
    return cut and wanted in _SEQUENCES.sub("", text)


def _readable(data: bytes) -> str:
    text = data.decode("utf-8", "replace").replace("\t", " ")
    return text if text.isascii() else text.replace("\ufe0e", "").replace("\ufe0f", "")


def _has(pages: LogPages, row: Row, needle: Needle) -> bool:
    """Whether a hit begins in a row; it may end in the next part of a long line."""
    shown = shown_text(row.text)
    if row.closed or row.end >= pages.size:
        return needle.within(shown)
    following: Sequence[Row] = pages.forward(row.end, 1)
    rest = following[0].text[: 4 * len(needle.text) + _LONGEST_SEQUENCE] if following else b""
    return any(first < len(shown) for first, _ in needle.hits(shown_text(row.text + rest)))
