"""A connection to a store that can't change it, even where SQLite has nowhere to put its own small files."""

import os
from pathlib import Path
from typing import Any

from store import sqlite

_WAL_FORMAT = b"\x02"
_FORMAT_AT = 18
"""Where in its header a database says how it keeps its journal."""


def open_to_look(path: Path) -> Any:
    """A connection that reads and never writes."""
    if os.access(path.parent, os.W_OK) or wal_of(path).exists():
        return sqlite.connect(path, read_only=True)
    # Reading a WAL takes a file of locks beside it. Where none can be made, no engine can write either, so that
    # the file is looked at as it lies there; what an engine left in a WAL would be missed, hence only without one.
    connection = sqlite.driver.connect(
        path.absolute().as_uri() + "?mode=ro&immutable=1", uri=True, isolation_level=None
    )
    connection.row_factory = sqlite.driver.Row
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def keeps_a_wal(path: Path) -> bool:
    """Whether the file itself asks for a WAL; a connection that can't have one would say otherwise."""
    with path.open("rb") as file:
        file.seek(_FORMAT_AT)
        return file.read(1) == _WAL_FORMAT


def wal_of(path: Path) -> Path:
    """Where SQLite keeps what is not yet in the file itself."""
    return path.with_name(path.name + "-wal")


def shm_of(path: Path) -> Path:
    """Where SQLite keeps the locks of those who share the file."""
    return path.with_name(path.name + "-shm")
