"""Who leads a store: one engine at a time, known to be there by its beat."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from core.limits import Limits


@dataclass(frozen=True, slots=True)
class Leader:
    """The engine that leads, as it has written itself down."""

    owner: str
    host: str
    """The machine it runs on."""
    pid: int
    store: str
    """The very file that it leads; a copy of it is another one."""
    since: datetime
    until: datetime
    """It will have shown itself again by then, or it is gone or stands still."""
    beat: int
    """Counts how often it has shown itself."""
    limits: Limits
    locked: bool = True
    """Whether it holds the kernel's lock; one that outwaited a leader that stood still does not, at first."""


class Watch:
    """Follows a leader's beat by one's own clock, since the wall's may be set while one looks."""

    def __init__(self) -> None:
        self._seen: tuple[str, int] | None = None
        self._since = 0.0

    def silent(self, leader: Leader, monotonic: float, lease: timedelta) -> bool:
        """Whether the leader has not shown itself for a whole lease while it was watched."""
        seen = (leader.owner, leader.beat)
        if seen != self._seen:
            self._seen, self._since = seen, monotonic
        return monotonic - self._since >= lease.total_seconds()


def may_lead(leader: Leader | None, host: str, now: datetime, *, locked: bool, silent: bool) -> bool:
    """Whether a candidate may take the lead.

    The kernel gives the lock of a store to one process of this machine and takes it back when that dies, so whoever
    gets it has outlived the leader that had it. A leader elsewhere, or one without the lock, is followed by its beat.
    """
    if leader is None or silent:
        return True
    return locked and (leader.until <= now if leader.host != host else leader.locked)
