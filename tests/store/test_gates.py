"""Approval gates: asked before or in the run, answered by token, passed once."""

from datetime import datetime, timedelta

import pytest

from core.executions import ExecStatus
from core.gates import BEFORE_RUN
from core.jobs import Approval, Claim, Gate, NewJob
from core.limits import Limits
from core.refusals import BadInput, Refused
from core.status import Status
from store.store import Store
from tests.conftest import Clock
from tests.store.running_jobs import BROKE, TRUE, WORKER, claim, events, job, rng, running, status, submit

TWO_SLOTS = Limits(slots=2)


def stands_at_a_gate(
    store: Store, *, four_eyes: bool = False, expires_at: datetime | None = None
) -> tuple[Claim, Approval]:
    """A job that ran, asked for a gate and was parked there."""
    claimed = running(store)
    with store.write("engine") as work:
        work.checkpoint(claimed.exec_id, WORKER, {"step": 3})
        gate = work.request_gate(
            claimed.exec_id,
            WORKER,
            "deploy",
            "ship it?",
            four_eyes=four_eyes,
            expires_at=expires_at,
        )
        work.park(claimed.exec_id, WORKER)
    assert gate is not None
    return claimed, gate


def test_a_parked_job_holds_no_slot(store: Store) -> None:
    claimed, _ = stands_at_a_gate(store)
    assert status(store, claimed.job.id) is Status.WAITING_FOR_APPROVAL
    other = submit(store)
    assert [one.job.id for one in claim(store)] == [other]


def test_an_approved_job_resumes_ahead_of_the_queue_with_its_checkpoint(store: Store) -> None:
    claimed, gate = stands_at_a_gate(store)
    submit(store)
    with store.write("bob") as work:
        answered = work.approve(claimed.job.id, store.token_of(gate.approval_id), "looks right")
    assert (answered.decision, answered.decided_by, answered.comment) == ("APPROVED", "bob", "looks right")
    assert status(store, claimed.job.id) is Status.WAITING_FOR_APPROVAL
    (resumed,) = claim(store)
    assert (resumed.job.id, resumed.resumed_gate, resumed.attempt) == (claimed.job.id, "deploy", 1)
    assert resumed.job.checkpoint == {"step": 3}
    with store.write("engine") as work:
        work.start(resumed.exec_id, WORKER)
        assert work.request_gate(resumed.exec_id, WORKER, "deploy", "ship it?") is None
        assert work.finish(resumed.exec_id, WORKER) is Status.SUCCEEDED
    assert events(store, claimed.job.id) == [
        ("submit", "ann"),
        ("claim", "engine"),
        ("park", "engine"),
        ("approved", "bob"),
        ("resume", "engine"),
        ("finish", "engine"),
    ]


def test_a_gate_before_the_run_is_parked_at_once_and_asked_once(store: Store) -> None:
    gated = submit(store, NewJob(command=TRUE, approval=Gate("really?")))
    plain = submit(store)
    assert [one.job.id for one in claim(store)] == [plain]
    with store.read() as views:
        (gate,) = views.open_approvals(10)
        (execution,) = views.whole_job(gated).executions
    assert (gate.name, gate.message, gate.job) == (BEFORE_RUN, "really?", gated)
    assert (execution.status, execution.started_at) == (ExecStatus.PARKED, None)
    with store.write("bob") as work:
        work.approve(gated, store.token_of(gate.approval_id))
        (resumed,) = work.claim(WORKER, timedelta(seconds=30), TWO_SLOTS)
        work.start(resumed.exec_id, WORKER)
        assert work.fail(resumed.exec_id, WORKER, BROKE, rng()) is Status.RETRYING
        work.retry(gated)
    (again,) = claim(store, limits=TWO_SLOTS)
    assert (again.job.id, again.attempt) == (gated, 2)


def test_a_gate_asked_for_twice_is_the_same_gate(store: Store) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        first = work.request_gate(claimed.exec_id, WORKER, "deploy", "ship it?")
        second = work.request_gate(claimed.exec_id, WORKER, "deploy", "ship it?")
        assert first == second
        with pytest.raises(Refused, match='stands at gate "deploy" already'):
            work.request_gate(claimed.exec_id, WORKER, "other", "?")


@pytest.mark.parametrize("ending", ["finish", "fail"])
def test_a_process_that_ends_at_its_gate_is_parked_not_done(store: Store, ending: str) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        work.request_gate(claimed.exec_id, WORKER, "deploy", "ship it?")
        if ending == "finish":
            after = work.finish(claimed.exec_id, WORKER)
        else:
            after = work.fail(claimed.exec_id, WORKER, BROKE, rng())
    assert after is Status.WAITING_FOR_APPROVAL


def test_a_commit_at_an_unpassed_gate_is_refused(store: Store) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        work.request_gate(claimed.exec_id, WORKER, "deploy", "ship it?")
        with pytest.raises(Refused, match="can't commit before it has passed it"):
            work.commit(claimed.exec_id, WORKER)


def test_a_wrong_token_answers_nothing(store: Store) -> None:
    claimed, gate = stands_at_a_gate(store)
    right = store.token_of(gate.approval_id)
    for wrong in ("", "0" * 64, right[:-1], right.upper(), right + " ", "\ud800"):
        with pytest.raises(Refused, match="not the token"), store.write("eve") as work:
            work.approve(claimed.job.id, wrong)
        with pytest.raises(Refused, match="not the token"), store.write("eve") as work:
            work.deny(claimed.job.id, wrong, "no")
    assert status(store, claimed.job.id) is Status.WAITING_FOR_APPROVAL


def test_the_database_never_holds_a_token(store: Store) -> None:
    _, gate = stands_at_a_gate(store)
    token = store.token_of(gate.approval_id).encode()
    for file in store.path.parent.iterdir():
        assert token not in file.read_bytes()


def test_a_token_works_once(store: Store) -> None:
    claimed, gate = stands_at_a_gate(store)
    token = store.token_of(gate.approval_id)
    with store.write("bob") as work:
        work.approve(claimed.job.id, token)
    with pytest.raises(Refused, match="already approved by bob"), store.write("eve") as work:
        work.deny(claimed.job.id, token, "changed my mind")


def test_a_denied_job_has_failed_and_says_who_denied_it(store: Store) -> None:
    claimed, gate = stands_at_a_gate(store)
    with store.write("bob") as work:
        work.deny(claimed.job.id, store.token_of(gate.approval_id), "too risky")
    failed = job(store, claimed.job.id)
    assert (failed.status, failed.error_type) == (Status.FAILED, "TERMINAL")
    assert failed.error_message == 'gate "deploy" was denied by bob: too risky'
    assert events(store, claimed.job.id)[-2:] == [("denied", "bob"), ("deny", "bob")]


def test_a_gate_that_nobody_answers_expires_and_fails_its_job(store: Store, clock: Clock) -> None:
    claimed, gate = stands_at_a_gate(store, expires_at=clock.now + timedelta(hours=1))
    clock.forward(minutes=59)
    with store.write("engine") as work:
        assert work.expire_gates() == []
    clock.forward(minutes=1)
    with pytest.raises(Refused, match="expired before it was answered"), store.write("bob") as work:
        work.approve(claimed.job.id, store.token_of(gate.approval_id))
    with store.write("engine") as work:
        assert work.expire_gates() == [claimed.job.id]
        assert work.expire_gates() == []
    assert status(store, claimed.job.id) is Status.FAILED


def test_an_approved_gate_does_not_expire(store: Store, clock: Clock) -> None:
    claimed, gate = stands_at_a_gate(store, expires_at=clock.now + timedelta(hours=1))
    with store.write("bob") as work:
        work.approve(claimed.job.id, store.token_of(gate.approval_id))
    clock.forward(hours=2)
    with store.write("engine") as work:
        assert work.expire_gates() == []
    assert [one.job.id for one in claim(store)] == [claimed.job.id]


def test_four_eyes_refuse_the_submitter_but_let_them_deny(store: Store) -> None:
    claimed, gate = stands_at_a_gate(store, four_eyes=True)
    token = store.token_of(gate.approval_id)
    with pytest.raises(Refused, match="wants four eyes"), store.write("ann") as work:
        work.approve(claimed.job.id, token)
    with store.write("ann") as work:
        assert work.deny(claimed.job.id, token, "not yet").decision == "DENIED"


def test_a_job_without_a_gate_says_so(store: Store) -> None:
    ref = submit(store)
    with pytest.raises(Refused, match=f"job {ref} is QUEUED; approve works only"), store.write("bob") as work:
        work.approve(ref, "x")


def test_a_gate_can_t_expire_in_the_past(store: Store, clock: Clock) -> None:
    claimed = running(store)
    with pytest.raises(BadInput, match="must expire in the future"), store.write("engine") as work:
        work.request_gate(claimed.exec_id, WORKER, "deploy", "?", expires_at=clock.now)


def test_a_cancel_withdraws_the_gate(store: Store) -> None:
    claimed, gate = stands_at_a_gate(store)
    with store.write("ann") as work:
        work.cancel(claimed.job.id)
    with pytest.raises(Refused, match="already withdrawn by ann"), store.write("bob") as work:
        work.approve(claimed.job.id, store.token_of(gate.approval_id))
