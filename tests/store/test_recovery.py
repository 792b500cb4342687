"""Recovery after a crash, row by row of the decision matrix."""

import pytest

from core.executions import ExecStatus, Outcome
from core.jobs import Gate, NewJob
from core.status import Status
from store import sqlite
from store.operations.recovery import Recovered
from store.store import Store
from tests.store.running_jobs import TRUE, WORKER, claim, events, job, rng, running, status, submit


def recover(store: Store, dead: str = WORKER) -> list[Recovered]:
    with store.write("recovery") as work:
        return work.recover(lambda owner: owner == dead, rng())


def test_a_queued_job_stays_in_the_queue(store: Store) -> None:
    ref = submit(store)
    before = job(store, ref)
    assert recover(store) == []
    assert job(store, ref) == before


@pytest.mark.parametrize("started", [True, False])
def test_an_interrupted_run_fails_and_its_link_goes_on(store: Store, started: bool) -> None:
    new = NewJob(command=TRUE, job_key="k", params={"a": 1}, tags={"env": "prod"})
    if started:
        claimed = running(store, new)
        with store.write("engine") as work:
            work.checkpoint(claimed.exec_id, WORKER, {"page": 4})
    else:
        submit(store, new)
        (claimed,) = claim(store)
    (did,) = recover(store)
    link = job(store, claimed.job.id + 1)
    assert did == Recovered(claimed.job.id, f"its run was lost; job {link.id} runs it again")
    lost = job(store, claimed.job.id)
    assert (lost.status, lost.error_message) == (Status.FAILED, "Scheduler crash recovery")
    with store.read() as views:
        (execution,) = views.whole_job(lost.id).executions
    assert (execution.status, execution.outcome) == (ExecStatus.ABORTED, Outcome.FAILED)
    assert (link.retry_of, link.status, link.retry_count) == (lost.job_id, Status.QUEUED, 1)
    assert (link.job_key, link.params, link.tags) == ("k", {"a": 1}, {"env": "prod"})
    assert link.checkpoint == ({"page": 4} if started else None)
    assert events(store, lost.id)[-1] == ("recover", "recovery")


def test_recovery_twice_is_once(store: Store) -> None:
    running(store)
    assert len(recover(store)) == 1
    with store.read() as views:
        before = views.counts()
    assert recover(store) == []
    with store.read() as views:
        assert views.counts() == before


def test_a_committed_run_is_finished_and_never_run_again(store: Store) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        work.commit(claimed.exec_id, WORKER, {"ok": True})
    assert recover(store) == [Recovered(claimed.job.id, "it had committed, so it was finished")]
    done = job(store, claimed.job.id)
    assert (done.status, done.result) == (Status.SUCCEEDED, {"ok": True})


def test_a_run_that_was_asked_to_stop_is_cancelled(store: Store) -> None:
    claimed = running(store)
    with store.write("ann") as work:
        work.cancel(claimed.job.id)
    recover(store)
    assert status(store, claimed.job.id) is Status.CANCELLED


def test_a_run_that_stood_at_a_gate_is_parked_there(store: Store) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        gate = work.request_gate(claimed.exec_id, WORKER, "deploy", "go?")
    assert gate is not None
    recover(store)
    assert status(store, claimed.job.id) is Status.WAITING_FOR_APPROVAL
    with store.write("bob") as work:
        work.approve(claimed.job.id, store.token_of(gate.approval_id))
    assert [one.resumed_gate for one in claim(store)] == ["deploy"]


def test_a_job_that_waits_for_approval_survives_any_restart(store: Store) -> None:
    ref = submit(store, NewJob(command=TRUE, approval=Gate("ok?")))
    claim(store)
    before = job(store, ref)
    assert recover(store) == []
    assert job(store, ref) == before


def test_an_approval_that_was_granted_is_inherited_by_the_automatic_link(store: Store) -> None:
    ref = submit(store, NewJob(command=TRUE, approval=Gate("ok?")))
    claim(store)
    with store.read() as views:
        (gate,) = views.open_approvals(1)
    with store.write("bob") as work:
        work.approve(ref, store.token_of(gate.approval_id))
    claim(store)
    recover(store)
    assert [one.job.id for one in claim(store)] == [ref + 1]


def test_the_budget_bounds_links_too(store: Store) -> None:
    running(store, NewJob(command=TRUE, max_retries=1))
    recover(store)
    (again,) = claim(store)
    (did,) = recover(store)
    assert did == Recovered(again.job.id, "its run was lost and it failed; no retry is left for it")


def test_what_a_living_owner_runs_is_left_alone(store: Store) -> None:
    claimed = running(store, owner="alive")
    assert recover(store, dead="somebody-else") == []
    assert status(store, claimed.job.id) is Status.RUNNING


def test_a_reservation_of_a_dead_owner_is_expired_at_once(store: Store) -> None:
    with store.write("ann") as work:
        work.reserve(WORKER)
    ref = submit(store)
    assert claim(store) == []
    recover(store)
    assert [one.job.id for one in claim(store)] == [ref]


def test_a_running_job_without_an_execution_gets_a_failed_one_and_a_retry(store: Store) -> None:
    """Only a damaged file comes to this: the database itself refuses it."""
    claimed = running(store)
    connection = sqlite.connect(store.path)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("DROP TRIGGER executions_keep")
    connection.execute("DELETE FROM executions")
    connection.close()
    recover(store)
    with store.read() as views:
        whole = views.whole_job(claimed.job.id)
    assert (whole.job.status, whole.executions[0].outcome) == (Status.FAILED, Outcome.FAILED)
    assert len(whole.chain) == 2


@pytest.mark.parametrize("end", [ExecStatus.DONE, ExecStatus.ABORTED])
def test_a_run_that_had_ended_settles_its_job(store: Store, end: ExecStatus) -> None:
    """Only a damaged file comes to this: both are written in one transaction."""
    claimed = running(store)
    connection = sqlite.connect(store.path)
    if end is ExecStatus.DONE:
        connection.execute("UPDATE executions SET status = 'COMMITTED', committed_at = 5")
        connection.execute("UPDATE executions SET status = 'DONE', outcome = 'COMPLETED', finished_at = 6")
    else:
        connection.execute(
            "UPDATE executions SET status = 'ABORTED', outcome = 'FAILED', error = 'exit 3', finished_at = 6"
        )
    connection.close()
    recover(store)
    settled = job(store, claimed.job.id)
    expected = (Status.SUCCEEDED, None) if end is ExecStatus.DONE else (Status.RETRYING, "exit 3")
    assert (settled.status, settled.error_message) == expected
