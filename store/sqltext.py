"""Small pieces of SQL text made from the rules in `core`; no value from outside ever passes through here."""

from collections.abc import Iterable
from enum import StrEnum


def quoted(names: Iterable[StrEnum]) -> str:
    """The names as a list of SQL string literals, in the order of their declaration."""
    chosen = set(names)
    kind = type(next(iter(chosen)))
    return ", ".join(f"'{name}'" for name in kind if name in chosen)


def one_of(column: str, names: Iterable[StrEnum]) -> str:
    """The condition that a column has one of these names."""
    return f"{column} IN ({quoted(names)})"
