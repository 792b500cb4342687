"""A store at the doctor's: damaged on purpose, with the rules off, then examined."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from store import sqlite
from store.doctor import Report, examine

TRIGGERS = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
DECLARED = "SELECT sql FROM sqlite_schema WHERE name = :name"
DECLARE = "UPDATE sqlite_schema SET name = :new, sql = :sql WHERE name = :old"
EXECUTIONS = """
SELECT exec_id FROM executions WHERE job_id = (SELECT job_id FROM jobs WHERE job_key = :key ORDER BY id LIMIT 1)
ORDER BY id
"""


class Patient:
    """A store's files, how to harm them, and what the doctor says then."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = home / "jobdeck.db"
        self.key = home / "jobdeck.key"

    def report(self) -> Report:
        """What an examination comes to."""
        return examine(self.path, self.key, self.home)

    def findings(self) -> list[tuple[str, str]]:
        """What is wrong: with whom, and in which words."""
        return [(finding.subject, finding.words) for finding in self.report().findings]

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """A plain connection; when it closes, everything is in the file itself."""
        connection = sqlite.connect(self.path)
        # No test here ends the machine, so nothing has to reach the disk.
        connection.execute("PRAGMA synchronous = OFF")
        yield connection
        connection.close()

    def value(self, statement: str, **values: object) -> Any:
        """The one value that a query gives."""
        with self.connection() as connection:
            return connection.execute(statement, values).fetchone()[0]

    def job(self, key: str) -> str:
        """How a finding names the first job of that key."""
        return f"job {self.value('SELECT min(id) FROM jobs WHERE job_key = :key', key=key)}"

    def executions(self, key: str) -> list[str]:
        """The executions of the first job of that key, oldest first."""
        with self.connection() as connection:
            return [row[0] for row in connection.execute(EXECUTIONS, {"key": key})]

    def harm(self, *statements: str, **values: object) -> None:
        """Write rows that the rules would refuse; afterwards all rules stand again, so that only rows are damaged."""
        with self.rules_off() as connection:
            for statement in statements:
                connection.execute(statement, values)

    def harm_twice(self, table: str, unique: str, *statements: str) -> None:
        """Write rows that share what a unique index keeps apart, and that the index has taken in."""
        with self.rules_off() as connection:
            declared = list(_declarations(connection, table, unique))
            _redeclare(connection, ((one.name, one.loose_name, one.loose_sql) for one in declared))
            for statement in statements:
                connection.execute(statement)
            _redeclare(connection, ((one.loose_name, one.name, one.sql) for one in declared))

    @contextmanager
    def rules_off(self) -> Iterator[Any]:
        """A connection that checks nothing and fires no trigger, and leaves the schema as it was."""
        with self.connection() as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            triggers = connection.execute(TRIGGERS).fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            yield connection
            for _, sql in triggers:
                connection.execute(sql)


class _Declaration(NamedTuple):
    """Part of the schema as it is, and as it would be if it asked for less."""

    name: str
    sql: str | None
    loose_name: str
    loose_sql: str


def _declarations(connection: Any, table: str, unique: str) -> Iterator[_Declaration]:
    """What makes rows unique: an index that says so, or a constraint of the table's with an index of SQLite's own."""
    index = connection.execute(DECLARED, {"name": unique}).fetchone()
    if index is not None:
        yield _Declaration(unique, index[0], unique, index[0].replace("CREATE UNIQUE INDEX", "CREATE INDEX"))
        return
    column = unique.removeprefix(f"{table}_").removesuffix("_is_unique")
    own = f"sqlite_autoindex_{table}_1"
    yield _Declaration(own, None, "loose", f"CREATE INDEX loose ON {table} ({column})")
    whole = connection.execute(DECLARED, {"name": table}).fetchone()[0]
    yield _Declaration(table, whole, table, whole.replace(f"CONSTRAINT {unique} UNIQUE ({column}),", ""))


def _redeclare(connection: Any, changes: Iterable[tuple[str, str, str | None]]) -> None:
    connection.execute("PRAGMA writable_schema = ON")
    for old, new, sql in changes:
        connection.execute(DECLARE, {"old": old, "new": new, "sql": sql})
    connection.execute("PRAGMA writable_schema = RESET")
