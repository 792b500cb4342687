"""Every pair of states by plain SQL: the database itself lets the legal steps through and aborts all others."""

from itertools import product

import pytest

from core.executions import EXEC_EDGES, ExecStatus
from core.status import FINAL, Status
from core.transitions import LEGAL
from store import sqlite
from tests.store.raw import INSERT_JOB, NOW, RawStore

PAIRS = [(source, target) for source, target in product(Status, Status) if source is not target]
REFUSALS = ("jobs: illegal transition", "jobs: a finished job never changes")

EXEC_TURN = {
    ExecStatus.LEASED: "UPDATE executions SET status = 'LEASED'",
    ExecStatus.IN_PROGRESS: "UPDATE executions SET status = 'IN_PROGRESS', started_at = coalesce(started_at, :now)",
    ExecStatus.COMMITTED: """UPDATE executions SET status = 'COMMITTED', started_at = coalesce(started_at, :now),
        committed_at = coalesce(committed_at, :now)""",
    ExecStatus.DONE: """UPDATE executions SET status = 'DONE', started_at = coalesce(started_at, :now),
        committed_at = coalesce(committed_at, :now), finished_at = :now, outcome = 'COMPLETED'""",
    ExecStatus.ABORTED: """UPDATE executions SET status = 'ABORTED', finished_at = :now, outcome = 'FAILED',
        error = 'x'""",
    ExecStatus.PARKED: "UPDATE executions SET status = 'PARKED', finished_at = :now",
}
EXEC_PATHS: dict[ExecStatus, tuple[ExecStatus, ...]] = {
    ExecStatus.LEASED: (),
    ExecStatus.IN_PROGRESS: (ExecStatus.IN_PROGRESS,),
    ExecStatus.COMMITTED: (ExecStatus.IN_PROGRESS, ExecStatus.COMMITTED),
    ExecStatus.DONE: (ExecStatus.IN_PROGRESS, ExecStatus.COMMITTED, ExecStatus.DONE),
    ExecStatus.ABORTED: (ExecStatus.ABORTED,),
    ExecStatus.PARKED: (ExecStatus.PARKED,),
}


@pytest.mark.parametrize(("source", "target"), [pair for pair in PAIRS if pair in LEGAL])
def test_a_legal_step_passes_when_its_columns_are_right(raw: RawStore, source: Status, target: Status) -> None:
    job_id = raw.job_in(source)
    raw.turn(job_id, target)
    assert raw.status_of(job_id) == target
    steps = raw.run(
        "SELECT previous_status, new_status, actor FROM job_history WHERE job_id = :job_id ORDER BY id DESC LIMIT 1",
        job_id=job_id,
    ).fetchone()
    assert tuple(steps) == (source, target, "sql")


@pytest.mark.parametrize(("source", "target"), [pair for pair in PAIRS if pair not in LEGAL])
def test_an_illegal_step_is_aborted(raw: RawStore, source: Status, target: Status) -> None:
    job_id = raw.job_in(source)
    with pytest.raises(sqlite.driver.IntegrityError) as refused:
        raw.turn(job_id, target)
    assert str(refused.value) in REFUSALS
    assert raw.status_of(job_id) == source


def test_the_transition_guard_alone_is_what_stops_an_illegal_step(raw: RawStore) -> None:
    raw.run("DROP TRIGGER jobs_transition")
    job_id = raw.job_in(Status.RETRYING)
    raw.turn(job_id, Status.RUNNING)
    assert raw.status_of(job_id) == Status.RUNNING


@pytest.mark.parametrize("status", sorted(FINAL))
def test_a_finished_job_keeps_every_column(raw: RawStore, status: Status) -> None:
    job_id = raw.job_in(status)
    columns = [row["name"] for row in raw.run("PRAGMA table_info(jobs)")]
    for column in columns:
        with pytest.raises(sqlite.driver.IntegrityError, match="a finished job never changes"):
            raw.run(f"UPDATE jobs SET {column} = {column} WHERE job_id = :job_id", job_id=job_id)


@pytest.mark.parametrize("status", [status for status in Status if (None, status) not in LEGAL])
def test_a_job_starts_as_a_draft_or_queued(raw: RawStore, status: Status) -> None:
    with pytest.raises(sqlite.driver.IntegrityError, match="jobs: a job starts as CREATED or QUEUED"):
        raw.run(INSERT_JOB, job_id=raw.new_id(), status=status, queued_at=NOW)


@pytest.mark.parametrize(
    ("source", "target"), [pair for pair in product(ExecStatus, ExecStatus) if pair[0] is not pair[1]]
)
def test_an_execution_only_takes_the_steps_of_its_table(raw: RawStore, source: ExecStatus, target: ExecStatus) -> None:
    raw.job_in(Status.RUNNING)
    for step in EXEC_PATHS[source]:
        raw.run(EXEC_TURN[step])
    if any(edge.source is source and edge.target is target for edge in EXEC_EDGES):
        raw.run(EXEC_TURN[target])
        assert raw.run("SELECT status FROM executions").fetchone()[0] == target
        return
    with pytest.raises(sqlite.driver.IntegrityError, match=r"^executions: "):
        raw.run(EXEC_TURN[target])
    assert raw.run("SELECT status FROM executions").fetchone()[0] == source
