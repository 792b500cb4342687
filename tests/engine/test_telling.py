"""What an engine has told: it introduces its targets, and notices what is no event of its own."""

from datetime import timedelta

import pytest

from core.config import Config
from core.jobs import Gate
from core.notifications import Notification, Program, Told
from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.stage import Stage

HOUR = 3600
EVERYTHING = Program("ops", command=("page",))


def told(stage: Stage) -> list[str]:
    return [one.event for one in waiting(stage)]


def waiting(stage: Stage) -> list[Notification]:
    with stage.store.read(stage.now) as views:
        return sorted(views.waiting_notifications(99), key=lambda one: one.id)


@pytest.fixture
def stage(make_stage: MakeStage) -> Stage:
    return make_stage(slots=1, config=Config(targets={"ops": EVERYTHING}))


def test_its_targets_are_known_before_its_recovery_tells_them_something(stage: Stage) -> None:
    stage.submit(["sleep", 500])
    stage.work_and_crash(1)
    stage.start_engine()
    stage.run(5)
    assert told(stage) == ["recovery.acted"]


def test_an_engine_with_another_config_tells_others(make_stage: MakeStage) -> None:
    stage = make_stage(config=Config(targets={"ops": EVERYTHING}))
    stage.start_engine()
    stage.submit(["exit", 64])
    stage.settle()
    stage.crash()
    stage.config = Config(targets={"page": Program("page", frozenset({Told.JOB_FAILED}), command=("page",))})
    stage.start_engine()
    stage.submit(["exit", 64])
    stage.settle()
    assert [(one.event, one.target) for one in waiting(stage)] == [("job.failed", "page")]


def test_a_queue_that_stands_still_behind_a_long_job_is_told_once(stage: Stage) -> None:
    stage.submit(["sleep", 20 * HOUR])
    stage.submit(["effect"])
    stage.start_engine()
    stage.run(14 * 60)
    assert told(stage) == []
    stage.run(3 * 60)
    assert told(stage) == ["queue.stuck"]
    stage.run(HOUR)
    assert told(stage) == ["queue.stuck"]


def test_a_long_job_alone_is_no_stuck_queue(stage: Stage) -> None:
    stage.submit(["sleep", 20 * HOUR])
    stage.start_engine()
    stage.run(2 * HOUR)
    assert told(stage) == []


def test_a_gate_is_told_then_its_expiry_then_the_failure(stage: Stage) -> None:
    job = stage.submit(["effect"], approval=Gate("go on?", expires_after=timedelta(hours=1)))
    stage.start_engine()
    stage.settle()
    wanted, expiring = waiting(stage)
    assert (wanted.event, expiring.event) == ("approval.wanted", "approval.expiring")
    assert expiring.next_attempt_at is not None
    assert wanted.next_attempt_at is not None
    assert timedelta(minutes=44) < expiring.next_attempt_at - wanted.next_attempt_at <= timedelta(minutes=45)
    stage.run(HOUR)
    assert stage.status(job) is Status.FAILED
    assert told(stage) == ["job.failed"]


def test_a_missed_and_a_skipped_fire_are_told(stage: Stage) -> None:
    stage.schedule("often", "*/10 * * * *", ["sleep", 20 * HOUR])
    stage.start_engine()
    stage.run(25 * 60)
    stage.crash()
    assert told(stage) == ["schedule.skipped"]
    stage.run(HOUR)
    stage.start_engine()
    stage.run(5)
    assert set(told(stage)) == {"schedule.skipped", "schedule.missed", "recovery.acted"}


def test_an_engine_that_is_told_anew_whom_to_tell_tells_them(stage: Stage) -> None:
    stage.start_engine()
    stage.submit(["exit", 64])
    stage.settle()
    assert [(one.event, one.target) for one in waiting(stage)] == [("job.failed", "ops")]
    stage.config = Config(targets={"page": Program("page", frozenset({Told.JOB_FAILED}), command=("page",))})
    stage.engine.adopt(stage.terms())
    stage.submit(["exit", 64])
    stage.settle()
    assert [(one.event, one.target) for one in waiting(stage)] == [("job.failed", "page")]
