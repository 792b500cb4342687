"""The lookout: a thread that watches the store for the panes and hands them a fresh snapshot when it has changed."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, TypeVar

from console.app.deck import Deck
from console.app.hearing import terminals_of
from console.app.measuring import Meter
from console.app.reading import Reader
from console.app.snapshot import PaneNumber, Sight, Snapshot
from core.refusals import JobdeckError, Trouble
from store.store import Store
from store.views import Views

T = TypeVar("T")

GLANCE = 0.1
"""Seconds between two looks whether others have changed the store."""
SETTLE = 0.1
"""Changes by others within so many seconds are shown together."""
STALE = 2.0
"""Without any change, what the machine tells is read again after so many seconds."""
AGAIN = 1.0
"""A store that can't be read is tried again after so many seconds."""


class Lookout(threading.Thread):
    """Reads, on its own connection; the screen's thread never waits for it."""

    def __init__(self, deck: Deck, deliver: Callable[[Snapshot], None], fail: Callable[[str], None]) -> None:
        super().__init__(name="lookout", daemon=True)
        self._deck = deck
        self._deliver = deliver
        self._fail = fail
        self._condition = threading.Condition()
        self._sight = Sight()
        self._wanted = True
        self._hinted = False
        self._ending = False
        self._busy = False
        self._questions: deque[_Question[Any]] = deque()
        self._reader = Reader(lambda: terminals_of(deck.config))
        self._meter = Meter()
        self._rests_until = 0.0
        self._looked_at = 0.0

    def look_at(self, sight: Sight) -> None:
        """Look at this from now on."""
        with self._condition:
            if sight != self._sight:
                self._sight = sight
                self._wanted = True
                self._condition.notify()

    def ask(self, query: Callable[[Views], T], told: Callable[[T | JobdeckError], None]) -> None:
        """Read something once; `told` is called in the lookout's thread."""
        with self._condition:
            self._questions.append(_Question(query, told))
            self._condition.notify()

    @property
    def idle(self) -> bool:
        """Whether all that was asked for has been delivered."""
        with self._condition:
            return not (self._wanted or self._questions or self._busy)

    def nudge(self) -> None:
        """Look now: something has changed."""
        with self._condition:
            self._wanted = True
            self._condition.notify()

    def hint(self) -> None:
        """Something may have changed: look as soon as the last look is a while ago."""
        with self._condition:
            self._hinted = True
            self._condition.notify()

    def end(self) -> None:
        """Stop looking."""
        with self._condition:
            self._ending = True
            self._condition.notify()

    def run(self) -> None:
        """Look, deliver, wait; a store that can't be read is told and looked at again."""
        store: Store | None = None
        while True:
            with self._condition:
                self._condition.wait_for(self._called, GLANCE)
                if self._ending:
                    break
                wanted, self._wanted, self._hinted, sight = self._wanted, False, False, self._sight
                self._busy = True
            try:
                store = store or self._deck.open_store()
                self._glance(store, sight, wanted=wanted)
            except JobdeckError as error:
                self._fail(str(error))
                self._rest(AGAIN)
            except Exception as error:
                self._fail(f"something went wrong that should not have ({type(error).__name__}: {error})")
                self._rest(AGAIN)
            finally:
                with self._condition:
                    self._busy = False
        if store is not None:
            store.close()

    def _called(self) -> bool:
        rested = time.monotonic() >= self._rests_until
        return self._wanted or self._ending or bool(self._questions) or (self._hinted and rested)

    def _glance(self, store: Store, sight: Sight, *, wanted: bool) -> None:
        while self._questions:
            self._questions.popleft().answer(store)
        begun = time.monotonic()
        if not wanted and begun < self._rests_until:
            return
        if store.changed() or wanted or begun - self._looked_at > STALE:
            self._deliver(self._look(store, sight))
            self._looked_at = time.monotonic()
            # Whatever a look costs, it takes no more than half of the time there is.
            self._rests_until = self._looked_at + max(SETTLE, self._looked_at - begun)

    def _look(self, store: Store, sight: Sight) -> Snapshot:
        with store.read() as views:
            snapshot = self._reader.read(views, sight)
        if PaneNumber.RUNNING in sight.panes and snapshot.running:
            snapshot = replace(snapshot, running=self._meter.measured(snapshot.running))
        return snapshot

    def _rest(self, seconds: float) -> None:
        with self._condition:
            self._condition.wait_for(lambda: self._ending, seconds)


class _Question(Generic[T]):
    """Something to be read once, and whom to tell."""

    def __init__(self, query: Callable[[Views], T], told: Callable[[T | JobdeckError], None]) -> None:
        self._query = query
        self._told = told

    def answer(self, store: Store) -> None:
        """Read it; what can't be read is told as well."""
        try:
            with store.read() as views:
                found = self._query(views)
        except JobdeckError as error:
            self._told(error)
        except Exception as error:
            self._told(Trouble(f"something went wrong that should not have ({type(error).__name__}: {error})"))
        else:
            self._told(found)
