"""Opening a store: is it there, is it ours, is it of this version; and if not, the one sentence that says so."""

import os
import stat
from pathlib import Path
from typing import Any

from core.refusals import JobdeckError, Trouble
from store import sqlite
from store.version import SCHEMA_VERSION

_HEADER = b"SQLite format 3\x00"


def prepare(path: Path) -> None:
    """Make sure that a current store is at that path, creating or migrating it; touch nothing that isn't ours."""
    try:
        _make_directory(path.parent)
        _refuse_strangers(path)
        if not path.exists() or path.stat().st_size == 0:
            sqlite.create_file(path)
        if _version(path) != SCHEMA_VERSION:
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


def _refuse_strangers(path: Path) -> None:
    if not path.exists():
        return
    if not stat.S_ISREG(path.stat().st_mode):
        raise Trouble(f"{path} is not a file, so it can't be a jobdeck store")
    if path.stat().st_size == 0:
        return
    with path.open("rb") as file:
        header = file.read(100)
    if not header.startswith(_HEADER):
        raise Trouble(f"{path} is not a jobdeck store (it is no SQLite database); nothing was touched")
    application_id = int.from_bytes(header[68:72])
    version = int.from_bytes(header[60:64])
    if application_id == 0 and version == 0 and _is_blank(path):
        return
    if application_id != sqlite.APPLICATION_ID:
        raise Trouble(f"{path} is an SQLite database, but not a jobdeck store; nothing was touched")
    if version > SCHEMA_VERSION:
        raise Trouble(
            f"{path} was made by a newer jobdeck (schema {version}, this one knows {SCHEMA_VERSION}); "
            "nothing was touched"
        )


def _is_blank(path: Path) -> bool:
    """Whether it has no tables: a file that another process is making at this moment, or an unfinished one."""
    connection = sqlite.connect(path, read_only=True)
    try:
        return int(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]) == 0
    finally:
        connection.close()


def _version(path: Path) -> int:
    connection = sqlite.connect(path, read_only=os.access(path, os.R_OK) and not os.access(path, os.W_OK))
    try:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
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
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
