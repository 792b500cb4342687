"""How a trigger is written: what it refuses, what it records, and which columns it watches.

Only `RAISE(ABORT, …)` with literal messages is used: an illegal statement is undone and its owner is told.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TypeVar

from store.sqltext import one_of

State = TypeVar("State", bound=StrEnum)


def refuse(name: str, event: str, table: str, when: str, message: str) -> str:
    """A trigger that aborts a statement, naming the table and the promise it would break."""
    return (
        f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {when}\n"
        f"BEGIN\n  SELECT RAISE(ABORT, '{table}: {message}');\nEND"
    )


def record(name: str, event: str, table: str, *statements: str, when: str | None = None) -> str:
    """A trigger that writes something down after a statement."""
    condition = f" WHEN {when}" if when else ""
    body = "\n".join(f"  {statement};" for statement in statements)
    return f"CREATE TRIGGER {name} AFTER {event} ON {table}{condition}\nBEGIN\n{body}\nEND"


def changed(columns: Iterable[str]) -> str:
    """The condition that any of these columns gets another value."""
    return " OR ".join(f"NEW.{column} IS NOT OLD.{column}" for column in columns)


def rewritten(columns: Iterable[str]) -> str:
    """The condition that any of these columns had a value and gets another."""
    return " OR ".join(f"(OLD.{column} IS NOT NULL AND NEW.{column} IS NOT OLD.{column})" for column in columns)


def legal_steps(steps: Mapping[State, Iterable[State]]) -> str:
    """The condition that OLD.status may become NEW.status."""
    return " OR ".join(
        f"(OLD.status = '{source}' AND {one_of('NEW.status', targets)})" for source, targets in steps.items() if targets
    )
