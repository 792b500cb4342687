"""The ways to the targets: what is under way to each, and how long one that fails is left alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.machine.calls import Call
from core.notifications import Delivery, Target

LONGEST_REST = 30.0
"""A target that fails rests a second, then twice as long each time, up to so many."""


@dataclass
class Way:
    """The way to one target."""

    target: Target
    under_way: int = 0
    """What was handed out and has not been recorded."""
    call: Call | None = None
    failures: int = 0
    """In a row."""
    rests_until: float = 0.0

    def take_in(self, delivery: Delivery | None, monotonic: float) -> None:
        """One is over."""
        self.under_way -= 1
        if delivery is None:
            return
        if delivery.error is None:
            self.failures = 0
        else:
            self.rests_until = monotonic + min(LONGEST_REST, 2.0**self.failures)
            self.failures = min(self.failures + 1, 10)

    def lead_to(self, target: Target) -> None:
        """From the next delivery on it leads there; what was learned of the way before says nothing of it."""
        self.target = target
        self.failures, self.rests_until = 0, 0.0


class Ways:
    """Those that there are now, by the names of their targets."""

    def __init__(self, targets: Iterable[Target]) -> None:
        self._by_name = {one.name: Way(one) for one in targets}

    def __iter__(self) -> Iterator[Way]:
        return iter(self._by_name.values())

    def lead_to(self, targets: Iterable[Target]) -> list[Call]:
        """Lead to these from now on; the calls under way to those that are gone."""
        before, self._by_name = self._by_name, {}
        for target in targets:
            way = before.pop(target.name, None) or Way(target)
            if way.target != target:
                way.lead_to(target)
            self._by_name[target.name] = way
        return [way.call for way in before.values() if way.call is not None]

    def lead(self, target: Target) -> bool:
        """Whether one of them still leads to just that target."""
        way = self._by_name.get(target.name)
        return way is not None and way.target is target
