"""External jobs: the command only starts something elsewhere; its result comes back by type and key, or in time."""

from datetime import timedelta
from typing import Any

import pytest

from core.config import Config
from core.job_types import JobType, Kind
from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.stage import Stage

RUNNING, SUCCEEDED = Status.RUNNING, Status.SUCCEEDED
HOUR = 3600


@pytest.fixture
def far(make_stage: MakeStage) -> Stage:
    """One slot, and a type whose results may take an hour."""
    kind = JobType("far", Kind.EXTERNAL, report_within=timedelta(hours=1))
    return make_stage(slots=1, config=Config(types={"far": kind}))


def handed_over(stage: Stage, **wanted: Any) -> int:
    """A job that goes on elsewhere."""
    job = stage.submit(["sleep", 1], job_type="far", job_key="k", **wanted)
    stage.start_engine()
    stage.run(5)
    return job


def test_what_goes_on_elsewhere_holds_no_slot(far: Stage) -> None:
    job = handed_over(far)
    other = far.submit(["sleep", 10])
    far.run(5)
    assert far.statuses(job, other) == [RUNNING, RUNNING]
    assert far.executions(job)[0].handed_over_at is not None


def test_it_counts_for_the_limit_of_its_type(make_stage: MakeStage) -> None:
    stage = make_stage(slots=3, config=Config(types={"far": JobType("far", Kind.EXTERNAL, concurrency=1)}))
    job = handed_over(stage)
    second = stage.submit(["sleep", 1], job_type="far")
    stage.run(5)
    assert stage.statuses(job, second) == [RUNNING, Status.QUEUED]
    stage.report("k", succeeded=True, job_type="far")
    stage.run(0.5)
    assert stage.statuses(job, second) == [SUCCEEDED, RUNNING]


def test_a_reported_success_ends_it_with_its_result(far: Stage) -> None:
    job = handed_over(far)
    far.run(HOUR - 10)
    far.report("k", succeeded=True, job_type="far", result={"rows": 3})
    far.settle()
    assert (far.status(job), far.job(job).result) == (SUCCEEDED, {"rows": 3})
    assert len(far.executions(job)) == 1


def test_a_reported_failure_is_tried_again(far: Stage) -> None:
    job = handed_over(far)
    far.report("k", succeeded=False, job_type="far", error="the cluster said no")
    far.run(0.5)
    assert (far.status(job), far.job(job).error_message) == (Status.RETRYING, "the cluster said no")
    far.run(5)
    assert (far.status(job), far.job(job).attempt) == (RUNNING, 2)


def test_what_nobody_reports_in_time_is_tried_again(far: Stage) -> None:
    job = handed_over(far)
    far.run(HOUR - 10)
    assert far.status(job) is RUNNING
    far.run(6.5)
    assert (far.status(job), far.job(job).error_message) == (Status.RETRYING, "nobody reported a result in time")


def test_a_job_s_own_timeout_is_how_long_its_report_may_take(far: Stage) -> None:
    job = handed_over(far, timeout=timedelta(minutes=1), max_retries=0)
    far.run(50)
    assert far.status(job) is RUNNING
    far.run(15)
    assert far.status(job) is Status.FAILED


def test_an_engine_s_crash_does_not_lose_it(far: Stage) -> None:
    job = handed_over(far)
    far.crash()
    far.run(60)
    far.start_engine()
    far.run(60)
    assert (far.status(job), far.chain(job)) == (RUNNING, [job])
    far.report("k", succeeded=True, job_type="far")
    far.settle()
    assert (far.status(job), len(far.executions(job))) == (SUCCEEDED, 1)


def test_a_report_needs_no_engine(far: Stage) -> None:
    job = handed_over(far)
    far.crash()
    far.report("k", succeeded=True, job_type="far")
    assert far.status(job) is SUCCEEDED
    far.start_engine()
    far.settle()
    assert len(far.world.processes) == 1


def test_a_stopping_engine_does_not_wait_for_it(far: Stage) -> None:
    job = handed_over(far)
    far.engine.drain(timedelta(seconds=60))
    far.seat.ring()
    far.run(1)
    assert not any(seat.leads for seat in far.seats)
    assert far.status(job) is RUNNING


def test_one_that_failed_to_start_elsewhere_is_tried_again(far: Stage) -> None:
    job = far.submit(["flaky", 1, 1], job_type="far", job_key="k")
    far.start_engine()
    far.run(0.5)
    assert far.status(job) is Status.RETRYING
    far.run(2)
    assert (far.status(job), far.executions(job)[-1].handed_over_at is not None) == (RUNNING, True)


def test_a_result_that_is_faster_than_its_starter_counts(far: Stage) -> None:
    job = far.submit(["sleep", 30], job_type="far", job_key="k")
    far.start_engine()
    far.run(5)
    far.report("k", succeeded=True, job_type="far", result=1)
    far.settle()
    assert (far.status(job), far.job(job).result, far.world.alive()) == (SUCCEEDED, 1, [])


def test_a_failure_reported_at_its_gate_resumes_no_second_one_beside_a_deaf_starter(far: Stage) -> None:
    gate = ["say", "gate", {"name": "go", "message": "?"}]
    job = far.submit(["ignore"], gate, ["sleep", 1000], job_type="far", job_key="k")
    far.start_engine()
    far.choose_slots(3)
    far.run(1)
    far.report("k", succeeded=False, job_type="far")
    far.approve(job)
    far.run(2)
    # Something else makes it claim again while the starter still has its grace.
    far.submit(["sleep", 1])
    far.run(20)
    assert far.world.collisions == []
    assert (far.status(job), len(far.executions(job))) == (RUNNING, 2)


def test_a_failure_reported_without_an_engine_starts_no_second_one_beside_an_orphan(far: Stage) -> None:
    job = far.submit(["ignore"], ["sleep", 1000], job_type="far", job_key="k")
    far.start_engine()
    far.run(5)
    far.crash()
    far.report("k", succeeded=False, job_type="far")
    far.run(5)
    far.start_engine()
    far.run(10)
    assert far.world.collisions == []
    assert (far.status(job), far.job(job).attempt) == (RUNNING, 2)


def test_a_result_that_is_there_before_the_start_was_recorded_counts_too(far: Stage) -> None:
    job = far.submit(["ignore"], ["sleep", 1000], job_type="far", job_key="k")
    far.start_engine()
    far.run(1, lambda: any(process.deaf for process in far.world.processes))
    assert not any(run.recorded for run in far.engine.runs.values())
    far.report("k", succeeded=True, job_type="far")
    far.run(0.2)
    before = far.seat.steps
    far.run(5)
    # Until its starter is gone the engine looks at it now and then, and does not spin.
    assert far.seat.steps - before <= 5 * 25
    far.settle()
    assert (far.status(job), far.world.alive()) == (SUCCEEDED, [])


def test_one_that_committed_in_its_run_has_nothing_left_to_report(far: Stage) -> None:
    job = far.submit(["say", "commit", {"result": 1}], job_type="far", job_key="k")
    far.start_engine()
    far.settle(5)
    assert (far.status(job), far.job(job).result) == (SUCCEEDED, 1)


def test_one_that_stands_at_a_gate_is_parked_and_not_handed_over(far: Stage) -> None:
    job = far.submit(["say", "gate", {"name": "go", "message": "?"}], job_type="far", job_key="k")
    far.start_engine()
    far.settle()
    assert far.status(job) is Status.WAITING_FOR_APPROVAL


def test_a_failure_reported_while_its_starter_is_deaf_starts_no_second_one_beside_it(far: Stage) -> None:
    job = far.submit(["ignore"], ["sleep", 1000], job_type="far", job_key="k")
    far.start_engine()
    far.choose_slots(3)
    far.run(5)
    far.report("k", succeeded=False, job_type="far")
    far.run(60)
    assert far.world.collisions == []
    assert (far.status(job), far.job(job).attempt) == (RUNNING, 2)
