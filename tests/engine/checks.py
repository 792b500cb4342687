"""What must hold whatever has happened: while engines step, and when everything has come to rest."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from core.executions import ExecStatus
from core.jobs import Job
from core.limits import Lane, Limits, Room, Usage
from core.status import Status
from store.doctor import examine
from store.rows import Row
from tests.engine.ledger import Ledger
from tests.engine.stage import Stage

WAITING_JOBS = """
SELECT id, priority, position, created_at, job_type, job_key, concurrency_key FROM jobs
WHERE status = 'QUEUED' AND held = 0 AND ready = 1 AND reservation_id IS NULL
  AND (deadline_at IS NULL OR deadline_at > :now)
ORDER BY priority DESC, position, created_at, id
"""
BUSY_LANES = """
SELECT j.job_type, j.concurrency_key, e.handed_over_at IS NOT NULL AS elsewhere
FROM jobs j JOIN executions e ON e.exec_id = j.exec_id WHERE j.status = 'RUNNING'
"""
STATUSES = "SELECT id, status FROM jobs WHERE status <> 'QUEUED' OR reservation_id IS NOT NULL"


class Turns:
    """Watches an engine's claims: the queue's order is kept, and so are the limits."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    @contextmanager
    def watched(self) -> Iterator[None]:
        """One step of an engine."""
        before = self._look(WAITING_JOBS)
        statements = self._stage.faults.commits
        yield
        if self._stage.faults.commits == statements + 1:
            self._check(before)

    def _look(self, statement: str) -> list[Row]:
        with self._stage.store.read() as views:
            return views.all(statement)

    def _check(self, before: list[Row]) -> None:
        now = {row["id"]: row["status"] for row in self._look(STATUSES)}
        claimed = [place for place, row in enumerate(before) if now.get(row["id"]) == Status.RUNNING]
        if not claimed:
            return
        room = Room(self._limits(), Usage())
        for row in self._look(BUSY_LANES):
            # Room itself refuses to take more than the limits allow.
            room.take(Lane(row["job_type"], row["concurrency_key"])) if not row["elsewhere"] else None
        alive = {process.job for process in self._stage.world.alive()}
        passed_over = [row for row in before[: claimed[-1]] if row["id"] not in now]
        for row in passed_over:
            lane = Lane(row["job_type"], row["concurrency_key"])
            blocked = self._lane_is_full(lane) or (row["job_type"], row["job_key"]) in alive
            assert blocked, f"job {row['id']} was passed over by job {before[claimed[-1]]['id']}"

    def _limits(self) -> Limits:
        with self._stage.store.read() as views:
            leader = views.leader()
        assert leader is not None
        return leader.limits

    def _lane_is_full(self, lane: Lane) -> bool:
        limits = self._limits()
        busy = self._look(BUSY_LANES)
        of_type = sum(row["job_type"] == lane.job_type for row in busy)
        of_key = sum(row["concurrency_key"] == lane.concurrency_key for row in busy)
        type_limit = limits.per_type.get(lane.job_type)
        if type_limit is not None and of_type >= type_limit:
            return True
        return bool(lane.concurrency_key) and of_key >= limits.of_key(lane.concurrency_key)


def check_at_rest(stage: Stage, ledger: Ledger) -> None:
    """Everything that was promised to anyone, now that all has come to an end."""
    jobs = {job.id: job for job in stage.jobs()}
    assert not [job.id for job in jobs.values() if not job.status.final], "a job has not ended"
    assert stage.world.collisions == [], "two processes of one job were alive at the same moment"
    _check_acknowledged(jobs, ledger)
    _check_commits(stage, jobs)
    _check_processes(stage)
    report = examine(stage.path, stage.store.key_path, stage.path.parent)
    assert report.findings == []


def _check_acknowledged(jobs: dict[int, Job], ledger: Ledger) -> None:
    for ref in ledger.submitted:
        assert ref in jobs, f"job {ref} was acknowledged and is gone"
    for ref in ledger.cancelled:
        assert jobs[ref].status in (Status.CANCELLED, Status.SUCCEEDED), f"job {ref} was cancelled and ran on"
    for ref in ledger.denied:
        assert jobs[ref].status is Status.FAILED, f"job {ref} was denied and ran on"
    for ref in ledger.reported_done:
        assert jobs[ref].status is Status.SUCCEEDED, f"job {ref} was reported as done and is not"


def _check_commits(stage: Stage, jobs: dict[int, Job]) -> None:
    """What was granted counts, once, and nothing irreversible happened without it."""
    by_id = {job.job_id: job for job in jobs.values()}
    executions = {one.exec_id: one for job in jobs.values() for one in stage.executions(job.id)}
    for exec_id, word, answer in stage.world.answers:
        job = by_id[executions[exec_id].job_id]
        if word == "commit" and "error" not in answer:
            assert executions[exec_id].status is ExecStatus.DONE, f"a commit of job {job.id} was granted and lost"
            assert job.status is Status.SUCCEEDED
            assert job.result is not None
        if word == "checkpoint" and "error" not in answer:
            assert job.checkpoint is not None, f"a checkpoint of job {job.id} was acknowledged and lost"
    for exec_id in (exec_id for _, exec_id in stage.world.effects):
        assert executions[exec_id].status is ExecStatus.DONE, "an effect of an execution that never counted"
    twice = [key for key, times in Counter(key for key, _ in stage.world.effects).items() if times > 1]
    assert not twice, f"the effect of {twice} was applied twice"
    for key, links in _chains(jobs).items():
        done = [job.id for job in links if job.status is Status.SUCCEEDED]
        assert len(done) <= 1, f"jobs {done} of {key} have both succeeded"


def _chains(jobs: dict[int, Job]) -> dict[str, list[Job]]:
    chains: dict[str, list[Job]] = {}
    for job in jobs.values():
        chains.setdefault(job.job_key, []).append(job)
    return chains


def _check_processes(stage: Stage) -> None:
    """Only what has committed may still be about its own business."""
    committed = {exec_id for exec_id, word, answer in stage.world.answers if word == "commit" and "error" not in answer}
    for process in stage.world.alive():
        assert process.spawn.exec_id in committed, f"pid {process.pid} of {process.job} was left running"
