"""A course: the same thing done to one job or to a million, in transactions that keep nobody waiting."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from core.refusals import JobdeckError
from store.store import Store

if TYPE_CHECKING:
    from store.work import Work

TURN = 0.02
"""Seconds after which a transaction is closed, so that the engine gets the store in between."""
MOST_UNDONE = 10_000
"""What was done to more jobs than these can't be taken back: the way back would fill the memory."""


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one job, or of several that were moved together."""

    jobs: Sequence[int]
    words: str
    """With {these}, {are} and {have}, so that it can be said of one and of many."""
    back: "Step | None" = None
    alone: str | None = None
    """What is said instead when it is all there is to say."""


Step = Callable[["Work"], Told]


class Course:
    """Steps to take one after the other; a step that is refused leaves the others alone."""

    def __init__(self, steps: Iterable[Step], size: int, doing: str, prefix: str = "") -> None:
        self._steps = iter(steps)
        self._prefix = prefix
        self._told: dict[str, list[int]] = {}
        self._counts: dict[str, int] = {}
        self._alone: str | None = None
        self._backs: list[Step] | None = []
        self._refusals = 0
        self._first_refusal: JobdeckError | None = None
        self._stopped = False
        self._steps_taken = 0
        self.size = size
        """How many steps there are."""
        self.doing = doing
        """What it does, while it does it."""

    @property
    def progress(self) -> str:
        """How far it has come."""
        return f"{self.doing} {self._steps_taken:,} of {self.size:,} jobs"

    def stop(self) -> None:
        """Take no more steps; from any thread."""
        self._stopped = True

    def stretch(self, store: Store, actor: str) -> bool:
        """One transaction with as many steps as fit into a turn; True when that was the last."""
        begun = time.monotonic()
        told: list[Told] = []
        refused: list[JobdeckError] = []
        with store.write(actor) as work:
            for step in self._going(begun):
                try:
                    with work.by_itself():
                        told.append(step(work))
                except JobdeckError as error:
                    if self.size == 1:
                        raise
                    refused.append(error)
        # Only what is stored counts.
        for one in told:
            self._note(one)
        self._refusals += len(refused)
        self._first_refusal = self._first_refusal or (refused[0] if refused else None)
        self._steps_taken += len(told) + len(refused)
        return self._stopped or self._steps_taken >= self.size

    @property
    def said(self) -> str:
        """What it came to."""
        if self._alone is not None and self._steps_taken == 1:
            return f"{self._prefix}{self._alone}"
        parts = [_filled(words, jobs, self._counts[words]) for words, jobs in self._told.items()]
        if self._refusals:
            parts.append(f"{self._refusals:,} left alone: {self._first_refusal}")
        if self._stopped and self._steps_taken < self.size:
            parts.append(f"stopped there; {self.size - self._steps_taken:,} are as they were")
        if self._backs is None:
            parts.append("too many to take back")
        return self._prefix + "; ".join(parts)

    def back(self) -> "Course | None":
        """The course that takes it back, the last step first; None where nothing can be taken back."""
        if not self._backs:
            return None
        return Course(reversed(self._backs), len(self._backs), "undoing", "undone: ")

    @property
    def nothing(self) -> JobdeckError | None:
        """Why nothing at all was done, if nothing was."""
        return self._first_refusal if not self._told else None

    def _going(self, begun: float) -> Iterator[Step]:
        for step in islice(self._steps, self.size - self._steps_taken):
            yield step
            if self._stopped or time.monotonic() - begun > TURN:
                return

    def _note(self, told: Told) -> None:
        self._told.setdefault(told.words, list(told.jobs[:1]))
        self._counts[told.words] = self._counts.get(told.words, 0) + len(told.jobs)
        self._alone = told.alone
        if told.back is not None and self._backs is not None:
            self._backs.append(told.back)
            if len(self._backs) > MOST_UNDONE:
                self._backs = None


def _filled(words: str, jobs: Sequence[int], count: int) -> str:
    if count == 1:
        return words.format(these=f"job {jobs[0]}", are="is", have="has")
    return words.format(these=f"{count:,} jobs", are="are", have="have")
