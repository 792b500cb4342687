"""Which jobs are marked: a few by hand, or a million at once in as many times eight bytes."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator


class Marks:
    """A set of job numbers that may be very large."""

    def __init__(self) -> None:
        self._many = array("q")
        """Sorted."""
        self._turned: set[int] = set()
        """Those that are the other way round than there."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, job: object) -> bool:
        return isinstance(job, int) and self._among_many(job) != (job in self._turned)

    def __iter__(self) -> Iterator[int]:
        """The marked jobs, by number."""
        kept = (job for job in self._many if job not in self._turned) if self._turned else iter(self._many)
        yield from kept
        yield from sorted(job for job in self._turned if not self._among_many(job))

    def turn(self, job: int) -> None:
        """Mark a job, or unmark it."""
        self._count += -1 if job in self else 1
        self._turned ^= {job}

    def take(self, jobs: Iterable[int]) -> None:
        """Mark these and no others."""
        self._many = array("q", sorted(jobs))
        self._turned.clear()
        self._count = len(self._many)

    def drop(self, jobs: Iterable[int]) -> None:
        """Unmark those of these that are marked."""
        for job in jobs:
            if job in self:
                self.turn(job)

    def clear(self) -> None:
        """Unmark everything."""
        self.take(())

    def _among_many(self, job: int) -> bool:
        at = bisect_left(self._many, job)
        return at < len(self._many) and self._many[at] == job
