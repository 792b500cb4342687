"""The loop around the engine: waits for a timer, a child's end, a call or a ring, and lets the engine step."""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from random import SystemRandom

from core.engine.candidacy import ENGINE, Candidacy, Candidate, Lead
from core.engine.engine import Engine, Mode
from core.engine.events import Event
from core.engine.terms import Terms
from core.engine.words import Answer
from core.leading import Leader
from core.machine.bell import Bell
from core.machine.clocks import SystemClock
from core.machine.leadlock import FileLock
from core.machine.postman import Conceal, Postman
from core.machine.processes import Processes
from core.machine.procfs import alive, this_process
from core.machine.switchboard import Switchboard
from core.machine.waiter import Waiter
from core.refusals import Trouble
from core.store_ports import Store

TICK = 0.5
"""Seconds after which the loop looks by itself: at the lead it waits for, at a store changed without a ring."""

Tell = Callable[[Event], None]


@dataclass(frozen=True)
class Place:
    """Where an engine works."""

    run_directory: Path
    """For its lock, its bell and its socket; 0700."""
    store_identity: str
    """Which file it leads."""


class Loop:
    """Runs in one thread; other threads may only give orders."""

    def __init__(
        self,
        place: Place,
        store: Store,
        terms: Terms,
        tell: Tell,
        *,
        slots: int | None = None,
        until_idle: bool = False,
        stepped: Callable[[], None] = lambda: None,
        open_store: Callable[[], Store] | None = None,
        beside: Callable[[], AbstractContextManager[object]] = nullcontext,
        news: Callable[[], Terms | None] = lambda: None,
        conceal: Conceal = dict,
    ) -> None:
        self._place = place
        self._store = store
        self._terms = terms
        self._tell = tell
        self._slots = slots
        self._until_idle = until_idle
        self._stepped = stepped
        self._open_store = open_store
        self._postman: Postman | None = None
        self._conceal = conceal
        self._beside = beside
        """What else goes on as long as the engine leads."""
        self._news = news
        """Other terms, if there are any since the last time it was asked."""
        self._asked_at = 0.0
        self._clock = SystemClock()
        self._rng = SystemRandom()
        self._waiter = Waiter()
        self._lock = FileLock(place.run_directory / "lock")
        self._orders: deque[Callable[[Engine], None]] = deque()
        self._leaving = False
        self.engine: Engine | None = None
        """The engine, while this loop leads."""
        self.leader: Leader | None = None
        """Who leads, while this loop waits for it."""

    @property
    def nudger(self) -> int:
        """A descriptor whose writing wakes the loop, such as a signal's."""
        return self._waiter.nudger

    def drain(self, grace: timedelta) -> None:
        """Start nothing more, wait so long for what runs, then stop it; from any thread."""
        self._order(lambda engine: engine.drain(grace))

    def stop_now(self) -> None:
        """Stop what runs at once; from any thread."""
        if (postman := self._postman) is not None:
            postman.hurry()
        self._order(Engine.stop_now)

    def look(self) -> None:
        """Look at the store now; from any thread."""
        self._waiter.nudge()

    def run(self) -> None:
        """Wait for the lead, work, and end when it was told to and nothing runs any more."""
        try:
            while not self._leaving:
                lead = self._wait_for_the_lead()
                if lead is not None:
                    self._work(lead)
        finally:
            self._lock.release()
            self._waiter.close()

    def _hear_news(self) -> bool:
        """Whether there are other terms; asked once in a while."""
        if self._clock.monotonic() < self._asked_at + TICK:
            return False
        self._asked_at = self._clock.monotonic()
        terms = self._news()
        if terms is None:
            return False
        self._terms = terms
        return True

    def _order(self, order: Callable[[Engine], None]) -> None:
        self._leaving = True
        self._orders.append(order)
        self._waiter.nudge()

    def _wait_for_the_lead(self) -> Lead | None:
        me = this_process(ENGINE, f"{self._rng.getrandbits(32):08x}")
        candidate = Candidate(str(me), me.host, me.pid, self._place.store_identity)
        candidacy = Candidacy(self._store, self._clock, self._lock, candidate, self._terms.lease)
        while not self._leaving:
            self._hear_news()
            limits = self._terms.limits if self._slots is None else replace(self._terms.limits, slots=self._slots)
            try:
                lead = candidacy.attempt(self._clock.now(), limits, self._slots)
            except Trouble as error:
                self._tell(Event(self._clock.now(), "trouble", str(error)))
                lead = None
            if lead is not None:
                self.leader = None
                return lead
            self._note(candidacy.leader)
            self._waiter.wait(TICK)
        return None

    def _note(self, leader: Leader | None) -> None:
        """Tell once who leads."""
        if leader is not None and (self.leader is None or leader.owner != self.leader.owner):
            words = f"pid {leader.pid} on {leader.host} leads this store; waiting to take over"
            self._tell(Event(self._clock.now(), "lead", words))
        self.leader = leader

    def _work(self, lead: Lead) -> None:
        engine = Engine(
            self._store,
            self._clock,
            Processes(self._waiter.close_when_ready),
            self._lock,
            self._terms,
            lead,
            alive,
            self._rng,
            self._tell,
        )
        bell = Bell(self._place.run_directory)
        self._waiter.add(bell.descriptor, bell.quiet)
        switchboard = Switchboard(self._place.run_directory, self._waiter, engine.hear, lambda name: ask(engine, name))
        self.engine = engine
        self._employ_postman()
        self._tell(Event(self._clock.now(), "lead", f"leads this store with {count_slots(lead.leader.limits.slots)}"))
        try:
            with self._beside():
                self._step_until_it_ends(engine)
        finally:
            self.engine = None
            if self._postman is not None:
                self._postman.leave()
                self._postman = None
            switchboard.close()
            self._waiter.remove(bell.descriptor)
            bell.close()
            if engine.mode is not Mode.STOPPED:
                engine.abandon()

    def _employ_postman(self) -> None:
        """Have those told who are told now; as long as there is nobody there is no thread for it."""
        targets = self._terms.targets
        if self._postman is not None:
            self._postman.serve(targets)
        elif targets and self._open_store is not None:
            self._postman = Postman(self._open_store, targets, self._clock, self._rng, self._tell, self._conceal)
            self._postman.start()

    def _step_until_it_ends(self, engine: Engine) -> None:
        while True:
            while self._orders:
                self._orders.popleft()(engine)
            if self._hear_news():
                engine.adopt(self._terms)
                self._employ_postman()
            now = self._clock.now()
            try:
                wake = engine.step(now)
            except Exception as error:
                wake = engine.broke_down(now, error)
            self._stepped()
            if self._postman is not None:
                self._postman.look()
            if wake is None:
                return
            if self._until_idle and engine.idle:
                self._leaving = True
                engine.drain(timedelta(0))
                continue
            self._waiter.wait(min(TICK, (wake - self._clock.now()).total_seconds()))


def ask(engine: Engine, name: str) -> Answer | None:
    """What anyone of the same user may ask an engine."""
    if name != "status":
        return None
    return {"mode": engine.mode.value, "running": len(engine.runs), "trouble": engine.trouble}


def count_slots(slots: int) -> str:
    """A number of slots in words."""
    return "1 slot" if slots == 1 else f"{slots:,} slots"
