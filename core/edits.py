"""What an operator changes about a job or a schedule; what is not named stays as it is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Final, Literal, TypeVar

from core.jobs import Gate, Json


class Mark(Enum):
    """Values that stand for no value."""

    UNSET = "unset"
    REMOVED = "removed"


UNSET: Final = Mark.UNSET
"""Left as it is."""
UNSET_PARAM: Final = Mark.REMOVED
"""Taken out of the mapping it is a value of."""

Unset = Literal[Mark.UNSET]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Edit:
    """Changes to a job that waits; mappings name what is set, and `UNSET_PARAM` as a value removes."""

    params: Mapping[str, Json] | Unset = UNSET
    tags: Mapping[str, str | Mark] | Unset = UNSET
    scheduled_run_time: datetime | Unset | None = UNSET
    deadline_at: datetime | Unset | None = UNSET
    timeout: timedelta | Unset | None = UNSET
    max_retries: int | Unset = UNSET
    backoff: str | Unset = UNSET
    approval: Gate | Unset | None = UNSET
    concurrency_key: str | Unset = UNSET
    argv: tuple[str, ...] | Unset = UNSET
    cwd: str | Unset | None = UNSET
    env: Mapping[str, str | Mark] | Unset = UNSET


@dataclass(frozen=True, slots=True)
class ScheduleEdit:
    """Changes to a schedule."""

    template: str | Unset = UNSET
    cron_expression: str | Unset = UNSET
    timezone: str | Unset = UNSET
    catch_up: str | Unset = UNSET
    overlap: str | Unset = UNSET
    pause_on_failure: bool | Unset = UNSET
    param_overrides: Mapping[str, Json] | Unset = UNSET


def chosen(new: Value | Unset, old: Value) -> Value:
    """The new value, or the old one when none was given."""
    return old if new is UNSET else new


def merged(old: Mapping[str, Value], changes: Mapping[str, Value | Mark] | Unset) -> dict[str, Value]:
    """A mapping with what is set set, and what is removed gone."""
    result = dict(old)
    for name, value in {} if changes is UNSET else changes.items():
        if isinstance(value, Mark):
            result.pop(name, None)
        else:
            result[name] = value
    return result


def difference(old: Mapping[str, Json], new: Mapping[str, Json]) -> dict[str, Json | Mark]:
    """The changes that turn one mapping into another."""
    changes: dict[str, Json | Mark] = {
        name: value for name, value in new.items() if name not in old or not same(old[name], value)
    }
    return changes | dict.fromkeys(old.keys() - new.keys(), UNSET_PARAM)


def same(one: Json, other: Json) -> bool:
    """Whether two values are the same JSON, where true is no number."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
