"""Clocks that jump and machines that sleep: leases are kept by those who are well, and time still comes."""

from datetime import timedelta

import pytest

from core.status import Status
from tests.engine.stage import Stage

RUNNING, QUEUED, SUCCEEDED = Status.RUNNING, Status.QUEUED, Status.SUCCEEDED


def test_a_machine_that_slept_for_hours_goes_on_with_its_jobs(stage: Stage) -> None:
    jobs = [stage.submit(["sleep", 60]), stage.submit(["sleep", 60], ["say", "commit"], ["effect"])]
    stage.start_engine()
    stage.run(20)
    # While it sleeps only the clock on the wall goes on.
    stage.world.set_wall(hours=8)
    stage.settle()
    assert stage.statuses(*jobs) == [SUCCEEDED, SUCCEEDED]
    assert [len(stage.executions(job)) for job in jobs] == [1, 1]


def test_a_candidate_that_slept_too_does_not_take_the_lead_from_one_that_is_well(stage: Stage) -> None:
    first, second = stage.start_engine(), stage.start_engine()
    stage.run(20)
    stage.world.set_wall(hours=8)
    stage.run(60)
    assert (first.leads, second.leads) == (True, False)


def test_what_came_due_in_its_sleep_is_done_when_it_wakes(stage: Stage) -> None:
    retried = stage.submit(["flaky", 1, 1], backoff="fixed:1h")
    later = stage.submit(["sleep", 1], scheduled_run_time=stage.now + timedelta(hours=2))
    stage.start_engine()
    stage.run(5)
    stage.world.set_wall(hours=8)
    stage.run(5)
    assert stage.statuses(retried, later) == [SUCCEEDED, SUCCEEDED]


@pytest.mark.parametrize("hours", [-48, -1, 1, 48])
def test_a_clock_that_is_set_ends_no_run(stage: Stage, hours: int) -> None:
    job = stage.submit(["sleep", 200])
    stage.start_engine()
    stage.run(20)
    stage.world.set_wall(hours=hours)
    stage.settle()
    assert (stage.status(job), len(stage.executions(job))) == (SUCCEEDED, 1)


def test_a_clock_that_is_set_back_and_forth_ends_no_run(stage: Stage) -> None:
    stage.start_engine()
    stage.run(1)
    stage.world.set_wall(hours=-1)
    stage.run(1)
    job = stage.submit(["ignore"], ["sleep", 200])
    stage.run(1)
    # Its lease was taken while the clock was wrong, and by the right one it has run out long ago.
    stage.world.set_wall(hours=1)
    stage.settle()
    assert (stage.status(job), len(stage.executions(job))) == (SUCCEEDED, 1)
    assert stage.world.collisions == []


def test_a_timeout_goes_by_the_time_that_passes_and_not_by_the_clock_on_the_wall(stage: Stage) -> None:
    job = stage.submit(["sleep", 50], timeout=timedelta(seconds=60))
    stage.start_engine()
    stage.run(20)
    stage.world.set_wall(hours=1)
    stage.settle()
    assert stage.status(job) is SUCCEEDED


def test_a_clock_set_back_lets_new_work_start_all_the_same(stage: Stage) -> None:
    stage.start_engine()
    stage.run(20)
    stage.world.set_wall(days=-1)
    job = stage.submit(["sleep", 5])
    stage.settle()
    assert stage.status(job) is SUCCEEDED


def test_after_a_crash_with_the_clock_set_back_recovery_waits_for_nothing(stage: Stage) -> None:
    job = stage.submit(["sleep", 1000])
    stage.start_engine()
    stage.run(20)
    stage.crash()
    stage.world.set_wall(days=-1)
    stage.start_engine()
    stage.run(5)
    assert stage.status(stage.chain(job)[-1]) is RUNNING
