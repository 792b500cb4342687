"""Tables that fit the terminal: columns give way in turn, text is cut with an ellipsis, wide letters count double."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from console.cli.output import BOLD, LONGEST_CELL, line, line_width, painted
from console.columns import fitted
from console.plain import cut, padded, plain, width

T = TypeVar("T")


@dataclass(frozen=True)
class Column(Generic[T]):
    """One column: its title, and what it shows of a row."""

    title: str
    text: Callable[[T], str]
    """Foreign text is welcome: it is made plain here."""
    right: bool = False
    least: int | None = None
    """How narrow it may become; None keeps it whole."""
    drop: int = 0
    """Columns with the highest number leave first when there is no room at all; 0 stays."""
    colour: Callable[[T], str | None] | None = None


def print_table(rows: Iterable[T], columns: Sequence[Column[T]], indent: str = "") -> None:
    """Print the rows under their titles."""
    shown = list(rows)
    cells = [[cut(plain(column.text(row)), LONGEST_CELL) for column in columns] for row in shown]
    natural = [
        max(width(column.title), *(width(row[at]) for row in cells)) if cells else width(column.title)
        for at, column in enumerate(columns)
    ]
    room = line_width()
    if room is not None and room <= len(indent):
        indent = ""
    widths = natural if room is None else fitted(columns, natural, room - len(indent))
    kept = [at for at, columns_wide in enumerate(widths) if columns_wide]
    titles = [padded(columns[at].title, widths[at], right=columns[at].right) for at in kept]
    line(indent + painted("  ".join(titles).rstrip(), BOLD))
    for row, texts in zip(shown, cells, strict=True):
        parts = []
        for at in kept:
            column = columns[at]
            last = at == kept[-1] and not column.right
            text = cut(texts[at], widths[at]) if last else padded(texts[at], widths[at], right=column.right)
            parts.append(painted(text, column.colour(row) if column.colour else None))
        line(indent + "  ".join(parts).rstrip())


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and values below each other; what is empty is left out."""
    shown = [(name, plain(value)) for name, value in facts if value]
    wide = max((width(name) for name, _ in shown), default=0)
    for name, value in shown:
        line(f"{painted(padded(name, wide), BOLD)}  {value}")
