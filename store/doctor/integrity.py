"""Whether the file itself is sound, as SQLite sees it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from store import sqlite
from store.doctor.findings import Finding
from store.doctor.reading import keeps_a_wal

# SQLite stops after 100 lines unless told otherwise, and rows that break a rule must not hide what else is broken.
# For a connection that only reads, it leaves out the CHECKs by itself.
CHECK = "PRAGMA integrity_check(1000000)"
# This is about rows, and is found again with the row's name by the rules.
_ABOUT_ROWS = "non-unique entry in index "


def damage(connection: Any) -> Finding | None:
    """What is broken in the file, if anything is."""
    broken = list(_broken(connection))
    if not broken:
        return None
    more = f" (and {len(broken) - 1} more of this kind)" if len(broken) > 1 else ""
    return _damaged(broken[0] + more)


def _broken(connection: Any) -> Iterator[str]:
    try:
        for (line,) in connection.execute(CHECK):
            if line != "ok" and not line.startswith(_ABOUT_ROWS):
                yield line
    except sqlite.driver.DatabaseError as error:
        # It gave up, after having named the pages that made it.
        yield str(error)


def unreadable(error: Exception, path: Path) -> Finding:
    """What an error of SQLite's says about the file."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_CORRUPT"):
        return _damaged(str(error))
    return Finding("store", str(sqlite.explain(error, path)))


def journal(path: Path) -> Iterator[Finding]:
    """A store without a WAL, in which whoever reads keeps others from writing."""
    if not keeps_a_wal(path):
        words = f"it has no WAL; give it one with: sqlite3 {path} 'PRAGMA journal_mode = WAL'"
        yield Finding("store", words)


def foreign_keys(connection: Any) -> Iterator[Finding]:
    """Rows that point nowhere."""
    for row in connection.execute("PRAGMA foreign_key_check"):
        where = f"row {row[1]} of {row[0]}" if row[1] is not None else f"a row of {row[0]}"
        subject = f"job {row[1]}" if row[0] == "jobs" else row[0]
        yield Finding(subject, f"{where} names a row of {row[2]} that does not exist")


def _damaged(what: str) -> Finding:
    return Finding("store", f"the file is damaged: {what.strip().replace(chr(10), '; ')}; restore a backup")
