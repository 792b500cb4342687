"""An engine at work: jobs take slots, start, end, run out of time or fall silent, and leave nothing behind."""

import errno
import os
from datetime import timedelta

import pytest

from core.classify import DEFAULT_EXIT_CLASSES
from core.config import Config
from core.executions import ExecStatus, Outcome
from core.job_types import JobType
from core.jobs import Command
from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.office import Play
from tests.engine.stage import Stage

GRACE = 10
"""Seconds that the default config gives a process to end politely."""


def test_a_job_runs_and_succeeds(stage: Stage) -> None:
    job = stage.submit(["sleep", 5])
    stage.start_engine()
    stage.settle()
    assert stage.status(job) is Status.SUCCEEDED
    ran = stage.job(job)
    assert ran.started_at is not None
    assert ran.finished_at is not None
    assert timedelta(seconds=5) <= ran.finished_at - ran.started_at < timedelta(seconds=6)


def test_its_execution_says_how_it_went(stage: Stage) -> None:
    job = stage.submit(["sleep", 5])
    stage.start_engine()
    stage.run(2)
    (execution,) = stage.executions(job)
    (process,) = stage.world.processes
    assert execution.status is ExecStatus.IN_PROGRESS
    assert (execution.pid, execution.pid_started) == (process.pid, process.pid_started)
    assert execution.log_path == str(process.spawn.log_path)
    stage.settle()
    (execution,) = stage.executions(job)
    assert (execution.status, execution.outcome, execution.exit_code) == (ExecStatus.DONE, Outcome.COMPLETED, 0)


def test_no_more_run_at_once_than_there_are_slots(stage: Stage) -> None:
    for _ in range(6):
        stage.submit(["sleep", 10])
    stage.start_engine()
    assert stage.most_at_once(100) == 2
    assert len(stage.world.processes) == 6


def test_a_slot_that_becomes_free_is_filled_at_once(stage: Stage) -> None:
    jobs = [stage.submit(["sleep", 10]) for _ in range(4)]
    stage.start_engine()
    stage.settle()
    second, third = stage.job(jobs[1]), stage.job(jobs[2])
    assert second.finished_at is not None
    assert third.started_at is not None
    assert third.started_at - second.finished_at < timedelta(seconds=0.1)


def test_jobs_start_in_the_order_of_the_queue(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    low, high, middle, later = (stage.submit(["sleep", 1], priority=one) for one in (-5, 9, 0, 0))
    stage.start_engine()
    stage.settle()
    started = [int(process.spawn.env["JOBDECK_JOB"]) for process in stage.world.processes]
    assert started == [high, middle, later, low]


def test_a_job_whose_time_has_not_come_waits_and_a_held_one_too(stage: Stage) -> None:
    later = stage.submit(["sleep", 1], scheduled_run_time=stage.now + timedelta(minutes=10))
    held = stage.submit(["sleep", 1], held=True)
    stage.start_engine()
    stage.run(599)
    assert stage.statuses(later, held) == [Status.QUEUED, Status.QUEUED]
    stage.run(5)
    assert stage.statuses(later, held) == [Status.SUCCEEDED, Status.QUEUED]
    stage.unhold(held)
    stage.settle()
    assert stage.status(held) is Status.SUCCEEDED


def test_a_job_that_was_not_started_before_its_deadline_fails(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    stage.submit(["sleep", 100])
    late = stage.submit(["sleep", 1], deadline_at=stage.now + timedelta(seconds=60))
    stage.start_engine()
    stage.run(61)
    assert stage.status(late) is Status.FAILED
    assert stage.executions(late) == []


def test_a_paused_queue_starts_nothing_and_what_runs_goes_on(stage: Stage) -> None:
    running = stage.submit(["sleep", 10])
    stage.start_engine()
    stage.run(1)
    with stage.store.write("ann") as work:
        work.pause()
    waiting = stage.submit(["sleep", 1])
    stage.run(60)
    assert stage.statuses(running, waiting) == [Status.SUCCEEDED, Status.QUEUED]
    with stage.store.write("ann") as work:
        work.resume()
    stage.settle()
    assert stage.status(waiting) is Status.SUCCEEDED


@pytest.mark.parametrize(
    ("number", "status"),
    [
        (errno.ENOENT, Status.FAILED),
        (errno.EACCES, Status.FAILED),
        (errno.EMFILE, Status.RETRYING),
        (errno.ENOMEM, Status.RETRYING),
    ],
)
def test_a_process_that_can_t_be_started_is_an_error_of_its_class(stage: Stage, number: int, status: Status) -> None:
    stage.world.refuse = OSError(number, os.strerror(number))
    job = stage.submit()
    stage.start_engine()
    stage.run(0.5)
    failed = stage.job(job)
    assert failed.status is status
    assert failed.error_type == ("TERMINAL" if status is Status.FAILED else "RETRYABLE")
    assert "play" in (failed.error_message or "")
    (execution,) = stage.executions(job)
    assert (execution.status, execution.outcome, execution.pid) == (ExecStatus.ABORTED, Outcome.FAILED, None)


def test_a_start_that_failed_for_now_is_tried_again(stage: Stage) -> None:
    stage.world.refuse = OSError(errno.EMFILE, "too many open files")
    job = stage.submit()
    stage.start_engine()
    stage.run(0.5)
    stage.world.refuse = None
    stage.settle()
    assert stage.status(job) is Status.SUCCEEDED


def test_a_type_whose_command_lacks_a_param_fails_for_good(make_stage: MakeStage) -> None:
    stage = make_stage(config=Config(types={"copy": JobType("copy", command=("cp", "{source}"))}))
    job = stage.submit(job_type="copy", command=Command())
    stage.start_engine()
    stage.settle()
    failed = stage.job(job)
    assert (failed.status, failed.error_type) == (Status.FAILED, "TERMINAL")
    assert failed.error_message == 'type copy needs the param "source"'


@pytest.mark.parametrize(
    ("code", "own", "status"),
    [
        (64, False, Status.FAILED),
        (1, False, Status.RETRYING),
        (3, True, Status.FAILED),
        (64, True, Status.RETRYING),
    ],
)
def test_each_type_may_say_which_exits_are_final(make_stage: MakeStage, code: int, own: bool, status: Status) -> None:
    exits = DEFAULT_EXIT_CLASSES.changed(terminal=[3], retryable=[64]) if own else DEFAULT_EXIT_CLASSES
    stage = make_stage(config=Config(types={"played": JobType("played", exits=exits)}))
    job = stage.submit(["exit", code])
    stage.start_engine()
    stage.run(0.5)
    assert stage.status(job) is status
    assert stage.executions(job)[0].exit_code == code


def test_a_job_that_takes_too_long_is_asked_to_end(stage: Stage) -> None:
    job = stage.submit(["sleep", 1000], timeout=timedelta(seconds=60))
    stage.start_engine()
    stage.run(59)
    assert stage.world.processes[0].signals == []
    stage.run(1.1)
    assert stage.status(job) is Status.RETRYING
    assert stage.job(job).error_message == "timed out after 1m"
    assert [name for name, _ in stage.world.processes[0].signals] == ["TERM"]


def test_a_type_s_timeout_holds_for_jobs_that_name_none(make_stage: MakeStage) -> None:
    stage = make_stage(config=Config(types={"played": JobType("played", timeout=timedelta(seconds=5))}))
    job = stage.submit(["sleep", 1000], max_retries=0)
    own = stage.submit(["sleep", 20], timeout=timedelta(seconds=30))
    stage.start_engine()
    stage.settle()
    assert stage.statuses(job, own) == [Status.FAILED, Status.SUCCEEDED]


def test_a_deaf_process_is_killed_when_its_grace_is_over(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000], timeout=timedelta(seconds=60))
    stage.start_engine()
    stage.run(65)
    assert stage.status(job) is Status.RUNNING
    stage.run(6)
    (first, asked), (second, killed) = stage.world.processes[0].signals
    assert (first, second) == ("TERM", "KILL")
    assert GRACE <= killed - asked < GRACE + 0.1
    assert stage.status(job) is Status.RETRYING


def test_what_a_tree_left_behind_is_stopped_before_the_end_is_recorded(stage: Stage) -> None:
    job = stage.submit(["leave", 1000])
    stage.start_engine()
    stage.settle()
    (process,) = stage.world.processes
    assert [name for name, _ in process.signals] == ["TERM"]
    assert stage.status(job) is Status.SUCCEEDED


def test_deaf_leftovers_are_killed_before_the_end_is_recorded(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["leave", 1000])
    stage.start_engine()
    stage.run(1)
    assert stage.status(job) is Status.RUNNING
    stage.settle()
    (process,) = stage.world.processes
    assert [name for name, _ in process.signals] == ["TERM", "KILL"]
    assert process.gone()
    assert stage.status(job) is Status.SUCCEEDED
    finished = stage.job(job).finished_at
    assert finished is not None
    assert finished >= stage.now - timedelta(seconds=3)


def test_a_run_that_says_nothing_for_too_long_is_taken_for_hung(make_stage: MakeStage) -> None:
    stage = make_stage(config=Config(types={"played": JobType("played", heartbeat=timedelta(seconds=20))}))
    silent = stage.submit(["sleep", 1000])
    word: list[Play] = [["sleep", 15], ["say", "heartbeat"]]
    speaks = stage.submit(*word * 4)
    stage.start_engine()
    stage.run(19)
    assert stage.statuses(silent, speaks) == [Status.RUNNING, Status.RUNNING]
    stage.run(2)
    assert stage.statuses(silent, speaks) == [Status.RETRYING, Status.RUNNING]
    assert stage.job(silent).error_message == "it said nothing for 20s, so it was taken for hung"
    stage.run(45)
    assert stage.status(speaks) is Status.SUCCEEDED
