"""Filters in SQL: the database narrows, and `Filter.matches` decides what is left.

The text is put together of fixed fragments only; everything that a person typed is a bound value. A term for which
the database can't be asked without excluding a job that passes (one about a command or a tag, negated) is left out.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from core.filters import (
    Age,
    Compare,
    Comparison,
    Filter,
    Held,
    KeyLike,
    NumberField,
    NumberIn,
    Pattern,
    StatusIn,
    Tag,
    Term,
    TypeLike,
    Word,
)
from core.status import Status
from store.rows import span_to_us, to_us

ANYTHING = "1 = 1"

_IN: dict[NumberField, str] = {"id": "id IN ({})", "priority": "priority IN ({})", "attempt": "attempt IN ({})"}
_THAN: dict[Comparison, str] = {"<": "{} < {}", "<=": "{} <= {}", ">": "{} > {}", ">=": "{} >= {}"}
# An age above a limit is a creation before an instant.
_CREATED: dict[Comparison, str] = {
    "<": "created_at > {}",
    "<=": "created_at >= {}",
    ">": "created_at < {}",
    ">=": "created_at <= {}",
}
_TYPE = "job_type LIKE {} ESCAPE '\\'"
_KEY = "job_key LIKE {} ESCAPE '\\'"
_KEYS = "job_key COLLATE NOCASE IN ({})"
_TAGS = "tags LIKE {} ESCAPE '\\'"
_WORD = (
    "job_type LIKE {0} ESCAPE '\\' OR job_key LIKE {0} ESCAPE '\\' "
    "OR command LIKE {1} ESCAPE '\\' OR tags LIKE {1} ESCAPE '\\'"
)
_SPECIAL = re.compile(r"([\\%_])")
# JSON may write any other character in another way, and an argument's end or a tag's = as punctuation.
_AS_IN_JSON = re.compile(r"[A-Za-z0-9_.:;,@%+*?!#$()|~^-]+")


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A condition over the columns of `jobs` that every job which passes the filter meets."""

    where: str
    values: dict[str, object]


def narrowed(chosen: Filter, now: datetime) -> Narrowed:
    """The condition by which the database narrows down what a filter has to look at."""
    values: dict[str, object] = {}

    def bind(value: object) -> str:
        name = f"f{len(values)}"
        values[name] = value
        return f":{name}"

    conditions = [one for term in chosen.terms if (one := _condition(term, now, bind)) is not None]
    return Narrowed(" AND ".join(conditions) or ANYTHING, values)


def statuses_of(chosen: Filter) -> frozenset[Status]:
    """The states that a job can have and still pass the filter."""
    left = set(Status)
    for term in chosen.terms:
        if isinstance(term, StatusIn):
            left = left - term.statuses if term.negated else left & term.statuses
    return frozenset(left)


_Bind = Callable[[object], str]


def _condition(term: Term, now: datetime, bind: _Bind) -> str | None:
    fragment = _fragment(term, now, bind)
    if fragment is None:
        return None
    return f"NOT ({fragment})" if term.negated else f"({fragment})"


def _fragment(term: Term, now: datetime, bind: _Bind) -> str | None:
    match term:
        case StatusIn():
            return f"status IN ({_list(sorted(term.statuses), bind)})" if term.statuses else "1 = 0"
        case TypeLike():
            return " OR ".join(_TYPE.format(bind(_like(pattern))) for pattern in term.patterns)
        case KeyLike():
            return _key(term.patterns, bind)
        case NumberIn():
            return _IN[term.field].format(_list(sorted(term.numbers), bind))
        case Compare():
            return _THAN[term.op].format(term.field, bind(term.number))
        case Age():
            return _CREATED[term.op].format(bind(to_us(now) - (span_to_us(term.limit) or 0)))
        case Held():
            return f"held = {bind(int(term.held))}"
        case Word() if not term.negated:
            return _WORD.format(bind(_like(Pattern(("", *term.text.pieces, "")))), bind(_roughly(term.text.pieces)))
        case Tag() if not term.negated:
            values = [pattern.pieces for pattern in term.values] or [()]
            return " OR ".join(_TAGS.format(bind(_roughly((term.name, *pieces)))) for pieces in values)
        case _:
            return None


def _key(patterns: Iterable[Pattern], bind: _Bind) -> str:
    """Whole keys are looked up in their index; only a wildcard has to be compared with each."""
    whole = [pattern.pieces[0] for pattern in patterns if len(pattern.pieces) == 1]
    parts = [_KEYS.format(_list(whole, bind))] if whole else []
    parts += [_KEY.format(bind(_like(pattern))) for pattern in patterns if len(pattern.pieces) > 1]
    return " OR ".join(parts)


def _list(values: Iterable[object], bind: _Bind) -> str:
    return ", ".join(bind(value) for value in values)


def _like(pattern: Pattern) -> str:
    """The pattern in LIKE's words."""
    return "%".join(_SPECIAL.sub(r"\\\1", piece) for piece in pattern.pieces)


def _roughly(pieces: Iterable[str]) -> str:
    """What any JSON that holds these pieces in this order is LIKE."""
    certain = [run for piece in pieces for run in _AS_IN_JSON.findall(piece)]
    return "%".join(["", *(_SPECIAL.sub(r"\\\1", run) for run in certain), ""])
