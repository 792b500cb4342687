"""Every rule that the schema states, read again from the rows: a tool may have written them with the rules off."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from store.doctor.findings import Finding

if TYPE_CHECKING:
    from sqlalchemy import Table

_SUBJECTS = {"jobs": "job", "executions": "execution", "job_history": "history line", "approvals": "gate"}


class _Unique(NamedTuple):
    """What only one row may have."""

    name: str
    columns: str
    where: str


def rules(connection: Any) -> Iterator[Finding]:
    """Rows that break a CHECK, and rows that share what only one may have."""
    # Imported here: only a doctor's visit pays for SQLAlchemy.
    from store.schema import metadata

    for table in metadata.tables.values():
        yield from _checks(connection, table)
        for unique in sorted(_uniques(table)):
            yield from _twice(connection, table, unique)


def _checks(connection: Any, table: "Table") -> Iterator[Finding]:
    from sqlalchemy import CheckConstraint

    checks = {str(one.name): str(one.sqltext) for one in table.constraints if isinstance(one, CheckConstraint)}
    if not checks:
        return
    key = _key(table)
    # One pass over the table, whatever the number of its rules.
    # CASE stops at the first part that decides, as a CHECK does: text that is no JSON is never asked for its type.
    failed = ", ".join(f'CASE WHEN NOT ({rule}) THEN 1 END AS "{name}"' for name, rule in checks.items())
    broken = " OR ".join(f"NOT ({rule})" for rule in checks.values())
    statement = f"SELECT {key} AS found, {failed} FROM {table.name} WHERE {broken}"  # noqa: S608 - the schema's own words
    for row in connection.execute(statement):
        for name, rule in checks.items():
            if row[name]:
                yield Finding(_subject(table, row["found"]), f"breaks the rule {name}: {rule}")


def _uniques(table: "Table") -> Iterator[_Unique]:
    from sqlalchemy import UniqueConstraint

    for index in table.indexes:
        if index.unique:
            where = index.dialect_options["sqlite"]["where"]
            columns = ", ".join(str(getattr(column, "name", column)) for column in index.expressions)
            yield _Unique(str(index.name), columns, "1" if where is None else str(where))
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint):
            yield _Unique(str(constraint.name), ", ".join(constraint.columns.keys()), "1")


def _twice(connection: Any, table: "Table", unique: _Unique) -> Iterator[Finding]:
    # Not by an index: SQLite takes a unique one at its word and stops at the first row.
    statement = (
        f"SELECT min({_key(table)}) AS first, max({_key(table)}) AS last, count(*) AS n "  # noqa: S608
        f"FROM {table.name} NOT INDEXED WHERE {unique.where} GROUP BY {unique.columns} HAVING count(*) > 1"
    )
    for row in connection.execute(statement):
        where = "" if unique.where == "1" else f" where {unique.where}"
        yield Finding(
            _subject(table, row["first"]),
            f"{row['n']} rows of {table.name} (from {row['first']} to {row['last']}) break {unique.name}: "
            f"there may be one for each {unique.columns}{where}",
        )


def _key(table: "Table") -> str:
    return "id" if "id" in table.c else next(iter(table.primary_key.columns)).name


def _subject(table: "Table", key: object) -> str:
    return f"{_SUBJECTS.get(table.name, table.name)} {key}"
