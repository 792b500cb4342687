"""Approval gates: people take their time, no slot is held meanwhile, and nothing behind a gate runs without a yes."""

from datetime import timedelta

import pytest

from core.config import Config
from core.executions import ExecStatus
from core.job_types import JobType
from core.jobs import Gate
from core.refusals import Refused
from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.office import Play, played
from tests.engine.stage import Stage

WAITING = Status.WAITING_FOR_APPROVAL
DAY = 24 * 3600


def gate(name: str = "deploy", **said: object) -> Play:
    return ["say", "gate", {"name": name, "message": "go on?", **said}]


def started(stage: Stage) -> list[int]:
    """The jobs whose processes were started, in order."""
    return [int(process.spawn.env["JOBDECK_JOB"]) for process in stage.world.processes]


def test_a_gate_before_the_run_parks_the_job_before_any_process(stage: Stage) -> None:
    job = stage.submit(["effect"], approval=Gate("may it run?"))
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), stage.world.processes) == (WAITING, [])
    stage.approve(job)
    stage.settle()
    assert (stage.status(job), len(stage.world.effects)) == (Status.SUCCEEDED, 1)


def test_it_is_asked_once_for_all_attempts_of_a_job(stage: Stage) -> None:
    job = stage.submit(["flaky", 2, 1], approval=Gate("may it run?"))
    stage.start_engine()
    stage.settle()
    stage.approve(job)
    stage.settle()
    assert stage.status(job) is Status.SUCCEEDED
    assert stage.steps(job).count(WAITING) == 1


def test_a_gate_in_the_run_stops_the_process_and_parks_the_job(stage: Stage) -> None:
    job = stage.submit(gate(), ["effect"])
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), stage.world.effects, stage.world.alive()) == (WAITING, [], [])
    assert stage.executions(job)[-1].status is ExecStatus.PARKED


def test_a_parked_job_holds_no_slot(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    job, other = stage.submit(gate()), stage.submit(["sleep", 5])
    stage.start_engine()
    stage.settle()
    assert stage.statuses(job, other) == [WAITING, Status.SUCCEEDED]


def test_once_approved_it_resumes_first_in_line_with_its_checkpoint(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    job = stage.submit(["say", "checkpoint"], ["say", "checkpoint", {"value": {"step": 2}}], gate(), ["effect"])
    first, second = (stage.submit(["sleep", 20], priority=9) for _ in range(2))
    stage.hold(first)
    stage.hold(second)
    stage.start_engine()
    stage.settle()
    stage.unhold(first)
    stage.unhold(second)
    stage.run(5)
    stage.approve(job)
    assert stage.statuses(first, second, job) == [Status.RUNNING, Status.QUEUED, WAITING]
    stage.settle()
    assert started(stage) == [job, first, job, second]
    found = [answer["checkpoint"] for _, _, answer in stage.world.answers if "checkpoint" in answer]
    assert found == [None, {"step": 2}]
    assert (stage.status(job), len(stage.world.effects)) == (Status.SUCCEEDED, 1)


def test_a_resume_is_no_further_attempt(stage: Stage) -> None:
    job = stage.submit(gate())
    stage.start_engine()
    stage.settle()
    stage.approve(job)
    stage.settle()
    assert [execution.attempt for execution in stage.executions(job)] == [1, 1]
    assert (stage.job(job).attempt, stage.job(job).retry_count) == (1, 0)


def test_a_gate_that_was_granted_before_is_passed_at_once(stage: Stage) -> None:
    job = stage.submit(gate(), ["flaky", 1, 1], gate("announce"))
    stage.start_engine()
    stage.settle()
    stage.approve(job)
    stage.settle()
    # After its failure, the second attempt comes past the first gate by itself and stops at the other.
    assert (stage.status(job), stage.gate(job).name) == (WAITING, "announce")
    stage.approve(job)
    stage.settle()
    answers = [answer["granted"] for _, word, answer in stage.world.answers if word == "gate"]
    assert answers == [False, True, True, False, True, True]
    assert stage.status(job) is Status.SUCCEEDED


def test_a_denied_job_fails(stage: Stage) -> None:
    job = stage.submit(gate(), ["effect"])
    stage.start_engine()
    stage.settle()
    stage.deny(job)
    stage.settle()
    assert (stage.status(job), stage.world.effects) == (Status.FAILED, [])
    assert stage.job(job).error_message == 'gate "deploy" was denied by bob: not now'


def test_people_may_think_for_days(make_stage: MakeStage) -> None:
    stage = make_stage(lease=timedelta(hours=1))
    job = stage.submit(gate())
    stage.start_engine()
    stage.run(3 * DAY)
    assert stage.status(job) is WAITING
    stage.approve(job)
    stage.settle()
    assert stage.status(job) is Status.SUCCEEDED


@pytest.mark.parametrize("before_the_run", [True, False])
def test_a_gate_that_nobody_answers_in_time_expires_and_fails_its_job(stage: Stage, before_the_run: bool) -> None:
    if before_the_run:
        job = stage.submit(["effect"], approval=Gate("may it?", expires_after=timedelta(hours=1)))
    else:
        job = stage.submit(gate(expires="1h"), ["effect"])
    stage.start_engine()
    stage.run(3590)
    assert stage.status(job) is WAITING
    stage.run(20)
    assert (stage.status(job), stage.gate(job).decision) == (Status.FAILED, "EXPIRED")
    assert stage.world.effects == []


def test_an_answer_after_the_expiry_is_too_late_even_before_the_engine_looked(stage: Stage) -> None:
    job = stage.submit(gate(expires="1h"))
    stage.start_engine()
    stage.run(10)
    stage.crash()
    stage.run(3600)
    with pytest.raises(Refused, match="expired before it was answered"):
        stage.approve(job)


def test_a_granted_gate_does_not_expire_while_it_waits_for_a_slot(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    job = stage.submit(gate(expires="1h"))
    stage.submit(["sleep", 2 * 3600])
    stage.start_engine()
    stage.run(10)
    stage.approve(job)
    stage.settle(4 * 3600)
    assert stage.status(job) is Status.SUCCEEDED


def test_four_eyes_refuse_the_submitter_s_own_approval(stage: Stage) -> None:
    job = stage.submit(gate(four_eyes=True), by="ann")
    stage.start_engine()
    stage.settle()
    with pytest.raises(Refused, match="four eyes"):
        stage.approve(job, by="ann")
    stage.approve(job, by="bob")
    stage.settle()
    assert stage.status(job) is Status.SUCCEEDED


def test_a_wrong_token_opens_nothing(stage: Stage) -> None:
    job = stage.submit(gate(), ["effect"])
    stage.start_engine()
    stage.settle()
    with pytest.raises(Refused, match="not the token"), stage.store.write("bob") as work:
        work.approve(job, "0" * 64)
    stage.run(60)
    assert (stage.status(job), stage.world.effects) == (WAITING, [])


def test_a_token_is_used_once(stage: Stage) -> None:
    job = stage.submit(gate())
    stage.start_engine()
    stage.settle()
    stage.approve(job)
    with pytest.raises(Refused, match="already approved by bob"):
        stage.approve(job)


def test_a_resume_respects_the_limits(make_stage: MakeStage) -> None:
    stage = make_stage(slots=3, config=Config(types={"played": JobType("played", concurrency=1)}))
    job = stage.submit(gate())
    stage.start_engine()
    stage.settle()
    running = stage.submit(["sleep", 60])
    stage.run(5)
    stage.approve(job)
    stage.run(30)
    assert stage.statuses(job, running) == [WAITING, Status.RUNNING]
    stage.settle()
    assert stage.status(job) is Status.SUCCEEDED


def test_a_deaf_process_at_its_gate_is_killed_and_parked(stage: Stage) -> None:
    job = stage.submit(["ignore"], gate(), ["effect"])
    stage.start_engine()
    stage.run(5)
    assert stage.status(job) is Status.RUNNING
    stage.settle()
    assert [name for name, _ in stage.world.processes[0].signals] == ["TERM", "KILL"]
    assert (stage.status(job), stage.world.effects) == (WAITING, [])


def test_a_gate_survives_a_crash_and_is_approved_without_an_engine(stage: Stage) -> None:
    job = stage.submit(gate(), ["effect"])
    stage.start_engine()
    stage.settle()
    stage.crash()
    stage.approve(job)
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), stage.chain(job), len(stage.world.effects)) == (Status.SUCCEEDED, [job], 1)


def test_a_crash_between_the_question_and_the_parking_asks_nobody_twice(stage: Stage) -> None:
    job = stage.submit(["ignore"], gate(), ["effect"])
    stage.start_engine()
    stage.run(1)
    assert stage.status(job) is Status.RUNNING
    stage.crash()
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), stage.chain(job)) == (WAITING, [job])
    stage.approve(job)
    stage.settle()
    assert (stage.status(job), len(stage.world.effects)) == (Status.SUCCEEDED, 1)


def test_nothing_commits_in_front_of_a_gate(stage: Stage) -> None:
    job = stage.submit(["ignore"], gate(), ["effect"])
    stage.start_engine()
    stage.run(1)
    (process,) = stage.world.processes
    # As a second thread of it might.
    process.steps, process.at = [["try", "commit"], ["sleep", 1000]], 0
    process.go_on()
    stage.settle()
    ((_, _, answer),) = [one for one in stage.world.answers if one[1] == "commit"]
    assert "can't commit before it has passed it" in str(answer["error"])
    assert stage.status(job) is WAITING


def test_a_long_row_of_gated_jobs_keeps_nobody_behind_it_waiting(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    stage.start_engine()
    stage.run(1)
    with stage.store.write("ann") as work:
        for _ in range(350):
            work.submit(played(approval=Gate("may it?")))
        behind = work.submit(played(["sleep", 1])).id
    stage.settle()
    assert stage.status(behind) is Status.SUCCEEDED
    started_at = stage.job(behind).started_at
    assert started_at is not None
    assert started_at - stage.job(behind).created_at < timedelta(seconds=1)
