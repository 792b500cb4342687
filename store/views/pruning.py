"""Which chains have ended so long ago that they may go, and which logs of deleted jobs are still to be removed."""

from dataclasses import dataclass
from datetime import datetime

from core.executions import log_name
from core.retention import Retention
from core.status import FINAL, Status
from store.rows import Row, from_us, load, to_us
from store.tx import JOB_BY_UUID, Tx

# The last link of a chain stands for it: whatever is before it ended earlier, or it could not have been retried.
OLDEST_TAILS = """
SELECT job_id, id, retry_of, status, finished_at FROM jobs
WHERE finished_at IS NOT NULL AND (finished_at, id) > (:after, :after_id)
  AND NOT EXISTS (SELECT 1 FROM jobs AS later WHERE later.retry_of = jobs.job_id)
ORDER BY finished_at, id LIMIT :limit
"""
COUNTED = "SELECT status, n FROM job_counts"
RUNS_OF_JOB = """
SELECT e.exec_id, e.attempt, e.log_path, j.id AS job FROM executions e JOIN jobs j ON j.job_id = e.job_id
WHERE e.job_id = :job_id ORDER BY e.id
"""
LOGS_TO_REMOVE = """
SELECT name, value FROM settings WHERE name >= 'logs to remove ' AND name < 'logs to remove!' ORDER BY name
"""
ANY_JOB_BETWEEN = "SELECT 1 FROM jobs WHERE id BETWEEN :low AND :high LIMIT 1"
LAST_NUMBER = "SELECT seq FROM sqlite_sequence WHERE name = 'jobs'"
PRUNED = "SELECT value, updated_at, updated_by FROM settings WHERE name = 'pruned'"

_AT_A_TIME = 100


@dataclass(frozen=True, slots=True)
class OldChain:
    """A chain that may go."""

    jobs: tuple[str, ...]
    """The UUIDs of its links, the last one first."""
    ended: datetime


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a walk over what has ended goes on."""

    after: int = -1
    after_id: int = -1


@dataclass(frozen=True, slots=True)
class OldChains:
    """Some chains that may go, the oldest first."""

    chains: tuple[OldChain, ...]
    cursor: Cursor | None
    """Where to go on; None when there is nothing more to find."""


@dataclass(frozen=True, slots=True)
class LogsToRemove:
    """Logs whose jobs are deleted already: if the process dies now, the next one removes them."""

    name: str
    paths: tuple[str, ...]


class PrunableViews(Tx):
    """What has ended and may go."""

    def prunable(
        self, retention: Retention, cursor: Cursor, most_jobs: int = _AT_A_TIME, already: int = 0
    ) -> OldChains:
        """The next chains that may go; `already` is how many jobs count as gone although they are there."""
        cutoff = retention.cutoff(self.now)
        excess = 0 if retention.keep is None else self.finished_count() - already - retention.keep
        found: list[OldChain] = []
        links = 0
        rows = self.all(OLDEST_TAILS, after=cursor.after, after_id=cursor.after_id, limit=_AT_A_TIME)
        for row in rows:
            if (cutoff is None or row["finished_at"] >= to_us(cutoff)) and excess <= 0:
                return OldChains(tuple(found), None)
            jobs = self._links(row)
            ended = from_us(row["finished_at"])
            if retention.may_go(ended, len(jobs), excess, self.now):
                found.append(OldChain(jobs, ended))
                links += len(jobs)
                excess -= len(jobs)
            cursor = Cursor(row["finished_at"], row["id"])
            if links >= most_jobs:
                return OldChains(tuple(found), cursor)
        return OldChains(tuple(found), cursor if len(rows) == _AT_A_TIME else None)

    def finished_count(self) -> int:
        """How many jobs have ended."""
        return sum(row["n"] for row in self.all(COUNTED) if Status(row["status"]) in FINAL)

    def log_paths(self, job_id: str) -> list[str]:
        """The logs of a job's runs: as noted, or under the name that the engine gives them if it died before that."""
        return [
            row["log_path"] or log_name(row["job"], row["attempt"], row["exec_id"])
            for row in self.all(RUNS_OF_JOB, job_id=job_id)
        ]

    def logs_to_remove(self) -> list[LogsToRemove]:
        """The logs of jobs that were deleted and whose removal was not noted."""
        return [LogsToRemove(row["name"], tuple(load(row["value"]))) for row in self.all(LOGS_TO_REMOVE)]

    def numbers_are_over(self, low: int, high: int) -> bool:
        """Whether no job has any of these numbers, and none ever will."""
        last = self.one(LAST_NUMBER)
        return last is not None and last["seq"] > high and self.one(ANY_JOB_BETWEEN, low=low, high=high) is None

    def pruned(self) -> tuple[int, datetime] | None:
        """How many jobs the last prune that found any has deleted, and when."""
        row = self.one(PRUNED)
        return None if row is None else (int(load(row["value"])), from_us(row["updated_at"]))

    def _links(self, tail: Row) -> tuple[str, ...]:
        """The UUIDs of a chain, from its last link to its first."""
        found = [str(tail["job_id"])]
        link = tail
        while link["retry_of"] is not None and link["retry_of"] not in found:
            before = self.one(JOB_BY_UUID, job_id=link["retry_of"])
            if before is None:
                break
            link = before
            found.append(str(link["job_id"]))
        return tuple(found)
