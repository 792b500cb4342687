"""Stopping an engine: nothing new is claimed, running jobs get their grace, and whatever is stopped is recorded."""

from datetime import timedelta

import pytest

from core.engine.engine import Engine, Mode
from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.stage import Stage

RUNNING, QUEUED, SUCCEEDED = Status.RUNNING, Status.QUEUED, Status.SUCCEEDED
MINUTE = timedelta(minutes=1)


def told_to_drain(stage: Stage, grace: timedelta = MINUTE) -> Engine:
    """The engine, once it was told to end."""
    engine = stage.engine
    engine.drain(grace)
    stage.seat.ring()
    return engine


def stopped(stage: Stage) -> bool:
    return not any(seat.leads for seat in stage.seats)


def leader(stage: Stage) -> object:
    with stage.store.read() as views:
        return views.leader()


def test_draining_waits_for_what_runs_and_claims_nothing_meanwhile(make_stage: MakeStage) -> None:
    stage = make_stage(slots=2)
    running = stage.submit(["sleep", 30])
    stage.start_engine()
    stage.run(5)
    engine = told_to_drain(stage)
    queued = stage.submit(["sleep", 1])
    stage.run(20)
    assert (engine.mode, stage.statuses(running, queued)) == (Mode.DRAINING, [RUNNING, QUEUED])
    assert stage.run(10, lambda: stopped(stage))
    assert stage.statuses(running, queued) == [SUCCEEDED, QUEUED]
    assert leader(stage) is None


def test_after_a_clean_stop_the_queue_goes_on_exactly_where_it_was(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    stage.submit(["sleep", 10])
    jobs = [stage.submit(["sleep", 1]) for _ in range(3)]
    stage.start_engine()
    stage.run(5)
    before = stage.queue()
    told_to_drain(stage)
    stage.run(60)
    assert stage.queue() == before == jobs
    seat = stage.start_engine()
    stage.settle()
    assert not any(event.kind == "recover" for event in seat.events)
    started = [int(process.spawn.env["JOBDECK_JOB"]) for process in stage.world.processes]
    assert started[1:] == jobs


def test_what_still_runs_after_the_grace_is_stopped_and_tried_again_later(stage: Stage) -> None:
    job = stage.submit(["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    told_to_drain(stage)
    stage.run(59)
    assert stage.status(job) is RUNNING
    assert stage.run(2, lambda: stopped(stage))
    assert (stage.status(job), stage.job(job).error_message) == (Status.RETRYING, "stopped with its engine")
    stage.start_engine()
    stage.run(5)
    assert (stage.status(job), stage.job(job).attempt) == (RUNNING, 2)


def test_a_deaf_one_is_killed_once_it_had_both_graces(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    told_to_drain(stage)
    stage.run(65)
    assert stage.status(job) is RUNNING
    assert stage.run(6, lambda: stopped(stage))
    assert [name for name, _ in stage.world.processes[0].signals] == ["TERM", "KILL"]
    assert stage.status(job) is Status.RETRYING


def test_stop_now_gives_no_grace(stage: Stage) -> None:
    jobs = [stage.submit(["sleep", 1000]), stage.submit(["ignore"], ["sleep", 1000])]
    stage.start_engine()
    stage.run(5)
    stage.engine.stop_now()
    stage.seat.ring()
    assert stage.run(0.5, lambda: stopped(stage))
    assert stage.statuses(*jobs) == [Status.RETRYING, Status.RETRYING]
    assert stage.world.alive() == []


@pytest.mark.parametrize("asked_first", ["drained", "cancelled"])
def test_stop_now_gives_no_grace_to_what_is_being_stopped_already(stage: Stage, asked_first: str) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    if asked_first == "drained":
        told_to_drain(stage, timedelta(0))
    else:
        stage.cancel(job)
    stage.run(1)
    assert [name for name, _ in stage.world.processes[0].signals] == ["TERM"]
    stage.engine.stop_now()
    stage.seat.ring()
    assert stage.run(0.5, lambda: stopped(stage))
    assert stage.world.alive() == []


def test_a_cancelled_job_is_cancelled_even_if_its_engine_stops(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    stage.cancel(job)
    told_to_drain(stage, timedelta(0))
    stage.run(15)
    assert stage.status(job) is Status.CANCELLED


def test_a_job_that_committed_is_done_even_if_it_is_stopped(stage: Stage) -> None:
    job = stage.submit(["say", "commit"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    told_to_drain(stage, timedelta(0))
    stage.run(15)
    assert stage.status(job) is SUCCEEDED


def test_an_engine_that_waits_does_not_spin(stage: Stage) -> None:
    stage.submit(["ignore"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    told_to_drain(stage, timedelta(seconds=1))
    stage.run(2)
    seat = stage.seats[0]
    before = seat.steps
    stage.run(5)
    # What is being stopped is looked at twenty times a second, and nothing else is to be done.
    assert seat.steps - before <= 5 * 25


def test_an_idle_engine_asks_nothing_of_the_disk_but_its_beat(stage: Stage) -> None:
    stage.start_engine()
    stage.run(60)
    before = stage.faults.commits
    stage.run(600)
    assert stage.faults.commits - before <= 600 / (stage.lease.total_seconds() / 3) + 1


def test_it_is_idle_once_nothing_runs_and_nothing_that_is_queued_could_run(stage: Stage) -> None:
    running = stage.submit(["sleep", 5])
    retried = stage.submit(["flaky", 1, 1], backoff="fixed:10s")
    stage.submit(held=True)
    stage.submit(scheduled_run_time=stage.now + timedelta(days=1))
    stage.submit(["say", "gate", {"name": "g", "message": "?"}])
    stage.start_engine()
    stage.run(8)
    # A retry still has to come.
    assert (stage.status(running), stage.engine.idle) == (SUCCEEDED, False)
    stage.run(5)
    assert (stage.status(retried), stage.engine.idle) == (SUCCEEDED, True)


def test_an_engine_that_is_stopped_while_it_recovers_leaves_the_rest_to_the_next(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    stage.crash()
    stage.start_engine()
    stage.run(1)
    told_to_drain(stage, timedelta(0))
    assert stage.run(5, lambda: stopped(stage))
    assert stage.status(job) is RUNNING
    stage.start_engine()
    stage.run(5)
    assert (stage.status(job), stage.status(stage.chain(job)[-1])) == (Status.FAILED, RUNNING)
    assert stage.world.collisions == []
