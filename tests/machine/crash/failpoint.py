"""A connection that ends its own process at a chosen statement, before it is carried out or after."""

import os
import signal
from typing import Any


class Failpoint:
    """Stands between a store and its connection, and counts what passes."""

    def __init__(self, connection: Any, at: int, *, after: bool) -> None:
        self._connection = connection
        self._at = at
        self._after = after
        self.passed = 0

    def execute(self, *statement: Any) -> Any:
        """Carry out a statement, unless this is the one at which everything ends."""
        self.passed += 1
        last = self.passed == self._at
        if last and not self._after:
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            return self._connection.execute(*statement)
        finally:
            if last and self._after:
                os.kill(os.getpid(), signal.SIGKILL)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)
