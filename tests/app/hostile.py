"""A store in which every text is hostile, and a look at all that the console wrote to the terminal."""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from store import sqlite
from store.triggers import all_triggers
from tests.app.forms import BIDI, ESCAPE, MARKUP

BOMBS = (ESCAPE + MARKUP + BIDI, MARKUP + BIDI, MARKUP, "[/]")
"""From the most hostile to what any column takes."""
SKIPPED = frozenset(
    {
        "status", "outcome", "decision", "phase", "job_id", "exec_id", "approval_id", "template_id", "schedule_id",
        "reservation_id", "retry_of", "group_id", "token_digest", "approval_token", "event", "previous_status",
        "new_status", "error_type", "backoff", "timezone", "cron_expression", "catch_up", "overlap", "log_path",
        "boot_id", "secret", "name_of_setting",
    }
)  # fmt: skip
"""What is no text of anyone's: states, identities, and what is parsed."""
LOG = (
    b"\x1b]0;pwned\x07\x1b[2J\x1b[31mred\x1b[0m \x9b31m [/oops] [@click=app.quit]x[/]\xff\xfe\x00 \xe2\x80\xaeevil\n"
    * 5
)

SEQUENCE = re.compile(
    r"\x1b\[[0-9;:?<>=]*[ $!]?[@-~]"  # what moves the cursor, colours, asks and sets modes
    r"|\x1b\]22;[a-z-]*\x07"  # the shape of the mouse's arrow
    r"|\x1b\]52;c;[A-Za-z0-9+/=]*\x07"  # what was copied, in base64
)


def make_hostile(path: Path) -> int:
    """Put the worst text into every text column that takes it; how many columns took it."""
    connection = sqlite.connect(path)
    try:
        for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{row["name"]}"')
        poisoned = sum(_poison(connection, table) for table in _tables(connection))
        for statement in all_triggers():
            connection.execute(statement)
    finally:
        connection.close()
    return poisoned


def _tables(connection: object) -> list[str]:
    rows = connection.execute(  # type: ignore[attr-defined]
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'alembic%'"
    ).fetchall()
    return [row["name"] for row in rows if row["name"] not in ("settings", "job_counts", "queue_buckets")]


def _poison(connection: object, table: str) -> int:
    execute = connection.execute  # type: ignore[attr-defined]
    columns = [row["name"] for row in execute(f"PRAGMA table_info({table})").fetchall() if row["type"] == "TEXT"]
    return sum(_poison_column(execute, table, name) for name in columns if name not in SKIPPED)


def _poison_column(execute: object, table: str, name: str) -> bool:
    as_text = f"UPDATE {table} SET {name} = :bomb || ' ' || rowid WHERE {name} IS NOT NULL"
    in_json = (
        f"UPDATE {table} SET {name} = CASE WHEN json_extract({name}, '$.argv') IS NOT NULL "
        f"THEN json_set({name}, '$.argv', json_array(:bomb, :bomb)) "
        f"WHEN json_extract({name}, '$.message') IS NOT NULL THEN json_set({name}, '$.message', :bomb) "
        f"ELSE json_object(:bomb, json_array(:bomb, 1)) END WHERE {name} IS NOT NULL"
    )
    is_json = execute(  # type: ignore[operator]
        f"SELECT count(*) AS n FROM {table} WHERE {name} IS NOT NULL AND json_valid({name}) AND {name} GLOB '[[{{]*'"
    ).fetchone()["n"]
    for bomb in BOMBS:
        try:
            execute(in_json if is_json else as_text, {"bomb": bomb})  # type: ignore[operator]
        except sqlite.driver.Error:
            continue
        return True
    return False


def poison_logs(logs: Path) -> None:
    """Every job has printed the worst."""
    for path in logs.glob("*.log"):
        path.write_bytes(LOG)


def assert_harmless_bytes(written: Iterable[str]) -> None:
    """Nothing in what was written comes from anyone but the console: no other control, nothing hidden, no link."""
    data = "".join(written)
    rest = SEQUENCE.sub("", data)
    for letter in sorted(set(rest)):
        category = unicodedata.category(letter)
        assert category not in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp") or letter in "\r\n", (
            repr(letter),
            [rest[max(0, at - 60) : at + 60] for at in [rest.index(letter)]],
        )
    assert "pwned" not in data or "\x1b]" not in data
    assert "\x1b]8" not in data, "no link"
