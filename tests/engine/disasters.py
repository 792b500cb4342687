"""What goes wrong in a random life: engines die or stand still anywhere, disks fill up, clocks jump."""

import errno
from collections.abc import Callable
from datetime import timedelta
from random import Random

from tests.engine.seat import Seat
from tests.engine.stage import Stage

MOST_ENGINES = 3


class Disasters:
    """Each leaves the world as it may be found any day."""

    def __init__(self, stage: Stage, rng: Random) -> None:
        self._stage = stage
        self._rng = rng
        self._wrong_by = 0
        """Seconds that the clock on the wall is before its time."""
        self._farthest = 0
        self.kinds: tuple[Callable[[], str | None], ...] = (
            *(self._crash, self._crash_in_a_statement, self._crash_in_a_statement, self._crash_after_a_commit),
            *(self._freeze, self._thaw, self._freeze_after_a_commit, self._another_engine, self._another_engine),
            *(self._drain, self._stop_now, self._set_clock, self._set_clock_twice, self._full_disk, self._no_processes),
        )

    def end(self) -> None:
        """All is well again."""
        stage = self._stage
        stage.faults.crash_before = stage.faults.crash_after = stage.faults.after_commit = None
        stage.faults.full = stage.office_faults.full = False
        stage.world.refuse = None
        # What was planned by a clock that went ahead is not waited for.
        stage.world.set_wall(seconds=self._farthest - self._wrong_by)
        for seat in stage.seats:
            if seat.frozen:
                seat.thaw()

    def _leader(self) -> Seat | None:
        return next((seat for seat in self._stage.seats if seat.leads and not seat.frozen), None)

    def _crash(self) -> str | None:
        seats = [seat for seat in self._stage.seats if seat.alive]
        if not seats:
            return None
        seat = self._rng.choice(seats)
        seat.crash()
        return f"engine {seat.number} is killed"

    def _crash_in_a_statement(self) -> str:
        faults, number = self._stage.faults, self._rng.randint(1, 80)
        faults.crash_before = faults.statements + number
        return f"whoever sends statement {number} from here is killed"

    def _crash_after_a_commit(self) -> str:
        faults, number = self._stage.faults, self._rng.randint(1, 5)
        faults.crash_after = faults.commits + number
        return f"whoever stores transaction {number} from here is killed"

    def _freeze(self) -> str | None:
        seat = self._leader()
        if seat is None:
            return None
        seat.freeze()
        return f"engine {seat.number} stands still"

    def _thaw(self) -> str | None:
        seats = [seat for seat in self._stage.seats if seat.frozen and not seat.stepping]
        if not seats:
            return None
        seat = self._rng.choice(seats)
        seat.thaw()
        return f"engine {seat.number} goes on"

    def _freeze_after_a_commit(self) -> str:
        seconds = self._rng.choice((1.0, 20.0, 45.0, 90.0))
        # Someone has to be there who could take its place meanwhile.
        self._another_engine()
        self._stage.faults.after_commit = lambda: self._stand_still(seconds)
        return f"whoever stores the next transaction stands still for {seconds:g} s"

    def _stand_still(self, seconds: float) -> None:
        seat = next((seat for seat in self._stage.seats if seat.stepping and not seat.frozen), None)
        if seat is not None:
            seat.freeze()
            self._stage.run(seconds)
            seat.thaw()

    def _another_engine(self) -> str | None:
        if sum(seat.alive for seat in self._stage.seats) >= MOST_ENGINES:
            return None
        return f"engine {self._stage.start_engine().number} is started"

    def _drain(self) -> str | None:
        seat, grace = self._leader(), self._rng.choice((0, 5, 30))
        if seat is None or seat.engine is None:
            return None
        seat.engine.drain(timedelta(seconds=grace))
        seat.ring()
        return f"engine {seat.number} is to end within {grace} s"

    def _stop_now(self) -> str | None:
        seat = self._leader()
        if seat is None or seat.engine is None:
            return None
        seat.engine.stop_now()
        seat.ring()
        return f"engine {seat.number} is to end now"

    def _set_clock(self) -> str:
        seconds = self._rng.choice((-3600, -300, -20, -1, 1, 20, 40, 300, 3600))
        self._set_by(seconds)
        return f"the clock is set by {seconds} s"

    def _set_clock_twice(self) -> str:
        seconds, after = self._rng.choice((-3600, -60, 60, 3600)), self._rng.uniform(0.5, 8)
        self._set_by(seconds)
        self._stage.world.later(after, lambda: self._set_by(-seconds))
        return f"for {after:.0f} s the clock is wrong by {seconds} s"

    def _set_by(self, seconds: int) -> None:
        self._wrong_by += seconds
        self._farthest = max(self._farthest, self._wrong_by)
        self._stage.world.set_wall(seconds=seconds)

    def _full_disk(self) -> str:
        seconds = self._rng.uniform(0.1, 60)
        self._stage.faults.full = self._stage.office_faults.full = True
        self._stage.world.later(seconds, self._free_disk)
        return f"the disk is full for {seconds:.0f} s"

    def _free_disk(self) -> None:
        self._stage.faults.full = self._stage.office_faults.full = False

    def _no_processes(self) -> str:
        number, seconds = self._rng.choice((errno.EMFILE, errno.ENOMEM, errno.ENOENT)), self._rng.uniform(0.1, 5)
        self._stage.world.refuse = OSError(number, "no")
        self._stage.world.later(seconds, self._processes_again)
        return f"for {seconds:.0f} s no process can be started ({errno.errorcode[number]})"

    def _processes_again(self) -> None:
        self._stage.world.refuse = None
