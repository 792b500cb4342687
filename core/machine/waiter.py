"""Waiting for many things at once: descriptors with their callbacks, and a nudge from another thread."""

import os
import selectors
import threading
from collections.abc import Callable
from contextlib import suppress

Act = Callable[[], None]


class Waiter:
    """What a loop waits on."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._nudged, self._nudger = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._closing = threading.Lock()
        self._closed = False
        self.add(self._nudged, self._calm)

    @property
    def nudger(self) -> int:
        """A descriptor whose writing ends the wait, such as a signal's."""
        return self._nudger

    def add(self, descriptor: int, act: Act) -> None:
        """Call this whenever the descriptor has something to read."""
        self._selector.register(descriptor, selectors.EVENT_READ, act)

    def for_room(self, descriptor: int, act: Act, *, wanted: bool) -> None:
        """Call this when the descriptor has room to write instead of something to read, as long as that is wanted."""
        self._selector.modify(descriptor, selectors.EVENT_WRITE if wanted else selectors.EVENT_READ, act)

    def remove(self, descriptor: int) -> None:
        """Wait for this no longer."""
        with suppress(KeyError, ValueError):
            self._selector.unregister(descriptor)

    def close_when_ready(self, descriptor: int) -> None:
        """Let the descriptor end the wait once, and close it then."""

        def act() -> None:
            self.remove(descriptor)
            os.close(descriptor)

        self.add(descriptor, act)

    def wait(self, seconds: float) -> None:
        """Wait so long, or until something happens; then everything that happened is acted on."""
        for key, _ in self._selector.select(max(0.0, seconds)):
            key.data()

    def nudge(self) -> None:
        """End the wait, from any thread; once all is closed there is none."""
        with self._closing, suppress(BlockingIOError):
            # The number of a closed descriptor soon belongs to another file.
            if not self._closed:
                os.write(self._nudger, b"!")

    def close(self) -> None:
        """Let go of everything; what is still watched is closed by whoever opened it."""
        with self._closing:
            self._closed = True
            self._selector.close()
            os.close(self._nudged)
            os.close(self._nudger)

    def _calm(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._nudged, 4096):
                pass
