"""The wire between a store and its database: what is sent over it is counted, and it can be cut at any point."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from store import sqlite
from store.store import Store

_WRITES = ("INSERT", "UPDATE", "DELETE", "COMMIT")


class Crash(BaseException):
    """The process was killed here."""


@dataclass
class Faults:
    """What goes wrong on the wires that share it."""

    statements: int = 0
    """How many were sent."""
    commits: int = 0
    """How many transactions that wrote were stored."""
    crash_before: int | None = None
    """The number of the statement that is never sent."""
    crash_after: int | None = None
    """The number of the commit whose sender does not live to hear of it."""
    after_commit: Callable[[], None] | None = None
    """What happens to the sender between a commit and all that follows, once."""
    full: bool = False
    """Whether the disk is full."""
    broken: str | None = None
    """The error with which every transaction fails to begin."""


class Wire:
    """A connection that stands in for another one."""

    def __init__(self, connection: Any, faults: Faults) -> None:
        self._connection = connection
        self._faults = faults
        self._cut = False
        self._writes = False

    @property
    def in_transaction(self) -> bool:
        return not self._cut and bool(self._connection.in_transaction)

    def execute(self, statement: str, *values: Any) -> Any:
        faults = self._faults
        faults.statements += 1
        if faults.statements == faults.crash_before:
            self._crash()
        word = statement.lstrip()[:6]
        if word == "BEGIN ":
            self._writes = True
            if faults.broken is not None:
                raise failure(faults.broken)
        if faults.full and word in _WRITES and self._writes:
            # SQLite has rolled back the whole transaction by the time it says so.
            self._connection.execute("ROLLBACK")
            self._writes = False
            raise failure("SQLITE_FULL")
        result = self._connection.execute(statement, *values)
        if word == "COMMIT" and self._writes:
            self._committed()
        if word in ("COMMIT", "ROLLBA"):
            self._writes = self._connection.in_transaction
        return result

    def close(self) -> None:
        if not self._cut:
            self._connection.close()

    def _committed(self) -> None:
        faults = self._faults
        faults.commits += 1
        if faults.commits == faults.crash_after:
            self._crash()
        act, faults.after_commit = faults.after_commit, None
        if act is not None:
            act()

    def _crash(self) -> None:
        # The kernel closes the file, and SQLite's next reader undoes what was not committed.
        self._connection.close()
        self._cut = True
        raise Crash


def failure(name: str) -> Exception:
    """What the driver raises."""
    error = sqlite.driver.OperationalError(name.lower())
    error.sqlite_errorname = name  # type: ignore[attr-defined]
    return error


def wired(store: Store, faults: Faults) -> Store:
    """The store, with everything that it does going over a wire."""
    # No power fails in a play, so nothing has to reach the disk.
    store._connection.execute("PRAGMA synchronous = OFF")
    store._connection = Wire(store._connection, faults)
    return store
