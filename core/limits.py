"""How many jobs may run at once: in total, of one type, under one concurrency key."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from core.refusals import BadInput

MAX_SLOTS = 1_000


@dataclass(frozen=True)
class Lane:
    """What of a job the limits look at."""

    job_type: str
    concurrency_key: str = ""
    """Jobs with the same key share that key's limit; empty means that none applies."""
    elsewhere: bool = False
    """What it started goes on elsewhere: it counts for its type and key, but takes no slot here."""


def _checked(limits: Mapping[str, int], what: str) -> Mapping[str, int]:
    """A read-only copy, once every limit in it is in bounds."""
    for name, limit in limits.items():
        if not 0 <= limit <= MAX_SLOTS:
            raise BadInput(f"the limit for {what} {name} is {limit}; use 0 to {MAX_SLOTS:,}")
    return MappingProxyType(dict(limits))


@dataclass(frozen=True)
class Limits:
    """The operator's limits; a limit of 0 lets nothing start."""

    slots: int
    per_type: Mapping[str, int] = field(default_factory=dict)
    """Limits by job type; a type that is not named is limited by the slots alone."""
    per_key_default: int = 1
    """The limit of every concurrency key that has none of its own."""
    per_key: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.slots <= MAX_SLOTS:
            raise BadInput(f"slots is {self.slots}; use 0 to {MAX_SLOTS:,}")
        if not 0 <= self.per_key_default <= MAX_SLOTS:
            raise BadInput(f"the limit for concurrency keys is {self.per_key_default}; use 0 to {MAX_SLOTS:,}")
        object.__setattr__(self, "per_type", _checked(self.per_type, "type"))
        object.__setattr__(self, "per_key", _checked(self.per_key, "concurrency key"))

    def of_key(self, concurrency_key: str) -> int:
        """The limit that holds for one concurrency key."""
        return self.per_key.get(concurrency_key, self.per_key_default)


@dataclass(frozen=True)
class Usage:
    """How many jobs run now."""

    total: int = 0
    by_type: Mapping[str, int] = field(default_factory=dict)
    by_key: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, running: Iterable[Lane]) -> "Usage":
        """The usage that these running jobs add up to."""
        lanes = list(running)
        return cls(
            total=sum(not lane.elsewhere for lane in lanes),
            by_type=Counter(lane.job_type for lane in lanes),
            by_key=Counter(lane.concurrency_key for lane in lanes if lane.concurrency_key),
        )


class Room:
    """What the limits leave free, as jobs are taken one after another."""

    def __init__(self, limits: Limits, usage: Usage) -> None:
        self._limits = limits
        self._total = usage.total
        self._by_type = Counter(usage.by_type)
        self._by_key = Counter(usage.by_key)

    @property
    def slots_left(self) -> int:
        """Free slots; none when more run than the limit, as after it was lowered."""
        return max(0, self._limits.slots - self._total)

    def fits(self, lane: Lane) -> bool:
        """Whether a job in this lane may start now."""
        return self.why_not(lane) is None

    def take(self, lane: Lane) -> None:
        """Count one more running job in this lane."""
        reason = self.why_not(lane)
        if reason is not None:
            raise ValueError(f"no room: {reason}")
        self._total += 1
        self._by_type[lane.job_type] += 1
        if lane.concurrency_key:
            self._by_key[lane.concurrency_key] += 1

    def why_not(self, lane: Lane) -> str | None:
        """What keeps a job in this lane from starting, in words; None when nothing does."""
        slots, key = self._limits.slots, lane.concurrency_key
        if self._total >= slots:
            return _slots_are_busy(slots)
        type_limit = self._limits.per_type.get(lane.job_type)
        if type_limit is not None and self._by_type[lane.job_type] >= type_limit:
            return f"type {lane.job_type} is at its limit of {type_limit}"
        if key and self._by_key[key] >= self._limits.of_key(key):
            return f"concurrency key {key} is busy (limit {self._limits.of_key(key)})"
        return None


def _slots_are_busy(slots: int) -> str:
    if slots == 0:
        return "there are no slots"
    return "the only slot is busy" if slots == 1 else f"all {slots} slots are busy"


def choose(candidates: Iterable[tuple[int, Lane]], room: Room) -> list[int]:
    """Those candidates that may start now, in order; one that may not leaves its place to those behind it."""
    chosen: list[int] = []
    if not room.slots_left:
        return chosen
    for job_id, lane in candidates:
        if room.fits(lane):
            room.take(lane)
            chosen.append(job_id)
            if not room.slots_left:
                break
    return chosen
