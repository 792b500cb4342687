"""Which job starts next, and that it starts once."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from core.jobs import Gate, NewJob
from core.limits import Limits
from core.status import Status
from store.operations.claiming import LOOK_AHEAD, MOST_GATES
from store.store import Store
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, TRUE, WORKER, claim, job, status, submit


def many(store: Store, *jobs: NewJob) -> list[int]:
    """Several jobs in one transaction."""
    with store.write("ann") as work:
        return [work.submit(new).id for new in jobs]


def claimed_ids(store: Store, limits: Limits) -> list[int]:
    return [one.job.id for one in claim(store, limits=limits)]


def of_type(job_type: str, **more: object) -> NewJob:
    return NewJob(job_type=job_type, command=TRUE, **more)  # type: ignore[arg-type]


def test_slots_are_filled_in_queue_order(store: Store) -> None:
    low, high, low2 = many(store, of_type("t"), of_type("t", priority=5), of_type("t"))
    assert claimed_ids(store, Limits(slots=2)) == [high, low]
    assert claimed_ids(store, Limits(slots=2)) == []
    assert claimed_ids(store, Limits(slots=3)) == [low2]


def test_a_claim_makes_its_execution_with_a_snapshot_of_the_params(store: Store, clock: Clock) -> None:
    ref = submit(store, NewJob(command=TRUE, params={"n": 1}))
    (one,) = claim(store)
    with store.read() as views:
        whole = views.whole_job(ref)
    (execution,) = whole.executions
    assert (execution.exec_id, execution.attempt, execution.lease_owner) == (one.exec_id, 1, WORKER)
    assert (execution.params_snapshot, execution.lease_expires_at) == ({"n": 1}, clock.now + LEASE)
    assert (whole.job.status, whole.job.started_at) == (Status.RUNNING, clock.now)


def test_held_jobs_and_drafts_are_passed_over(store: Store) -> None:
    _, _, ready = many(store, of_type("t", held=True), of_type("t", draft=True), of_type("t"))
    assert claimed_ids(store, Limits(slots=9)) == [ready]


def test_a_job_waits_for_its_time_and_keeps_its_place(store: Store, clock: Clock) -> None:
    later, now = many(store, of_type("t", scheduled_run_time=clock.now + timedelta(minutes=5)), of_type("t"))
    assert claimed_ids(store, Limits(slots=0)) == []
    clock.forward(minutes=4)
    with store.write("engine") as work:
        assert work.wake_due() == 0
    clock.forward(minutes=1)
    with store.write("engine") as work:
        assert work.wake_due() == 1
        assert work.wake_due() == 0
    assert claimed_ids(store, Limits(slots=9)) == [later, now]


def test_a_job_whose_time_has_not_come_is_passed_over(store: Store, clock: Clock) -> None:
    _, now = many(store, of_type("t", scheduled_run_time=clock.now + timedelta(minutes=5)), of_type("t"))
    assert claimed_ids(store, Limits(slots=9)) == [now]


def test_a_paused_queue_gives_out_nothing(store: Store) -> None:
    ref = submit(store)
    with store.write("ann") as work:
        work.pause("something burns")
    assert claim(store) == []
    with store.write("ann") as work:
        work.resume()
    assert [one.job.id for one in claim(store)] == [ref]


def test_a_limit_by_type_lets_others_pass(store: Store) -> None:
    etl1, etl2, web = many(store, of_type("etl"), of_type("etl"), of_type("web"))
    limits = Limits(slots=9, per_type={"etl": 1})
    assert claimed_ids(store, limits) == [etl1, web]
    assert claimed_ids(store, limits) == []
    assert status(store, etl2) is Status.QUEUED


def test_a_concurrency_key_runs_one_at_a_time(store: Store) -> None:
    a1, _, b1 = many(
        store,
        of_type("t", concurrency_key="a"),
        of_type("t", concurrency_key="a"),
        of_type("t", concurrency_key="b"),
    )
    assert claimed_ids(store, Limits(slots=9)) == [a1, b1]


def test_a_job_far_behind_a_blocked_lane_is_still_found_in_order(store: Store) -> None:
    many(store, *(of_type("blocked") for _ in range(LOOK_AHEAD + 50)))
    many(store, *(of_type("keyed", concurrency_key="k") for _ in range(LOOK_AHEAD)))
    first, second = many(store, of_type("z"), of_type("a"))
    limits = Limits(slots=5, per_type={"blocked": 0}, per_key={"k": 0})
    assert claimed_ids(store, limits) == [first, second]


def test_several_jobs_of_one_lane_are_taken_behind_a_blocked_one(store: Store) -> None:
    many(store, *(of_type("blocked") for _ in range(LOOK_AHEAD + 50)))
    wanted = many(store, *(of_type("free") for _ in range(5)))
    assert claimed_ids(store, Limits(slots=3, per_type={"blocked": 0})) == wanted[:3]


def test_two_connections_never_claim_the_same_job(store: Store, make_store: Callable[[], Store]) -> None:
    other = make_store()
    many(store, *(of_type("t") for _ in range(20)))
    seen: list[int] = []
    for turn in range(1, 21):
        seen += claimed_ids(store if turn % 2 else other, Limits(slots=turn))
    assert sorted(seen) == sorted(set(seen))
    assert len(seen) == 20


def test_a_long_row_of_gated_jobs_is_asked_in_portions(store: Store) -> None:
    many(store, *(of_type("t", approval=Gate("ok?")) for _ in range(MOST_GATES + 20)))
    assert claim(store) == []
    with store.read() as views:
        assert views.counts()[Status.WAITING_FOR_APPROVAL] == MOST_GATES
    assert claim(store) == []
    with store.read() as views:
        assert views.counts()[Status.WAITING_FOR_APPROVAL] == MOST_GATES + 20


def test_an_active_reservation_stops_the_queue_and_takes_the_next_slot(store: Store) -> None:
    queued = submit(store)
    with store.write("ann") as work:
        reservation = work.reserve("ann@host:1")
    assert claim(store) == []
    direct = submit(store, NewJob(command=TRUE, reservation_id=reservation.reservation_id))
    assert [one.job.id for one in claim(store)] == [direct]
    with store.read() as views:
        assert views.active_reservation() is None
    assert claimed_ids(store, Limits(slots=2)) == [queued]


def test_a_direct_job_that_stops_at_its_gate_gives_the_queue_back(store: Store) -> None:
    queued = submit(store)
    with store.write("ann") as work:
        reservation = work.reserve("ann@host:1")
        work.submit(NewJob(command=TRUE, reservation_id=reservation.reservation_id, approval=Gate("really?")))
    assert claim(store) == []
    assert claimed_ids(store, Limits(slots=1)) == [queued]


def test_a_job_past_its_deadline_fails_instead_of_starting(store: Store, clock: Clock) -> None:
    ref = submit(store, NewJob(command=TRUE, deadline_at=clock.now + timedelta(minutes=1)))
    clock.forward(minutes=1)
    assert claim(store) == []
    with store.write("engine") as work:
        assert work.expire_deadlines() == [ref]
        assert work.expire_deadlines() == []
    failed = job(store, ref)
    assert (failed.status, failed.error_type) == (Status.FAILED, "TERMINAL")
    assert failed.error_message == "it was to start before 2026-03-02 09:01:00 UTC"


@pytest.mark.parametrize("slots", [0, 3])
def test_no_more_run_than_there_are_slots(store: Store, slots: int) -> None:
    many(store, *(of_type("t") for _ in range(10)))
    assert len(claim(store, limits=Limits(slots=slots))) == slots
    assert claim(store, limits=Limits(slots=slots)) == []
