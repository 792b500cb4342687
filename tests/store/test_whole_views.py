"""One job with all that belongs to it, and the numbers of the status line."""

import pytest

from core.executions import Outcome
from core.jobs import Gate, NewJob, NewSchedule
from core.status import Status
from store.store import Store
from store.views import Paused
from tests.conftest import START, Clock
from tests.store.raw import RawStore
from tests.store.rows_for_tests import insert_all, queue_of
from tests.store.running_jobs import TRUE, WORKER, claim, running, submit


def test_a_job_by_itself_has_nothing_else(store: Store) -> None:
    number = submit(store)
    with store.read() as views:
        whole = views.whole_job(number)
        assert whole.job == views.job(number)
    assert (whole.executions, whole.approvals, whole.chain) == ([], [], [number])
    assert (whole.template, whole.schedule) == (None, None)


def test_a_job_comes_with_its_executions_and_gates(store: Store) -> None:
    number = submit(store, NewJob(command=TRUE, approval=Gate("go?")))
    claim(store)
    with store.read() as views:
        (gate,) = views.open_approvals(9)
    with store.write("bob") as work:
        work.approve(number, store.token_of(gate.approval_id), "fine")
    (resumed,) = claim(store)
    with store.write("engine") as work:
        work.start(resumed.exec_id, WORKER, log_path="x.log")
        work.add_artifact(resumed.exec_id, WORKER, "a.txt")
        work.finish(resumed.exec_id, WORKER)
    with store.read() as views:
        whole = views.whole_job(str(number))
        assert views.open_approvals(9) == []
    assert whole.job.status is Status.SUCCEEDED
    assert [(one.outcome, one.artifacts) for one in whole.executions] == [(None, ()), (Outcome.COMPLETED, ("a.txt",))]
    assert [(one.decision, one.decided_by, one.comment) for one in whole.approvals] == [("APPROVED", "bob", "fine")]


def test_the_names_of_a_removed_template_and_schedule_stay_with_their_job(store: Store) -> None:
    with store.write("ann") as work:
        work.add_template("t", NewJob(command=TRUE))
        work.add_schedule(NewSchedule("s", "t", "0 6 * * *"))
        made = work.trigger_schedule("s").id
        work.remove_schedule("s")
        work.remove_template("t")
    with store.read() as views:
        whole = views.whole_job(made)
    assert (whole.template, whole.schedule) == ("t", "s")


def test_every_state_is_counted(store: Store, raw: RawStore) -> None:
    with store.read() as views:
        assert views.counts() == dict.fromkeys(Status, 0)
    for times, status in enumerate(Status, start=1):
        for _ in range(times):
            raw.job_in(status)
    with store.read() as views:
        assert views.counts() == {status: times for times, status in enumerate(Status, start=1)}


def test_held_and_waiting_jobs_are_counted_as_far_as_asked(store: Store) -> None:
    insert_all(store._connection, queue_of(30))
    with store.read() as views:
        assert (views.held_count(), views.not_yet_due_count()) == (10, 10)
        assert (views.held_count(4), views.not_yet_due_count(4)) == (4, 4)


def test_a_running_job_does_not_count_as_held(store: Store) -> None:
    running(store)
    with store.read() as views:
        assert (views.held_count(), views.not_yet_due_count()) == (0, 0)


@pytest.mark.parametrize("reason", ["disk swap", None])
def test_a_paused_queue_says_who_paused_it_and_why(store: Store, clock: Clock, reason: str | None) -> None:
    with store.write("ann") as work:
        work.pause(reason)
    clock.forward(hours=1)
    with store.read() as views:
        assert views.paused() == Paused("ann", START, reason)
    with store.write("bob") as work:
        work.resume()
    with store.read() as views:
        assert views.paused() is None
