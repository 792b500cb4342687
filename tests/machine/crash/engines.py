"""Engines in processes of their own, forked from one that has everything loaded, so that each costs a moment only."""

import ctypes
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import NoReturn

from console.engine_room import make_loop
from console.home import Places
from tests.machine.crash.cast import CONFIG
from tests.machine.crash.failpoint import Failpoint
from tests.machine.waiting import until

SLOTS = 4
IDLE, BROKEN = 0, 70
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


class ForkedEngine:
    """One engine, from its fork to its end."""

    def __init__(self, places: Places, *, at: int = 0, after: bool = False, until_idle: bool = True) -> None:
        self._told = places.home.parent / "engines.out"
        self._counted = places.home.parent / "statements"
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            self._be(places, at, after, until_idle)
        self.status: int | None = None

    def _be(self, places: Places, at: int, after: bool, until_idle: bool) -> NoReturn:
        """Everything that the engine's process ever does."""
        code = BROKEN
        try:
            _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            with self._told.open("a") as told:
                os.dup2(told.fileno(), 1)
                os.dup2(told.fileno(), 2)
            print(f"--- engine {os.getpid()}", flush=True)
            loop, store = make_loop(
                places,
                CONFIG,
                lambda event: print(f"{event.kind}: job {event.job} {event.words}", flush=True),
                slots=SLOTS,
                until_idle=until_idle,
            )
            point = Failpoint(store._connection, at, after=after)
            store._connection = point
            loop.run()
            self._counted.write_text(str(point.passed))
            code = IDLE
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    def ended(self) -> bool:
        """Whether it has ended, however it did."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if pid else None
        return self.status is not None

    def kill(self) -> None:
        """End it from one moment to the next."""
        if not self.ended():
            os.kill(self.pid, signal.SIGKILL)
            until(self.ended, f"engine {self.pid} has ended")

    @property
    def was_killed(self) -> bool:
        return self.status == -signal.SIGKILL


def statements_of(directory: Path) -> int:
    """How many statements the last engine that came to rest has carried out."""
    return int((directory / "statements").read_text())
