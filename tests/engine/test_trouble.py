"""When the store can't be written: nothing is lost, running jobs go on, and all is recorded once it can be again."""

from datetime import timedelta

import pytest

from core.refusals import Trouble
from core.status import Status
from store import sqlite
from tests.engine.conftest import MakeStage
from tests.engine.stage import Stage

RUNNING, SUCCEEDED = Status.RUNNING, Status.SUCCEEDED


def trouble(stage: Stage) -> list[str]:
    return [event.words for event in stage.seats[0].events if event.kind == "trouble"]


def test_what_ends_while_the_disk_is_full_is_recorded_afterwards(stage: Stage) -> None:
    good, bad = stage.submit(["sleep", 20]), stage.submit(["sleep", 20], ["exit", 64])
    stage.start_engine()
    stage.run(5)
    stage.faults.full = True
    stage.run(60)
    assert stage.world.alive() == []
    assert stage.statuses(good, bad) == [RUNNING, RUNNING]
    stage.faults.full = False
    stage.run(10)
    assert stage.statuses(good, bad) == [SUCCEEDED, Status.FAILED]
    assert stage.chain(good) == [good]


def test_it_tells_its_trouble_once_and_says_when_it_is_over(stage: Stage) -> None:
    stage.submit(["sleep", 20])
    stage.start_engine()
    stage.run(5)
    stage.faults.full = True
    stage.run(300)
    assert len(trouble(stage)) == 1
    assert "the disk is full" in trouble(stage)[0]
    assert stage.engine.trouble == trouble(stage)[0]
    stage.faults.full = False
    stage.run(10)
    assert stage.engine.trouble is None


def test_hours_of_trouble_cost_no_running_job_its_lease(stage: Stage) -> None:
    job = stage.submit(["sleep", 3 * 3600])
    stage.start_engine()
    stage.run(5)
    stage.faults.full = True
    stage.run(2 * 3600)
    stage.faults.full = False
    stage.settle(3 * 3600)
    assert (stage.status(job), len(stage.executions(job))) == (SUCCEEDED, 1)


def test_a_claim_that_could_not_be_stored_starts_nothing(stage: Stage) -> None:
    stage.start_engine()
    stage.run(5)
    stage.faults.full = True
    job = stage.submit(["sleep", 1])
    stage.run(30)
    assert (stage.world.processes, stage.status(job)) == ([], Status.QUEUED)
    stage.faults.full = False
    stage.settle()
    assert (stage.status(job), len(stage.executions(job))) == (SUCCEEDED, 1)


def test_a_job_that_speaks_meanwhile_is_answered_afterwards(stage: Stage) -> None:
    job = stage.submit(["sleep", 10], ["say", "commit", {"result": 1}], ["effect"])
    stage.start_engine()
    stage.run(5)
    stage.faults.full = True
    stage.run(60)
    assert (stage.world.effects, stage.world.answers) == ([], [])
    stage.faults.full = False
    stage.settle()
    assert (stage.status(job), stage.job(job).result, len(stage.world.effects)) == (SUCCEEDED, 1, 1)


def test_a_job_that_runs_out_of_time_meanwhile_is_stopped_all_the_same(stage: Stage) -> None:
    job = stage.submit(["ignore"], ["sleep", 1000], timeout=timedelta(seconds=20), max_retries=0)
    stage.start_engine()
    stage.run(5)
    stage.faults.full = True
    stage.run(40)
    assert [name for name, _ in stage.world.processes[0].signals] == ["TERM", "KILL"]
    stage.faults.full = False
    stage.settle()
    assert (stage.status(job), stage.job(job).error_message) == (Status.FAILED, "timed out after 20s")


def test_it_tries_again_ever_more_slowly_but_never_slower_than_every_few_seconds(stage: Stage) -> None:
    stage.submit(["sleep", 10])
    stage.start_engine()
    stage.run(5)
    stage.faults.full = True
    stage.run(60)
    before = stage.seat.steps
    stage.run(60)
    assert 10 <= stage.seat.steps - before <= 30


@pytest.mark.usefixtures("impatient")
def test_a_store_that_someone_else_keeps_busy_is_waited_for(stage: Stage) -> None:
    job = stage.submit(["sleep", 5])
    stage.start_engine()
    stage.run(1)
    other = sqlite.connect(stage.path)
    other.execute("BEGIN IMMEDIATE")
    stage.run(20)
    assert "was busy for longer than" in trouble(stage)[0]
    other.execute("ROLLBACK")
    other.close()
    stage.settle()
    assert (stage.status(job), len(stage.executions(job))) == (SUCCEEDED, 1)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits half a minute here."""
    monkeypatch.setattr(sqlite, "PATIENCE", 0.005)


def test_a_disk_that_is_full_when_it_would_lead_is_no_reason_to_give_up(stage: Stage) -> None:
    stage.faults.full = True
    seat = stage.start_engine()
    job = stage.submit(["sleep", 1])
    stage.run(60)
    assert not seat.leads
    stage.faults.full = False
    stage.run(1)
    stage.settle()
    assert stage.status(job) is SUCCEEDED


def test_people_are_told_that_nothing_was_changed(stage: Stage) -> None:
    stage.office_faults.full = True
    with pytest.raises(Trouble, match="the disk is full, so nothing was changed"):
        stage.submit(["sleep", 1])
    stage.office_faults.full = False
    assert stage.jobs() == []


@pytest.mark.parametrize("name", ["SQLITE_IOERR_FSYNC", "SQLITE_READONLY", "SQLITE_CANTOPEN"])
def test_any_other_trouble_of_the_disk_is_outlived_too(stage: Stage, name: str) -> None:
    job = stage.submit(["sleep", 20])
    stage.start_engine()
    stage.run(5)
    stage.faults.broken = name
    stage.run(60)
    assert len(trouble(stage)) == 1
    stage.faults.broken = None
    stage.settle()
    assert (stage.status(job), len(stage.executions(job))) == (SUCCEEDED, 1)


def test_an_end_that_can_t_be_recorded_keeps_no_other_from_it(stage: Stage) -> None:
    broken, well = stage.submit(["sleep", 5]), stage.submit(["sleep", 10])
    with stage.store.write("ann") as work:
        work.run(
            "CREATE TRIGGER defect BEFORE UPDATE OF status ON jobs "
            f"WHEN NEW.status = 'SUCCEEDED' AND OLD.id = {broken} BEGIN SELECT RAISE(ABORT, 'a defect'); END"
        )
    stage.start_engine().forgiving = True
    stage.run(60)
    assert stage.statuses(broken, well) == [RUNNING, SUCCEEDED]
    # It says so once for each way to fail, tries again now and then, and does other work meanwhile.
    assert len(trouble(stage)) == 2
    before = stage.seat.steps
    other = stage.submit(["sleep", 5])
    stage.run(30)
    assert stage.status(other) is SUCCEEDED
    assert stage.seat.steps - before < 60
    with stage.store.write("ann") as work:
        work.run("DROP TRIGGER defect")
    stage.run(10)
    assert (stage.status(broken), stage.engine.trouble) == (SUCCEEDED, None)


def test_a_commit_whose_answer_was_lost_is_not_carried_out_twice(make_stage: MakeStage) -> None:
    """The disk reports an error although the transaction was stored: the engine can't know and asks again."""
    stage = make_stage(slots=1)
    job = stage.submit(["sleep", 10], ["say", "commit"], ["effect"], ["exit", 1])
    behind = stage.submit(["sleep", 1])
    stage.start_engine()
    stage.run(5)

    def stored_but_unheard() -> None:
        stage.faults.after_commit = stored_but_unheard if stage.world.clock.passed < until else None
        raise sqlite.driver.OperationalError("disk I/O error")

    until = stage.world.clock.passed + 20
    stage.faults.after_commit = stored_but_unheard
    stage.run(20)
    stage.faults.after_commit = None
    stage.settle()
    assert len(stage.world.effects) == 1
    assert stage.statuses(job, behind) == [SUCCEEDED, SUCCEEDED]
