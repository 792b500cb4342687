"""A played machine: a clock that is turned, a lock that dies with its holder, and whatever happens outside engines."""

import heapq
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Protocol

from core.engine.words import Answer, Word
from tests.conftest import START

if TYPE_CHECKING:
    from tests.engine.processes import PlayedProcess

BREATH = 0.001
"""What anything takes at the least."""
MOMENT = 0.0005
"""What an engine takes for a step: less than a breath, but a wake-up that never moves on must not hang the play."""


class PlayedClock:
    """Two clocks that a world turns: the wall's can also be set."""

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._set_by = timedelta(0)
        self._begun = self.passed = 1000.0

    def now(self) -> datetime:
        return self._start + self._set_by + timedelta(seconds=self.passed - self._begun)

    def monotonic(self) -> float:
        return self.passed

    def turn_to(self, instant: float) -> None:
        """Time passes."""
        self.passed = max(self.passed, instant)

    def set_wall(self, by: timedelta) -> None:
        """Someone sets the clock on the wall, or the machine has slept for so long."""
        self._set_by += by


class Actor(Protocol):
    """Someone who acts by himself when his time has come."""

    due_at: float | None
    """By the clock that only goes forward; None while nothing makes him act."""

    def act(self) -> None:
        """Do what is due."""
        ...

    def look_soon(self) -> None:
        """The clock on the wall was set: look at it, as someone does who looks now and then."""
        ...


class Listener(Protocol):
    """Who answers the words of running jobs."""

    def take_call(self, word: Word, caller: "PlayedProcess") -> None:
        """A process says something."""
        ...


class World:
    """Everything outside engines and stores. It outlives engines."""

    def __init__(self, clock: PlayedClock | None = None) -> None:
        self.clock = clock or PlayedClock()
        self.processes: list[PlayedProcess] = []
        """All that were ever started, in order."""
        self._living: list[PlayedProcess] = []
        self.collisions: list[tuple[PlayedProcess, PlayedProcess]] = []
        """Processes that were started while another of the same job still lived."""
        self.effects: list[tuple[str, str]] = []
        """Irreversible things, by job key and execution, in order."""
        self.answers: list[tuple[str, str, Answer]] = []
        """What engines have answered: execution, word, answer."""
        self.locks: dict[str, object] = {}
        """Who holds the lock of which place."""
        self.listening: dict[str, Listener] = {}
        """Who answers at which place."""
        self.refuse: OSError | None = None
        """What every spawn fails with."""
        self.people: set[int] = set()
        """The pids of callers that live."""
        self.actors: list[Actor] = []
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count(1)

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Something happens after so many seconds."""
        heapq.heappush(self._agenda, (self.clock.passed + seconds, next(self._numbers), act))

    def set_wall(self, **by: float) -> None:
        """Set the clock on the wall by a timedelta's arguments; everyone notices soon."""
        self.clock.set_wall(timedelta(**by))
        for actor in self.actors:
            actor.look_soon()

    def begin(self, process: "PlayedProcess") -> None:
        """A process comes to life."""
        self.collisions += [(other, process) for other in self.alive() if other.job == process.job]
        self.processes.append(process)
        self._living.append(process)
        self.later(BREATH, process.go_on)

    def alive(self) -> "Sequence[PlayedProcess]":
        """What runs now."""
        self._living = [process for process in self._living if not process.gone()]
        return self._living

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass, event by event, until something holds or the time is up."""
        clock = self.clock
        end = clock.passed + seconds
        while not until():
            if clock.passed >= end:
                return False
            happens = self._agenda[0][0] if self._agenda else end
            actor = min(
                (one for one in self.actors if one.due_at is not None), key=lambda one: one.due_at or 0.0, default=None
            )
            acts = end if actor is None or actor.due_at is None else actor.due_at
            clock.turn_to(min(happens, acts, end))
            if self._agenda and happens <= clock.passed and happens <= acts:
                heapq.heappop(self._agenda)[2]()
            elif actor is not None and acts <= clock.passed:
                actor.act()
                clock.turn_to(clock.passed + MOMENT)
        return True


class PlayedLock:
    """A lock of a place that the world takes back when its holder crashes."""

    def __init__(self, world: World, place: str) -> None:
        self._world = world
        self._place = place

    def acquire(self) -> bool:
        return self._world.locks.setdefault(self._place, self) is self

    def release(self) -> None:
        if self._world.locks.get(self._place) is self:
            del self._world.locks[self._place]
