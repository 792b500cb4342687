"""The bell: whoever has changed the store rings, and the engine that leads it looks at once.

A named pipe, because ringing then costs a command that lives for milliseconds next to nothing. A ring that nobody hears
is no loss: the engine also looks by itself now and then.
"""

import os
from contextlib import suppress
from pathlib import Path

NAME = "bell"


def ring(run_directory: Path) -> None:
    """Let the engine know that something has changed."""
    with suppress(OSError):
        descriptor = os.open(run_directory / NAME, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.write(descriptor, b"!")
        finally:
            os.close(descriptor)


class Bell:
    """The engine's end of it."""

    def __init__(self, run_directory: Path) -> None:
        path = run_directory / NAME
        with suppress(FileExistsError):
            os.mkfifo(path, 0o600)
        # Open for writing too: else it would be at its end whenever nobody rings.
        self.descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def quiet(self) -> None:
        """Take in all rings that have come."""
        with suppress(BlockingIOError):
            while os.read(self.descriptor, 4096):
                pass

    def close(self) -> None:
        """Stop listening."""
        os.close(self.descriptor)
