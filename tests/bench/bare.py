"""What the console is compared with: `python -m tests.bench.bare list|table|minimal ROWS KEYS PAGES`.

The bare list is the least that a list can be: lines made from a number, no store, no engine, no columns to fit.
"""

import asyncio
import json
import sys
import time
from dataclasses import asdict
from typing import Any, ClassVar

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import DataTable, Static

from tests.app.recording import Recorder
from tests.bench.console import SIZE, Measured, peak
from tests.bench.operator import Operator, Seen


class BareList(ScrollView, can_focus=True):
    """Lines with a cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "go(1)", show=False),
        Binding("pagedown", "go(46)", show=False),
    ]

    def __init__(self, rows: int) -> None:
        super().__init__()
        self._rows = rows
        self.cursor = 0

    def on_mount(self) -> None:
        """Have room for all."""
        self.virtual_size = Size(SIZE[0] - 2, self._rows)

    def action_go(self, by: int) -> None:
        """Move the cursor."""
        before, self.cursor = self.cursor, min(self.cursor + by, self._rows - 1)
        for line in (before, self.cursor):
            self.refresh(Region(0, line - round(self.scroll_y), self.size.width, 1))
        if self.cursor >= self.scroll_y + self.size.height:
            self.scroll_to(y=self.cursor - self.size.height + 1, animate=False, force=True, immediate=True)

    def render_line(self, y: int) -> Strip:
        """One line."""
        index = round(self.scroll_y) + y
        style = self.rich_style + self.rich_style if index == self.cursor else self.rich_style
        return Strip([Segment(line_of(index).ljust(self.size.width), style)])


def line_of(index: int) -> str:
    """What a row says."""
    return f"{'>' if index else ' '} {index:>9}  0  command  key-{index}.  1m  all slots are busy"


class Bare(App[None]):
    """One of the three."""

    def __init__(self, kind: str, rows: int) -> None:
        super().__init__()
        self._kind = kind
        self._rows = rows
        self.driver_class = Recorder

    def compose(self) -> ComposeResult:
        """Just that."""
        if self._kind == "list":
            yield BareList(self._rows)
        elif self._kind == "table":
            table: DataTable[str] = DataTable(cursor_type="row")
            table.add_columns("ID", "PRI", "TYPE", "JOB", "AGE", "WAITS FOR")
            table.add_rows(
                (str(index), "0", "command", f"key-{index}.", "1m", "all slots are busy") for index in range(self._rows)
            )
            yield table
        else:
            yield Static("key-0.")

    def look(self) -> Seen | None:
        """Where the cursor is."""
        at: Any = 0
        if self._kind == "list":
            at = self.query_one(BareList).cursor
        elif self._kind == "table":
            at = self.query_one(DataTable).cursor_row
        return at, f"key-{at}."


async def play(kind: str, rows: int, keys: int, pages: int) -> Measured:
    """The same as with the console."""
    app = Bare(kind, rows)
    operator = Operator(app, lambda: app.look() if app.is_running and app.screen.is_running else None)
    async with app.run_test(headless=False, size=SIZE):
        operator.watch()
        app.refresh()
        await operator.first()
        first_paint = time.time()
        cursor = [await operator.press("down") for _ in range(keys)]
        page = [await operator.press("pagedown") for _ in range(pages)]
    return Measured(first_paint, cursor, page, peak())


def main() -> int:
    """Measure here, and print it."""
    kind, rows, keys, pages = sys.argv[1:]
    json.dump(asdict(asyncio.run(play(kind, int(rows), int(keys), int(pages)))), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
