"""A prune from its beginning to its end: small transactions, each with nothing to lose if the process dies after it.

For each few chains: what is to be kept is written down elsewhere, then the rows go and a note of their logs comes in
one transaction, then the logs go, then the note. Whatever is cut off in between is found by the next prune: chains that
are still there, or a note whose logs may be gone already.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.jobs import HistoryEntry
from core.retention import Retention
from store.store import Store
from store.views import Views, WholeJob
from store.views.pruning import Cursor, OldChain

JOBS_AT_ONCE = 50
"""So many jobs go in one transaction; the queue waits no longer than for that."""
ACTOR = "retention"
_ALL = 1_000_000


@dataclass(frozen=True, slots=True)
class OldJob:
    """All that is known about a job that is to be deleted."""

    whole: WholeJob
    history: list[HistoryEntry]
    """Oldest first."""


Keep = Callable[[Sequence[OldJob]], None]
"""Writes jobs down where they outlive the store, durably, before it returns."""


@dataclass(slots=True)
class Pruned:
    """What a prune has come to, or would."""

    jobs: int = 0
    chains: int = 0
    logs: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None

    def count(self, chains: Iterable[OldChain]) -> None:
        """Count chains that go."""
        for chain in chains:
            self.chains += 1
            self.jobs += len(chain.jobs)
            self.oldest = self.oldest or chain.ended
            self.newest = chain.ended


def would_prune(store: Store, retention: Retention) -> Pruned:
    """What a prune would delete now."""
    found, cursor = Pruned(), Cursor()
    while True:
        with store.read() as views:
            old = views.prunable(retention, cursor, already=found.jobs)
            found.count(old.chains)
            found.logs += sum(len(views.log_paths(job_id)) for chain in old.chains for job_id in chain.jobs)
        if old.cursor is None:
            return found
        cursor = old.cursor


def prune(
    store: Store,
    retention: Retention,
    logs: Path,
    keep: Keep | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Pruned:
    """Delete what may go, a little at a time, until nothing is left or someone stops it."""
    done, cursor = Pruned(), Cursor()
    _remove_noted(store, logs)
    while retention.bounded and not stopped():
        with store.read() as views:
            old = views.prunable(retention, cursor, JOBS_AT_ONCE)
            jobs = [one for chain in old.chains for one in _whole(views, chain)] if keep is not None else []
        if old.chains:
            if keep is not None:
                keep(jobs)
            with store.write(ACTOR) as work:
                deleted, _ = work.prune(old.chains)
                if deleted:
                    work.note_pruned(done.jobs + deleted)
            before = done.jobs
            done.count(old.chains)
            done.jobs = before + deleted
            done.logs += _remove_noted(store, logs)
        if old.cursor is None:
            break
        cursor = old.cursor
    if done.jobs:
        with store.write(ACTOR) as work:
            work.forget_reservations()
    while not stopped() and store.shrink():
        pass
    return done


def _whole(views: Views, chain: OldChain) -> Iterable[OldJob]:
    """A chain's jobs with all that belongs to them, the first link first."""
    for job_id in reversed(chain.jobs):
        yield OldJob(views.whole_job(job_id), views.history(job_id, None, _ALL)[::-1])


def _remove_noted(store: Store, logs: Path) -> int:
    """Remove the logs that deleted jobs have left, then the notes of them; how many there were."""
    with store.read() as views:
        notes = views.logs_to_remove()
    if not notes:
        return 0
    removed, places = 0, set()
    for path in (logs / path for note in notes for path in note.paths):
        # A store that was copied names logs of the one that it was copied from.
        if logs in path.parents and ".." not in path.parts:
            with suppress(FileNotFoundError):
                path.unlink()
                removed += 1
            places.add(path.parent)
    with store.read() as views:
        empty = [place for place in places if place.name.isdigit() and _over(views, int(place.name))]
    for place in empty:
        with suppress(OSError):
            place.rmdir()
    with store.write(ACTOR) as work:
        work.logs_removed(note.name for note in notes)
    return removed


def _over(views: Views, thousand: int) -> bool:
    """Whether no job will ever log in that directory again."""
    return views.numbers_are_over(thousand * 1000, thousand * 1000 + 999)
