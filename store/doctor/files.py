"""Whether the files are for their owner only, and what SQLite and the disk say about them."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.jsontext import format_bytes
from store import sqlite
from store.doctor.findings import Finding
from store.doctor.reading import keeps_a_wal, shm_of, wal_of

WILD_WAL = 1 << 30
"""A log beyond this is a finding; below, its size is a fact."""


def files(path: Path, key_path: Path, home: Path) -> Iterator[Finding]:
    """Directories that are not 0700 and files that are not 0600, and an SQLite that is too old."""
    logs = home / "logs"
    for directory in (home, logs):
        yield from _mode(directory, 0o700)
    for file in (path, wal_of(path), shm_of(path), key_path):
        yield from _mode(file, 0o600)
    if logs.is_dir():
        yield from _logs(logs)
    if sqlite.driver.sqlite_version_info < sqlite.SAFE_VERSION:
        safe = ".".join(map(str, sqlite.SAFE_VERSION))
        words = (
            f"SQLite {sqlite.driver.sqlite_version} can, rarely, damage a file that several processes write; "
            f"install the pysqlite3 wheel or a Python with SQLite {safe} or newer"
        )
        yield Finding("sqlite", words)


def file_facts(connection: Any, path: Path) -> dict[str, str | int]:
    """What is worth knowing about the file, none of it wrong."""
    pragma = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("user_version", "journal_mode", "page_count", "page_size", "freelist_count", "auto_vacuum")
    }
    facts: dict[str, str | int] = {
        "sqlite": f"{sqlite.driver.sqlite_version} ({_module()})",
        "schema version": pragma["user_version"],
        "journal": "wal" if keeps_a_wal(path) else str(pragma["journal_mode"]),
        "pages": pragma["page_count"],
        "page size": pragma["page_size"],
        "free pages": pragma["freelist_count"],
        "shrinks by itself": "yes" if pragma["auto_vacuum"] else "no; once, with the engine stopped: prune --compact",
        "file bytes": path.stat().st_size,
        "WAL bytes": wal_of(path).stat().st_size if wal_of(path).exists() else 0,
    }
    if _module() != "sqlite3":
        own = sqlite3.sqlite_version
        facts["sqlite of this Python"] = (
            f"{own}, older than the wheel's and not used: it may damage a WAL that is reset"
        )
    return facts


def wild_wal(path: Path) -> Iterator[Finding]:
    """A log that has grown far beyond what anyone writes between two foldings."""
    wal, file = wal_of(path), path.stat().st_size
    size = wal.stat().st_size if wal.exists() else 0
    if size > max(WILD_WAL, 2 * file):
        words = (
            f"its WAL has {format_bytes(size)} beside a file of {format_bytes(file)}, so something keeps it from being "
            "folded back: close programs that hold a transaction open on the store"
        )
        yield Finding("store", words)


def _module() -> str:
    return str(getattr(sqlite.driver, "__name__", "sqlite3")).partition(".")[0]


def _mode(path: Path, wanted: int) -> Iterator[Finding]:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return
    if mode & 0o077:
        yield Finding("files", f"{path} has mode {mode:04o}, so others can reach it; set it to {wanted:04o}")


def _logs(directory: Path) -> Iterator[Finding]:
    found, first = 0, ""
    for place, _, names in os.walk(directory):
        for name in names:
            # A log may be removed while its directory is read.
            with suppress(FileNotFoundError):
                facts = os.lstat(os.path.join(place, name))
                if stat.S_ISREG(facts.st_mode) and facts.st_mode & 0o077:
                    found, first = found + 1, first or name
    if found:
        words = f"{found} log files in {directory} can be reached by others, such as {first}; set them to 0600"
        yield Finding("files", words)
