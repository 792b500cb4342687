"""What an engine does first: stop what a dead one left running, then settle its jobs; until then nothing starts."""

from collections.abc import Callable, Sequence
from random import Random

from core.engine.terms import SHORT_GRACE
from core.executions import ExecStatus
from core.ports import Process, ProcessRunner
from core.store_ports import Recovered, StoreWork

IsDead = Callable[[str], bool]


class Recovering:
    """Recovery, step by step; it may be broken off anywhere and begun again by the next engine."""

    def __init__(self, runner: ProcessRunner, dead: IsDead, rng: Random, *, same_store: bool) -> None:
        self._runner = runner
        self._dead = dead
        self._rng = rng
        self._same_store = same_store
        self._orphans: list[Process] | None = None
        self._kill_at = 0.0

    def stop_orphans(self, work: StoreWork, now: float) -> None:
        """Ask every orphan to end, the first time; later, those that have not ended are killed."""
        if self._orphans is None:
            self._orphans = list(self._found(work))
            self._kill_at = now + SHORT_GRACE.total_seconds()
            for orphan in self._orphans:
                orphan.terminate()
        self._orphans = [orphan for orphan in self._orphans if not orphan.gone()]
        if self._orphans and now >= self._kill_at:
            for orphan in self._orphans:
                orphan.kill()

    @property
    def orphans_left(self) -> int:
        """How many still have to end."""
        return len(self._orphans or ())

    def settle(self, work: StoreWork) -> Sequence[Recovered]:
        """Give every job that was left running the end it is owed."""
        return work.recover(self._dead, self._rng)

    def _found(self, work: StoreWork) -> Sequence[Process]:
        if not self._same_store:
            # The store is a copy: what runs belongs to the store it was copied from.
            return ()
        # What has committed has happened; what it still does is its own business and is not cut short.
        left = [one for one in work.left_behind(self._dead) if one.status is not ExecStatus.COMMITTED]
        return self._runner.leftovers(left)
