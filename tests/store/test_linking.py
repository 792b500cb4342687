"""Retries: now, as a new link, and without anyone's asking."""

import pytest

from core.jobs import Command, Gate, Job, NewJob
from core.refusals import Refused
from core.status import FINAL, Status
from store.store import Store
from tests.conftest import START as NOON
from tests.store.raw import GRANT, RawStore
from tests.store.telling import Line, history, number_of, row_of

NEW = NewJob(
    job_type="etl",
    job_key="k",
    command=Command(("a", "b")),
    params={"n": 1},
    tags={"t": "u"},
    priority=4,
    approval=Gate("sure?"),
    max_retries=5,
    backoff="fixed:9s",
    concurrency_key="db",
)
INHERITED = (
    "job_type", "job_key", "command", "params", "tags", "priority", "approval", "max_retries", "backoff",
    "concurrency_key",
)  # fmt: skip
CHECKPOINT = "UPDATE jobs SET checkpoint = '{\"at\":7}' WHERE job_id = :job_id"


def ended(store: Store, raw: RawStore, new: NewJob = NEW, status: Status = Status.FAILED) -> Job:
    """A job that was run, kept a checkpoint, used a retry and then ended."""
    with store.write("ann") as work:
        job_id = work.submit(new).job_id
    raw.turn(job_id, Status.RUNNING)
    raw.turn(job_id, Status.RETRYING)
    raw.turn(job_id, Status.QUEUED)
    raw.turn(job_id, Status.RUNNING)
    raw.run(CHECKPOINT, job_id=job_id)
    raw.turn(job_id, status)
    with store.read() as views:
        return views.job(job_id)


def test_a_waiting_retry_goes_back_to_the_queue_now(store: Store, raw: RawStore) -> None:
    number = number_of(raw, raw.job_in(Status.RETRYING))
    with store.write("ann") as work:
        behind = work.job(work.submit(NewJob()).id)
        retried = work.retry(number, "fixed it")
    row = row_of(raw, number)
    assert (retried.new, retried.job.status) == (False, Status.QUEUED)
    assert row["position"] > behind.position
    assert [row[name] for name in ("error_message", "error_type", "next_retry_at", "ready")] == [None, None, None, 1]
    assert history(raw, number)[-1] == Line("retry", "ann", "fixed it")


@pytest.mark.parametrize("status", sorted(FINAL))
def test_an_ended_job_gets_a_fresh_link(store: Store, raw: RawStore, status: Status) -> None:
    old = ended(store, raw, status=status)
    with store.write("bob") as work:
        retried = work.retry(old.id, "again")
    link = retried.job
    assert retried.new
    assert {name: getattr(link, name) for name in INHERITED} == {name: getattr(old, name) for name in INHERITED}
    assert (link.status, link.retry_of, link.retry_count, link.attempt) == (Status.QUEUED, old.job_id, 0, 0)
    assert (link.checkpoint, link.created_by, link.created_at) == (None, "bob", NOON)
    assert history(raw, link.id) == [Line("retry", "bob", "again")]


def test_a_link_by_hand_asks_for_approval_again(store: Store, raw: RawStore) -> None:
    job_id = raw.job_in(Status.WAITING_FOR_APPROVAL)
    raw.run(GRANT, job_id=job_id)
    with store.write("bob") as work:
        work.cancel(job_id)
        link = work.retry(job_id).job
    assert raw.run("SELECT count(*) FROM approvals WHERE job_id = :j", j=link.job_id).fetchone()[0] == 0


def test_retrying_an_already_retried_job_retries_the_tail(store: Store, raw: RawStore) -> None:
    old = ended(store, raw)
    with store.write("bob") as work:
        first = work.retry(old.id).job
        with pytest.raises(Refused, match=f"job {old.id} was retried already: job {first.id} is QUEUED"):
            work.retry(old.id)
        work.cancel(first.id)
        assert work.retry(old.id).job.retry_of == first.job_id


def test_a_live_job_with_the_same_key_comes_first(store: Store, raw: RawStore) -> None:
    old = ended(store, raw)
    with store.write("bob") as work:
        live = work.submit(NEW).id
        with pytest.raises(Refused, match=f'job {live} with the same key "k" is QUEUED'):
            work.retry(old.id)


@pytest.mark.parametrize("status", [Status.CREATED, Status.QUEUED, Status.RUNNING, Status.WAITING_FOR_APPROVAL])
def test_what_is_under_way_is_not_retried(store: Store, raw: RawStore, status: Status) -> None:
    number = number_of(raw, raw.job_in(status))
    with pytest.raises(Refused, match=f"job {number} is {status}"), store.write("bob") as work:
        work.retry(number)


def test_giving_up_fails_the_job_with_the_error_it_had(store: Store, raw: RawStore) -> None:
    number = number_of(raw, raw.job_in(Status.RETRYING))
    with store.write("bob") as work:
        job = work.give_up(number, "hopeless")
    assert (job.status, job.error_message, job.next_retry_at, job.finished_at) == (Status.FAILED, "x", None, NOON)
    assert history(raw, number)[-1] == Line("give-up", "bob", "hopeless")


def test_only_a_waiting_retry_is_given_up(store: Store) -> None:
    with pytest.raises(Refused, match="give-up works only on a job that is RETRYING"), store.write("bob") as work:
        work.give_up(work.submit(NewJob()).id)


def test_an_automatic_link_goes_on_from_where_it_was(store: Store, raw: RawStore) -> None:
    old = ended(store, raw)
    with store.write("engine") as work:
        number = work.link_automatically(work.job_row(old.id), "the scheduler died")
        assert number is not None
        link = work.job(number)
    assert {name: getattr(link, name) for name in INHERITED} == {name: getattr(old, name) for name in INHERITED}
    assert (link.retry_of, link.retry_count, link.checkpoint) == (old.job_id, old.retry_count + 1, {"at": 7})
    # Otherwise the submitter could approve their own job after a crash.
    assert link.created_by == "ann"
    assert history(raw, link.id) == [Line("retry", "engine", "the scheduler died")]


def test_an_automatic_link_keeps_what_was_granted_and_nothing_waits_for_it(store: Store, raw: RawStore) -> None:
    job_id = raw.job_in(Status.WAITING_FOR_APPROVAL)
    raw.turn(job_id, Status.RUNNING)
    raw.turn(job_id, Status.FAILED)
    with store.write("engine") as work:
        number = work.link_automatically(work.job_row(job_id), "the scheduler died")
        assert number is not None
        link = work.job(number)
    old, new = raw.run("SELECT * FROM approvals ORDER BY id").fetchall()
    assert (old["job_id"], new["job_id"]) == (job_id, link.job_id)
    same = ("name", "message", "requested_by", "decision", "decided_at", "decided_by")
    assert [old[name] for name in same] == [new[name] for name in same]
    assert new["approval_id"] != old["approval_id"]
    assert new["consumed_at"] is not None


def test_there_is_no_automatic_link_beyond_the_budget(store: Store, raw: RawStore) -> None:
    old = ended(store, raw, NewJob(max_retries=1))
    with store.write("engine") as work:
        assert work.link_automatically(work.job_row(old.id), None) is None


@pytest.mark.parametrize("status", [Status.SUCCEEDED, Status.CANCELLED])
def test_only_a_failed_job_is_linked_automatically(store: Store, raw: RawStore, status: Status) -> None:
    old = ended(store, raw, status=status)
    with store.write("engine") as work:
        assert work.link_automatically(work.job_row(old.id), None) is None


def test_there_is_no_automatic_link_after_a_retry_a_cancel_or_a_newer_job(store: Store, raw: RawStore) -> None:
    old = ended(store, raw)
    with store.write("engine") as work:
        link = work.link_automatically(work.job_row(old.id), None)
        assert link is not None
        assert work.link_automatically(work.job_row(old.id), None) is None
    asked = raw.job_in(Status.RUNNING)
    with store.write("ann") as work:
        work.cancel(asked)
    raw.turn(asked, Status.FAILED)
    taken = ended(store, raw, NewJob(job_key="taken"))
    with store.write("engine") as work:
        assert work.link_automatically(work.job_row(asked), None) is None
        work.submit(NewJob(job_key="taken"))
        assert work.link_automatically(work.job_row(taken.id), None) is None
