"""What every table is made with: named checks, columns, partial indexes, limits.

Instants are whole microseconds since 1970, UTC.
"""

from sqlalchemy import CheckConstraint, Column, Index, Integer, MetaData, Table, Text, text

from core.bounds import KEY_LIMIT, NAME_LIMIT, PRIORITY_LIMIT, TEXT_LIMIT

__all__ = [
    "KEY_LIMIT",
    "NAME_LIMIT",
    "PRIORITY_LIMIT",
    "TEXT_LIMIT",
    "check",
    "index",
    "instant",
    "json_rule",
    "metadata",
    "required",
]

metadata = MetaData()


def check(name: str, rule: str) -> CheckConstraint:
    """A named CHECK, so that a violation says which promise it would have broken."""
    return CheckConstraint(rule, name=name)


def required(name: str, kind: type[Integer] | type[Text] = Text, default: str | None = None) -> Column[object]:
    """A column that is always there."""
    return Column(name, kind, nullable=False, server_default=None if default is None else text(default))


def instant(name: str) -> Column[object]:
    """An instant that may be absent."""
    return Column(name, Integer)


def json_rule(column: str, kind: str, limit: int) -> str:
    """The condition that a column is absent or JSON of that kind (any kind when empty) within its limit."""
    typed = f" AND json_type({column}) = '{kind}'" if kind else ""
    return f"{column} IS NULL OR (json_valid({column}) AND length({column}) <= {limit}{typed})"


def index(name: str, table: Table, *columns: object, where: str | None = None, unique: bool = False) -> None:
    """An index, partial when `where` says so."""
    parts = [table.c[column] if isinstance(column, str) else column for column in columns]
    Index(name, *parts, unique=unique, sqlite_where=None if where is None else text(where))  # type: ignore[arg-type]
