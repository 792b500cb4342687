"""What the console stands on: the store's place, the config, who sits in front of it, and the clock."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from console.home import Places, current_directory
from console.wishes import Here
from core.config import Config
from core.machine.bell import ring
from store.store import Store


def wall_clock() -> datetime:
    """The present instant."""
    return datetime.now(UTC)


@dataclass
class Deck:
    """One console on one store."""

    places: Places
    config: Config
    actor: str
    zone: ZoneInfo
    clock: Callable[[], datetime] = wall_clock
    read_only: bool = False
    """Look, don't touch: no action that changes anything, and no engine of its own."""
    demo: bool = False
    """Whether the store is thrown away afterwards."""
    engine: bool = True
    """Whether an engine runs in this process, or waits here to take over."""

    def adopt(self, config: Config) -> None:
        """Another config holds from now on; from any thread."""
        self.config = config

    def open_store(self) -> Store:
        """A connection of one's own; each thread that reads or writes has one."""
        return Store(self.places.db, now=self.clock, ring=lambda: ring(self.places.run))

    def here(self) -> Here:
        """What relative words are relative to, now."""
        directory = current_directory()
        return Here(self.clock(), self.zone, cwd=directory, runs_in=directory)
