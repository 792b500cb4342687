"""Measuring side by side: what is compared takes turns, so that a busy moment of the machine hits all alike."""

import gc
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

ROUNDS = 5

Once = Callable[[], float]
"""Does its work once and says how many seconds of it count."""


@dataclass(frozen=True)
class Spread:
    """A figure over several rounds."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Line:
    """One line of the results."""

    what: str
    against: str
    found: Spread
    most: float | None = None
    """What it must not exceed."""
    least: float | None = None
    """What it must reach."""
    aim: float | None = None
    unit: str = "×"

    @property
    def kept(self) -> bool:
        """Whether the promise was kept, if there is one."""
        return (self.most is None or self.found.median <= self.most) and (
            self.least is None or self.found.median >= self.least
        )

    @property
    def promise(self) -> str:
        """The promise in words."""
        if self.most is None and self.least is None:
            return ""
        sign, bound = ("≤", self.most) if self.most is not None else ("≥", self.least)
        aim = "" if self.aim is None else f", aim {sign} {self.figure(self.aim)}"
        return f"{sign} {self.figure(bound or 0)}{aim}"

    @property
    def shown(self) -> str:
        """The figure with its spread."""
        return f"{self.figure(self.found.median)} ({self.figure(self.found.low)}–{self.figure(self.found.high)})"

    def figure(self, value: float) -> str:
        """One figure with its unit."""
        digits = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"
        return f"{digits}{self.unit}"


@dataclass(frozen=True)
class Missing:
    """A comparison that could not be made, and why."""

    what: str
    why: str


Result = Line | Missing


def in_turns(contenders: Mapping[str, Once], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """The seconds of each contender in each round, after one round that doesn't count."""
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, once in contenders.items():
            gc.collect()
            seconds = once()
            if number:
                taken[name].append(seconds)
    return taken


def spread(values: Sequence[float]) -> Spread:
    """The middle and the ends of what was measured."""
    return Spread(statistics.median(values), min(values), max(values))


def ratio(these: Sequence[float], those: Sequence[float]) -> Spread:
    """How the rounds of the one compare with the rounds of the other."""
    each = sorted(this / that for this, that in zip(these, those, strict=True))
    return Spread(statistics.median(these) / statistics.median(those), each[0], each[-1])


def p95(values: Sequence[float]) -> float:
    """What all but a twentieth stay under."""
    return statistics.quantiles(values, n=20)[-1]
