"""The queue as panes read it: every stretch of it against a plain sorted list."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.jobs import Command, NewJob
from core.positions import GAP, HIGHEST, LOWEST, Move
from core.refusals import NoSuchThing
from store.buckets import BUCKET
from store.rows import to_us
from store.store import Store
from store.views import QueueKey, QueueRow, Views
from tests.conftest import START, Clock
from tests.store.raw import RawStore
from tests.store.rows_for_tests import Row, insert, insert_all
from tests.store.running_jobs import claim, submit
from tests.store.telling import row_of

EMPTY_IT = (
    "UPDATE jobs SET status = 'CANCELLED', finished_at = 1, cancel_requested_at = 1 WHERE status = 'QUEUED'",
    "DELETE FROM jobs",
)


@dataclass(frozen=True)
class Place:
    """A queued job as the rules order it: priority DESC, position, created_at, id."""

    id: int
    row: Row

    @property
    def order(self) -> tuple[int, int, int, int]:
        return (-self.row.priority, self.row.position, to_us(self.row.created_at), self.id)

    @property
    def key(self) -> QueueKey:
        return QueueKey(self.row.priority, self.row.position, self.row.created_at, self.id)


def fill(store: Store, rows: list[Row]) -> list[int]:
    """The jobs put in, and their numbers in queue order."""
    return [place.id for place in places(store, rows)]


def places(store: Store, rows: list[Row]) -> list[Place]:
    made = [Place(insert(store._connection, row), row) for row in rows]
    return sorted(made, key=lambda place: place.order)


def ids(rows: list[QueueRow]) -> list[int]:
    return [row.id for row in rows]


def assert_reads_as(views: Views, order: list[int]) -> None:
    """Every window, rank and neighbourhood is what a list would give."""
    total = len(order)
    for offset in range(total + 2):
        for limit in (0, 1, 2, total + 1):
            window = views.queue_window(offset, limit)
            assert (ids(window.rows), window.offset, window.total) == (order[offset : offset + limit], offset, total)
    everything = views.queue_window(0, total + 1).rows
    for at, row in enumerate(everything):
        assert views.queue_rank(row.id) == at
        assert ids(views.queue_after(row.key, 3)) == order[at + 1 : at + 4]
        assert ids(views.queue_before(row.key, 3)) == order[max(at - 3, 0) : at]
        around = views.queue_around(row.id, 2, 1)
        assert around is not None
        first = max(at - 2, 0)
        assert (ids(around.rows), around.offset, around.total) == (order[first : at + 2], first, total)


near_borders = st.builds(lambda bucket, by: bucket * BUCKET + by, st.integers(-3, 3), st.integers(-2, 2))
positions = st.one_of(
    st.integers(-5, 5),
    near_borders,
    st.integers(LOWEST, LOWEST + 2),
    st.integers(HIGHEST - 2, HIGHEST),
    st.integers(LOWEST, HIGHEST),
)
rows = st.builds(
    Row,
    priority=st.sampled_from([-1_000_000, -1, 0, 1, 1_000_000]),
    position=positions,
    held=st.booleans(),
    created_at=st.integers(0, 2).map(lambda by: START + timedelta(microseconds=by)),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, blank_store: Path) -> Iterator[Store]:
    path = tmp_path_factory.mktemp("queue") / "jobdeck.db"
    path.write_bytes(blank_store.read_bytes())
    with Store(path, now=Clock()) as store:
        yield store


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    first=st.lists(rows, max_size=7),
    changes=st.lists(st.tuples(st.integers(0, 6), st.sampled_from([-1, 0, 1]), positions, st.booleans()), max_size=4),
)
def test_every_window_is_the_slice_of_the_sorted_list(
    shared: Store, first: list[Row], changes: list[tuple[int, int, int, bool]]
) -> None:
    connection = shared._connection
    try:
        jobs = {place.id: place for place in places(shared, first)}
        for chosen, priority, position, leaves in changes:
            if chosen >= len(jobs):
                continue
            job = list(jobs.values())[chosen]
            if leaves:
                connection.execute(EMPTY_IT[0] + f" AND id = {job.id}")
                del jobs[job.id]
                continue
            moved = Row(priority=priority, position=position, created_at=job.row.created_at)
            connection.execute("UPDATE jobs SET priority = ?, position = ? WHERE id = ?", (priority, position, job.id))
            jobs[job.id] = Place(job.id, moved)
        with shared.read() as views:
            assert_reads_as(views, [place.id for place in sorted(jobs.values(), key=lambda place: place.order)])
    finally:
        for statement in EMPTY_IT:
            connection.execute(statement)


def test_jobs_at_the_same_place_follow_each_other_by_age_and_then_by_number(store: Store) -> None:
    later = START + timedelta(microseconds=1)
    made = [insert(store._connection, Row(position=7, created_at=at)) for at in (later, START, later, START)]
    with store.read() as views:
        assert ids(views.queue_window(0, 9).rows) == [made[1], made[3], made[0], made[2]]
        assert_reads_as(views, [made[1], made[3], made[0], made[2]])


@pytest.fixture
def long_queue(store: Store) -> list[int]:
    """Three buckets full of priority 0, with a few jobs above and below."""
    deep = [Row(job_key=f"k{n}", position=GAP * n) for n in range(2 * BUCKET // GAP + 50)]
    insert_all(store._connection, [*deep, *(Row(priority=9) for _ in range(3)), *(Row(priority=-9) for _ in range(3))])
    zero, high, low = 1, len(deep) + 1, len(deep) + 4
    return [*range(high, high + 3), *range(zero, high), *range(low, low + 3)]


def test_a_window_at_any_depth_is_the_slice_of_the_list(store: Store, long_queue: list[int]) -> None:
    bucketful = BUCKET // GAP
    with store.read() as views:
        for border in (0, 3, bucketful, bucketful + 3, 2 * bucketful + 3, len(long_queue) - 3, len(long_queue)):
            for offset in range(max(border - 2, 0), border + 3):
                window = views.queue_window(offset, 5)
                assert ids(window.rows) == long_queue[offset : offset + 5]
                assert window.total == len(long_queue)
                if offset < len(long_queue):
                    assert views.queue_rank(long_queue[offset]) == offset


def test_a_stretch_may_begin_before_the_queue_and_end_behind_it(store: Store) -> None:
    order = fill(store, [Row(position=n) for n in range(3)])
    with store.read() as views:
        before = views.queue_window(-5, 2)
        assert (ids(before.rows), before.offset) == (order[:2], 0)
        behind = views.queue_window(10, 2)
        assert (behind.rows, behind.offset, behind.total) == ([], 10, 3)
        around = views.queue_around(order[1], 100, 100)
        assert around is not None
        assert (ids(around.rows), around.offset) == (order, 0)


@pytest.mark.parametrize("length", [0, -1])
def test_a_stretch_without_length_is_empty(store: Store, length: int) -> None:
    order = fill(store, [Row(position=n) for n in range(3)])
    with store.read() as views:
        key = views.queue_window(1, 1).rows[0].key
        assert views.queue_window(0, length).rows == []
        assert views.queue_after(key, length) == []
        assert views.queue_before(key, length) == []
        around = views.queue_around(order[1], length, length)
        assert around is not None
        assert (ids(around.rows), around.offset) == ([order[1]], 1)


def test_reading_on_from_a_place_that_was_left_misses_and_repeats_nothing(store: Store) -> None:
    queue = places(store, [Row(priority=p, position=n * BUCKET) for p in (2, 1) for n in (0, 1, 2)])
    with store.write("ann") as work:
        for place in queue[1::2]:
            work.cancel(place.id)
    with store.read() as views:
        for at in range(1, 6, 2):
            assert views.queue_rank(queue[at].id) is None
            assert views.queue_around(queue[at].id, 1, 1) is None
            assert ids(views.queue_before(queue[at].key, 9)) == [place.id for place in queue[:at:2]]
            assert ids(views.queue_after(queue[at].key, 9)) == [place.id for place in queue[at + 1 :: 2]]


def test_a_place_between_two_priorities_has_both_as_neighbours(store: Store) -> None:
    order = fill(store, [Row(priority=3), Row(priority=1)])
    nowhere = QueueKey(2, 0, START, 1)
    with store.read() as views:
        assert ids(views.queue_before(nowhere, 5)) == [order[0]]
        assert ids(views.queue_after(nowhere, 5)) == [order[1]]


def test_windows_follow_moves_and_renumbering(store: Store, raw: RawStore) -> None:
    jobs = fill(store, [Row(position=n) for n in range(6)])
    a, b, c, d, e, f = jobs
    with store.write("bob") as work:
        work.move(f, Move.TOP)
        work.move(e, Move.BEFORE, b)
        work.set_priority(c, 5)
        work.move(d, Move.BOTTOM)
    moved = [c, f, a, e, b, d]
    with store.read() as views:
        assert_reads_as(views, moved)
    # The places from 0 to 5 had no gap for e, so the priority was numbered anew.
    assert row_of(raw, b)["position"] - row_of(raw, a)["position"] == GAP


def test_a_job_moved_to_another_bucket_is_counted_there_only(store: Store, raw: RawStore) -> None:
    order = fill(store, [Row(position=n) for n in (-1, 0, BUCKET)])
    raw.run("UPDATE jobs SET position = :to WHERE id = :id", to=BUCKET + 1, id=order[0])
    with store.read() as views:
        assert_reads_as(views, [order[1], order[2], order[0]])
        assert views.all("SELECT bucket, n FROM queue_buckets ORDER BY bucket")[-1]["n"] == 2


def test_only_what_is_queued_has_a_place(store: Store) -> None:
    running, queued = submit(store), submit(store)
    with store.write("ann") as work:
        draft = work.submit(NewJob(draft=True)).id
    claim(store)
    with store.read() as views:
        assert_reads_as(views, [queued])
        assert [views.queue_rank(job) for job in (running, draft)] == [None, None]
        assert views.queue_around(running, 1, 1) is None
        with pytest.raises(NoSuchThing, match="there is no job 99"):
            views.queue_around(99, 1, 1)


def test_a_row_tells_what_a_list_shows(store: Store) -> None:
    later = START + timedelta(hours=1)
    new = NewJob(
        job_type="etl", job_key="k", command=Command(("make", "all")), priority=4, scheduled_run_time=later, held=True,
        deadline_at=later + timedelta(hours=1), max_retries=7, concurrency_key="disk",
    )  # fmt: skip
    number = submit(store, new)
    with store.read() as views:
        (row,) = views.queue_window(0, 9).rows
        job = views.job(number)
    assert (row.id, row.job_id, row.job_type, row.job_key, row.command_text) == (1, job.job_id, "etl", "k", "make all")
    assert (row.held, row.ready, row.scheduled_run_time) == (True, False, later)
    assert row.deadline_at == later + timedelta(hours=1)
    assert (row.attempt, row.retry_count, row.max_retries, row.concurrency_key) == (0, 0, 7, "disk")
    assert (row.created_at, row.created_by, row.queued_at) == (START, "ann", START)
    assert (row.schedule_id, row.reservation_id) == (None, None)
    assert row.key == QueueKey(4, GAP, START, number)
