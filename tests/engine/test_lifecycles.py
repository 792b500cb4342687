"""The four examples of the lifecycle specification, step by step, from the draft to the end."""

from datetime import timedelta
from typing import Any

import pytest

from core.status import Status
from tests.engine.office import Play
from tests.engine.stage import Stage

CREATED, QUEUED, RUNNING, RETRYING = Status.CREATED, Status.QUEUED, Status.RUNNING, Status.RETRYING


def drafted(stage: Stage, *play: Play, **wanted: Any) -> int:
    """A draft, released to an engine that has all the time it needs."""
    job = stage.submit(*play, draft=True, **wanted)
    stage.start_engine()
    stage.run(5)
    with stage.store.write("ann") as work:
        work.release(job)
    stage.settle()
    return job


def test_successful_processing(stage: Stage) -> None:
    job = drafted(stage, ["sleep", 2])
    assert stage.steps(job) == [CREATED, QUEUED, RUNNING, Status.SUCCEEDED]
    done = stage.job(job)
    assert (done.retry_count, done.error_message, done.error_type) == (0, None, None)


def test_failure_with_successful_retry(stage: Stage) -> None:
    job = drafted(stage, ["flaky", 1, 75], ["sleep", 2])
    assert stage.steps(job) == [CREATED, QUEUED, RUNNING, RETRYING, QUEUED, RUNNING, Status.SUCCEEDED]
    done = stage.job(job)
    assert (done.retry_count, done.attempt, done.error_message) == (1, 2, None)
    failed, queued = (
        next(one.created_at for one in stage.history(job) if (one.previous_status, one.new_status) == step)
        for step in ((RUNNING, RETRYING), (RETRYING, QUEUED))
    )
    assert timedelta(seconds=1) <= queued - failed < timedelta(seconds=1.1)


def test_failure_with_successful_retry_after_a_timeout(stage: Stage) -> None:
    """The transient error of the example is a timeout."""
    job = stage.submit(["sleep", 100], timeout=timedelta(seconds=10))
    stage.start_engine()
    stage.run(10.5)
    assert (stage.status(job), stage.job(job).error_type, stage.job(job).retry_count) == (RETRYING, "RETRYABLE", 1)


def test_failure_exhausting_retries(stage: Stage) -> None:
    job = drafted(stage, ["exit", 69])
    again = [RETRYING, QUEUED, RUNNING]
    assert stage.steps(job) == [CREATED, QUEUED, RUNNING, *again, *again, *again, Status.FAILED]
    failed = stage.job(job)
    assert (failed.retry_count, failed.max_retries, failed.attempt) == (3, 3, 4)
    assert failed.error_message == "exit 69: service unavailable"
    assert stage.history(job)[-1].reason == "3 of 3 retries used"


@pytest.mark.parametrize("code", [64, 65, 66, 77, 78, 126, 127])
def test_non_retryable_failure(stage: Stage, code: int) -> None:
    job = drafted(stage, ["exit", code])
    assert stage.steps(job) == [CREATED, QUEUED, RUNNING, Status.FAILED]
    failed = stage.job(job)
    assert (failed.retry_count, failed.error_type, failed.attempt) == (0, "TERMINAL", 1)
