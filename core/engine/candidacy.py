"""How an engine comes to lead: by the kernel's lock, or by outwaiting a leader that stands still."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.leading import Leader, Watch, may_lead
from core.limits import Limits
from core.owners import NO_PROCESS, Owner, parse_owner
from core.ports import Clock, LeadLock
from core.store_ports import Store

ENGINE = "engine"
"""The name of every engine, as an owner and as an actor."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Who wants to lead."""

    owner: str
    host: str
    pid: int
    store: str
    """The identity of the very file."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The lead that a candidate has won."""

    leader: Leader
    before: Leader | None
    """Who led before and did not resign."""

    @property
    def same_store(self) -> bool:
        """Whether it is the file that was led before, and not a copy of it."""
        return self.before is None or self.before.store == self.leader.store

    def is_dead(self, owner: str, alive: Callable[[Owner], bool]) -> bool:
        """Whether the owner of a lease or a reservation counts as gone.

        Another engine does, even one that only stands still: it can write nothing more since this one leads.
        """
        process = parse_owner(owner)
        if process is None or process.name == ENGINE:
            return owner != self.leader.owner
        if process.pid == NO_PROCESS:
            return False
        return process.host != self.leader.host or not alive(process)


class Candidacy:
    """Tries to take the lead, again and again, without ever disturbing a leader that is well."""

    def __init__(self, store: Store, clock: Clock, lock: LeadLock, candidate: Candidate, lease: timedelta) -> None:
        self._store = store
        self._clock = clock
        self._lock = lock
        self._candidate = candidate
        self._lease = lease
        self._watch = Watch()
        self.leader: Leader | None = None
        """Who leads as long as this one doesn't."""

    def attempt(self, now: datetime, limits: Limits, slots: int | None) -> Lead | None:
        """Take the lead if it is to be had; `slots` stands for a number that was asked for this very start."""
        locked = self._lock.acquire()
        with self._store.read(now) as views:
            self.leader = views.leader()
        if not self._may_lead(self.leader, now, locked):
            self._wait()
            return None
        with self._store.write(ENGINE, now) as work:
            # Read again under the write lock: another candidate may have been faster.
            before = work.leader()
            if not self._may_lead(before, now, locked):
                self.leader = before
                self._wait()
                return None
            me = self._candidate
            leader = Leader(me.owner, me.host, me.pid, me.store, now, now + self._lease, 1, limits, locked)
            work.take_lead(leader, slots)
        self.leader = None
        return Lead(leader, before)

    def _wait(self) -> None:
        """Whoever waits holds no lock: a leader that has outwaited the one before it is still to get it."""
        self._lock.release()

    def _may_lead(self, leader: Leader | None, now: datetime, locked: bool) -> bool:
        silent = leader is not None and self._watch.silent(leader, self._clock.monotonic(), self._lease)
        return may_lead(leader, self._candidate.host, now, locked=locked, silent=silent)
