"""One look at a store for a monitor: a short read, whose cost does not grow with what is in it."""

from collections.abc import Callable
from datetime import datetime, timedelta

from console import __version__
from console.metrics.tally import Tally
from console.metrics.text import Family, text_of
from core.leading import Leader
from core.status import Status
from store.store import Store
from store.views import Views
from store.views.measures import EndMark

AT_A_TIME = 1_000
MOST_TURNS = 50
"""So many ends are counted in one look; what is left waits for the next."""
BACK = timedelta(hours=1)
"""How far back a single look counts."""


class Collector:
    """Looks again and again; what ends in between is counted."""

    def __init__(
        self, store: Store, now: Callable[[], datetime], lease: timedelta, back: timedelta | None = None
    ) -> None:
        self._store = store
        self._now = now
        self._lease = lease
        self._tally = Tally()
        self._since = "since this was started" if back is None else f"in the last {back.total_seconds():g} s"
        with store.read() as views:
            self._mark: EndMark = views.last_end() if back is None else views.mark_at(now() - back)

    def text(self) -> str:
        """The answer to a monitor."""
        self._count()
        now = self._now()
        with self._store.read(now) as views:
            families = [*_queue(views, now), *_engine(views, now, self._lease)]
        sizes = self._store.sizes()
        store = Family("jobdeck_store_bytes", "gauge", "Size of the store's file, of its WAL, and what is free in it.")
        store.add(sizes.file, part="file").add(sizes.wal, part="wal").add(sizes.free, part="free")
        build = Family("jobdeck_build_info", "gauge", "The version that answers.").add(1, version=__version__)
        return text_of([*families, store, *self._tally.families(self._since), build])

    def _count(self) -> None:
        for _ in range(MOST_TURNS):
            with self._store.read() as views:
                ends, self._mark = views.ended_after(self._mark, AT_A_TIME)
            self._tally.count(ends)
            if len(ends) < AT_A_TIME:
                return


def _queue(views: Views, now: datetime) -> list[Family]:
    jobs = Family("jobdeck_jobs", "gauge", "Jobs that are kept, by state.")
    for status, n in views.counts().items():
        jobs.add(n, status=status.value)
    held, later = views.held_count(), views.not_yet_due_count()
    queued = views.counts()[Status.QUEUED]
    depth = Family("jobdeck_queue_depth", "gauge", "Queued jobs: ready to start, held, not due yet (counted to 10000).")
    depth.add(max(0, queued - held - later), state="ready").add(held, state="held").add(later, state="not_yet_due")
    since = views.head_waits_since()
    oldest = Family(
        "jobdeck_queue_oldest_seconds", "gauge", "How long the longest waiting head of a priority has waited."
    )
    oldest.add(_age(since, now))
    gates = views.open_gates()
    waiting = Family("jobdeck_approvals_waiting", "gauge", "Gates that wait for an answer.").add(gates.count)
    longest = Family("jobdeck_approvals_oldest_seconds", "gauge", "How long the longest waiting gate has waited.")
    longest.add(_age(gates.since, now))
    paused = Family("jobdeck_paused", "gauge", "Whether someone has stopped the queue.")
    paused.add(views.paused() is not None)
    return [jobs, depth, oldest, waiting, longest, paused]


def _engine(views: Views, now: datetime, lease: timedelta) -> list[Family]:
    leader = views.leader()
    up = Family("jobdeck_engine_up", "gauge", "Whether an engine leads and has shown itself in time.")
    up.add(leader is not None and leader.until > now)
    beat = Family("jobdeck_engine_beat_age_seconds", "gauge", "How long ago the leading engine has shown itself.")
    if leader is not None:
        beat.add(_age(_beaten(leader, lease), now))
    due = next(iter(views.next_events(1)), None)
    lag = Family("jobdeck_engine_lag_seconds", "gauge", "How late the first thing is that the clock has made due.")
    lag.add(0 if due is None else _age(due.at, now))
    running = Family("jobdeck_running", "gauge", "Slots that are taken.").add(views.usage().total)
    slots = Family("jobdeck_slots", "gauge", "Slots that the leading engine has.")
    if leader is not None:
        slots.add(leader.limits.slots)
    return [up, beat, lag, running, slots]


def _beaten(leader: Leader, lease: timedelta) -> datetime:
    return leader.until - lease


def _age(since: datetime | None, now: datetime) -> float:
    return 0.0 if since is None else round(max(0.0, (now - since).total_seconds()), 3)
