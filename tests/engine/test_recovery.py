"""Recovery beyond its matrix: orphans first, budgets and grants inherited, and again from wherever it broke off."""

from core.config import Config
from core.job_types import JobType, Kind
from core.jobs import Gate
from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.stage import Stage

QUEUED, RUNNING, SUCCEEDED, FAILED = Status.QUEUED, Status.RUNNING, Status.SUCCEEDED, Status.FAILED


def test_a_second_recovery_finds_nothing_to_do(stage: Stage) -> None:
    stage.submit(["sleep", 1000], max_retries=0)
    stage.work_and_crash(5)
    stage.start_engine()
    stage.settle()
    before = [stage.history(job.id) for job in stage.jobs()]
    stage.crash()
    seat = stage.start_engine()
    stage.settle()
    assert [stage.history(job.id) for job in stage.jobs()] == before
    assert not any(event.kind == "recover" for event in seat.events)


def test_orphans_are_stopped_before_anything_is_retried(make_stage: MakeStage) -> None:
    stage = make_stage(slots=3)
    stage.submit(["ignore"], ["sleep", 1000])
    stage.submit(["sleep", 1000])
    stage.work_and_crash(5)
    waiting = stage.submit(["sleep", 1])
    stage.start_engine()
    stage.run(1)
    # A deaf orphan is still there, so nothing at all starts.
    assert (stage.status(waiting), len(stage.world.processes)) == (QUEUED, 2)
    stage.run(5)
    assert [[name for name, _ in one.signals] for one in stage.world.processes[:2]] == [["TERM", "KILL"], ["TERM"]]
    assert (stage.status(waiting), stage.world.collisions) == (SUCCEEDED, [])


def test_what_a_committed_orphan_still_does_is_not_cut_short(stage: Stage) -> None:
    job = stage.submit(["say", "commit"], ["sleep", 10], ["effect"])
    stage.work_and_crash(5)
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), stage.world.processes[0].signals) == (SUCCEEDED, [])
    stage.run(10)
    assert len(stage.world.effects) == 1


def test_an_orphan_s_words_count_for_nothing(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 6], ["try", "commit", {"result": "old"}], ["effect"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    stage.crash()
    stage.start_engine()
    stage.run(1.5)
    ((_, word, answer),) = stage.world.answers
    assert (word, answer["code"], stage.job(job).result) == ("commit", 3, None)


def test_a_run_that_was_asked_to_stop_is_cancelled(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000])
    stage.start_engine()
    stage.run(5)
    stage.cancel(job)
    stage.run(1)
    stage.crash()
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), stage.chain(job)) == (Status.CANCELLED, [job])


def test_granted_gates_and_the_checkpoint_are_inherited_by_the_link(stage: Stage) -> None:
    job = stage.submit(
        ["say", "gate", {"name": "deploy", "message": "?"}],
        ["say", "checkpoint", {"value": {"page": 4}}],
        ["sleep", 20],
        ["say", "checkpoint"],
        approval=Gate("may it?"),
    )
    stage.start_engine()
    stage.settle()
    stage.approve(job)
    stage.settle()
    stage.approve(job)
    stage.run(5)
    stage.crash()
    assert stage.job(job).checkpoint == {"page": 4}
    stage.start_engine()
    stage.settle()
    (_, link) = stage.chain(job)
    assert (stage.status(link), stage.steps(link).count(Status.WAITING_FOR_APPROVAL)) == (SUCCEEDED, 0)
    assert stage.job(link).checkpoint == {"page": 4}


def test_crash_after_crash_stays_within_the_budget(stage: Stage) -> None:
    job = stage.submit(["sleep", 1000], max_retries=3)
    for _ in range(6):
        stage.work_and_crash(5)
    stage.start_engine()
    stage.settle()
    chain = stage.chain(job)
    assert [stage.job(link).retry_count for link in chain] == [0, 1, 2, 3]
    assert set(stage.statuses(*chain)) == {FAILED}
    assert stage.world.collisions == []


def test_attempts_and_links_share_one_budget(stage: Stage) -> None:
    job = stage.submit(["flaky", 1, 1], ["sleep", 20], ["exit", 1], max_retries=3)
    stage.work_and_crash(10)
    stage.start_engine()
    stage.settle()
    # One attempt failed, the second was lost, its link failed once more and then for good.
    assert [stage.job(link).retry_count for link in stage.chain(job)] == [1, 3]
    assert stage.status(stage.chain(job)[-1]) is FAILED


def test_what_goes_on_elsewhere_is_left_alone(make_stage: MakeStage) -> None:
    stage = make_stage(config=Config(types={"far": JobType("far", Kind.EXTERNAL)}))
    job = stage.submit(["sleep", 1], job_type="far")
    stage.work_and_crash(5)
    before = stage.job(job)
    stage.start_engine()
    stage.run(100)
    assert stage.job(job) == before


def test_a_crash_in_the_middle_of_recovery_is_recovered_from(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000], max_retries=1)
    stage.work_and_crash(5)
    for _ in range(3):
        # Each is killed while the orphan still has its grace.
        stage.work_and_crash(1)
    stage.start_engine()
    stage.run(5)
    assert stage.statuses(*stage.chain(job)) == [FAILED, RUNNING]
    assert stage.world.collisions == []
