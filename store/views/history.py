"""History: what happened to a job, or to all of them, newest first."""

from collections.abc import Iterator
from itertools import islice

from core.filters import Filter
from core.jobs import HistoryEntry
from store.filtering import ANYTHING, narrowed
from store.rows import history_of, job_of
from store.tx import JOB_BY_UUID, Ref, Tx

HISTORY_OF_JOB = """
SELECT h.*, j.id AS job FROM job_history h JOIN jobs j ON j.job_id = h.job_id
WHERE h.job_id = :job_id AND h.id < :before ORDER BY h.id DESC LIMIT :limit
"""
# LEFT JOIN keeps the history in front: whatever the database guesses, it is read backwards from its end.
HISTORY = """
SELECT h.*, j.id AS job FROM job_history h LEFT JOIN jobs j ON j.job_id = h.job_id
WHERE h.id < :before AND j.id IS NOT NULL AND {} ORDER BY h.id DESC LIMIT :limit
"""
# CROSS JOIN keeps the history in front here, too; what happened to a job that is gone has gone with it.
HISTORY_AFTER = """
SELECT h.*, j.id AS job FROM job_history h CROSS JOIN jobs j ON j.job_id = h.job_id
WHERE h.id > :after ORDER BY h.id LIMIT :limit
"""
LAST_EVENT = "SELECT max(id) AS id FROM job_history"
OF_SUCH_JOBS = "EXISTS (SELECT 1 FROM jobs WHERE jobs.job_id = h.job_id AND {})"

_END = 2**63 - 1
_CHUNK = 200


class HistoryViews(Tx):
    """What happened."""

    def history(
        self, ref: Ref | None, chosen: Filter | None, limit: int, before_id: int | None = None
    ) -> list[HistoryEntry]:
        """Lines of history, newest first, of one job or of every job that passes; `before_id` reads on."""
        before = _END if before_id is None else before_id
        if ref is not None:
            job_id = self.job_row(ref)["job_id"]
            return [history_of(row) for row in self.all(HISTORY_OF_JOB, job_id=job_id, before=before, limit=limit)]
        if chosen is None or not chosen.terms:
            statement = HISTORY.format(ANYTHING)
            return [history_of(row) for row in self.all(statement, before=before, limit=limit)]
        return list(islice(self._of_passing(chosen, before), limit))

    def last_event(self) -> int:
        """The number of the last line of history; 0 while there is none."""
        row = self.one(LAST_EVENT)
        return 0 if row is None else int(row["id"] or 0)

    def events_after(self, after: int, chosen: Filter | None, limit: int) -> tuple[list[HistoryEntry], int]:
        """The next lines of history behind one, oldest first, and up to where that was."""
        rows = self.all(HISTORY_AFTER, after=after, limit=limit)
        entries = [history_of(row) for row in rows]
        if chosen is not None and chosen.terms:
            jobs = {row["job_id"]: row for row in rows}
            passing = {
                job_id for job_id in jobs if chosen.matches(job_of(self.one(JOB_BY_UUID, job_id=job_id)), self.now)
            }
            entries = [entry for entry in entries if entry.job_id in passing]
        return entries, rows[-1]["id"] if rows else after

    def _of_passing(self, chosen: Filter, before: int) -> Iterator[HistoryEntry]:
        condition = narrowed(chosen, self.now)
        statement = HISTORY.format(OF_SUCH_JOBS.format(condition.where))
        passes: dict[str, bool] = {}
        while rows := self.all(statement, **condition.values, before=before, limit=_CHUNK):
            for row in rows:
                job_id = row["job_id"]
                if job_id not in passes:
                    passes[job_id] = chosen.matches(job_of(self.one(JOB_BY_UUID, job_id=job_id)), self.now)
                if passes[job_id]:
                    yield history_of(row)
            before = rows[-1]["id"]
