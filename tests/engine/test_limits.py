"""Limits: so many at once by type and by key, nobody behind a blocked one waits, and slots may change any time."""

from core.config import Config
from core.job_types import JobType
from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.office import played

RUNNING, QUEUED, SUCCEEDED = Status.RUNNING, Status.QUEUED, Status.SUCCEEDED


def test_a_type_runs_no_more_at_once_than_its_limit(make_stage: MakeStage) -> None:
    stage = make_stage(slots=10, config=Config(types={"played": JobType("played", concurrency=3)}))
    jobs = [stage.submit(["sleep", 10]) for _ in range(8)]
    stage.start_engine()
    assert stage.most_at_once(60) == 3
    assert set(stage.statuses(*jobs)) == {SUCCEEDED}


def test_jobs_of_one_concurrency_key_run_one_after_the_other(make_stage: MakeStage) -> None:
    stage = make_stage(slots=10)
    jobs = [stage.submit(["sleep", 10], concurrency_key="db") for _ in range(4)]
    stage.start_engine()
    assert stage.most_at_once(60) == 1
    assert set(stage.statuses(*jobs)) == {SUCCEEDED}


def test_a_key_may_have_a_limit_of_its_own(make_stage: MakeStage) -> None:
    stage = make_stage(slots=10, config=Config(per_key={"db": 2}))
    for _ in range(6):
        stage.submit(["sleep", 10], concurrency_key="db")
    stage.start_engine()
    assert stage.most_at_once(60) == 2


def test_a_blocked_job_does_not_block_those_behind_it(make_stage: MakeStage) -> None:
    stage = make_stage(slots=2)
    first, blocked = (stage.submit(["sleep", 10], concurrency_key="db") for _ in range(2))
    free = stage.submit(["sleep", 10])
    stage.start_engine()
    stage.run(5)
    assert stage.statuses(first, blocked, free) == [RUNNING, QUEUED, RUNNING]
    assert stage.queue() == [blocked]


def test_hundreds_of_blocked_jobs_do_not_block_the_one_behind_them(make_stage: MakeStage) -> None:
    stage = make_stage(slots=2)
    with stage.store.write("ann") as work:
        for _ in range(500):
            work.submit(played(["sleep", 1000], concurrency_key="db"))
    free = stage.submit(["sleep", 10])
    stage.start_engine()
    stage.run(5)
    assert stage.status(free) is RUNNING


def test_more_slots_are_used_at_once(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    jobs = [stage.submit(["sleep", 100]) for _ in range(4)]
    stage.start_engine()
    stage.run(5)
    assert stage.statuses(*jobs).count(RUNNING) == 1
    stage.choose_slots(3)
    stage.run(0.1)
    assert stage.statuses(*jobs) == [RUNNING, RUNNING, RUNNING, QUEUED]


def test_fewer_slots_stop_nothing_that_runs_and_hold_from_then_on(make_stage: MakeStage) -> None:
    stage = make_stage(slots=3)
    jobs = [stage.submit(["sleep", 10 * (number + 1)]) for number in range(5)]
    stage.start_engine()
    stage.run(5)
    stage.choose_slots(1)
    stage.run(10)
    assert stage.statuses(*jobs) == [SUCCEEDED, RUNNING, RUNNING, QUEUED, QUEUED]
    stage.run(20)
    assert stage.statuses(*jobs) == [SUCCEEDED, SUCCEEDED, SUCCEEDED, RUNNING, QUEUED]


def test_no_slots_at_all_start_nothing_until_there_is_one(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    stage.start_engine()
    stage.choose_slots(0)
    job = stage.submit(["sleep", 1])
    stage.run(100)
    assert stage.status(job) is QUEUED
    stage.choose_slots(None)
    stage.settle()
    assert stage.status(job) is SUCCEEDED


def test_slots_that_were_chosen_end_with_the_engine_that_was_told(make_stage: MakeStage) -> None:
    stage = make_stage(slots=1)
    stage.start_engine()
    stage.choose_slots(3)
    stage.run(1)
    stage.crash()
    jobs = [stage.submit(["sleep", 10]) for _ in range(3)]
    stage.start_engine()
    stage.run(5)
    assert stage.statuses(*jobs).count(RUNNING) == 1
