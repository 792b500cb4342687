"""The clocks of this machine."""

import time
from datetime import UTC, datetime


class SystemClock:
    """The wall's and the steady one."""

    def now(self) -> datetime:
        """The present instant."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that only go forward; while the machine sleeps they stand still, as its processes do."""
        return time.monotonic()
