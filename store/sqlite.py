"""Everything that is SQLite's own: the driver, connections, pragmas, transactions and what its errors mean."""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

from core.refusals import JobdeckError, Refused, Trouble

APPLICATION_ID = 0x4A4F4244  # "JOBD"
PATIENCE = 30.0
"""Seconds to wait for others before giving up."""
SHORT_WAIT_MS = 5
"""How long SQLite itself waits for a lock once `patiently` asks again and again."""
SAFE_VERSION = (3, 51, 3)
"""Older SQLites have a rare bug that corrupts the file when a WAL is reset under several writers."""


WAL_LIMIT = 16 * 1024 * 1024
"""So much of a log that was folded back is left on the disk, to be written over; the rest is given back."""


T = TypeVar("T")


class Driver(Protocol):
    """The part of a DB-API module that is used here."""

    sqlite_version: str
    sqlite_version_info: tuple[int, int, int]
    connect: Any
    Row: Any
    Error: type[Exception]
    OperationalError: type[Exception]
    IntegrityError: type[Exception]
    DatabaseError: type[Exception]


def _newest_driver() -> Driver:
    """The interpreter's own SQLite, or the one of the `pysqlite3` wheel where that is newer and needed."""
    own: Any = sqlite3
    if own.sqlite_version_info >= SAFE_VERSION:
        return own  # type: ignore[no-any-return]
    try:
        import pysqlite3.dbapi2 as wheel
    except ImportError:
        return own  # type: ignore[no-any-return]
    newer: Any = wheel
    return newer if newer.sqlite_version_info > own.sqlite_version_info else own  # type: ignore[no-any-return]


driver: Driver = _newest_driver()


def connect(path: Path, *, read_only: bool = False) -> Any:
    """A connection in autocommit mode with every pragma that the store's promises rest on."""
    uri = path.absolute().as_uri() + ("?mode=ro" if read_only else "?mode=rw")
    connection = driver.connect(
        uri,
        uri=True,
        isolation_level=None,
        timeout=PATIENCE,
        cached_statements=512,
        check_same_thread=False,
    )
    connection.row_factory = driver.Row
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA recursive_triggers = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    if read_only:
        connection.execute("PRAGMA query_only = ON")
    else:
        connection.execute("PRAGMA synchronous = FULL")
        # Folding the log back costs as much as some hundred transactions, so it is left to grow to 16 MB first.
        connection.execute("PRAGMA wal_autocheckpoint = 4000")
        connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT}")
    return connection


def patiently(action: Callable[[], T]) -> T:
    """Do something that others may keep from being done for a while.

    SQLite's own waiting backs off to 100 ms between two looks, so beside a busy writer a newcomer would starve; short
    waits in a row find the gap between two of its transactions.
    """
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            return action()
        except driver.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > patience:
                raise


def begin_write(connection: Any) -> None:
    """Begin a transaction that holds the write lock from the start."""
    patiently(lambda: connection.execute("BEGIN IMMEDIATE"))


def begin_read(connection: Any) -> None:
    """Begin a transaction that sees the store as it is now, whatever others do meanwhile."""
    patiently(lambda: _take_snapshot(connection))


def _take_snapshot(connection: Any) -> None:
    connection.execute("BEGIN")
    try:
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
    except driver.Error:
        connection.execute("ROLLBACK")
        raise


def _is_busy(error: Exception) -> bool:
    return (getattr(error, "sqlite_errorname", "") or "").startswith("SQLITE_BUSY")


def create_file(path: Path) -> None:
    """Make the empty database file with its mode before SQLite sees it, so that -wal and -shm take the same."""
    # Only the one who makes it may close it: closing a file takes the locks of this process's connections away.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def take_short_turns(connection: Any) -> None:
    """From here on every transaction is begun patiently."""
    connection.execute(f"PRAGMA busy_timeout = {SHORT_WAIT_MS}")


def data_version(connection: Any) -> int:
    """A number that differs after another connection has committed; costs a look at shared memory, no disk."""
    return int(patiently(lambda: connection.execute("PRAGMA data_version").fetchone()[0]))


def free_pages(connection: Any) -> tuple[int, int]:
    """How many pages of the file are free, and how many it has."""
    free, pages = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count"))
    return int(free), int(pages)


def give_back(connection: Any, pages: int) -> None:
    """Give so many free pages back to the disk; a file that was not made for that keeps them."""
    connection.execute(f"PRAGMA incremental_vacuum({pages:d})").fetchall()


def fold_back(connection: Any) -> None:
    """Write what stands in the log back into the file, as far as nobody reads it."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def compact(connection: Any) -> None:
    """Write the file anew without what is free in it, able to shrink by itself from then on."""
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


_DISK = {
    "SQLITE_FULL": "the disk is full, so nothing was changed in {path}; free some space and try again",
    "SQLITE_READONLY": "{path} can't be written: the file or its disk is read-only",
    "SQLITE_CANTOPEN": "{path} can't be opened; check that its directory exists and is yours to write",
    "SQLITE_IOERR": "the disk reported an error on {path}; nothing was changed",
    "SQLITE_CORRUPT": "{path} is damaged; run jobdeck doctor, and restore a backup if it agrees",
    "SQLITE_NOTADB": "{path} is not a jobdeck store (it is no SQLite database); nothing was touched",
    "SQLITE_BUSY": "{path} was busy for longer than {patience:g} s; something holds a transaction open on it",
    "SQLITE_LOCKED": "{path} was busy for longer than {patience:g} s; something holds a transaction open on it",
    "SQLITE_PERM": "{path} can't be used: permission denied",
    "SQLITE_TOOBIG": "that is too large to be stored; nothing was changed",
    "SQLITE_NOMEM": "there was not enough memory; nothing was changed",
    "SQLITE_PROTOCOL": "{path} was too busy to be locked; try again",
}


def explain(error: Exception, path: Path) -> JobdeckError:
    """The sentence for people that a driver's error comes down to."""
    name = getattr(error, "sqlite_errorname", "") or ""
    for prefix, sentence in _DISK.items():
        if name.startswith(prefix):
            return Trouble(sentence.format(path=path, patience=PATIENCE))
    text = str(error)
    if name.startswith("SQLITE_CONSTRAINT"):
        return Refused(f"the database refused that: {text}")
    if "not a database" in text:
        return Trouble(_DISK["SQLITE_NOTADB"].format(path=path))
    return Trouble(f"the store {path} failed: {text}")
