"""Lists of jobs by state, each in the order in which people ask for it, streamed."""

import json
from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import closing
from heapq import merge
from itertools import islice

from core.filters import Filter, StatusIn
from core.jobs import Job
from core.status import FINAL, Status
from store.filtering import Narrowed, narrowed, statuses_of
from store.rows import Row, execution_of, job_of, to_us
from store.tx import Tx
from store.views.values import FinishedKey, RunningJob

RUNNING = "SELECT * FROM jobs WHERE status = 'RUNNING' AND {} ORDER BY started_at, id"
WAITING = "SELECT * FROM jobs WHERE status = 'WAITING_FOR_APPROVAL' AND {} ORDER BY id"
RETRYING = "SELECT * FROM jobs WHERE status = 'RETRYING' AND {} ORDER BY next_retry_at, id"
QUEUED = "SELECT * FROM jobs WHERE status = 'QUEUED' AND {} ORDER BY priority DESC, position, created_at, id"
DRAFTS = "SELECT * FROM jobs WHERE status = 'CREATED' AND {} ORDER BY id"
FINISHED = """
SELECT * FROM jobs WHERE finished_at IS NOT NULL AND (finished_at, id) < (:finished_at, :finished_id) AND {}
ORDER BY finished_at DESC, id DESC
"""
FINISHED_AS = """
SELECT * FROM jobs WHERE status = :status AND finished_at IS NOT NULL
  AND (finished_at, id) < (:finished_at, :finished_id) AND {}
ORDER BY finished_at DESC, id DESC
"""
RUNNING_NOW = "SELECT * FROM jobs WHERE status = 'RUNNING' ORDER BY started_at, id LIMIT :limit"
EXECUTION = "SELECT * FROM executions WHERE exec_id = :exec_id"
RETRYING_NOW = "SELECT * FROM jobs WHERE status = 'RETRYING' ORDER BY next_retry_at, id LIMIT :limit"

IDS = {
    Status.RUNNING: "SELECT id FROM jobs WHERE status = 'RUNNING'",
    Status.WAITING_FOR_APPROVAL: "SELECT id FROM jobs WHERE status = 'WAITING_FOR_APPROVAL'",
    Status.RETRYING: "SELECT id FROM jobs WHERE status = 'RETRYING'",
    Status.QUEUED: "SELECT id FROM jobs WHERE status = 'QUEUED'",
    Status.CREATED: "SELECT id FROM jobs WHERE status = 'CREATED'",
}
IDS_FINISHED = "SELECT id FROM jobs WHERE status = :status AND finished_at IS NOT NULL"
STATUSES = "SELECT id, status FROM jobs WHERE id IN (SELECT value FROM json_each(:ids))"

SECTIONS = {
    Status.RUNNING: RUNNING,
    Status.WAITING_FOR_APPROVAL: WAITING,
    Status.RETRYING: RETRYING,
    Status.QUEUED: QUEUED,
    Status.CREATED: DRAFTS,
}
_CHUNK = 200
_END = 2**63 - 1


class ListViews(Tx):
    """Jobs in lists."""

    def list_jobs(self, chosen: Filter, limit: int | None) -> Iterator[Job]:
        """The jobs that pass: those that run or wait first, the finished ones last; read it within its transaction."""
        return islice(self._listed(chosen), limit)

    def finished(self, chosen: Filter | None, limit: int, before: FinishedKey | None = None) -> list[Job]:
        """Finished jobs that pass, newest first, beginning behind `before`."""
        passing = chosen or Filter()
        jobs = self._finished(passing, narrowed(passing, self.now), before)
        with closing(jobs):
            return list(islice(jobs, limit))

    def numbers(self, chosen: Filter, states: Collection[Status]) -> Iterator[int]:
        """The numbers of all jobs in these states that pass; read it within its transaction."""
        wanted = statuses_of(chosen) & set(states)
        if all(isinstance(term, StatusIn) for term in chosen.terms):
            for status in sorted(wanted):
                for row in self._rows(IDS.get(status, IDS_FINISHED), {"status": status}):
                    yield row["id"]
        else:
            named = StatusIn(frozenset(wanted))
            for job in self._listed(Filter((*chosen.terms, named))):
                yield job.id

    def states_of(self, jobs: Iterable[int]) -> dict[int, Status]:
        """The states of these jobs; one that is gone has none."""
        return {row["id"]: Status(row["status"]) for row in self.all(STATUSES, ids=json.dumps(list(jobs)))}

    def running(self, limit: int) -> list[RunningJob]:
        """The running jobs with what holds them, the one that started first at the top."""
        found = []
        for row in self.all(RUNNING_NOW, limit=limit):
            execution = self.one(EXECUTION, exec_id=row["exec_id"])
            if execution is not None:
                found.append(RunningJob(job_of(row), execution_of(execution)))
        return found

    def retrying(self, limit: int) -> list[Job]:
        """The jobs that wait for their next attempt, soonest first."""
        return [job_of(row) for row in self.all(RETRYING_NOW, limit=limit)]

    def _listed(self, chosen: Filter) -> Iterator[Job]:
        condition = narrowed(chosen, self.now)
        wanted = statuses_of(chosen)
        for status, section in SECTIONS.items():
            if status in wanted:
                for row in self._rows(section.format(condition.where), condition.values):
                    job = job_of(row)
                    if chosen.matches(job, self.now):
                        yield job
        yield from self._finished(chosen, condition, None)

    def _finished(self, chosen: Filter, condition: Narrowed, before: FinishedKey | None) -> Generator[Job]:
        wanted = statuses_of(chosen) & FINAL
        values = {
            **condition.values,
            "finished_at": _END if before is None else to_us(before.finished_at),
            "finished_id": _END if before is None else before.id,
        }
        if wanted == FINAL:
            rows = self._rows(FINISHED.format(condition.where), values)
        else:
            # Each state by its own index: a few failed jobs are not looked for among a million that succeeded.
            by_status = FINISHED_AS.format(condition.where)
            streams = [self._rows(by_status, {**values, "status": status}) for status in sorted(wanted)]
            rows = merge(*streams, key=lambda row: (row["finished_at"], row["id"]), reverse=True)
        for row in rows:
            job = job_of(row)
            if chosen.matches(job, self.now):
                yield job

    def _rows(self, statement: str, values: dict[str, object]) -> Iterator[Row]:
        cursor = self.connection.execute(statement, {**self._always, **values})
        # A statement left half read would keep its transaction open.
        with closing(cursor):
            while rows := cursor.fetchmany(_CHUNK):
                yield from rows
