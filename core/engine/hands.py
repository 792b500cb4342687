"""What an engine has in its hands between two steps: its runs, what was said to it, and when it must act."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from core.engine.candidacy import Lead
from core.engine.events import Event
from core.engine.recovering import Recovering
from core.engine.run import LOOK_SOON, Run
from core.engine.terms import Terms
from core.engine.words import Word
from core.leading import Leader
from core.limits import Limits

RECORD_AFTER = 0.010
"""A start is recorded so many seconds later, since a short job's end then shares its transaction."""
NEWS_EVERY = 0.200
"""Progress is written at most so often, however often a job tells it."""
LOOK_AGAIN = timedelta(seconds=1)
"""What came due and could not be dealt with is looked at again then, not at once and for ever."""


@dataclass
class Hands:
    """The engine's own memory; everything in it can be lost, because the store has what counts."""

    lead: Lead
    leader: Leader
    terms: Terms
    limits: Limits
    rng: Random
    tell: Callable[[Event], None]
    recovering: Recovering | None
    kept_until: datetime
    """When the first of its leases runs out, its lead among them; the clock may have been set since they were taken."""
    runs: dict[str, Run] = field(default_factory=dict)
    inbox: list[tuple[Word, Run]] = field(default_factory=list)
    changed: bool = True
    """Whether someone else changed the store and it was not looked at since."""
    look: bool = True
    """Whether a slot or a limit has changed, so that something may be claimed."""
    next_due: datetime | None = None
    beat_at: float = 0.0
    news_at: float = 0.0
    introduced: bool = False
    """Whether the store knows who is told by this engine."""
    careful: bool = False
    """Whether the last step broke down, so that each part of the next one is to fail by itself."""

    @property
    def owner(self) -> str:
        """The name under which this engine holds its leases."""
        return self.leader.owner

    def beat_due(self, now: datetime, monotonic: float) -> bool:
        """Whether the leader has to show itself: a third of its lease has passed, by either clock."""
        return monotonic >= self.beat_at or now >= self.kept_until - self.terms.lease / 2

    def unrecorded(self, monotonic: float) -> list[Run]:
        """The runs whose start is to be recorded now."""
        return [
            run
            for run in self.runs.values()
            if run.unrecorded and (run.over or monotonic >= run.spawned_at + RECORD_AFTER)
        ]

    def with_news(self, monotonic: float) -> list[Run]:
        """The runs whose progress is to be written now."""
        if monotonic < self.news_at:
            return []
        return [run for run in self.runs.values() if run.news is not None and run.recorded]

    def over(self) -> list[Run]:
        """The runs that have ended and whose end is not recorded."""
        return [run for run in self.runs.values() if run.over]

    def called_for(self, now: datetime, monotonic: float) -> bool:
        """Whether there is anything to write or to look for; an idle engine asks nothing of the disk."""
        return bool(
            self.changed
            or self.look
            or self.inbox
            or self.recovering is not None
            or (self.next_due is not None and now >= self.next_due)
            or self.beat_due(now, monotonic)
            or self.over()
            or self.unrecorded(monotonic)
            or self.with_news(monotonic)
        )

    def wake_up(self, now: datetime, monotonic: float, others: Iterable[float | None]) -> datetime:
        """The earliest instant at which something has to be done that nobody else will wake the engine for."""
        if self.look or self.over():
            return now
        instants = [self.beat_at]
        if self.recovering is not None:
            instants.append(monotonic + LOOK_SOON)
        for run in self.runs.values():
            instants += run.instants(monotonic)
            if run.unrecorded:
                instants.append(run.spawned_at + RECORD_AFTER)
            elif run.news is not None:
                instants.append(self.news_at)
        if self.runs:
            instants += [at for at in others if at is not None]
        soonest = now + timedelta(seconds=max(0.0, min(instants) - monotonic))
        return soonest if self.next_due is None else min(soonest, self.next_due)
