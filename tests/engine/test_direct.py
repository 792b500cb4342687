"""Direct reservations: the queue waits, what runs goes on, the direct job takes the next slot, all is as before."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.refusals import Refused
from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.office import CALLER, played
from tests.engine.stage import Stage

RUNNING, QUEUED, SUCCEEDED = Status.RUNNING, Status.QUEUED, Status.SUCCEEDED


def started(stage: Stage) -> list[int]:
    return [int(process.spawn.env["JOBDECK_JOB"]) for process in stage.world.processes]


def reserved_by(stage: Stage) -> str | None:
    with stage.store.read() as views:
        active = views.active_reservation()
    return None if active is None else active.reserved_by


def test_the_direct_job_takes_the_next_free_slot_and_running_ones_go_on(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    running = stage.submit(["sleep", 30])
    stage.start_engine()
    stage.run(5)
    first, second = (stage.submit(["sleep", 10], priority=9) for _ in range(2))
    before = stage.queue()
    direct = stage.direct(["sleep", 10])
    stage.run(10)
    assert stage.statuses(running, direct, first) == [RUNNING, QUEUED, QUEUED]
    stage.run(20)
    assert (stage.status(running), stage.status(direct)) == (SUCCEEDED, RUNNING)
    # The queue is exactly as before.
    assert stage.queue() == before == [first, second]
    stage.settle()
    assert started(stage) == [running, direct, first, second]


def test_nothing_else_starts_while_a_slot_is_reserved(make_stage: MakeStage) -> None:
    stage = make_stage(slots=2)
    with stage.store.write("ann") as work:
        reservation = work.reserve(str(CALLER), timedelta(minutes=10))
    jobs = [stage.submit(["sleep", 1]) for _ in range(2)]
    stage.start_engine()
    stage.run(60)
    assert stage.statuses(*jobs) == [QUEUED, QUEUED]
    with stage.store.write("ann") as work:
        work.release_reservation(reservation.reservation_id)
    stage.settle()
    assert stage.statuses(*jobs) == [SUCCEEDED, SUCCEEDED]


def test_once_the_direct_job_has_its_slot_the_others_are_filled_at_once(make_stage: MakeStage) -> None:
    stage = make_stage(slots=2)
    stage.start_engine()
    stage.run(1)
    with stage.store.write("ann") as work:
        reservation = work.reserve(str(CALLER))
        queued = work.submit(played(["sleep", 10])).id
        direct = work.submit(played(["sleep", 10], reservation_id=reservation.reservation_id)).id
    stage.run(0.1)
    assert stage.statuses(direct, queued) == [RUNNING, RUNNING]


def test_an_approved_job_waits_for_the_direct_one_too(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    gated = stage.submit(["say", "gate", {"name": "deploy", "message": "?"}])
    stage.start_engine()
    stage.settle()
    busy = stage.submit(["sleep", 30])
    stage.run(1)
    direct = stage.direct(["sleep", 10])
    stage.approve(gated)
    stage.settle()
    assert started(stage) == [gated, busy, direct, gated]


def test_a_second_caller_is_told_that_it_is_busy(stage: Stage) -> None:
    stage.direct(["sleep", 10])
    bob = replace(CALLER, name="bob")
    with pytest.raises(Refused, match=r"busy: ann \(pid 4711 on stage\) has the next free slot"):
        stage.direct(["sleep", 10], by=bob)
    stage.start_engine()
    stage.run(1)
    # The first one has its slot, so the next may be reserved.
    assert stage.direct(["sleep", 10], by=bob)


def test_a_reservation_that_nobody_uses_expires_and_the_queue_goes_on(stage: Stage) -> None:
    with stage.store.write("ann") as work:
        work.reserve(str(CALLER))
    job = stage.submit(["sleep", 1])
    stage.start_engine()
    stage.run(299)
    assert stage.status(job) is QUEUED
    stage.run(5)
    assert stage.status(job) is SUCCEEDED
    assert reserved_by(stage) is None


def test_a_direct_job_that_got_no_slot_in_time_is_cancelled_with_its_reservation(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    stage.submit(["sleep", 600])
    stage.start_engine()
    stage.run(1)
    direct = stage.direct(["effect"])
    stage.run(301)
    assert stage.status(direct) is Status.CANCELLED
    stage.settle()
    assert stage.world.effects == []


def test_a_direct_job_that_failed_is_tried_again_from_the_queue(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    stage.start_engine()
    direct, other = stage.direct(["flaky", 1, 1]), stage.submit(["sleep", 10])
    stage.settle()
    assert stage.statuses(direct, other) == [SUCCEEDED, SUCCEEDED]
    assert started(stage) == [direct, other, direct]


@pytest.mark.parametrize("alive", [True, False])
def test_recovery_ends_the_reservation_of_a_caller_that_died(stage: Stage, alive: bool) -> None:
    stage.start_engine()
    stage.run(1)
    with stage.store.write("ann") as work:
        work.reserve(str(CALLER))
    job = stage.submit(["sleep", 1])
    stage.crash()
    if not alive:
        stage.world.people.remove(CALLER.pid)
    stage.start_engine()
    stage.run(10)
    assert (stage.status(job), reserved_by(stage)) == ((QUEUED, str(CALLER)) if alive else (SUCCEEDED, None))


def test_a_caller_on_another_machine_can_t_be_seen_and_counts_as_gone(stage: Stage) -> None:
    with stage.store.write("ann") as work:
        work.reserve(str(replace(CALLER, host="elsewhere")))
    job = stage.submit(["sleep", 1])
    stage.start_engine()
    stage.settle()
    assert stage.status(job) is SUCCEEDED
