"""Where in its priority a job stands: integer positions with gaps to move into."""

from enum import StrEnum

GAP = 100

LOWEST = -(2**63)
HIGHEST = 2**63 - 1


class Move(StrEnum):
    """Where a job goes."""

    UP = "up"
    DOWN = "down"
    TOP = "top"
    BOTTOM = "bottom"
    BEFORE = "before"
    AFTER = "after"


def after_last(max_position: int | None) -> int:
    """The position behind the last one, or the first position when there is none."""
    if max_position is None:
        return GAP
    # At the very end of the range the position is shared; created_at and id still keep the newcomer last.
    return min(max_position + GAP, HIGHEST)


def between(before: int | None, after: int | None) -> int | None:
    """The middle of the gap between two neighbours, None when no gap is left; no neighbour is an open end."""
    if before is None:
        return GAP if after is None else _unless(max(after - GAP, LOWEST), taken=after)
    if after is None:
        return _unless(min(before + GAP, HIGHEST), taken=before)
    if before > after:
        raise ValueError(f"position {before} does not stand before {after}")
    return _unless(before + (after - before) // 2, taken=before)


def renumbered(count: int) -> range:
    """Fresh positions for that many jobs, with a whole gap between any two."""
    return range(GAP, GAP * count + 1, GAP)


def _unless(position: int, taken: int) -> int | None:
    return None if position == taken else position
