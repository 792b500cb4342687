"""Recovery: each row of the decision matrix, and each of the crashes that the persistence design tells of."""

import pytest

from core.executions import ExecStatus, Outcome
from core.positions import Move
from core.reservations import ReservationStatus
from core.status import Status
from store import sqlite
from tests.engine.conftest import MakeStage
from tests.engine.office import CALLER
from tests.engine.stage import Stage

QUEUED, RUNNING, SUCCEEDED, FAILED = Status.QUEUED, Status.RUNNING, Status.SUCCEEDED, Status.FAILED


def outcome(stage: Stage, job: int) -> tuple[Status, ExecStatus, Outcome | None, str | None]:
    execution = stage.executions(job)[-1]
    return stage.status(job), execution.status, execution.outcome, execution.error


def test_queued_resumes_in_the_queue(make_stage: MakeStage) -> None:
    """QUEUED → resume in queue, no action; the order is preserved."""
    stage = make_stage(slots=1)
    stage.submit(["sleep", 1000], priority=9)
    jobs = [stage.submit(priority=one % 3) for one in range(9)]
    stage.move(jobs[0], Move.BOTTOM)
    stage.work_and_crash(5)
    before = stage.queue()
    rows = [stage.job(job) for job in jobs]
    stage.start_engine()
    stage.run(1)
    assert [ref for ref in stage.queue() if ref in jobs] == before
    assert [stage.job(job) for job in jobs] == rows


def test_running_without_an_execution_gets_a_failed_one_and_is_retried(stage: Stage) -> None:
    """RUNNING, no JobRun → create FAILED JobRun, retry. Only a damaged file comes to this."""
    job = stage.submit(["sleep", 1000])
    stage.work_and_crash(5)
    damage = sqlite.connect(stage.path)
    damage.execute("PRAGMA foreign_keys = OFF")
    damage.execute("DROP TRIGGER executions_keep")
    damage.execute("DELETE FROM executions")
    damage.close()
    stage.start_engine()
    stage.run(5)
    assert outcome(stage, job) == (FAILED, ExecStatus.ABORTED, Outcome.FAILED, "Scheduler crash recovery")
    assert stage.status(stage.chain(job)[-1]) is RUNNING


@pytest.mark.parametrize("moment", ["claimed", "started"])
def test_running_with_an_open_execution_fails_and_is_retried(stage: Stage, moment: str) -> None:
    """RUNNING, JobRun not terminal → update to FAILED, retry as a new job."""
    job = stage.submit(["sleep", 1000], job_key="k", tags={"env": "prod"})
    if moment == "claimed":
        stage.faults.crash_after = stage.faults.commits + 2
        stage.start_engine()
        stage.run(5)
        assert (stage.executions(job)[0].status, stage.world.processes) == (ExecStatus.LEASED, [])
    else:
        stage.work_and_crash(5)
        assert stage.executions(job)[0].status is ExecStatus.IN_PROGRESS
    stage.start_engine()
    stage.run(5)
    assert outcome(stage, job) == (FAILED, ExecStatus.ABORTED, Outcome.FAILED, "Scheduler crash recovery")
    (_, link) = stage.chain(job)
    again = stage.job(link)
    assert (again.status, again.job_key, again.tags, again.retry_count) == (RUNNING, "k", {"env": "prod"}, 1)


@pytest.mark.parametrize("end", [ExecStatus.DONE, ExecStatus.ABORTED])
def test_running_with_an_ended_execution_only_settles_the_job(stage: Stage, end: ExecStatus) -> None:
    """RUNNING, JobRun terminal → update the job only. Only a damaged file comes to this: both are one transaction."""
    job = stage.submit(["sleep", 1000], max_retries=0)
    stage.work_and_crash(5)
    for process in stage.world.alive():
        process.kill()
    damage = sqlite.connect(stage.path)
    if end is ExecStatus.DONE:
        damage.execute("UPDATE executions SET status = 'COMMITTED', committed_at = leased_at")
        damage.execute("UPDATE executions SET status = 'DONE', outcome = 'COMPLETED', finished_at = leased_at")
    else:
        damage.execute(
            "UPDATE executions SET status = 'ABORTED', outcome = 'FAILED', error = 'exit 3', finished_at = leased_at"
        )
    damage.close()
    before = stage.executions(job)
    stage.start_engine()
    stage.settle()
    assert stage.status(job) is (SUCCEEDED if end is ExecStatus.DONE else FAILED)
    assert (stage.executions(job), stage.chain(job)) == (before, [job])


@pytest.mark.parametrize("stale", [True, False])
def test_an_active_reservation_is_expired_if_stale_and_the_queue_resumes(stage: Stage, stale: bool) -> None:
    """Direct reservation ACTIVE → expire if stale, resume the queue."""
    stage.work_and_crash(1)
    with stage.store.write("ann") as work:
        reservation = work.reserve(str(CALLER)).reservation_id
    job = stage.submit(["sleep", 1])
    stage.run(301 if stale else 10)
    stage.start_engine()
    stage.run(5)
    with stage.store.read() as views:
        (row,) = views.all("SELECT status FROM direct_reservations WHERE reservation_id = :id", id=reservation)
    expected = (ReservationStatus.EXPIRED, SUCCEEDED) if stale else (ReservationStatus.ACTIVE, QUEUED)
    assert (row["status"], stage.status(job)) == expected


def test_crash_during_running_job(make_stage: MakeStage) -> None:
    """4.2: the run is marked FAILED, the retry is evaluated, and what was done is told."""
    stage = make_stage(slots=3)
    lost = stage.submit(["sleep", 1000])
    hopeless = stage.submit(["sleep", 1000], max_retries=0)
    committed = stage.submit(["say", "commit"], ["sleep", 1000])
    stage.work_and_crash(5)
    seat = stage.start_engine()
    stage.run(5)
    assert outcome(stage, lost)[:3] == (FAILED, ExecStatus.ABORTED, Outcome.FAILED)
    assert outcome(stage, hopeless)[:3] == (FAILED, ExecStatus.ABORTED, Outcome.FAILED)
    assert stage.chain(hopeless) == [hopeless]
    assert outcome(stage, committed)[:3] == (SUCCEEDED, ExecStatus.DONE, Outcome.COMPLETED)
    told = {event.job for event in seat.events if event.kind == "recover"}
    with stage.store.read() as views:
        report = views.last_recovery()
    assert report is not None
    assert told == {job for job, _ in report.did} == {lost, hopeless, committed}


def test_crash_during_direct_api_reservation(make_stage: MakeStage) -> None:
    """4.3: the caller died with the engine; the queue goes on at once and the direct job runs at most once."""
    stage = make_stage(slots=1)
    busy = stage.submit(["sleep", 30])
    stage.start_engine()
    stage.run(5)
    direct = stage.direct(["effect"])
    queued = stage.submit(["sleep", 1])
    stage.crash()
    stage.world.people.clear()
    stage.start_engine()
    stage.settle()
    assert stage.statuses(busy, direct, queued) == [FAILED, Status.CANCELLED, SUCCEEDED]
    assert stage.world.effects == []


def test_crash_during_retry_scheduling(make_stage: MakeStage) -> None:
    """4.4: whichever statement of recording a failure the crash hits, there is one retry, never none and never two."""
    reference = make_stage()
    first, last = statements_of_the_failure(reference)
    assert last > first
    for number in range(first, last + 1):
        job = reference.submit(["sleep", 1], ["exit", 1], max_retries=1)
        reference.run(0.5)
        reference.faults.crash_before = reference.faults.statements + (number - first + 1)
        reference.run(5, lambda: not any(seat.leads for seat in reference.seats))
        reference.faults.crash_before = None
        reference.start_engine()
        reference.settle()
        chain = reference.chain(job)
        runs = sum(len(reference.executions(link)) for link in chain)
        assert (runs, reference.status(chain[-1])) == (2, FAILED), f"crashed at statement {number - first + 1}"


def statements_of_the_failure(stage: Stage) -> tuple[int, int]:
    """The first and the last statement that the engine sends because a process has failed."""
    stage.submit(["sleep", 1], ["exit", 1], max_retries=0)
    stage.start_engine()
    stage.run(5, lambda: any(process.code == 1 for process in stage.world.processes))
    first = stage.faults.statements + 1
    stage.settle()
    return first, stage.faults.statements
