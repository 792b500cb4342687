"""Whether a failed execution gets another attempt, and after how long."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from random import Random

from core.classify import ErrorType
from core.refusals import BadInput
from core.when import exact_duration, parse_duration, quoted

MAX_RETRIES = 100
MAX_DELAY = timedelta(days=7)
MAX_FACTOR = 10

DEFAULT_BASE = timedelta(seconds=1)
DEFAULT_CAP = timedelta(minutes=5)
DEFAULT_FACTOR = 2

_MICROSECOND = timedelta(microseconds=1)


class BackoffKind(StrEnum):
    """How the wait grows from one retry to the next."""

    FIXED = "fixed"
    EXPONENTIAL = "exponential"


@dataclass(frozen=True)
class Backoff:
    """How long to wait before each retry; made by `Backoff.fixed` or `Backoff.exponential`."""

    kind: BackoffKind
    base: timedelta
    """The wait before the first retry."""
    cap: timedelta
    """No wait is longer."""
    factor: int
    """How many times longer each wait is than the one before."""
    jitter: bool
    """Whether the wait is drawn evenly from zero to its full length, so that jobs do not return all at once."""

    @classmethod
    def fixed(cls, base: timedelta = DEFAULT_BASE) -> "Backoff":
        """The same wait every time."""
        return cls(BackoffKind.FIXED, base, cap=base, factor=1, jitter=False)

    @classmethod
    def exponential(
        cls,
        base: timedelta = DEFAULT_BASE,
        cap: timedelta = DEFAULT_CAP,
        factor: int = DEFAULT_FACTOR,
        jitter: bool = True,
    ) -> "Backoff":
        """Waits that grow by a factor up to the cap."""
        return cls(BackoffKind.EXPONENTIAL, base, cap, factor, jitter)

    def __post_init__(self) -> None:
        if self.base < timedelta(0):
            raise BadInput("a backoff cannot be negative; use 0s or more")
        if max(self.base, self.cap) > MAX_DELAY:
            raise BadInput(f"a backoff can be at most {exact_duration(MAX_DELAY)}")
        if self.cap < self.base:
            cap, base = exact_duration(self.cap), exact_duration(self.base)
            raise BadInput(f"a backoff that starts at {base} cannot be capped at {cap}")
        if self.kind is BackoffKind.FIXED:
            if (self.cap, self.factor, self.jitter) != (self.base, 1, False):
                raise BadInput("a fixed backoff has no cap, factor or jitter")
        elif not 2 <= self.factor <= MAX_FACTOR:
            raise BadInput(f"a backoff can grow by a factor of 2 to {MAX_FACTOR}, not {self.factor}")

    def __str__(self) -> str:
        parts = [self.kind.value, exact_duration(self.base)]
        if self.kind is BackoffKind.EXPONENTIAL:
            parts.append(exact_duration(self.cap))
            if self.factor != DEFAULT_FACTOR:
                parts.append(f"x{self.factor}")
            if not self.jitter:
                parts.append("nojitter")
        return ":".join(parts)

    def longest(self, retry_count: int) -> timedelta:
        """The wait after so many retries, before any jitter."""
        if retry_count < 0:
            raise ValueError(f"{retry_count} retries cannot be used")
        # The cap is below 2**40 microseconds, so growing any further than this cannot change the result.
        growth: int = self.factor ** min(retry_count, 64)
        return min(self.cap // _MICROSECOND, self.base // _MICROSECOND * growth) * _MICROSECOND

    def delay(self, retry_count: int, rng: Random) -> timedelta:
        """The wait before the next retry, when so many were used already."""
        longest = self.longest(retry_count)
        return rng.randint(0, longest // _MICROSECOND) * _MICROSECOND if self.jitter else longest


def parse_backoff(text: str) -> Backoff:
    """The backoff that a person means by `fixed:1s`, `exponential:1s:5m` or the kind alone."""
    kind, *parts = text.strip().lower().split(":")
    if kind == BackoffKind.FIXED and len(parts) <= 1:
        return Backoff.fixed(parse_duration(parts[0]) if parts else DEFAULT_BASE)
    if kind == BackoffKind.EXPONENTIAL:
        jitter = not (parts and parts[-1] == "nojitter")
        if not jitter:
            parts.pop()
        factor = DEFAULT_FACTOR
        if parts and parts[-1].startswith("x"):
            factor = _parse_factor(parts.pop())
        if len(parts) <= 2:
            base = parse_duration(parts[0]) if parts else DEFAULT_BASE
            cap = parse_duration(parts[1]) if len(parts) == 2 else max(base, DEFAULT_CAP)
            return Backoff.exponential(base, cap, factor, jitter)
    raise BadInput(f"{quoted(text)} is not a backoff; use fixed:1s or exponential:1s:5m")


def _parse_factor(text: str) -> int:
    digits = text.removeprefix("x")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 3):
        raise BadInput(f"{quoted(text)} is not a growth factor; use x2 to x{MAX_FACTOR}")
    return int(digits)


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how soon a job is tried again."""

    max_retries: int = 3
    backoff: Backoff = field(default_factory=Backoff.fixed)

    def __post_init__(self) -> None:
        if not 0 <= self.max_retries <= MAX_RETRIES:
            raise BadInput(f"max retries is {self.max_retries}; use 0 to {MAX_RETRIES}")


@dataclass(frozen=True)
class RetryAt:
    """The job is tried again."""

    at: datetime
    retry_count: int
    """How many retries are used once this one is."""


@dataclass(frozen=True)
class GiveUp:
    """The job fails for good."""

    reason: str


def decide(
    policy: RetryPolicy, retry_count: int, error_type: ErrorType, now: datetime, rng: Random
) -> RetryAt | GiveUp:
    """What follows a failure, when so many retries were used already."""
    if error_type == ErrorType.TERMINAL:
        return GiveUp("the error is terminal")
    if policy.max_retries == 0:
        return GiveUp("no retries are allowed")
    if retry_count > policy.max_retries:
        return GiveUp(f"{retry_count} retries used, {policy.max_retries} allowed")
    if retry_count == policy.max_retries:
        return GiveUp(f"{retry_count} of {retry_count} retries used")
    return RetryAt(now + policy.backoff.delay(retry_count, rng), retry_count + 1)
