"""A stage for engines: played machine, real store; lets them work, crash, freeze and be followed by others."""

from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from core.config import Config
from core.engine.engine import Engine
from core.engine.terms import Terms
from store.store import Store, identity
from tests.engine.office import CALLER, Office
from tests.engine.played import World
from tests.engine.seat import Place, Seat, Watch
from tests.engine.wire import Faults, wired

HOST = CALLER.host
LEASE = timedelta(seconds=30)


class Stage(Office):
    """One store, the people around it, and the engines that come and go."""

    def __init__(
        self,
        path: Path,
        config: Config | None = None,
        slots: int = 2,
        seed: int = 1,
        world: World | None = None,
        lease: timedelta = LEASE,
    ) -> None:
        self.path = path
        self.world = world or World()
        self.world.people.add(CALLER.pid)
        self.config = config or Config()
        self.slots = slots
        self.lease = lease
        self.place = Place(str(path.parent), identity(path), Random(seed))
        self.watch: Watch = nullcontext
        """Around every step of the engines that are started from here on."""
        self.seats: list[Seat] = []
        self.faults = Faults()
        """What goes wrong between engines and the store."""
        self.office_faults = Faults()
        """What goes wrong between people and the store."""
        super().__init__(self._office_store())

    def reopen(self) -> None:
        """People's connection was lost in a crash; the next command has its own."""
        self.store = self._office_store()

    def close(self) -> None:
        self.store.close()
        for seat in self.seats:
            seat.close()

    @property
    def now(self) -> datetime:
        return self.world.clock.now()

    @property
    def seat(self) -> Seat:
        """The process whose engine leads."""
        return next(seat for seat in reversed(self.seats) if seat.leads and not seat.frozen)

    @property
    def engine(self) -> Engine:
        """The engine that leads."""
        engine = self.seat.engine
        assert engine is not None
        return engine

    def start_engine(self, host: str = HOST) -> Seat:
        """A process more that would lead, and leads at once if it may."""
        store = wired(Store(self.path, now=self.world.clock.now), self.faults)
        seat = Seat(self.world, self.place, store, self.terms(), len(self.world.actors) + 1, host, self.watch)
        self.seats.append(seat)
        seat.act()
        return seat

    def terms(self) -> Terms:
        return Terms(
            limits=self.config.limits(self.slots),
            type_named=self.config.type_named,
            logs=self.path.parent / "logs",
            python="python3",
            python_job="python_job.py",
            lease=self.lease,
            grace=self.config.grace,
            targets=tuple(self.config.targets.values()),
            env={"JOBDECK_RUN": self.place.name},
        )

    def crash(self) -> None:
        """The leader's process is killed."""
        self.seat.crash()

    def work_and_crash(self, seconds: float) -> None:
        """An engine is started, works for so long and is killed."""
        self.start_engine()
        self.run(seconds)
        self.crash()

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass until something holds or the time is up."""
        return self.world.run(seconds, until)

    def most_at_once(self, seconds: float) -> int:
        """How many processes are seen together at the most while time passes."""
        seen = [0]

        def look() -> bool:
            seen.append(len(self.world.alive()))
            return False

        self.run(seconds, look)
        return max(seen)

    def settle(self, seconds: float = 3600) -> None:
        """Let the engine work until it has nothing left to do."""
        assert self.run(seconds, self._at_rest), "the engine has not come to rest"

    def _at_rest(self) -> bool:
        seat = next((seat for seat in reversed(self.seats) if seat.leads and not seat.frozen), None)
        if seat is None or seat.engine is None or seat.due_at is None:
            return False
        return seat.engine.idle and seat.due_at > self.world.clock.passed

    def _office_store(self) -> Store:
        return wired(Store(self.path, now=self.world.clock.now, ring=self._ring), self.office_faults)

    def _ring(self) -> None:
        for seat in self.seats:
            if seat.leads:
                seat.ring()
