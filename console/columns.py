"""How columns share the width there is: they give way in turn, and the least important ones leave first."""

from collections.abc import Sequence
from typing import Protocol

GAP = 2


class Shares(Protocol):
    """What of a column decides about its width."""

    @property
    def least(self) -> int | None:
        """How narrow it may become; None keeps it whole."""
        ...

    @property
    def drop(self) -> int:
        """Columns with the highest number leave first when there is no room at all; 0 stays."""
        ...


def fitted(columns: Sequence[Shares], natural: Sequence[int], room: int) -> list[int]:
    """The width of each column so that all of them fit; a column that leaves gets 0."""
    widths = list(natural)
    while True:
        kept = [at for at, columns_wide in enumerate(widths) if columns_wide]
        excess = sum(widths[at] for at in kept) + GAP * (len(kept) - 1) - room
        if excess <= 0:
            return widths
        soft = [at for at in kept if widths[at] > (columns[at].least or natural[at])]
        if soft:
            widest = max(soft, key=lambda at: widths[at])
            others = [widths[at] for at in soft if at != widest]
            floor = max(columns[widest].least or 0, max(others, default=0), 1)
            widths[widest] -= max(1, min(excess, widths[widest] - floor))
            continue
        leaving = max(kept, key=lambda at: columns[at].drop)
        if columns[leaving].drop == 0 or len(kept) == 1:
            # Narrower than anything useful: the last column that still has something takes what is left.
            last = kept[-1]
            widths[last] = max(0, widths[last] - excess)
            if widths[last] == 0 and len(kept) == 1:
                widths[last] = 1
                return widths
            continue
        widths[leaving] = 0
        # Room was made: let the others grow back before they are narrowed again.
        for at in kept:
            if at != leaving:
                widths[at] = natural[at]
