"""Retries: the same job again after its backoff, within its budget, at the tail of the queue and under the limits."""

from datetime import timedelta

import pytest

from core.config import Config
from core.job_types import JobType
from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.stage import Stage

SECOND = timedelta(seconds=1)


def test_a_failed_attempt_waits_with_a_countdown(stage: Stage) -> None:
    job = stage.submit(["exit", 1], backoff="fixed:1m")
    stage.start_engine()
    stage.run(2)
    waiting = stage.job(job)
    assert (waiting.status, waiting.retry_count, waiting.error_message) == (Status.RETRYING, 1, "exit 1")
    (execution,) = stage.executions(job)
    assert execution.finished_at is not None
    assert waiting.next_retry_at == execution.finished_at + timedelta(minutes=1)


def test_it_goes_back_when_its_backoff_has_elapsed_and_not_before(stage: Stage) -> None:
    job = stage.submit(["flaky", 1, 1], ["sleep", 5], backoff="fixed:1m")
    stage.start_engine()
    stage.run(59)
    assert stage.status(job) is Status.RETRYING
    stage.run(2)
    assert (stage.status(job), stage.job(job).attempt) == (Status.RUNNING, 2)


def test_it_goes_back_to_the_tail_of_its_priority(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    first = stage.submit(["flaky", 1, 1])
    blocker = stage.submit(["sleep", 10])
    behind = stage.submit(["sleep", 10])
    urgent = stage.submit(["sleep", 10], priority=5, held=True)
    stage.start_engine()
    stage.run(2)
    assert stage.status(blocker) is Status.RUNNING
    assert stage.queue() == [urgent, behind, first]


def test_a_job_that_waits_for_its_retry_holds_no_slot(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    failing = stage.submit(["exit", 1], backoff="fixed:1h")
    other = stage.submit(["sleep", 5])
    stage.start_engine()
    stage.run(7)
    assert stage.statuses(failing, other) == [Status.RETRYING, Status.SUCCEEDED]


def test_the_budget_is_used_up_and_no_more(stage: Stage) -> None:
    job = stage.submit(["exit", 1], max_retries=2)
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), len(stage.executions(job))) == (Status.FAILED, 3)


def test_without_a_budget_the_first_failure_is_the_last(stage: Stage) -> None:
    job = stage.submit(["exit", 1], max_retries=0)
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), len(stage.executions(job))) == (Status.FAILED, 1)
    assert stage.history(job)[-1].reason == "no retries are allowed"


def test_an_operator_can_retry_now(stage: Stage) -> None:
    job = stage.submit(["flaky", 1, 1], backoff="fixed:1d")
    stage.start_engine()
    stage.run(2)
    assert stage.retry(job).id == job
    stage.settle(10)
    assert stage.status(job) is Status.SUCCEEDED


def test_an_operator_can_give_up(make_stage: MakeStage) -> None:
    stage = make_stage(lease=timedelta(hours=1))
    job = stage.submit(["exit", 1], backoff="fixed:1d")
    stage.start_engine()
    stage.run(2)
    stage.give_up(job)
    stage.run(3 * 24 * 3600)
    assert (stage.status(job), len(stage.executions(job))) == (Status.FAILED, 1)


def test_a_held_retry_waits_in_the_queue_once_its_time_has_come(stage: Stage) -> None:
    job = stage.submit(["flaky", 1, 1])
    stage.start_engine()
    stage.run(0.5)
    stage.hold(job)
    stage.run(10)
    assert stage.status(job) is Status.QUEUED
    stage.unhold(job)
    stage.settle()
    assert stage.status(job) is Status.SUCCEEDED


def test_retries_respect_the_limits(make_stage: MakeStage) -> None:
    stage = make_stage(slots=5, config=Config(types={"played": JobType("played", concurrency=1)}))
    failing = stage.submit(["flaky", 1, 1])
    long = stage.submit(["sleep", 60])
    stage.start_engine()
    stage.run(30)
    assert stage.statuses(failing, long) == [Status.QUEUED, Status.RUNNING]
    stage.settle()
    assert stage.statuses(failing, long) == [Status.SUCCEEDED, Status.SUCCEEDED]


def pauses(stage: Stage, job: int) -> list[timedelta]:
    """How long each retry waited until it was queued again."""
    failed = [one.created_at for one in stage.history(job) if one.new_status is Status.RETRYING]
    queued = [one.created_at for one in stage.history(job) if one.previous_status is Status.RETRYING]
    return [back - off for off, back in zip(failed, queued, strict=True)]


def test_an_exponential_backoff_doubles_up_to_its_cap(stage: Stage) -> None:
    job = stage.submit(["exit", 1], max_retries=6, backoff="exponential:1s:10s:nojitter")
    stage.start_engine()
    stage.settle()
    assert [round(pause / SECOND, 1) for pause in pauses(stage, job)] == [1, 2, 4, 8, 10, 10]


def test_full_jitter_keeps_every_wait_below_its_step(stage: Stage) -> None:
    jobs = [stage.submit(["exit", 1], max_retries=5, backoff="exponential:10s:5m") for _ in range(20)]
    stage.start_engine()
    stage.settle()
    drawn = [pauses(stage, job) for job in jobs]
    for number, step in enumerate((10, 20, 40, 80, 160)):
        shares = [pause[number] / SECOND / step for pause in drawn]
        assert all(0 <= share <= 1.02 for share in shares)
        # Twenty draws that all fall into one half would be a one in a million chance.
        assert min(shares) < 0.5 < max(shares)


@pytest.mark.parametrize("status", [Status.FAILED, Status.SUCCEEDED, Status.CANCELLED])
def test_running_an_ended_job_again_makes_a_link_with_a_budget_of_its_own(stage: Stage, status: Status) -> None:
    play = [["exit", 64]] if status is Status.FAILED else [["sleep", 1]]
    job = stage.submit(*play, job_key="k", held=status is Status.CANCELLED)
    stage.start_engine()
    if status is Status.CANCELLED:
        stage.cancel(job)
    stage.settle()
    assert stage.status(job) is status
    link = stage.retry(job)
    stage.settle()
    assert stage.chain(job) == [job, link.id]
    assert (link.job_key, link.retry_count) == ("k", 0)
    assert len(stage.executions(link.id)) == 1
    assert stage.status(job) is status
