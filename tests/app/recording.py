"""A terminal that writes down all that the console sends it, byte for byte, and when."""

import time
from collections.abc import Callable
from typing import Any

from textual.drivers.headless_driver import HeadlessDriver


class Recorder(HeadlessDriver):
    """No terminal is there, yet everything is painted for one."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.written: list[str] = []
        self.wrote: Callable[[str, float], None] = lambda _data, _at: None
        """Called with each piece and the instant, in the screen's own thread."""

    @property
    def is_headless(self) -> bool:
        """Headless consoles paint nothing, and this one is to paint."""
        return False

    def write(self, data: str) -> None:
        """Keep it."""
        self.written.append(data)
        self.wrote(data, time.perf_counter())
