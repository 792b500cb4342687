"""Filters over jobs: what each term of a filter asks, decided for one job at a time."""

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Literal, Protocol, TypeAlias

from core.status import Status
from core.when import exact_duration

NumberField: TypeAlias = Literal["id", "priority", "attempt"]
Comparison: TypeAlias = Literal["<", "<=", ">", ">="]

_COMPARE: dict[Comparison, Callable[[int | timedelta, int | timedelta], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_NEEDS_NO_QUOTES = re.compile(r"[\w./@%+-]+")

_UPPER_TO_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class Filterable(Protocol):
    """What a filter looks at in a job."""

    @property
    def id(self) -> int: ...
    @property
    def job_type(self) -> str: ...
    @property
    def job_key(self) -> str: ...
    @property
    def status(self) -> Status: ...
    @property
    def priority(self) -> int: ...
    @property
    def attempt(self) -> int: ...
    @property
    def held(self) -> bool: ...
    @property
    def tags(self) -> Mapping[str, str]: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def command_text(self) -> str: ...


def fold(text: str) -> str:
    """The text with A–Z as a–z and all else as it is, the way the database compares without case."""
    return text.lower() if text.isascii() else text.translate(_UPPER_TO_LOWER)


def as_typed(text: str) -> str:
    """The text as it is written in a filter, in quotes if it would mean something else without."""
    if _NEEDS_NO_QUOTES.fullmatch(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True)
class Pattern:
    """Text in which `*` stands for anything, compared without ASCII case."""

    pieces: tuple[str, ...]
    """The text between the wildcards: `a*b` has two pieces, a text without wildcard has one."""

    def matches(self, text: str) -> bool:
        """Whether the pattern describes the whole text."""
        first, last = self._folded[0], self._folded[-1]
        text = fold(text)
        if len(self._folded) == 1:
            return text == first
        end = len(text) - len(last)
        if len(first) > end or not text.startswith(first) or not text.endswith(last):
            return False
        return _in_order(self._folded[1:-1], text, len(first), end)

    def within(self, text: str) -> bool:
        """Whether the pattern describes some part of the text."""
        text = fold(text)
        return _in_order(self._folded, text, 0, len(text))

    def __str__(self) -> str:
        if self.pieces == ("",):
            return as_typed("")
        return "*".join(as_typed(piece) if piece else "" for piece in self.pieces)

    @cached_property
    def _folded(self) -> tuple[str, ...]:
        return tuple(fold(piece) for piece in self.pieces)


def _in_order(pieces: Iterable[str], text: str, start: int, end: int) -> bool:
    for piece in pieces:
        found = text.find(piece, start, end)
        if found < 0:
            return False
        start = found + len(piece)
    return True


def _any_of(patterns: Iterable[Pattern]) -> str:
    return ",".join(map(str, patterns))


@dataclass(frozen=True)
class _Term(ABC):
    """One condition of a filter, or its opposite."""

    negated: bool = field(default=False, kw_only=True)

    def matches(self, job: Filterable, now: datetime) -> bool:
        """Whether the job passes this term."""
        return self._holds(job, now) != self.negated

    def __str__(self) -> str:
        return "!" * self.negated + self._written()

    @abstractmethod
    def _holds(self, job: Filterable, now: datetime, /) -> bool:
        """Whether the condition holds, negation aside."""

    @abstractmethod
    def _written(self) -> str:
        """The condition as it is typed, negation aside."""


@dataclass(frozen=True)
class Word(_Term):
    """Some text in the type, the key, the command or a tag written as name=value."""

    text: Pattern

    def _holds(self, job: Filterable, _now: datetime, /) -> bool:
        tags = (f"{name}={value}" for name, value in job.tags.items())
        return any(map(self.text.within, (job.job_type, job.job_key, job.command_text, *tags)))

    def _written(self) -> str:
        return str(self.text)


@dataclass(frozen=True)
class StatusIn(_Term):
    """One of some states; a phase is the states it is made of."""

    statuses: frozenset[Status]

    def _holds(self, job: Filterable, _now: datetime, /) -> bool:
        return job.status in self.statuses

    def _written(self) -> str:
        return "status:" + ",".join(status.lower() for status in Status if status in self.statuses)


@dataclass(frozen=True)
class TypeLike(_Term):
    """A type that one of the patterns describes."""

    patterns: tuple[Pattern, ...]

    def _holds(self, job: Filterable, _now: datetime, /) -> bool:
        return any(pattern.matches(job.job_type) for pattern in self.patterns)

    def _written(self) -> str:
        return f"type:{_any_of(self.patterns)}"


@dataclass(frozen=True)
class KeyLike(_Term):
    """A key that one of the patterns describes."""

    patterns: tuple[Pattern, ...]

    def _holds(self, job: Filterable, _now: datetime, /) -> bool:
        return any(pattern.matches(job.job_key) for pattern in self.patterns)

    def _written(self) -> str:
        return f"key:{_any_of(self.patterns)}"


@dataclass(frozen=True)
class Tag(_Term):
    """A tag of some name, its value described by one of the patterns."""

    name: str
    values: tuple[Pattern, ...] = ()
    """None at all means that any value will do."""

    def _holds(self, job: Filterable, _now: datetime, /) -> bool:
        return any(
            fold(name) == fold(self.name)
            and (not self.values or any(pattern.matches(value) for pattern in self.values))
            for name, value in job.tags.items()
        )

    def _written(self) -> str:
        return f"tag:{as_typed(self.name)}" + (f"={_any_of(self.values)}" if self.values else "")


@dataclass(frozen=True)
class NumberIn(_Term):
    """A number that is one of some."""

    field: NumberField
    numbers: frozenset[int]

    def _holds(self, job: Filterable, _now: datetime, /) -> bool:
        return _number(job, self.field) in self.numbers

    def _written(self) -> str:
        return f"{self.field}:{','.join(map(str, sorted(self.numbers)))}"


@dataclass(frozen=True)
class Compare(_Term):
    """A number above or below another."""

    field: NumberField
    op: Comparison
    number: int

    def _holds(self, job: Filterable, _now: datetime, /) -> bool:
        return _COMPARE[self.op](_number(job, self.field), self.number)

    def _written(self) -> str:
        return f"{self.field}{self.op}{self.number}"


@dataclass(frozen=True)
class Age(_Term):
    """The time since the job was created."""

    op: Comparison
    limit: timedelta

    def _holds(self, job: Filterable, now: datetime, /) -> bool:
        return _COMPARE[self.op](now - job.created_at, self.limit)

    def _written(self) -> str:
        return f"age{self.op}{exact_duration(self.limit)}"


@dataclass(frozen=True)
class Held(_Term):
    """Whether the job is held back."""

    held: bool

    def _holds(self, job: Filterable, _now: datetime, /) -> bool:
        return job.held == self.held

    def _written(self) -> str:
        return "held:yes" if self.held else "held:no"


Term: TypeAlias = Word | StatusIn | TypeLike | KeyLike | Tag | NumberIn | Compare | Age | Held


def _number(job: Filterable, field: NumberField) -> int:
    match field:
        case "id":
            return job.id
        case "priority":
            return job.priority
        case "attempt":
            return job.attempt


@dataclass(frozen=True)
class Filter:
    """Terms that must all hold; without any, every job passes."""

    terms: tuple[Term, ...] = ()

    def matches(self, job: Filterable, now: datetime) -> bool:
        """Whether the job passes every term."""
        return all(term.matches(job, now) for term in self.terms)

    @property
    def names_states(self) -> bool:
        """Whether it says which states it is about, rather than which it is not."""
        return any(isinstance(term, StatusIn) and not term.negated for term in self.terms)

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))
