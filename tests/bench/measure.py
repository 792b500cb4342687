"""Measuring side by side: what is compared takes turns, so that a busy moment of the machine hits all alike."""

import gc
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

ROUNDS = 5

Once = Callable[[], float]
"""Does its work once and says how many seconds of it count."""


@dataclass(frozen=True)
class Ratio:
    """How many times one thing takes as long as another, over several rounds."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f}× ({self.low:.2f}–{self.high:.2f})"


@dataclass(frozen=True)
class Line:
    """One line of the results."""

    what: str
    against: str
    ratio: Ratio
    must: float | None = None
    """The ratio that it must not exceed; None where none was promised."""

    @property
    def kept(self) -> bool:
        """Whether the promise was kept."""
        return self.must is None or self.ratio.median <= self.must


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


def ratio(these: list[float], those: list[float]) -> Ratio:
    """How the rounds of the one compare with the rounds of the other."""
    each = sorted(this / that for this, that in zip(these, those, strict=True))
    return Ratio(statistics.median(these) / statistics.median(those), each[0], each[-1])
