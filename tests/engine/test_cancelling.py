"""Cancelling: at once where nothing runs, politely and then certainly where something does, never after a commit."""

import pytest

from core.config import Config
from core.executions import ExecStatus
from core.job_types import JobType, Kind
from core.refusals import Refused
from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.stage import Stage

CANCELLED = Status.CANCELLED


def test_a_queued_job_is_cancelled_at_once_and_never_started(stage: Stage) -> None:
    job = stage.submit(["effect"])
    assert stage.cancel(job) is False
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), stage.world.processes) == (CANCELLED, [])


def test_a_job_between_two_attempts_is_cancelled_at_once(stage: Stage) -> None:
    job = stage.submit(["exit", 1], backoff="fixed:1m")
    stage.start_engine()
    stage.run(2)
    stage.cancel(job)
    stage.settle()
    assert (stage.status(job), len(stage.executions(job))) == (CANCELLED, 1)


def test_a_running_job_is_asked_to_stop_and_then_cancelled(stage: Stage) -> None:
    job = stage.submit(["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    assert stage.cancel(job) is True
    stage.run(0.1)
    assert stage.status(job) is CANCELLED
    assert [name for name, _ in stage.world.processes[0].signals] == ["TERM"]
    (execution,) = stage.executions(job)
    assert (execution.status, execution.error) == (ExecStatus.ABORTED, "stopped on request")


def test_a_deaf_one_is_killed_after_the_grace_and_runs_until_then(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    stage.cancel(job)
    stage.run(9)
    assert stage.status(job) is Status.RUNNING
    stage.run(2)
    assert stage.status(job) is CANCELLED
    (process,) = stage.world.processes
    assert [name for name, _ in process.signals] == ["TERM", "KILL"]
    assert process.gone()


@pytest.mark.parametrize("asked_before", [True, False])
def test_a_kill_gives_a_deaf_one_no_grace(stage: Stage, asked_before: bool) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    if asked_before:
        stage.cancel(job)
        stage.run(1)
    stage.kill(job)
    stage.run(0.1)
    assert (stage.status(job), stage.world.alive()) == (CANCELLED, [])


def test_asking_again_changes_nothing(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    stage.cancel(job)
    stage.run(1)
    stage.cancel(job)
    stage.settle()
    assert [name for name, _ in stage.world.processes[0].signals] == ["TERM", "KILL"]


def test_its_slot_is_free_for_the_next_job_once_it_has_ended(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    job, other = stage.submit(["sleep", 1000]), stage.submit(["sleep", 1])
    stage.start_engine()
    stage.run(5)
    stage.cancel(job)
    stage.settle()
    assert stage.statuses(job, other) == [CANCELLED, Status.SUCCEEDED]


def test_a_cancelled_job_is_not_tried_again(stage: Stage) -> None:
    job = stage.submit(["sleep", 5], ["exit", 1])
    stage.start_engine()
    # In the very moment in which it fails by itself.
    stage.run(10, lambda: any(process.code == 1 for process in stage.world.processes))
    stage.cancel(job)
    stage.settle()
    assert (stage.status(job), len(stage.executions(job))) == (CANCELLED, 1)


def test_a_job_that_ended_well_in_that_moment_has_succeeded(stage: Stage) -> None:
    job = stage.submit(["sleep", 5])
    stage.start_engine()
    stage.run(10, lambda: any(process.code == 0 for process in stage.world.processes))
    assert stage.cancel(job) is True
    stage.settle()
    assert stage.status(job) is Status.SUCCEEDED


def test_one_that_has_committed_can_t_be_cancelled_any_more(stage: Stage) -> None:
    job = stage.submit(["say", "commit"], ["sleep", 5], ["effect"])
    stage.start_engine()
    stage.run(1)
    with pytest.raises(Refused, match="has committed"):
        stage.cancel(job)
    stage.settle()
    assert (stage.status(job), len(stage.world.effects)) == (Status.SUCCEEDED, 1)


def test_one_that_commits_after_it_was_asked_to_stop_has_succeeded(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 5], ["say", "commit"], ["effect"], ["sleep", 1000])
    stage.start_engine()
    stage.run(1)
    assert stage.cancel(job) is True
    stage.settle()
    assert (stage.status(job), len(stage.world.effects)) == (Status.SUCCEEDED, 1)


def test_at_a_gate_the_gate_is_withdrawn(stage: Stage) -> None:
    job = stage.submit(["say", "gate", {"name": "deploy", "message": "go?"}], ["effect"])
    stage.start_engine()
    stage.settle()
    assert stage.status(job) is Status.WAITING_FOR_APPROVAL
    stage.cancel(job)
    stage.settle()
    assert (stage.status(job), stage.gate(job).decision) == (CANCELLED, "WITHDRAWN")
    assert stage.world.effects == []


def test_between_asking_for_a_gate_and_being_parked_it_is_cancelled(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["say", "gate", {"name": "deploy", "message": "go?"}])
    stage.start_engine()
    stage.run(1)
    assert stage.cancel(job) is True
    stage.settle()
    assert (stage.status(job), stage.gate(job).decision) == (CANCELLED, "WITHDRAWN")


def test_an_approved_one_that_waits_for_a_slot_is_cancelled_and_never_resumed(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    job = stage.submit(["say", "gate", {"name": "deploy", "message": "go?"}], ["effect"])
    stage.submit(["sleep", 100])
    stage.start_engine()
    stage.run(10)
    stage.approve(job)
    stage.cancel(job)
    stage.settle()
    assert (stage.status(job), stage.world.effects) == (CANCELLED, [])


def test_what_goes_on_elsewhere_is_cancelled_at_once(make_stage: MakeStage) -> None:
    stage = make_stage(config=Config(types={"far": JobType("far", Kind.EXTERNAL)}))
    job = stage.submit(["sleep", 1], job_type="far")
    stage.start_engine()
    stage.run(5)
    assert stage.status(job) is Status.RUNNING
    stage.cancel(job)
    stage.run(0.1)
    assert stage.status(job) is CANCELLED


def test_what_is_handed_over_in_the_moment_of_the_cancel_is_cancelled_too(make_stage: MakeStage) -> None:
    stage = make_stage(config=Config(types={"far": JobType("far", Kind.EXTERNAL)}))
    job = stage.submit(["sleep", 1], job_type="far")
    stage.start_engine()
    stage.run(5, lambda: any(process.code == 0 for process in stage.world.processes))
    stage.cancel(job)
    stage.run(5)
    assert stage.status(job) is CANCELLED
