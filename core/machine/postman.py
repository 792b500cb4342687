"""The postman: delivers what stands in the outbox, in threads of its own; no receiver ever holds up the engine."""

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Any

from core.engine.candidacy import ENGINE
from core.engine.events import Event
from core.jobs import Json
from core.machine.calls import Call, call
from core.machine.procfs import host
from core.machine.ways import Way, Ways
from core.notifications import Delivery, Notification, Target, body, next_attempt
from core.ports import Clock
from core.refusals import JobdeckError
from core.store_ports import Store, StoreWork
from core.when import format_relative

BATCH = 20
"""So many are handed to a target's thread at once."""
LINGERS = 3.0
"""An engine that ends waits so many seconds for what is being delivered; the next one delivers the rest."""
LOOKS_AGAIN = 30.0
"""Clocks are set, so nothing is slept towards for longer."""
SETTLE = 0.05
"""What is written within so many seconds is looked at together."""

Conceal = Callable[[Mapping[str, Json]], Mapping[str, Json]]
"""Takes out of what is told whatever its operator shows nobody."""


@dataclass(frozen=True)
class _Parcel:
    """A notification as it is sent, or why it can't be."""

    notification: Notification
    body: dict[str, Any] | None = None
    trouble: str | None = None


@dataclass(frozen=True)
class _Result:
    """What became of one parcel; no delivery when it was not even tried."""

    way: Way
    target: Target
    """Where it led when this was tried."""
    notification: Notification
    delivery: Delivery | None


class Postman(threading.Thread):
    """Reads the outbox, lets each target be told in a thread of its own, and records what it came to."""

    def __init__(
        self,
        open_store: Callable[[], Store],
        targets: Sequence[Target],
        clock: Clock,
        rng: Random,
        tell: Callable[[Event], None],
        conceal: Conceal = dict,
        call: Callable[[Target], Call] = call,
    ) -> None:
        super().__init__(name="postman", daemon=True)
        self._open_store = open_store
        self._ways = Ways(targets)
        self._wanted: Sequence[Target] | None = None
        self._clock = clock
        self._rng = rng
        self._tell = tell
        self._conceal = conceal
        self._call = call
        self._condition = threading.Condition()
        self._results: deque[_Result] = deque()
        self._called = False
        self._changed = True
        self._looked_at = 0.0
        self._look_at = 0.0
        self._leave_at: float | None = None
        self._hurried = False
        self._trouble = ""

    def look(self) -> None:
        """Something may have been written; from any thread."""
        with self._condition:
            self._called = True
            self._condition.notify()

    def serve(self, targets: Sequence[Target]) -> None:
        """Tell these from now on, and nobody else; from any thread."""
        with self._condition:
            self._wanted = targets
            self._called = True
            self._condition.notify()

    def leave(self) -> None:
        """Deliver what is due now, but not for long; then it is over."""
        with self._condition:
            self._leave_at = self._clock.monotonic() + LINGERS
            self._called = self._changed = True
            self._condition.notify()
        self.join(LINGERS)
        self.hurry()
        self.join(LINGERS)

    def hurry(self) -> None:
        """Break off what is being delivered; the next engine delivers it again. From any thread."""
        with self._condition:
            self._hurried = self._called = True
            calls = [way.call for way in self._ways if way.call is not None]
            self._condition.notify()
        for one in calls:
            one.cut()

    def run(self) -> None:
        """Record, look, hand out, wait; a store that fails is tried again, and nothing is lost by that."""
        store: Store | None = None
        try:
            while not self._over():
                seconds = 1.0
                try:
                    self._heed_the_operator()
                    store = store or self._open_store()
                    self._record(store)
                    seconds = self._hand_out(store)
                    self._trouble = ""
                except JobdeckError as error:
                    self._in_trouble(str(error))
                except Exception as error:
                    self._in_trouble(f"something went wrong that should not have ({type(error).__name__}: {error})")
                if self._over():
                    break
                with self._condition:
                    self._condition.wait_for(lambda: self._called or (self._results and not self._trouble), seconds)
                    self._called = False
            if store is not None:
                with suppress(JobdeckError):
                    self._record(store)
        finally:
            if store is not None:
                store.close()

    def _heed_the_operator(self) -> None:
        """Go the ways that are wanted now; what is under way where nobody is to be told any more is broken off."""
        with self._condition:
            if self._wanted is None:
                return
            calls = self._ways.lead_to(self._wanted)
            self._wanted = None
        self._changed = True
        for one in calls:
            one.cut()

    def _over(self) -> bool:
        """Whether it was told to leave, and all that was due is done or its time is up."""
        if self._hurried:
            return True
        if self._leave_at is None or self._changed or self._trouble:
            return self._leave_at is not None and self._clock.monotonic() >= self._leave_at
        return not any(way.under_way for way in self._ways) or self._clock.monotonic() >= self._leave_at

    def _record(self, store: Store) -> None:
        """Write down what came of deliveries; what can't be written now is kept, and written later."""
        with self._condition:
            results = list(self._results)
        if not results:
            return
        now, monotonic = self._clock.now(), self._clock.monotonic()
        with store.write(ENGINE, now) as work:
            events = [self._note(work, one, now) for one in results]
        with self._condition:
            for one in results:
                self._results.popleft()
                one.way.take_in(one.delivery if self._ways.lead(one.target) else None, monotonic)
        self._changed = True
        for event in events:
            if event is not None:
                self._tell(event)

    def _note(self, work: StoreWork, result: _Result, now: datetime) -> Event | None:
        """Record one result; what is worth telling the operator of it."""
        notification, delivery = result.notification, result.delivery
        if delivery is None or (delivery.error is not None and not self._ways.lead(result.target)):
            # A target that has moved is not to blame for what became of it elsewhere.
            return None
        if delivery.error is None:
            work.note_delivered(notification.id)
            return None
        target = notification.target
        about = "" if notification.job is None else f" of job {notification.job}"
        what = f"{target} could not be told {notification.event}{about}: {delivery.error}"
        if delivery.gone:
            work.note_failure(notification.id, delivery.error, None)
            work.switch_off(target, delivery.error)
            words = f"{what}; it is switched off now, until: jobdeck notify retry --target {target}"
            return Event(now, "trouble", words)
        again_at = next_attempt(notification.attempts + 1, now, self._rng)
        work.note_failure(notification.id, delivery.error, again_at)
        if again_at is None:
            return Event(now, "trouble", f"{what}; it was given up, see: jobdeck notify list")
        return Event(now, "notify", f"{what}; again {format_relative(again_at, now)}")

    def _hand_out(self, store: Store) -> float:
        """Give each target that is free what is due for it; for how many seconds there is nothing more to do."""
        monotonic = self._clock.monotonic()
        self._changed |= store.changed()
        if self._changed and self._leave_at is None:
            self._look_at = min(self._look_at, self._looked_at + SETTLE)
        if monotonic < self._look_at and not (self._changed and self._leave_at is not None):
            return self._look_at - monotonic
        now = self._clock.now()
        free = [way for way in self._ways if not way.under_way and way.rests_until <= monotonic]
        with store.read(now) as views:
            due = [(way, views.due_notifications(way.target.name, BATCH)) for way in free]
            next_at = views.next_delivery([way.target.name for way, found in due if not found])
        self._changed, self._looked_at = False, monotonic
        for way, found in due:
            if found:
                self._begin(way, [self._parcel(store, one) for one in found])
        rests = [way.rests_until - monotonic for way in self._ways if way.rests_until > monotonic]
        until_due = LOOKS_AGAIN if next_at is None else (next_at - now).total_seconds()
        seconds = max(0.0, min(LOOKS_AGAIN, until_due, *rests))
        self._look_at = monotonic + seconds
        return seconds

    def _parcel(self, store: Store, notification: Notification) -> _Parcel:
        """What is sent; only here does a gate's token come to it."""
        gate = notification.approval_id
        shown = replace(notification, payload=self._conceal(notification.payload))
        try:
            return _Parcel(notification, body(shown, host(), None if gate is None else store.token_of(gate)))
        except JobdeckError as error:
            return _Parcel(notification, trouble=str(error))

    def _begin(self, way: Way, parcels: Sequence[_Parcel]) -> None:
        way.under_way = len(parcels)
        threading.Thread(target=self._deliver, args=(way, parcels), name="delivery", daemon=True).start()

    def _deliver(self, way: Way, parcels: Sequence[_Parcel]) -> None:
        """One after the other, in a thread of its own; after a failure the others wait until the target has rested."""
        failed = False
        for parcel in parcels:
            target = way.target
            delivery = None if failed else self._attempt(way, target, parcel)
            failed = failed or delivery is None or delivery.error is not None
            with self._condition:
                self._results.append(_Result(way, target, parcel.notification, delivery))
                self._condition.notify()

    def _attempt(self, way: Way, target: Target, parcel: _Parcel) -> Delivery | None:
        if parcel.body is None:
            return Delivery(parcel.trouble)
        one = self._call(target)
        with self._condition:
            if self._hurried or not self._ways.lead(target):
                return None
            way.call = one
        try:
            delivery = one.deliver(parcel.body, int(self._clock.now().timestamp()))
        except Exception as error:
            # Its words might repeat what was sent.
            delivery = Delivery(f"something went wrong that should not have ({type(error).__name__})")
        with self._condition:
            way.call = None
        # What was broken off here says nothing about the target.
        return None if self._hurried and delivery.error is not None else delivery

    def _in_trouble(self, words: str) -> None:
        if words != self._trouble:
            self._trouble = words
            self._tell(Event(self._clock.now(), "trouble", f"nobody can be told anything: {words}"))
