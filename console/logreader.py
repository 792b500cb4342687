"""Reading the log of an execution: its last lines, or all of it, without ever holding a large file whole."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

CHUNK = 65_536
LONGEST_LINE = 1_000_000
"""A line that never ends is passed on in parts."""


class LogReader:
    """An open log that may still grow, and whose beginning may have been given up."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        self.begins_at = _first_byte(self._file.fileno())
        """How many bytes at its beginning are gone."""
        self._place = self.begins_at
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def size(self) -> int:
        """Its size now, in bytes."""
        return os.fstat(self._file.fileno()).st_size

    def seek_last(self, lines: int) -> None:
        """Go to where the last so many lines begin."""
        end = self.size
        if lines <= 0:
            self._place = end
            return
        place, found = end, 0
        # The newline at the very end closes the last line; it begins no other.
        wanted = lines + 1
        while place > self.begins_at:
            start = max(self.begins_at, place - CHUNK)
            block = os.pread(self._file.fileno(), place - start, start)
            if place == end and not block.endswith(b"\n"):
                wanted = lines
            hit = len(block)
            while found < wanted and (hit := block.rfind(b"\n", 0, hit)) >= 0:
                found += 1
                if found == wanted:
                    self._place = start + hit + 1
                    return
            place = start
        self._place = self.begins_at

    def lines(self, *, last: bool = False) -> Iterator[bytes]:
        """The whole lines from here to the end as it is now; with `last`, an unfinished one too."""
        while True:
            block = os.pread(self._file.fileno(), CHUNK, self._place)
            if not block:
                break
            self._place += len(block)
            *whole, self._rest = (self._rest + block).split(b"\n")
            for line in whole:
                # What the trimming of a file leaves of the line that it cut is empty space.
                yield line.lstrip(b"\0") + b"\n"
            if len(self._rest) > LONGEST_LINE:
                yield self._rest
                self._rest = b""
        if last and self._rest:
            yield self._rest
            self._rest = b""


def _first_byte(descriptor: int) -> int:
    try:
        return os.lseek(descriptor, 0, os.SEEK_DATA)
    except OSError:
        return 0
