"""The columns of a list, and how they share the room there is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from console.columns import GAP, fitted

Row = TypeVar("Row")


@dataclass(frozen=True)
class PaneColumn(Generic[Row]):
    """One column of a list."""

    title: str
    text: Callable[[Row], str]
    """Foreign text is welcome: it is made plain here."""
    wide: int
    """How wide it likes to be."""
    least: int | None = None
    drop: int = 0
    right: bool = False
    grows: bool = False
    """Whether it takes what the others leave."""
    style: Callable[[Row], str] | None = None
    """The component class that a cell is painted in; empty for none."""


def shared_out(columns: "Sequence[PaneColumn[Any]]", room: int) -> list[int]:
    """The width of each column; what is left over goes to those that grow."""
    room -= 1
    widths = fitted(columns, [column.wide for column in columns], room)
    left = room - sum(widths) - GAP * (sum(map(bool, widths)) - 1)
    growing = [at for at, column in enumerate(columns) if column.grows and widths[at]]
    for place, at in enumerate(growing):
        share = left // (len(growing) - place)
        widths[at] += share
        left -= share
    return widths
