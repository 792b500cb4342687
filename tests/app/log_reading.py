"""Someone in front of a log: keys go in, what is seen of the log comes out."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from console.app.widgets.log_view import LogBar, LogView
from tests.app.conftest import PATIENCE, SMALL


class Host(App[int]):
    """A screen with nothing but a log on it."""

    def __init__(self, path: Path | None) -> None:
        super().__init__()
        self._path = path

    def compose(self) -> ComposeResult:
        yield LogView()

    def on_mount(self) -> None:
        view = self.query_one(LogView)
        view.show_log(self._path, "attempt 1", "nothing has run")
        view.focus_lines()


class Reader:
    """Someone in front of a log."""

    def __init__(self, app: Host, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot
        self.view = app.query_one(LogView)

    @property
    def height(self) -> int:
        """How many lines of the log fit."""
        return self.view.lines.size.height

    @property
    def screen(self) -> list[str]:
        """What is on the terminal, line by line."""
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    @property
    def lines(self) -> list[str]:
        """The lines of the log, without the column of marks and the bar."""
        return [line[1:-1].rstrip() for line in self.screen[: self.height]]

    @property
    def bar(self) -> str:
        """The line below."""
        return self.screen[self.app.query_one(LogBar).region.y]

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            await self.pilot.press(key)

    async def until(self, holds: Callable[[], object], what: str = "") -> None:
        """Wait until something holds."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, "\n".join([f"it never came to this: {what}", *self.screen])
            await self.pilot.pause(0.01)

    async def says(self, words: str) -> None:
        """Wait until the line below says this."""
        await self.until(lambda: words in self.bar, f"the line below says {words}")

    async def search(self, text: str) -> None:
        """Search for this."""
        await self.press("slash", *text, "enter")

    async def at_top(self, line: str) -> None:
        """Wait until that line is the first in sight."""
        await self.until(lambda: self.lines[:1] == [line], f"{line} on top")

    async def at_bottom(self, line: str) -> None:
        """Wait until that line is the last in sight."""
        await self.until(lambda: self.lines[-1:] == [line], f"{line} at the bottom")


@asynccontextmanager
async def reading(path: Path | None, size: tuple[int, int] = SMALL) -> AsyncIterator[Reader]:
    """A log on a terminal of that size, once it has been read."""
    app = Host(path)
    async with app.run_test(size=size) as pilot:
        reader = Reader(app, pilot)
        lines = reader.view.lines
        if path is not None:
            await reader.until(lambda: lines.window is not None and lines.window.page is not None, "it is read")
        yield reader
    if lines._turner is not None:
        lines._turner.join(PATIENCE)


def numbered(path: Path, count: int) -> None:
    """A log of so many lines."""
    path.write_bytes(b"".join(b"line %d\n" % number for number in range(count)))


def more(path: Path, text: bytes) -> None:
    """It goes on."""
    with path.open("ab") as file:
        file.write(text)
