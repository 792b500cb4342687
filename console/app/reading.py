"""Reading a snapshot: everything that the panes show, of one instant, in one transaction."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice

from console.app.hearing import Hearing
from console.app.snapshot import MOST, PaneNumber, QueueSlice, RunningLine, ScheduleLine, Sight, Snapshot
from core.forecast import Runner, Waiter, forecast
from core.jobs import Job
from core.leading import Leader
from core.machine.procfs import alive, host
from core.owners import parse_owner
from core.refusals import NoSuchThing
from core.status import FINAL, Status
from core.waiting import Flow
from store.views import QueueRow, RunningJob, Views

KNOWN_FOR = 10.0
"""What is usual is asked for again after so many seconds."""
FORESEEN = 300
"""For so many jobs at the head of the queue a start is projected."""
RESULTS = 10
BARS = 20
BAR = timedelta(seconds=15)
"""How many bars the throughput is drawn with, and how much time each stands for."""


class Reader:
    """Reads snapshots one after the other, and remembers what changes slowly."""

    def __init__(self, terminals: Callable[[], Collection[str]] = frozenset) -> None:
        self._hearing = Hearing(terminals)
        self._usual: dict[str, timedelta | None] = {}
        self._usual_until = 0.0
        self._throughput = Throughput()

    def read(self, views: Views, sight: Sight) -> Snapshot:
        """Everything that is in sight."""
        shown = sight.panes
        running = views.running(MOST)
        queue = _queue(views, sight)
        flow = views.flow()
        counts = views.counts()
        usual = self._learned(views, running, queue.rows)
        events = views.next_events(1)
        return Snapshot(
            at=views.now,
            counts=counts,
            held=views.held_count(),
            flow=flow,
            leader=_living(views.leader()),
            paused=views.paused(),
            next_event=events[0] if events else None,
            recovery=views.last_recovery(),
            queue=queue,
            running=[RunningLine(one) for one in running],
            chains=views.chains(MOST // 5) if PaneNumber.CHAINS in shown else (),
            schedules=_schedules(views) if PaneNumber.SCHEDULES in shown else (),
            approvals=[(gate, views.job(gate.job)) for gate in views.open_approvals(MOST)],
            finished=_finished(views, sight) if PaneNumber.HISTORY in shown else (),
            marked=_marked(views, sight.marked),
            starts=_starts(views, sight, queue, running, flow, usual),
            usual=usual,
            outbox=views.outbox_counts(),
            off=[one.name for one in views.listeners() if one.off is not None],
            said=self._hearing.news(views),
            ended=self._throughput.bars(views, sum(counts[status] for status in FINAL)),
        )

    def _learned(self, views: Views, running: Sequence[RunningJob], rows: Sequence[QueueRow]) -> dict[str, timedelta]:
        """What is usual for the types in sight, remembered for a while."""
        types = {one.job.job_type for one in running} | {row.job_type for row in rows}
        if time.monotonic() > self._usual_until:
            self._usual.clear()
            self._usual_until = time.monotonic() + KNOWN_FOR
        for name in islice(sorted(types - self._usual.keys()), 100):
            self._usual[name] = views.usual_duration(name)
        return {name: length for name, length in self._usual.items() if length is not None}


class Throughput:
    """How many jobs ended in each of the last stretches of time: looked up once, then counted on."""

    def __init__(self) -> None:
        self._bars: dict[int, int] = {}
        self._total: int | None = None

    def bars(self, views: Views, total: int) -> list[int]:
        """The bars up to now, the present one last; `total` is how many have ended ever."""
        now = int(views.now.timestamp() // BAR.total_seconds())
        first = now - BARS + 1
        if self._total is None:
            self._bars = {bar: views.ended_between(_begin(bar), _begin(bar + 1)) for bar in range(first, now + 1)}
        else:
            # Jobs that are removed make it less, and nothing ends by that.
            self._bars[now] = self._bars.get(now, 0) + max(0, total - self._total)
            self._bars = {bar: count for bar, count in self._bars.items() if bar >= first}
        self._total = total
        return [self._bars.get(bar, 0) for bar in range(first, now + 1)]


def _living(leader: Leader | None) -> Leader | None:
    """The engine that leads, unless it is known to be dead."""
    process = None if leader is None else parse_owner(leader.owner)
    dead = process is not None and process.host == host() and not alive(process)
    return None if dead else leader


def _begin(bar: int) -> datetime:
    return datetime.fromtimestamp(bar * BAR.total_seconds(), UTC)


def _queue(views: Views, sight: Sight) -> QueueSlice:
    if not sight.queue_filter.terms:
        window = views.queue_window(sight.queue_offset, sight.queue_limit)
        rank = None if sight.selected is None else _rank(views, sight.selected)
        return QueueSlice(window.rows, window.offset, window.total, selected=sight.selected, selected_rank=rank)
    rows = views.queue_matching(sight.queue_filter, sight.queue_matches + 1)
    more = len(rows) > sight.queue_matches
    rows = rows[: sight.queue_matches]
    rank = next((at for at, row in enumerate(rows) if row.id == sight.selected), None)
    return QueueSlice(rows, 0, len(rows), more=more, selected=sight.selected, selected_rank=rank)


def _rank(views: Views, job: int) -> int | None:
    try:
        return views.queue_rank(job)
    except NoSuchThing:
        return None


def _starts(
    views: Views,
    sight: Sight,
    queue: QueueSlice,
    running: Sequence[RunningJob],
    flow: Flow,
    usual: Mapping[str, timedelta],
) -> Mapping[int, datetime]:
    """The probable starts of the jobs at the head of the queue."""
    if flow.limits is None or flow.paused:
        return {}
    at_head = queue.offset == 0 and not sight.queue_filter.terms
    head = queue.rows if at_head else views.queue_window(0, FORESEEN).rows
    runners = [Runner(one.job.job_type, one.execution.started_at or one.execution.leased_at) for one in running]
    waiters = [Waiter(row.id, row.job_type, row.held, row.scheduled_run_time) for row in head]
    return forecast(runners, waiters, flow.limits, usual, views.now)


def _marked(views: Views, jobs: Sequence[int]) -> dict[int, Status | None]:
    if not jobs:
        return {}
    states = views.states_of(jobs)
    return {job: states.get(job) for job in jobs}


def _schedules(views: Views) -> list[ScheduleLine]:
    return [ScheduleLine(one, views.latest_results(one.schedule_id, RESULTS)) for one in views.schedules()[:MOST]]


def _finished(views: Views, sight: Sight) -> list[Job]:
    return views.finished(sight.history_filter, sight.history_limit)
