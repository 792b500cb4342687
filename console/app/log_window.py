"""The window that a reader has on a log: which rows are in sight, and how it moves without waiting for the disk."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from console.app.page_turner import Page, Want
from console.log_pages import Row

Tall = Callable[[Row], int]
"""How many lines of the screen a row takes; at least one."""


class LogWindow:
    """A place in a log, known by its byte, with the rows around it at hand."""

    def __init__(self, path: Path, tall: Tall) -> None:
        self.path = path
        self._tall = tall
        self.height = 1
        self.page: Page | None = None
        self.cut_short = False
        """Whether what was there before is gone: the file was replaced or cut."""
        self._place: int | None = None
        """The row on top; None follows the end."""
        self._line = 0
        """The line of that row that is on top."""
        self._owed = 0
        """Lines still to move once the rows for it are at hand."""
        self._fill = False
        self._left_at: int | None = None
        """How long the log was when the reader left its end."""
        self._asked: Want | None = None
        self._shown: list[tuple[Row, int]] = []

    @property
    def rows(self) -> Sequence[Row]:
        """The rows at hand."""
        return () if self.page is None else self.page.rows

    @property
    def following(self) -> bool:
        """Whether it stays at the end as that moves on."""
        return self._place is None

    @property
    def came(self) -> int | None:
        """How many lines have come since the reader left the end; None while they are being counted."""
        return 0 if self.page is None or self.following or self._left_at is None else self.page.came

    @property
    def bytes_came(self) -> int:
        """How much has come since the reader left the end."""
        return 0 if self.page is None or self._left_at is None else max(0, self.page.size - self._left_at)

    def ask(self) -> Want:
        """The page that is needed here; no other one is taken from now on."""
        many = 3 * max(self.height, 10)
        self._asked = Want(self.path, self._place, many, many, None if self.following else self._left_at)
        return self._asked

    def turned(self, page: Page) -> None:
        """A page has come: the place stays where it is."""
        if page.want is not self._asked:
            return
        if page.trouble is not None and self.page is not None and self.page.rows:
            # What was read of a log that is gone now can still be looked at.
            self.page = replace(self.page, identity=None, trouble=page.trouble)
            return
        before, self.page = self.page, page
        if before is not None and before.identity is not None and page.identity is not None:
            self.cut_short = self.cut_short or page.identity != before.identity or page.size < before.size
        if self._place is not None and (not page.rows or self._place >= page.size):
            self.follow()
        self._settle()

    def in_sight(self) -> list[tuple[Row, int]]:
        """The rows in sight, each with the line of it that a line of the screen shows."""
        if self._away():
            # Until the rows have come, what is seen stays.
            return self._shown
        at, line = self._top()
        shown: list[tuple[Row, int]] = []
        for row in self.rows[at:]:
            shown += [(row, number) for number in range(line, self._tall(row))]
            line = 0
            if len(shown) >= self.height:
                break
        self._shown = shown[: self.height]
        return self._shown

    def must_ask(self) -> bool:
        """Whether another page is needed, or might be with the next movement."""
        page = self.page
        if self._asked is None or self.following != (self._asked.place is None):
            return True
        if page is None or page.trouble is not None or self.following:
            return False
        at, _ = self._top()
        above = at < self.height and bool(page.rows) and page.rows[0].start > page.begins_at
        below = len(page.rows) - at < 2 * self.height and bool(page.rows) and page.rows[-1].end < page.size
        return bool(self._owed) or self._away() or above or below

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._place, self._line, self._owed, self._left_at, self._fill = None, 0, 0, None, False

    def go(self, place: int, *, above: int = 0) -> None:
        """Go to the row that holds a byte, with so many lines above it; nothing follows from there on."""
        self._leave_end()
        self._place, self._line, self._owed, self._fill = max(0, place), 0, -above, True
        self._settle()

    def first(self) -> None:
        """Go to the beginning."""
        if self.page is not None and self.rows:
            self.go(self.page.begins_at)

    def scroll(self, by: int) -> None:
        """Move by lines of the screen; who comes to the end by it follows from there on."""
        if not by or not self.rows or self.page is None or (self.following and by > 0):
            return
        at, line = self._top()
        begun = self.rows[0].start <= self.page.begins_at
        if by < 0 and begun and (at, line) == (0, 0):
            return
        self._leave_end()
        if by < 0:
            at, line, left = self._up(at, line, -by)
            self._owed = 0 if begun else -left
        else:
            at, line, left = self._down(at, line, by)
            at_end = self.rows[-1].end >= self.page.size
            self._owed = 0 if at_end else left
            if at_end and self._lines_from(at, line) <= self.height:
                self.follow()
                return
        self._place, self._line = self.rows[at].start, line

    def span(self) -> tuple[float, float]:
        """Which part of the log is in sight, by bytes: from where to where, between nought and one."""
        page = self.page
        shown = self.in_sight()
        if page is None or not shown or page.size <= page.begins_at:
            return 0.0, 1.0
        whole = page.size - page.begins_at
        (first, first_line), (last, last_line) = shown[0], shown[-1]
        top = first.start + (first.end - first.start) * first_line / self._tall(first)
        bottom = last.start + (last.end - last.start) * (last_line + 1) / self._tall(last)
        return max(0.0, (top - page.begins_at) / whole), min(1.0, (bottom - page.begins_at) / whole)

    def jump(self, share: float) -> None:
        """Go to a part of the log by its bytes."""
        if self.page is not None and self.rows:
            if share >= 1:
                self.follow()
            else:
                self.go(self.page.begins_at + int((self.page.size - self.page.begins_at) * max(0.0, share)))

    def _leave_end(self) -> None:
        if self.following and self.page is not None:
            self._left_at = self.page.size

    def _settle(self) -> None:
        """Stand on a row, and make the movements that were waiting for it."""
        if self._place is None or self._away():
            return
        row = self.rows[self._at_hand(self._place)]
        if row.start != self._place:
            self._place, self._line = row.start, 0
        owed, self._owed = self._owed, 0
        self.scroll(owed)
        if self._fill and not self._owed:
            self._fill = False
            self._fill_up()

    def _away(self) -> bool:
        """Whether the rows for this place are not at hand."""
        rows, page = self.rows, self.page
        if page is None or not rows:
            return self._place is not None
        if self._place is None:
            return rows[-1].end < page.size
        # What stands before the first row may have been given up meanwhile.
        begun = rows[0].start <= max(self._place, page.begins_at)
        return not (begun and self._place < rows[-1].end)

    def _at_hand(self, place: int) -> int:
        return max(0, bisect_right(self.rows, place, key=lambda row: row.start) - 1)

    def _top(self) -> tuple[int, int]:
        """The row on top and the line of it."""
        if self._place is None:
            return self._last_top()
        at = self._at_hand(self._place)
        return at, min(self._line, self._tall(self.rows[at]) - 1) if self.rows else 0

    def _last_top(self) -> tuple[int, int]:
        """What is on top when the end is at the bottom."""
        left = self.height
        for at in range(len(self.rows) - 1, -1, -1):
            tall = self._tall(self.rows[at])
            if tall >= left:
                return at, tall - left
            left -= tall
        return 0, 0

    def _fill_up(self) -> None:
        """Leave no empty lines at the bottom where there are lines above."""
        if self._place is not None and self.page is not None and self.rows and self.rows[-1].end >= self.page.size:
            at, line = min(self._top(), self._last_top())
            self._place, self._line = self.rows[at].start, line

    def _lines_from(self, at: int, line: int) -> int:
        """How many lines there are from here on, as far as that matters."""
        lines = -line
        for row in self.rows[at:]:
            lines += self._tall(row)
            if lines > self.height:
                break
        return lines

    def _up(self, at: int, line: int, by: int) -> tuple[int, int, int]:
        while by > line and at > 0:
            by -= line + 1
            at -= 1
            line = self._tall(self.rows[at]) - 1
        moved = min(by, line)
        return at, line - moved, by - moved

    def _down(self, at: int, line: int, by: int) -> tuple[int, int, int]:
        while at < len(self.rows) - 1 and by >= (left := self._tall(self.rows[at]) - line):
            by -= left
            at, line = at + 1, 0
        moved = min(by, self._tall(self.rows[at]) - 1 - line)
        return at, line + moved, by - moved
