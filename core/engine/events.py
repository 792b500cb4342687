"""What an engine tells about itself while it works, for a log or a screen."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, in words."""

    at: datetime
    kind: str
    """`start`, `end`, `fire`, `recover`, `lead`, `notify`, `stop` or `trouble`."""
    words: str
    job: int | None = None
