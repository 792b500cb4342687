"""Whether the tables, indexes and triggers of a file are those that this version would make."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from store import sqlite
from store.doctor.findings import Finding

SCHEMA = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"

_Parts = dict[tuple[str, str], str]


def schema(connection: Any) -> Iterator[Finding]:
    """What is missing, different or unknown in the schema."""
    expected, found = fresh_schema(), _parts(connection)
    for kind, name in sorted(expected.keys() - found.keys()):
        yield Finding("schema", f"the {kind} {name} is missing")
    for kind, name in sorted(found.keys() - expected.keys()):
        yield Finding("schema", f"the {kind} {name} is none of jobdeck's")
    for kind, name in sorted(expected.keys() & found.keys()):
        if expected[kind, name] != found[kind, name]:
            yield Finding("schema", f"the {kind} {name} is not as this version makes it")


@cache
def fresh_schema() -> _Parts:
    """The schema of a store made this minute, in memory."""
    from store.migrate import migrate

    def connect() -> Any:
        return sqlite.driver.connect(
            "file:jobdeck-fresh?mode=memory&cache=shared", uri=True, isolation_level=None, check_same_thread=False
        )

    # Memory that is shared lasts as long as one connection to it.
    keeper = connect()
    try:
        migrate(Path("a fresh schema"), connect)
        return _parts(keeper)
    finally:
        keeper.close()


def _parts(connection: Any) -> _Parts:
    return {(row[0], row[1]): " ".join(row[2].split()) for row in connection.execute(SCHEMA).fetchall()}
