"""A terminal that the installed program is run in: keys go in as bytes, and what stands on the screen comes out."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any

import pyte

PATIENCE = 60.0
"""Seconds after which something that was waited for counts as never happening."""

KEYS = {
    "enter": b"\r",
    "escape": b"\x1b",
    "tab": b"\t",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "ctrl+c": b"\x03",
    "space": b" ",
}


class _Screen(pyte.Screen):
    """What stands on the terminal; it answers no question, as many a terminal does not."""

    def report_device_status(self, mode: int = 0, **_: Any) -> None:
        """Nothing is answered."""

    def report_device_attributes(self, mode: int = 0, **_: Any) -> None:
        """Nothing is answered."""

    def select_graphic_rendition(self, *attributes: int, **more: Any) -> None:
        """Colours and the like; what only looks like one is none."""
        if not more:
            super().select_graphic_rendition(*attributes)


class Terminal:
    """A program in a terminal of its own."""

    def __init__(
        self,
        *arguments: str,
        environment: Mapping[str, str],
        columns: int = 80,
        lines: int = 24,
        errors: IO[bytes] | None = None,
    ) -> None:
        self._screen = _Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self.written = b""
        """Every byte that the program has written."""
        self.leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "console.main", *arguments],
            stdin=follower,
            stdout=follower,
            stderr=errors or follower,
            env={**environment, "TERM": "xterm-256color"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - the test has one thread
        )
        os.close(follower)

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(self._screen.display)

    @property
    def top(self) -> str:
        """Its first line."""
        return self._screen.display[0]

    def line_of(self, words: str) -> int:
        """On which line these words stand; behind all of them when they don't."""
        return next((y for y, line in enumerate(self._screen.display) if words in line), self._screen.lines)

    def press(self, *keys: str) -> None:
        """Press keys."""
        for key in keys:
            os.write(self.leader, KEYS.get(key, key.encode()))

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Wait until something holds."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"it never came to this: {what}\n{self.text}"
            self._take(0.05)

    def shows(self, words: str) -> None:
        """Wait until these words are on the screen."""
        self.until(lambda: words in self.text, f"{words!r} is shown")

    def resize(self, columns: int, lines: int) -> None:
        """Let it have another size."""
        self._screen.resize(lines, columns)
        fcntl.ioctl(self.leader, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def hang_up(self) -> None:
        """The terminal is gone, as when a connection breaks."""
        os.close(self.leader)
        self.leader = -1

    def ends(self) -> int:
        """The exit code, once it has ended by itself."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it never ended\n{self.text}"
            if self.leader >= 0:
                self._take(0.05)
            else:
                with suppress(subprocess.TimeoutExpired):
                    self.process.wait(0.05)
        while self.leader >= 0 and self._take(0):
            pass
        return self.process.returncode

    def kill(self) -> None:
        """End it from one moment to the next."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.kill()
        if self.leader >= 0:
            os.close(self.leader)

    def _take(self, wait: float) -> bool:
        """Take in what it has written meanwhile; whether there was anything."""
        if not select.select([self.leader], [], [], wait)[0]:
            return False
        data = b""
        # On Linux a terminal whose far end was closed ends in an error.
        with suppress(OSError):
            data = os.read(self.leader, 1 << 16)
        self.written += data
        self._stream.feed(data)
        return bool(data)
