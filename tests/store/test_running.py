"""What a worker may say under its lease, and that nothing it says counts afterwards."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from core.executions import ExecStatus
from core.jobs import Claim
from core.refusals import BadInput, Fenced, NoSuchThing, Refused
from core.status import Status
from store.store import Store
from store.work import Work
from tests.conftest import Clock
from tests.store.running_jobs import BROKE, LEASE, WORKER, claim, job, rng, running, status, submit

STEPS: dict[str, Callable[[Work, Claim, str], object]] = {
    "start": lambda work, claimed, owner: work.start(claimed.exec_id, owner),
    "checkpoint": lambda work, claimed, owner: work.checkpoint(claimed.exec_id, owner, {"page": 2}),
    "progress": lambda work, claimed, owner: work.progress(claimed.exec_id, owner, 50),
    "artifact": lambda work, claimed, owner: work.add_artifact(claimed.exec_id, owner, "out.txt"),
    "commit": lambda work, claimed, owner: work.commit(claimed.exec_id, owner),
    "finish": lambda work, claimed, owner: work.finish(claimed.exec_id, owner),
    "fail": lambda work, claimed, owner: work.fail(claimed.exec_id, owner, BROKE, rng()),
    "gate": lambda work, claimed, owner: work.request_gate(claimed.exec_id, owner, "deploy", "go?"),
    "park": lambda work, claimed, owner: work.park(claimed.exec_id, owner),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_worker_whose_lease_ran_out_is_fenced(store: Store, clock: Clock, step: str) -> None:
    claimed = running(store)
    clock.forward(seconds=LEASE.total_seconds())
    with pytest.raises(Fenced, match="the lease of this execution ran out"), store.write("engine") as work:
        STEPS[step](work, claimed, WORKER)
    assert status(store, claimed.job.id) is Status.RUNNING


@pytest.mark.parametrize("step", STEPS)
def test_a_worker_that_does_not_hold_the_lease_is_fenced(store: Store, step: str) -> None:
    claimed = running(store)
    with pytest.raises(Fenced, match="belongs to another worker"), store.write("engine") as work:
        STEPS[step](work, claimed, "somebody-else")


@pytest.mark.parametrize("step", sorted(set(STEPS) - {"fail"}))
def test_an_execution_that_was_taken_back_is_fenced(store: Store, clock: Clock, step: str) -> None:
    claimed = running(store)
    clock.forward(minutes=5)
    with store.write("engine") as work:
        assert work.abort_expired(rng()) == [claimed.job.id]
    with pytest.raises(Fenced, match=r"this execution has ended \(ABORTED\)"), store.write("engine") as work:
        STEPS[step](work, claimed, WORKER)


def test_a_lease_is_renewed_until_it_is_lost(store: Store, clock: Clock) -> None:
    claimed = running(store)
    for _ in range(5):
        clock.forward(seconds=20)
        with store.write("engine") as work:
            assert work.renew([claimed.exec_id], WORKER, LEASE) == []
    clock.forward(seconds=31)
    with store.write("engine") as work:
        assert work.renew([claimed.exec_id], WORKER, LEASE) == [claimed.exec_id]


def test_another_worker_can_t_renew_a_lease(store: Store) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        assert work.renew([claimed.exec_id], "other", LEASE) == [claimed.exec_id]


def test_start_said_twice_is_once(store: Store, clock: Clock) -> None:
    submit(store)
    (claimed,) = claim(store)
    for _ in range(2):
        with store.write("engine") as work:
            work.start(claimed.exec_id, WORKER, pid=11, log_path="a.log")
        clock.forward(seconds=1)
    with store.read() as views:
        (execution,) = views.whole_job(claimed.job.id).executions
    assert (execution.status, execution.pid, execution.log_path) == (ExecStatus.IN_PROGRESS, 11, "a.log")
    assert execution.started_at == clock.now - timedelta(seconds=2)


def test_progress_checkpoint_and_artifacts_are_kept(store: Store) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        work.progress(claimed.exec_id, WORKER, 42.5, "halfway")
        work.checkpoint(claimed.exec_id, WORKER, {"page": 7})
        for path in ("a.txt", "b.txt", "a.txt"):
            work.add_artifact(claimed.exec_id, WORKER, path)
    with store.read() as views:
        whole = views.whole_job(claimed.job.id)
    assert whole.job.checkpoint == {"page": 7}
    assert (whole.executions[0].progress, whole.executions[0].progress_text) == (42.5, "halfway")
    assert whole.executions[0].artifacts == ("a.txt", "b.txt")


@pytest.mark.parametrize("share", [-0.1, 100.1, float("nan"), float("inf")])
def test_progress_beyond_its_bounds_is_refused(store: Store, share: float) -> None:
    claimed = running(store)
    with pytest.raises(BadInput, match="progress goes from 0 to 100"), store.write("engine") as work:
        work.progress(claimed.exec_id, WORKER, share)


def test_a_checkpoint_over_its_limit_is_refused_with_the_limit_named(store: Store) -> None:
    claimed = running(store)
    with pytest.raises(BadInput, match=r"checkpoint is .* the limit is"), store.write("engine") as work:
        work.checkpoint(claimed.exec_id, WORKER, "x" * 1_048_576)
    assert job(store, claimed.job.id).checkpoint is None


def test_a_job_that_has_not_started_can_t_commit(store: Store) -> None:
    submit(store)
    (claimed,) = claim(store)
    with pytest.raises(Refused, match="has not started"), store.write("engine") as work:
        work.commit(claimed.exec_id, WORKER)


def test_an_unknown_execution_is_named(store: Store) -> None:
    with pytest.raises(NoSuchThing, match="there is no execution nope"), store.write("engine") as work:
        work.commit("nope", WORKER)


def test_a_commit_is_the_boundary_and_keeps_its_result(store: Store, clock: Clock) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        work.commit(claimed.exec_id, WORKER, {"rows": 3})
        work.commit(claimed.exec_id, WORKER, {"rows": 99})
    assert job(store, claimed.job.id).result == {"rows": 3}
    clock.forward(minutes=1)
    with store.write("engine") as work:
        assert work.abort_expired(rng()) == [claimed.job.id]
    assert status(store, claimed.job.id) is Status.SUCCEEDED
