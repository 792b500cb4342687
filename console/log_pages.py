"""A log in rows, read a page at a time from any place, forward or backward; what is read never depends on its size."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from core.machine.logfile import first_byte

BLOCK = 8_192
"""A line is broken where it has filled a whole block of the file, so a row is shorter than two of them."""
CHUNK = 65_536

_LONGEST_LETTER = 4


@dataclass(frozen=True, slots=True)
class Row:
    """A line, or a part of one that is too long."""

    start: int
    end: int
    """Where the next row begins."""
    text: bytes
    """Without the newline."""
    begins: bool = True
    """Whether a line begins here."""
    closed: bool = True
    """Whether a newline ends it; without one the line goes on in the next row, or is still being written."""


class LogPages:
    """A log as large as it was when it was opened. Places are bytes; rows are the same whichever way one comes."""

    def __init__(self, path: Path) -> None:
        # Whatever lies there instead of a log, a pipe for one, must not keep its reader waiting.
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        facts = os.fstat(self._descriptor)
        if not stat.S_ISREG(facts.st_mode):
            os.close(self._descriptor)
            raise OSError(f"{path} is not a file")
        self.size = facts.st_size
        self.begins_at = min(first_byte(self._descriptor), self.size)
        """How many bytes at its beginning are gone."""
        self.identity = (facts.st_dev, facts.st_ino)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def forward(self, place: int, count: int) -> list[Row]:
        """The first so many rows that begin at a place or behind it."""
        starts: list[int] = []
        low = max(place, self.begins_at)
        while low < self.size and len(starts) <= count:
            high = min(low + CHUNK, self.size)
            starts += self._starts(low, high)
            low = high
        if len(starts) > count:
            return self._rows(starts[:count], starts[count])
        return self._rows(starts, self.size)

    def backward(self, place: int, count: int) -> list[Row]:
        """The last so many rows that begin before a place, in their order."""
        starts: list[int] = []
        high = min(place, self.size)
        end = self._start_from(high)
        while high > self.begins_at and len(starts) < count:
            low = max(self.begins_at, high - CHUNK)
            starts = [*self._starts(low, high), *starts]
            high = low
        return self._rows(starts[max(0, len(starts) - count) :], end)

    def around(self, place: int, before: int, after: int) -> list[Row]:
        """The row that holds a byte, with so many rows before and behind it."""
        return [*self.backward(place + 1, before + 1), *self.forward(place + 1, after)]

    def stretch(self, low: int, high: int) -> list[Row]:
        """All rows that begin in a stretch of the log."""
        low, high = max(low, self.begins_at), min(high, self.size)
        return self._rows(self._starts(low, high), self._start_from(high)) if low < high else []

    def newlines(self, low: int, high: int) -> int:
        """How many lines end in a stretch of the log."""
        return sum(part.count(b"\n") for part in self.parts(low, high))

    def parts(self, low: int, high: int) -> Iterator[bytes]:
        """The bytes of a stretch, a chunk at a time."""
        while low < high and (part := os.pread(self._descriptor, min(CHUNK, high - low), low)):
            yield part
            low += len(part)

    def _start_from(self, place: int) -> int:
        """Where the first row begins that does not begin before a place; the end when none does."""
        while place < self.size:
            high = min(place + 2 * BLOCK, self.size)
            starts = self._starts(place, high)
            if starts:
                return starts[0]
            place = high
        return self.size

    def _starts(self, low: int, high: int) -> list[int]:
        """Where the rows begin that begin in a stretch; this looks at the two blocks before it and no further."""
        base = max(self.begins_at, low - low % BLOCK - BLOCK)
        data = self._read(base, min(high + _LONGEST_LETTER, self.size))
        high = min(high, base + len(data))
        found = {self.begins_at} if low <= self.begins_at < high else set()
        at = data.find(b"\n", max(0, low - 1 - base))
        while 0 <= at < high - 1 - base:
            found.add(base + at + 1)
            at = data.find(b"\n", at + 1)
        for edge in range(base - base % BLOCK + BLOCK, high + _LONGEST_LETTER, BLOCK):
            block = edge - BLOCK - base
            if block >= 0 and edge - base < len(data) and data.find(b"\n", block, block + BLOCK) < 0:
                cut = base + _letter_start(data, edge - base)
                if low <= cut < high:
                    found.add(cut)
        return sorted(found)

    def _rows(self, starts: Sequence[int], end: int) -> list[Row]:
        if not starts:
            return []
        first = max(starts[0] - 1, self.begins_at)
        data = self._read(first, end)
        rows = []
        for start, stop in zip(starts, [*starts[1:], end], strict=True):
            text = data[start - first : stop - first]
            begins = start == self.begins_at or data[start - first - 1 : start - first] == b"\n"
            rows.append(Row(start, stop, text.removesuffix(b"\n"), begins, text.endswith(b"\n")))
        return rows

    def _read(self, low: int, high: int) -> bytes:
        data = b"".join(self.parts(low, high))
        if len(data) < high - low:
            # It was cut short meanwhile; what is left is all there is.
            self.size = min(self.size, low + len(data))
        return data


def _letter_start(data: bytes, at: int) -> int:
    """Where the letter begins that a cut would go through; the cut itself when it goes through none."""
    if not 0x80 <= data[at] < 0xC0:
        return at
    for back in range(1, min(_LONGEST_LETTER, at + 1)):
        lead = data[at - back]
        if lead >= 0xC0:
            long = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            return at - back if long > back else at
        if lead < 0x80:
            break
    return at
