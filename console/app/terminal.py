"""The terminal under the console: when it is gone, the console is told once, and nothing hangs on it."""

import os
import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, cast

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from console.app.app import JobdeckApp


class Terminal(LinuxDriver):
    """Textual's own driver stops painting when a write fails, and then waits for its painter for ever."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Textual paints on the standard error, which may be a file; this one is known to be a terminal.
        self._screen = _Screen(cast(IO[str], sys.__stdout__), self._lost)
        self._file = cast(Any, self._screen)

    def _get_terminal_size(self) -> tuple[int, int]:
        """The size of the terminal itself, whatever a shell has exported about the one it was started in."""
        try:
            size = os.get_terminal_size(self._screen.fileno())
        except OSError:
            return super()._get_terminal_size()
        return (size.columns, size.lines) if size.columns and size.lines else (80, 24)

    def run_input_thread(self) -> None:
        """Read keys until the terminal is gone."""
        try:
            super().run_input_thread()
        except OSError:
            self._lost()

    def _lost(self) -> None:
        cast("JobdeckApp", self._app).lost_terminal()


class _Screen:
    """A file to paint on that swallows everything once its terminal is gone."""

    def __init__(self, file: IO[str], lost: Callable[[], None]) -> None:
        self._file = file
        self._lost = lost
        self._gone = False

    def write(self, text: str) -> None:
        self._try(lambda: self._file.write(text))

    def flush(self) -> None:
        self._try(self._file.flush)

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return self._file.isatty()

    def _try(self, act: Callable[[], object]) -> None:
        if self._gone:
            return
        try:
            act()
        except OSError:
            self._gone = True
            # What is still buffered would fail once more when the interpreter ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._file.fileno())
            os.close(nowhere)
            self._lost()
