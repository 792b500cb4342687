"""Opening a store: is it there, is it ours, is it of this version; and if not, the one sentence that says so."""

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.refusals import JobdeckError, Trouble
from store import sqlite
from store.version import SCHEMA_VERSION

SMALLEST = 512
"""So many bytes a database has at least; SQLite takes a smaller file for an empty one, and would write into it."""


@dataclass(frozen=True)
class Nature:
    """What a database says of itself."""

    application_id: int
    version: int
    tables: int

    @property
    def blank(self) -> bool:
        """Whether nothing is in it: a file that another process is making at this moment, or an unfinished one."""
        return not (self.application_id or self.version or self.tables)


BLANK = Nature(0, 0, 0)


def prepare(path: Path) -> None:
    """Make sure that a current store is at that path, creating or migrating it; touch nothing that isn't ours."""
    try:
        _make_directory(path.parent)
        nature = _refuse_strangers(path)
        if not path.exists() or path.stat().st_size == 0:
            sqlite.create_file(path)
        if nature.version != SCHEMA_VERSION:
            _bring_up(path)
    except OSError as error:
        raise Trouble(f"{error.filename or path} can't be used: {(error.strerror or str(error)).lower()}") from error
    except (sqlite.driver.Error, *_wrapped()) as error:
        raise explained(error, path) from error


def explained(error: Exception, path: Path) -> JobdeckError:
    """What a database error comes down to, whoever wrapped it on its way here."""
    origin: Exception = getattr(error, "orig", None) or error
    return sqlite.explain(origin, path)


def _wrapped() -> tuple[type[Exception], ...]:
    import sys

    # SQLAlchemy wraps the driver's errors, but only a migration imports it.
    module = sys.modules.get("sqlalchemy.exc")
    return (module.DBAPIError,) if module is not None else ()


def _make_directory(directory: Path) -> None:
    if not directory.exists():
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)


def _refuse_strangers(path: Path) -> Nature:
    if not path.exists():
        return BLANK
    if not stat.S_ISREG(path.stat().st_mode):
        raise Trouble(f"{path} is not a file, so it can't be a jobdeck store")
    size = path.stat().st_size
    if size == 0:
        return BLANK
    if size < SMALLEST:
        raise Trouble(f"{path} is not a jobdeck store (it is no SQLite database); nothing was touched")
    nature = _nature(path)
    if not nature.blank and nature.application_id != sqlite.APPLICATION_ID:
        raise Trouble(f"{path} is an SQLite database, but not a jobdeck store; nothing was touched")
    if nature.version > SCHEMA_VERSION:
        raise Trouble(
            f"{path} was made by a newer jobdeck (schema {nature.version}, this one knows {SCHEMA_VERSION}); "
            "nothing was touched"
        )
    return nature


def _nature(path: Path) -> Nature:
    """What SQLite sees in it.

    The file is not read by other means: its first page may be behind the log beside it, and the first file
    descriptor of a process to be closed takes every lock of that process away, those of its connections too.
    """
    connection = sqlite.connect(path, read_only=True)
    try:
        return Nature(
            application_id=connection.execute("PRAGMA application_id").fetchone()[0],
            version=connection.execute("PRAGMA user_version").fetchone()[0],
            tables=connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0],
        )
    finally:
        connection.close()


def _bring_up(path: Path) -> None:
    # Imported here: only a new or old file pays for SQLAlchemy and Alembic.
    from store.migrate import migrate

    _wal(path)
    migrate(path, lambda: sqlite.connect(path))


def _wal(path: Path) -> Any:
    connection = sqlite.connect(path)
    try:
        # Heeded only in a file in which there is nothing yet: it can then shrink a little at a time.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
