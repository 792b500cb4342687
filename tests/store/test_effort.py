"""What the hot operations cost, in steps of the database's own machine: the same in a large store as in a small one.

Foreign keys and triggers do their work without showing in a query plan; counted steps show it.
"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from core.classify import classify_exit
from core.filter_parser import parse
from core.limits import Limits
from core.positions import Move
from core.retention import Retention
from store.store import Store
from store.views.pruning import Cursor
from store.work import Work
from tests.conftest import START, Clock
from tests.store.rows_for_tests import insert_all, queue_of

NOW = START + timedelta(days=1)
LEASE = timedelta(seconds=30)
SMALL, LARGE = 300, 3_000
GRANULARITY = 10


def claim(work: Work) -> None:
    assert len(work.claim("worker", LEASE, Limits(slots=2))) == 2


def finish(work: Work) -> None:
    [claimed] = work.claim("worker", LEASE, Limits(slots=1))
    work.start(claimed.exec_id, "worker")
    work.finish(claimed.exec_id, "worker")


def fail_and_requeue(work: Work) -> None:
    [claimed] = work.claim("worker", LEASE, Limits(slots=1))
    work.fail(claimed.exec_id, "worker", classify_exit(1), Random(1))
    work.retry(claimed.job.id)


def cancel_and_link(work: Work) -> None:
    number = next(iter(work.claim("worker", LEASE, Limits(slots=1)))).job.id + 3
    work.cancel(number)
    work.retry(number)


def prune(work: Work) -> None:
    for number in range(1, 4):
        work.cancel(number)
    old = work.prunable(Retention(keep=1), Cursor())
    assert work.prune(old.chains)[0] == 2


def move(work: Work) -> None:
    work.move(100, Move.BEFORE, 50)


OPERATIONS: dict[str, Callable[[Work], None]] = {
    "claim": claim,
    "finish": finish,
    "fail and requeue": fail_and_requeue,
    "cancel and link": cancel_and_link,
    "move": move,
    "prune": prune,
}


def steps_of(store: Store, act: Callable[[], None]) -> int:
    """How many steps the database's machine takes for it, in tens."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    store._connection.set_progress_handler(count, GRANULARITY)
    act()
    store._connection.set_progress_handler(None, GRANULARITY)
    return taken


@pytest.fixture
def sized(tmp_path: Path, clock: Clock) -> Callable[[int], Store]:
    def make(size: int) -> Store:
        store = Store(tmp_path / f"{size}.db", now=clock)
        insert_all(store._connection, queue_of(size))
        return store

    return make


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_costs_the_same_in_a_large_store(sized: Callable[[int], Store], name: str) -> None:
    costs = []
    for size in (SMALL, LARGE):
        store = sized(size)

        def act(store: Store = store) -> None:
            with store.write("tester", NOW) as work:
                OPERATIONS[name](work)

        costs.append(steps_of(store, act))
        store.close()
    assert costs[1] <= 1.3 * costs[0], costs


def test_a_job_is_found_by_its_key_without_reading_the_others(sized: Callable[[int], Store]) -> None:
    costs = []
    for size in (SMALL, LARGE):
        store = sized(size)

        def look(store: Store = store) -> None:
            with store.read(NOW) as views:
                assert [job.job_key for job in views.list_jobs(parse("key:KEY-100"), None)] == ["key-100"]

        costs.append(steps_of(store, look))
        store.close()
    assert costs[1] <= 1.3 * costs[0], costs


def test_a_monitor_costs_the_same_in_a_large_store(sized: Callable[[int], Store]) -> None:
    costs = []
    for size in (SMALL, LARGE):
        store = sized(size)

        def look(store: Store = store) -> None:
            with store.read(NOW) as views:
                views.counts()
                assert views.head_waits_since() is not None
                views.open_gates()
                views.next_events(1)
                views.usage()
                views.ended_after(views.last_end(), 100)

        costs.append(steps_of(store, look))
        store.close()
    assert costs[1] <= 1.3 * costs[0], costs
