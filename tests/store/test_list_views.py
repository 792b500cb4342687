"""Lists of jobs: each state in the order in which people ask for it, cut, paged and filtered without loss."""

from datetime import timedelta

import pytest

from core.executions import ExecStatus
from core.filter_parser import parse
from core.filters import Filter
from core.jobs import Job, NewJob
from core.limits import Limits
from core.status import FINAL, Status
from store.store import Store
from store.views import FinishedKey
from tests.conftest import START, Clock
from tests.store.raw import RawStore
from tests.store.rows_for_tests import Row, insert_all
from tests.store.running_jobs import BROKE, HOPELESS, WORKER, claim, rng, running, submit
from tests.store.telling import number_of

EVERYTHING = Filter()
ENDINGS = [Status.SUCCEEDED, Status.FAILED, Status.CANCELLED]


def end(store: Store, how: Status, job_type: str = "command") -> int:
    """A job that has come to that end."""
    if how is Status.CANCELLED:
        number = submit(store, NewJob(job_type=job_type))
        with store.write("ann") as work:
            work.cancel(number)
        return number
    claimed = running(store, NewJob(job_type=job_type))
    with store.write("engine") as work:
        if how is Status.SUCCEEDED:
            work.finish(claimed.exec_id, WORKER)
        else:
            work.fail(claimed.exec_id, WORKER, HOPELESS, rng())
    return claimed.job.id


@pytest.fixture
def ended(store: Store, clock: Clock) -> list[tuple[int, Status]]:
    """Twelve finished jobs of all kinds, the newest first; of each three the last two ended at the same instant."""
    found = []
    for turn in range(12):
        clock.forward(seconds=0 if turn % 3 == 2 else 1)
        how = ENDINGS[(turn * 5 + turn // 3) % 3]
        found.append((end(store, how), how))
    assert {how for _, how in found} == FINAL
    return found[::-1]


def ids(jobs: list[Job]) -> list[int]:
    return [job.id for job in jobs]


def listed(store: Store, text: str = "", limit: int | None = None) -> list[int]:
    with store.read() as views:
        return ids(list(views.list_jobs(parse(text), limit)))


def test_what_runs_comes_first_and_what_has_ended_last(store: Store, raw: RawStore) -> None:
    order = [
        Status.CANCELLED, Status.CREATED, Status.QUEUED, Status.RETRYING, Status.WAITING_FOR_APPROVAL, Status.RUNNING,
    ]  # fmt: skip
    made = [number_of(raw, raw.job_in(status)) for status in order]
    assert listed(store) == made[::-1]


def test_running_jobs_are_listed_by_their_start(store: Store, clock: Clock) -> None:
    late = submit(store, NewJob(held=True))
    early = running(store).job.id
    with store.write("ann") as work:
        work.unhold(late)
    clock.forward(seconds=5)
    claim(store, limits=Limits(slots=2))
    with store.read() as views:
        assert [one.job.id for one in views.running(9)] == [early, late]
    assert listed(store, "status:running") == [early, late]


def test_retrying_jobs_are_listed_by_their_next_attempt(store: Store) -> None:
    waits = {}
    for seconds in (30, 10, 20):
        claimed = running(store, NewJob(backoff=f"fixed:{seconds}s"))
        with store.write("engine") as work:
            assert work.fail(claimed.exec_id, WORKER, BROKE, rng()) is Status.RETRYING
        waits[seconds] = claimed.job.id
    with store.read() as views:
        soonest = views.retrying(2)
    assert listed(store, "status:retrying") == [waits[10], waits[20], waits[30]]
    assert [(job.id, job.next_retry_at) for job in soonest] == [
        (waits[10], START + timedelta(seconds=10)),
        (waits[20], START + timedelta(seconds=20)),
    ]


def test_queued_jobs_are_listed_in_the_order_of_the_queue_and_drafts_by_number(store: Store) -> None:
    insert_all(
        store._connection,
        [Row(position=5), Row(draft=True), Row(position=-5), Row(priority=1), Row(position=5), Row(draft=True)],
    )
    assert listed(store) == [4, 3, 1, 5, 2, 6]


def test_finished_jobs_are_listed_newest_first(store: Store, ended: list[tuple[int, Status]]) -> None:
    with store.read() as views:
        found = views.finished(None, 100)
    assert [(job.id, job.status) for job in found] == ended
    assert listed(store) == ids(found)


@pytest.mark.parametrize("text", ["", "status:failed", "status:failed,cancelled", "!status:succeeded", "phase:final"])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_pages_put_together_are_the_whole_list(
    store: Store, ended: list[tuple[int, Status]], text: str, size: int
) -> None:
    wanted = parse(text)
    pages: list[Job] = []
    with store.read() as views:
        before = None
        while page := views.finished(wanted, size, before):
            assert len(page) <= size
            pages += page
            last = page[-1]
            assert last.finished_at is not None
            before = FinishedKey(last.finished_at, last.id)
        passing = {status for status in FINAL if not wanted.terms or _passes(text, status)}
        whole = views.finished(wanted, 100)
    assert ids(pages) == ids(whole) == [number for number, status in ended if status in passing]


def _passes(text: str, status: Status) -> bool:
    return {
        "status:failed": status is Status.FAILED,
        "status:failed,cancelled": status in (Status.FAILED, Status.CANCELLED),
        "!status:succeeded": status is not Status.SUCCEEDED,
        "phase:final": True,
    }[text]


def test_a_page_behind_a_job_that_is_gone_begins_where_it_stood(
    store: Store, raw: RawStore, ended: list[tuple[int, Status]]
) -> None:
    with store.read() as views:
        place = views.finished(None, 4)[-1]
    assert place.finished_at is not None
    raw.run("DELETE FROM jobs WHERE id = :id", id=place.id)
    with store.read() as views:
        rest = views.finished(None, 100, FinishedKey(place.finished_at, place.id))
    assert ids(rest) == [number for number, _ in ended[4:]]


def test_states_that_can_t_pass_together_leave_nothing(store: Store, ended: list[tuple[int, Status]]) -> None:
    assert ended
    with store.read() as views:
        assert views.finished(parse("status:failed status:cancelled"), 9) == []
        assert views.finished(parse("status:queued"), 9) == []
    assert listed(store, "status:failed status:queued") == []


def test_what_the_database_only_narrows_is_decided_before_a_list_is_cut(store: Store, clock: Clock) -> None:
    # A tag's value is looked for roughly: these all hold the letters, and one of three is meant.
    tags = [{"env": "prod"}, {"env": "preprod"}, {"environment": "prod"}]
    with store.write("ann") as work:
        made = [work.submit(NewJob(tags=tags[n % 3])).id for n in range(9)]
        work.cancel(made[0])
        work.cancel(made[1])
        clock.forward(seconds=1)
    with store.write("ann") as work:
        work.cancel(made[3])
        work.cancel(made[4])
    assert listed(store, "tag:env=prod") == [made[6], made[3], made[0]]
    assert listed(store, "tag:env=prod", 2) == [made[6], made[3]]
    with store.read() as views:
        assert ids(views.finished(parse("tag:env=prod"), 1)) == [made[3]]
        assert ids(views.finished(parse("tag:env=prod !id:" + str(made[3])), 1)) == [made[0]]


@pytest.mark.parametrize("limit", [0, 1, 250, None])
def test_a_long_list_is_cut_where_it_is_asked_to_be(store: Store, limit: int | None) -> None:
    insert_all(store._connection, [Row(position=n) for n in range(450)])
    assert listed(store, "", limit) == list(range(1, 451))[:limit]


def test_a_list_that_is_not_read_to_its_end_keeps_nothing_open(store: Store, ended: list[tuple[int, Status]]) -> None:
    insert_all(store._connection, [Row(position=n) for n in range(450)])
    with store.read() as views:
        assert next(views.list_jobs(EVERYTHING, None)).status is Status.QUEUED
        assert ids(views.finished(parse("!status:succeeded"), 1))
    with store.write("ann") as work:
        work.cancel(1 + len(ended))
    # A statement that was still being read would keep the log from being folded back.
    assert store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0


def test_a_running_job_comes_with_the_execution_that_holds_it(store: Store) -> None:
    first, second = running(store), running(store)
    with store.read() as views:
        assert [one.job.id for one in views.running(1)] == [first.job.id]
        found = views.running(9)
    assert [(one.job.exec_id, one.execution.exec_id) for one in found] == [
        (claimed.exec_id, claimed.exec_id) for claimed in (first, second)
    ]
    assert {one.execution.status for one in found} == {ExecStatus.IN_PROGRESS}
    assert {one.execution.pid for one in found} == {4711}


def test_a_running_job_whose_execution_is_lost_does_not_spoil_the_list(store: Store, raw: RawStore) -> None:
    lost, kept = running(store), running(store)
    raw.connection.execute("PRAGMA foreign_keys = OFF")
    raw.run("DROP TRIGGER executions_keep")
    raw.run("DELETE FROM executions WHERE exec_id = :exec_id", exec_id=lost.exec_id)
    with store.read() as views:
        assert [one.job.id for one in views.running(9)] == [kept.job.id]
