"""How executions end and what that makes of their jobs."""

from datetime import timedelta

import pytest

from core.executions import ExecStatus, Outcome
from core.jobs import NewJob
from core.refusals import Fenced, Refused
from core.status import Status
from store.store import Store
from tests.conftest import Clock
from tests.store.running_jobs import (
    BROKE,
    HOPELESS,
    LEASE,
    TRUE,
    WORKER,
    claim,
    events,
    job,
    rng,
    running,
    status,
)


def test_a_command_that_ends_well_commits_and_is_done_at_once(store: Store, clock: Clock) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        assert work.finish(claimed.exec_id, WORKER, 0, {"n": 1}) is Status.SUCCEEDED
    with store.read() as views:
        whole = views.whole_job(claimed.job.id)
    (execution,) = whole.executions
    assert (execution.status, execution.outcome, execution.exit_code) == (ExecStatus.DONE, Outcome.COMPLETED, 0)
    assert (whole.job.status, whole.job.result, whole.job.finished_at) == (Status.SUCCEEDED, {"n": 1}, clock.now)
    assert events(store, claimed.job.id) == [("submit", "ann"), ("claim", "engine"), ("finish", "engine")]


def test_an_end_said_twice_is_once(store: Store) -> None:
    claimed = running(store)
    for _ in range(2):
        with store.write("engine") as work:
            assert work.finish(claimed.exec_id, WORKER) is Status.SUCCEEDED
    other = running(store)
    for _ in range(2):
        with store.write("engine") as work:
            assert work.fail(other.exec_id, WORKER, BROKE, rng()) is Status.RETRYING
    assert job(store, other.job.id).retry_count == 1


def test_a_failure_after_the_commit_is_still_a_success(store: Store) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        work.commit(claimed.exec_id, WORKER)
        assert work.fail(claimed.exec_id, WORKER, BROKE, rng()) is Status.SUCCEEDED
    with store.read() as views:
        (execution,) = views.whole_job(claimed.job.id).executions
    assert (execution.status, execution.exit_code, execution.error) == (ExecStatus.DONE, 1, "it broke")


def test_a_retryable_failure_waits_for_its_backoff_and_goes_to_the_tail(store: Store, clock: Clock) -> None:
    claimed = running(store, NewJob(command=TRUE, max_retries=2, backoff="fixed:10s"))
    with store.write("engine") as work:
        assert work.fail(claimed.exec_id, WORKER, BROKE, rng()) is Status.RETRYING
    failed = job(store, claimed.job.id)
    assert (failed.error_message, failed.error_type, failed.retry_count) == ("it broke", "RETRYABLE", 1)
    assert failed.next_retry_at == clock.now + timedelta(seconds=10)
    other = running(store)
    clock.forward(seconds=9)
    with store.write("engine") as work:
        assert work.requeue_due() == 0
    clock.forward(seconds=1)
    with store.write("engine") as work:
        work.renew([other.exec_id], WORKER, LEASE)
        assert work.requeue_due() == 1
    again = job(store, claimed.job.id)
    assert (again.status, again.error_message, again.next_retry_at) == (Status.QUEUED, None, None)


def test_the_budget_ends_in_failure(store: Store, clock: Clock) -> None:
    claimed = running(store, NewJob(command=TRUE, max_retries=1, backoff="fixed:1s"))
    for expected in (Status.RETRYING, Status.FAILED):
        with store.write("engine") as work:
            assert work.fail(claimed.exec_id, WORKER, BROKE, rng()) is expected
        if expected is Status.RETRYING:
            clock.forward(seconds=1)
            with store.write("engine") as work:
                work.requeue_due()
            (claimed,) = claim(store)
    final = job(store, claimed.job.id)
    assert (final.status, final.attempt, final.retry_count) == (Status.FAILED, 2, 1)


def test_a_terminal_failure_is_not_retried(store: Store) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        assert work.fail(claimed.exec_id, WORKER, HOPELESS, rng()) is Status.FAILED
    assert job(store, claimed.job.id).error_type == "TERMINAL"


def test_a_failure_of_a_job_that_was_asked_to_stop_is_its_cancel(store: Store) -> None:
    claimed = running(store)
    with store.write("ann") as work:
        assert work.cancel(claimed.job.id, "not today").stopping
    with store.write("engine") as work:
        assert work.fail(claimed.exec_id, WORKER, BROKE, rng()) is Status.CANCELLED
    with store.read() as views:
        (execution,) = views.whole_job(claimed.job.id).executions
    assert (execution.status, execution.outcome) == (ExecStatus.ABORTED, Outcome.FAILED)


def test_a_job_that_ended_well_before_the_cancel_arrived_has_succeeded(store: Store) -> None:
    claimed = running(store)
    with store.write("ann") as work:
        work.cancel(claimed.job.id)
    with store.write("engine") as work:
        assert work.finish(claimed.exec_id, WORKER) is Status.SUCCEEDED


def test_a_lost_worker_is_retried_and_its_late_end_is_refused(store: Store, clock: Clock) -> None:
    claimed = running(store)
    clock.forward(seconds=LEASE.total_seconds())
    with store.write("engine") as work:
        assert work.abort_expired(rng()) == [claimed.job.id]
        assert work.abort_expired(rng()) == []
    lost = job(store, claimed.job.id)
    assert (lost.status, lost.error_message) == (Status.RETRYING, "the worker was lost: its lease ran out")
    with pytest.raises(Fenced), store.write("engine") as work:
        work.finish(claimed.exec_id, WORKER)


def test_a_job_at_no_gate_can_t_be_parked(store: Store) -> None:
    claimed = running(store)
    with pytest.raises(Refused, match="stands at no gate"), store.write("engine") as work:
        work.park(claimed.exec_id, WORKER)


def test_a_failed_transaction_leaves_everything_as_it_was(store: Store) -> None:
    claimed = running(store)

    def killed_before_the_end() -> None:
        with store.write("engine") as work:
            work.finish(claimed.exec_id, WORKER)
            raise RuntimeError("killed here")

    with pytest.raises(RuntimeError, match="killed here"):
        killed_before_the_end()
    assert status(store, claimed.job.id) is Status.RUNNING
    with store.write("engine") as work:
        assert work.finish(claimed.exec_id, WORKER) is Status.SUCCEEDED
