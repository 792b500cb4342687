"""An operator with quick fingers: presses keys, and sees when what they did is painted."""

import asyncio
import time
from collections.abc import Callable
from random import Random
from typing import Any

from textual import events
from textual.app import App

from tests.app.recording import Recorder

PATIENCE = 30.0

Seen = tuple[object, str]
"""What the cursor stands on, and words that its row shows."""


class Operator:
    """Watches all that an app writes to its terminal."""

    def __init__(self, app: App[Any], look: Callable[[], Seen | None]) -> None:
        self._app = app
        self._look = look
        self._luck = Random(1)
        self._begun = 0.0
        self._taken = 0.0
        self._before: object = None
        self._painted = asyncio.Event()

    def watch(self) -> None:
        """From now on."""
        driver = self._app._driver
        assert isinstance(driver, Recorder)
        driver.wrote = self._wrote

    async def first(self) -> None:
        """Once a row can be seen."""
        await asyncio.wait_for(self._painted.wait(), PATIENCE)

    async def press(self, key: str) -> float:
        """The seconds from a key to its row."""
        # Keys come when they like, not when a frame begins.
        await asyncio.sleep(self._luck.uniform(0.02, 0.08))
        seen = self._look()
        self._before = None if seen is None else seen[0]
        self._painted.clear()
        self._begun = time.perf_counter()
        self._app.post_message(events.Key(key, None))
        await asyncio.wait_for(self._painted.wait(), PATIENCE)
        return self._taken

    def _wrote(self, data: str, at: float) -> None:
        seen = self._look()
        if seen is not None and seen[0] != self._before and seen[1] in data and not self._painted.is_set():
            self._taken = at - self._begun
            self._painted.set()
