"""The mark of one test: a variable that all its processes inherit, so that they and no others are found and ended."""

import os
import signal
from contextlib import suppress
from uuid import uuid4

from tests.machine.waiting import runs, until

VARIABLE = "JOBDECK_TEST_RUN"


class Mark:
    """A value of the variable that nobody else has."""

    def __init__(self, variable: str = VARIABLE) -> None:
        self.value = uuid4().hex
        self._entry = f"{variable}={self.value}".encode()

    def bearers(self) -> list[int]:
        """The processes that were started with the mark and have not ended."""
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and self._bears(int(name))]

    def end_all(self) -> None:
        """Kill every bearer, and whatever they start meanwhile."""

        def none_left() -> bool:
            left = self.bearers()
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return not left

        until(none_left, "nothing of this test runs any more")

    def _bears(self, pid: int) -> bool:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                return self._entry in file.read().split(b"\0") and runs(pid)
        except OSError:
            return False
