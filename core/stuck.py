"""When a queue counts as stuck: jobs are ready, and none has started for much longer than jobs usually wait."""

from collections.abc import Collection
from datetime import timedelta

LEAST = timedelta(minutes=15)
TIMES = 4
LATELY = 20
"""So many of the latest jobs say what is usual."""


def stuck_after(waits: Collection[timedelta]) -> timedelta:
    """How long nothing may start, given how long the latest jobs have waited for their start."""
    return max(LEAST, TIMES * max(waits, default=timedelta(0)))
