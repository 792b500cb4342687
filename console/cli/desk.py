"""The desk that a command line stands at: where the store is, who asks, what time it is, in which form to answer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from console.home import Places, current_directory, local_zone, operator, places

if TYPE_CHECKING:
    from console.wishes import Here
    from core.config import Config
    from store.store import Store
    from store.views import Views
    from store.work import Work


def wall_clock() -> datetime:
    """The present instant."""
    return datetime.now(UTC)


@dataclass
class Desk:
    """The options that every verb shares, and what follows from them."""

    home: str | None = None
    db: str | None = None
    json: bool = False
    clock: Callable[[], datetime] = wall_clock
    job_id: str | None = None
    """The UUID that a job submitted here gets; None lets the store choose."""

    @cached_property
    def places(self) -> Places:
        """The directory and the store that are meant."""
        return places(self.home, self.db)

    @cached_property
    def actor(self) -> str:
        """Who is asking."""
        return operator()

    @cached_property
    def zone(self) -> ZoneInfo:
        """The time zone in which people here read the clock."""
        return local_zone()

    @cached_property
    def config(self) -> "Config":
        """What the operator has settled for this home."""
        from console.config import load

        return load(self.places.config)

    @cached_property
    def now(self) -> datetime:
        """The instant at which this command began."""
        return self.clock()

    @property
    def here(self) -> "Here":
        """What relative words in options are relative to."""
        from console.wishes import Here

        directory = current_directory()
        return Here(self.now, self.zone, cwd=directory, runs_in=directory)

    @contextmanager
    def store(self) -> Iterator["Store"]:
        """The store, made when it is not there yet."""
        from console.masking import hide_as_configured
        from core.machine.bell import ring
        from store.store import Store

        # Whatever is shown comes out of the store, so this is where it is settled what of it is hidden.
        hide_as_configured(self.places.config)

        with Store(self.places.db, now=self.clock, ring=lambda: ring(self.places.run)) as store:
            yield store

    @contextmanager
    def read(self) -> Iterator["Views"]:
        """One consistent look into the store."""
        with self.store() as store, store.read() as views:
            yield views

    @contextmanager
    def write(self) -> Iterator["Work"]:
        """One transaction: all that is done in it is stored, or nothing of it."""
        with self.store() as store, store.write(self.actor) as work:
            yield work
