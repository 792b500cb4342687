"""Cancelling: at once where nothing runs, by request where something does."""

import pytest

from core.refusals import Refused
from core.status import FINAL, Status
from store.store import Store
from tests.store.raw import COMMIT, GRANT, START, RawStore
from tests.store.telling import Line, history, number_of, row_of

AT_REST = [Status.CREATED, Status.QUEUED, Status.RETRYING, Status.WAITING_FOR_APPROVAL]


@pytest.mark.parametrize("status", AT_REST)
def test_a_job_that_does_not_run_is_cancelled_at_once(store: Store, raw: RawStore, status: Status) -> None:
    number = number_of(raw, raw.job_in(status))
    with store.write("ann") as work:
        answer = work.cancel(number, "no longer wanted")
    row = row_of(raw, number)
    assert (answer.stopping, answer.job.status) == (False, Status.CANCELLED)
    assert row["cancel_requested_at"] == row["finished_at"] is not None
    assert (row["next_retry_at"], row["approval_token"]) == (None, None)
    assert history(raw, number)[-1] == Line("cancel", "ann", "no longer wanted")


def test_the_open_gate_of_a_cancelled_job_is_withdrawn(store: Store, raw: RawStore) -> None:
    job_id = raw.job_in(Status.WAITING_FOR_APPROVAL)
    with store.write("ann") as work:
        work.cancel(job_id, "why")
    gate = raw.run("SELECT * FROM approvals WHERE job_id = :job_id", job_id=job_id).fetchone()
    assert (gate["decision"], gate["decided_by"], gate["comment"]) == ("WITHDRAWN", "ann", "why")
    assert Line("withdrawn", "ann", "why") in history(raw, number_of(raw, job_id))


def test_an_approved_job_that_was_not_resumed_can_still_be_cancelled(store: Store, raw: RawStore) -> None:
    job_id = raw.job_in(Status.WAITING_FOR_APPROVAL)
    raw.run(GRANT, job_id=job_id)
    with store.write("ann") as work:
        assert work.cancel(job_id).job.status is Status.CANCELLED
    assert raw.run("SELECT decision FROM approvals").fetchone()[0] == "APPROVED"


def test_a_running_job_is_asked_once_to_stop(store: Store, raw: RawStore) -> None:
    number = number_of(raw, raw.job_in(Status.RUNNING))
    with store.write("ann") as work:
        first = work.cancel(number, "enough")
    with store.write("bob") as work:
        second = work.cancel(number, "now!")
    assert first.stopping
    assert second.stopping
    assert first.job == second.job
    assert first.job.status is Status.RUNNING
    assert first.job.cancel_requested_at is not None
    assert [line for line in history(raw, number) if line.event == "cancel"] == [Line("cancel", "ann", "enough")]


def test_what_has_committed_can_not_be_cancelled(store: Store, raw: RawStore) -> None:
    job_id = raw.job_in(Status.RUNNING)
    raw.run(START, job_id=job_id)
    raw.run(COMMIT, job_id=job_id)
    with pytest.raises(Refused, match="has committed, so it can't be cancelled any more"), store.write("ann") as work:
        work.cancel(job_id)


@pytest.mark.parametrize("status", sorted(FINAL))
def test_a_finished_job_can_not_be_cancelled(store: Store, raw: RawStore, status: Status) -> None:
    number = number_of(raw, raw.job_in(status))
    sentence = f"job {number} is {status}, which is final; retry it with: jobdeck retry {number}"
    with pytest.raises(Refused, match=sentence), store.write("ann") as work:
        work.cancel(number)
