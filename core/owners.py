"""Who holds a lease or a reservation: one process of one boot of one machine, so that its death can be told."""

import re
from dataclasses import dataclass

_WRITTEN = re.compile(
    r"(?P<name>[^@]{1,60})@(?P<host>[^:]{1,80}):(?P<pid>[0-9]{1,10}):(?P<started>[0-9]{1,20}):(?P<boot>[^:]*):(?P<mark>.*)"
)


NO_PROCESS = 0
"""The pid of someone who has gone on purpose; what he owns ends by its time alone."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A process that owns something, as it is written into the store."""

    name: str
    """Who it is for people: a user, or `engine`."""
    host: str
    pid: int
    started: int
    """When the kernel says that it started; a pid alone is used again."""
    boot: str
    mark: str = ""
    """Tells apart what one process owns one after the other."""

    def __str__(self) -> str:
        return f"{self.name}@{self.host}:{self.pid}:{self.started}:{self.boot}:{self.mark}"

    @property
    def shown(self) -> str:
        """For people: `ann (pid 4711 on buildbox)`, or `ann on buildbox` for one who did not wait."""
        return (
            f"{self.name} on {self.host}" if self.pid == NO_PROCESS else f"{self.name} (pid {self.pid} on {self.host})"
        )


def parse_owner(text: str) -> Owner | None:
    """The owner that was written down; None for a name that no process of ours wrote."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return None
    return Owner(found["name"], found["host"], int(found["pid"]), int(found["started"]), found["boot"], found["mark"])


def shown_owner(text: str) -> str:
    """An owner as people read it."""
    owner = parse_owner(text)
    return text if owner is None else owner.shown
