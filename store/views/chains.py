"""Retry chains: the links between jobs, and the attempts inside each."""

from collections.abc import Iterator

from core.jobs import Execution, Job
from store.rows import Row, execution_of, job_of
from store.tx import JOB_BY_UUID, Ref, Tx
from store.views.values import Chain, Link

RETRY_OF = "SELECT * FROM jobs WHERE retry_of = :job_id"
EXECUTIONS_OF_JOB = "SELECT * FROM executions WHERE job_id = :job_id ORDER BY id"
# The condition is written as the index jobs_chained has it; in other words SQLite would not use the index.
CHAINED = """
SELECT job_id, updated_at, id FROM jobs
WHERE (retry_of IS NOT NULL OR retry_count > 0) AND (updated_at, id) < (:updated_at, :id)
ORDER BY updated_at DESC, id DESC LIMIT :limit
"""

_CHUNK = 100
_END = 2**63 - 1


class ChainViews(Tx):
    """Chains, from the first job to the last retry."""

    def chain(self, ref: Ref) -> Chain:
        """The whole chain that a job is a link of; alone it is a chain of one."""
        return self._chain_of(self.job_row(ref))

    def chains(self, limit: int) -> list[Chain]:
        """The chains with more than one link or attempt, those where something happened last first."""
        found: list[Chain] = []
        seen: set[str] = set()
        for job_id in self._chained():
            if len(found) >= limit:
                break
            row = self.one(JOB_BY_UUID, job_id=job_id)
            if job_id in seen or row is None:
                continue
            chain = self._chain_of(row)
            seen.update(link.job.job_id for link in chain.links)
            found.append(chain)
        return found

    def executions_of(self, job_id: str) -> list[Execution]:
        """The executions of a job, oldest first."""
        return [execution_of(row) for row in self.all(EXECUTIONS_OF_JOB, job_id=job_id)]

    def chain_jobs(self, row: Row) -> list[Job]:
        """The jobs of the chain that a job's row belongs to, the first one first."""
        # A damaged store may hold a circle; each job is taken once all the same.
        rows = {row["job_id"]: row}
        before: list[Row] = []
        first = row
        while first["retry_of"] is not None:
            found = self.one(JOB_BY_UUID, job_id=first["retry_of"])
            if found is None or found["job_id"] in rows:
                break
            first = rows[found["job_id"]] = found
            before.append(found)
        after: list[Row] = []
        last = row
        while (found := self.one(RETRY_OF, job_id=last["job_id"])) is not None and found["job_id"] not in rows:
            last = rows[found["job_id"]] = found
            after.append(found)
        return [job_of(one) for one in (*reversed(before), row, *after)]

    def _chain_of(self, row: Row) -> Chain:
        return Chain([Link(job, self.executions_of(job.job_id)) for job in self.chain_jobs(row)])

    def _chained(self) -> Iterator[str]:
        at, number = _END, _END
        while rows := self.all(CHAINED, updated_at=at, id=number, limit=_CHUNK):
            for row in rows:
                yield str(row["job_id"])
            at, number = rows[-1]["updated_at"], rows[-1]["id"]
