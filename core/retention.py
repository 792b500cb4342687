"""How long what has ended is kept: by age, by number, and where it goes before it is deleted."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from core.refusals import BadInput

MOST_KEPT = 10**9


@dataclass(frozen=True, slots=True)
class Retention:
    """What an operator has settled about finished jobs; without either bound everything is kept for ever."""

    older_than: timedelta | None = None
    """What ended longer ago than this goes."""
    keep: int | None = None
    """What is beyond so many finished jobs goes, those that ended first."""
    archive: str | None = None
    """The directory in which jobs are written down before they are deleted."""

    def __post_init__(self) -> None:
        if self.keep is not None and not 0 <= self.keep <= MOST_KEPT:
            raise BadInput(f"keep: {self.keep} is out of bounds; use 0 to {MOST_KEPT:,}")

    @property
    def bounded(self) -> bool:
        """Whether anything ever goes."""
        return self.older_than is not None or self.keep is not None

    def cutoff(self, now: datetime) -> datetime | None:
        """What ended before this instant is too old; None when age does not matter."""
        return None if self.older_than is None else now - self.older_than

    def may_go(self, ended: datetime, links: int, excess: int, now: datetime) -> bool:
        """Whether a chain goes whose last link ended then; `excess` is how many finished jobs are too many.

        A chain goes whole or stays whole, so one that is longer than the excess stays.
        """
        cutoff = self.cutoff(now)
        return (cutoff is not None and ended < cutoff) or (self.keep is not None and links <= excess)
