"""An engine's process as the world sees it: waits for the lead, works, and can crash, freeze and thaw at any moment."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from random import Random

from core.engine.candidacy import Candidacy, Candidate
from core.engine.engine import Engine, Mode
from core.engine.events import Event
from core.engine.terms import Terms
from core.engine.words import Word
from core.owners import Owner
from core.refusals import Trouble
from store.store import Store
from tests.engine.played import PlayedLock, World
from tests.engine.processes import BOOT, PlayedProcess, PlayedRunner
from tests.engine.wire import Crash

Watch = Callable[[], AbstractContextManager[None]]
"""Around every step of an engine."""

TICK = 0.5
"""Seconds after which the loop around an engine looks by itself."""


@dataclass(frozen=True)
class Place:
    """Where engines work."""

    name: str
    """The directory with their lock and their socket."""
    identity: str
    """Which file they lead."""
    rng: Random


class Seat:
    """One process that would lead a store, as `jobdeck serve` is one."""

    def __init__(
        self,
        world: World,
        place: Place,
        store: Store,
        terms: Terms,
        number: int,
        host: str,
        watch: Watch = nullcontext,
    ) -> None:
        self.world = world
        self.place = place
        self.store = store
        self.terms = terms
        self.number = number
        self.host = host
        self.engine: Engine | None = None
        self.events: list[Event] = []
        self.steps = 0
        """How often the engine has stepped."""
        self.forgiving = False
        """Whether its loop goes on after a defect, as the real one does; here a defect is to be seen."""
        self.alive = True
        self.frozen = False
        self.stepping = False
        """Whether it is in the middle of a step, where only a freeze or a crash can interrupt it."""
        self.due_at: float | None = world.clock.passed
        self._lock = PlayedLock(world, f"{host}:{place.name}")
        self._watch = watch
        self._leads = 0
        self._rung = False
        self._calls: list[PlayedProcess] = []
        self._backlog: list[Word] = []
        self._candidacy = self._candidate()
        world.actors.append(self)

    @property
    def leads(self) -> bool:
        """Whether its engine works, as far as it knows."""
        return self.engine is not None and self.engine.mode is not Mode.STOPPED

    def act(self) -> None:
        """Try to lead, or let the engine step; a crash in the middle of it is the end of the process."""
        self.steps += 1
        self.stepping, self._rung = True, False
        try:
            with self._watch():
                wake = self._attempt() if self.engine is None else self._step(self.engine)
        except Crash:
            self.crash()
            return
        finally:
            self.stepping = False
        self._hear_backlog()
        if self.engine is None or wake is None:
            self._end_of_engine()
            self.due_at = None if self.engine is not None else self.world.clock.passed + TICK
            return
        if not self.frozen:
            seconds = 0.0 if self._rung else (wake - self.world.clock.now()).total_seconds()
            self.due_at = self.world.clock.passed + max(0.0, seconds)

    def ring(self) -> None:
        """Something has happened that the loop would wake up for."""
        if self.alive and not self.frozen and (self.leads or self.engine is None):
            self.due_at = self.world.clock.passed
            self._rung = True

    def look_soon(self) -> None:
        """The loop looks after its tick at the latest."""
        if self.due_at is not None:
            self.due_at = min(self.due_at, self.world.clock.passed + TICK)

    def take_call(self, word: Word, caller: PlayedProcess) -> None:
        """A process says something."""
        self._calls = [one for one in self._calls if one.code is None and one is not caller]
        self._calls.append(caller)
        self._backlog.append(word)
        if not self.frozen and not self.stepping:
            self._hear_backlog()

    def crash(self) -> None:
        """The process is gone from one moment to the next; its children go on."""
        self.alive, self.frozen, self.due_at, self.engine = False, False, None, None
        self._lock.release()
        self._hang_up()
        self.store.close()

    def freeze(self) -> None:
        """The process stands still; the kernel keeps its lock for it."""
        self.frozen, self.due_at = True, None

    def thaw(self) -> None:
        """The process goes on as if nothing had been."""
        if self.alive:
            self.frozen = False
            self.ring()
            if not self.stepping:
                self._hear_backlog()

    def close(self) -> None:
        """Let go of the store."""
        if self.alive:
            self.store.close()

    def _step(self, engine: Engine) -> datetime | None:
        now = self.world.clock.now()
        try:
            return engine.step(now)
        except Exception as error:
            if not self.forgiving:
                raise
            return engine.broke_down(now, error)

    def _hear_backlog(self) -> None:
        backlog, self._backlog = self._backlog, []
        for word in backlog:
            if self.engine is not None:
                self.engine.hear(word)
                self.ring()

    def _attempt(self) -> datetime | None:
        clock = self.world.clock
        try:
            lead = self._candidacy.attempt(clock.now(), self.terms.limits, None)
        except Trouble:
            return None
        if lead is None:
            return None
        self.engine = Engine(
            self.store,
            clock,
            PlayedRunner(self.world, self),
            self._lock,
            self.terms,
            lead,
            lambda owner: owner.pid in self.world.people,
            self.place.rng,
            self.events.append,
        )
        self.world.listening[self.place.name] = self
        return clock.now()

    def _end_of_engine(self) -> None:
        """A deposed engine's process waits for the lead again, under a new name; one that was told to end is gone."""
        if self.engine is None:
            return
        self._hang_up()
        if self.engine.deposed:
            self.engine = None
            self._candidacy = self._candidate()

    def _hang_up(self) -> None:
        if self.world.listening.get(self.place.name) is self:
            del self.world.listening[self.place.name]
        calls, self._calls, self._backlog = self._calls, [], []
        for caller in calls:
            caller.hung_up()

    def _candidate(self) -> Candidacy:
        self._leads += 1
        owner = Owner("engine", self.host, self.number, self.number, BOOT, f"{self.number}.{self._leads}")
        candidate = Candidate(str(owner), self.host, self.number, self.place.identity)
        return Candidacy(self.store, self.world.clock, self._lock, candidate, self.terms.lease)
