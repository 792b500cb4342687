"""Holding, releasing, priorities and edits of jobs that wait."""

from datetime import timedelta

import pytest

from core.edits import UNSET_PARAM, Edit
from core.jobs import Command, Gate, NewJob
from core.refusals import BadInput, Refused
from core.status import Status
from store.store import Store
from tests.conftest import START, Clock
from tests.store.raw import RawStore
from tests.store.telling import Line, history, number_of, row_of


def submit(store: Store, new: NewJob) -> int:
    with store.write("ann") as work:
        return work.submit(new).id


def test_a_released_draft_goes_to_the_tail(store: Store, raw: RawStore) -> None:
    draft = submit(store, NewJob(draft=True))
    submit(store, NewJob())
    with store.write("bob") as work:
        job = work.release(draft)
    assert (job.status, job.position, job.queued_at) == (Status.QUEUED, 200, START)
    assert history(raw, draft)[-1] == Line("release", "bob", None)


def test_a_released_draft_is_ready_exactly_when_its_time_has_come(store: Store, raw: RawStore, clock: Clock) -> None:
    early, due = (submit(store, NewJob(draft=True, scheduled_run_time=START + timedelta(hours=h))) for h in (3, 1))
    clock.forward(hours=2)
    with store.write("bob") as work:
        work.release(early)
        work.release(due)
    assert [row_of(raw, number)["ready"] for number in (early, due)] == [0, 1]


def test_only_a_draft_is_released(store: Store) -> None:
    with pytest.raises(Refused, match="release works only on a job that is CREATED"), store.write("bob") as work:
        work.release(work.submit(NewJob()).id)


def test_holding_twice_is_told_and_leaves_one_line(store: Store, raw: RawStore) -> None:
    job = submit(store, NewJob())
    with store.write("bob") as work:
        assert work.hold(job, "not now")
        assert not work.hold(job)
        assert work.job(job).held
        assert work.unhold(job)
        assert not work.unhold(job)
    assert history(raw, job)[1:] == [Line("hold", "bob", "not now"), Line("unhold", "bob", None)]


def test_a_running_job_can_not_be_held(store: Store, raw: RawStore) -> None:
    job_id = raw.job_in(Status.RUNNING)
    with pytest.raises(Refused, match="is RUNNING and can't be held now"), store.write("bob") as work:
        work.hold(job_id)


def test_a_new_priority_means_its_tail(store: Store, raw: RawStore) -> None:
    job, _ = submit(store, NewJob()), submit(store, NewJob(priority=5))
    with store.write("bob") as work:
        moved = work.set_priority(job, 5)
    assert (moved.priority, moved.position) == (5, 200)
    assert history(raw, job)[-1] == Line("priority", "bob", None)


def test_the_same_priority_changes_nothing(store: Store, raw: RawStore) -> None:
    job = submit(store, NewJob(priority=5))
    with store.write("bob") as work:
        assert work.set_priority(job, 5).revision == 1
    assert len(history(raw, job)) == 1


@pytest.mark.parametrize("status", [Status.CREATED, Status.RETRYING])
def test_outside_the_queue_only_the_number_changes(store: Store, raw: RawStore, status: Status) -> None:
    number = number_of(raw, raw.job_in(status))
    before = row_of(raw, number)["position"]
    with store.write("bob") as work:
        job = work.set_priority(number, 9)
    assert (job.priority, job.position, job.status) == (9, before, status)


def test_a_priority_out_of_bounds_is_refused(store: Store) -> None:
    job = submit(store, NewJob())
    with pytest.raises(BadInput, match="the priority is -1000001"), store.write("bob") as work:
        work.set_priority(job, -1_000_001)


def test_an_edit_sets_and_removes_what_it_names_and_nothing_else(store: Store, raw: RawStore) -> None:
    new = NewJob(params={"a": 1, "b": 2}, tags={"x": "1"}, command=Command(("a", "b"), cwd="/", env={"E": "1"}))
    number = submit(store, new)
    edit = Edit(params={"a": 3, "b": UNSET_PARAM}, tags={"y": "2"}, argv=("c",), env={"E": UNSET_PARAM, "F": "2"})
    with store.write("bob") as work:
        job = work.edit(number, edit)
    assert job.params == {"a": 3}
    assert job.tags == {"x": "1", "y": "2"}
    assert job.command == Command(("c",), cwd="/", env={"F": "2"})
    assert (job.timeout, job.max_retries, job.backoff) == (None, 3, "fixed:1s")
    assert history(raw, number)[-1] == Line("edit", "bob", "params, tags, command")


def test_an_edit_of_the_policy_is_read_back(store: Store) -> None:
    gate = Gate("sure?")
    edit = Edit(
        timeout=timedelta(seconds=9), max_retries=0, backoff="fixed:2s", approval=gate, concurrency_key="db",
        deadline_at=START + timedelta(days=1), cwd="/tmp",
    )  # fmt: skip
    number = submit(store, NewJob())
    with store.write("bob") as work:
        job = work.edit(number, edit)
    assert (job.timeout, job.max_retries, job.backoff) == (timedelta(seconds=9), 0, "fixed:2s")
    assert (job.approval, job.concurrency_key, job.command.cwd) == (gate, "db", "/tmp")
    assert job.deadline_at == START + timedelta(days=1)


def test_an_edit_that_changes_nothing_leaves_no_history(store: Store, raw: RawStore) -> None:
    number = submit(store, NewJob(params={"a": 1}))
    with store.write("bob") as work:
        assert work.edit(number, Edit(params={"a": 1})).revision == 1
    assert len(history(raw, number)) == 1


def test_another_time_makes_a_job_wait_and_none_makes_it_ready(store: Store, raw: RawStore) -> None:
    number = submit(store, NewJob())
    with store.write("bob") as work:
        work.edit(number, Edit(scheduled_run_time=START + timedelta(hours=1)))
    assert row_of(raw, number)["ready"] == 0
    with store.write("bob") as work:
        work.edit(number, Edit(scheduled_run_time=None))
    assert row_of(raw, number)["ready"] == 1


def test_once_it_has_run_params_and_command_are_fixed_but_tags_are_not(store: Store, raw: RawStore) -> None:
    job_id = raw.job_in(Status.RETRYING)
    number = number_of(raw, job_id)
    with store.write("bob") as work:
        work.retry(number)
        with pytest.raises(Refused, match="has run already, so its params can't be changed"):
            work.edit(number, Edit(params={"a": 1}))
        with pytest.raises(BadInput, match="has used 1 retries already"):
            work.edit(number, Edit(max_retries=0))
        assert work.edit(number, Edit(tags={"a": "b"})).tags == {"a": "b"}


def test_an_edit_is_checked_like_a_submit(store: Store) -> None:
    number = submit(store, NewJob())
    with pytest.raises(BadInput, match="NUL"), store.write("bob") as work:
        work.edit(number, Edit(argv=("a\0",)))
    with pytest.raises(BadInput, match="has passed already"), store.write("bob") as work:
        work.edit(number, Edit(deadline_at=START))
