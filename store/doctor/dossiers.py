"""Every job with its executions, gates and history, streamed: memory stays flat whatever the store's size."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from store.rows import Row

JOBS = "SELECT * FROM jobs ORDER BY job_id"
EXECUTIONS = "SELECT * FROM executions ORDER BY job_id, id"
APPROVALS = "SELECT * FROM approvals ORDER BY job_id, id"
HISTORY = "SELECT job_id, previous_status, new_status FROM job_history ORDER BY job_id, id"


@dataclass(frozen=True, slots=True)
class Dossier:
    """A job's rows, each list oldest first."""

    job: Row
    executions: list[Row]
    approvals: list[Row]
    history: list[Row]


def dossiers(connection: Any) -> Iterator[Dossier]:
    """The dossiers of all jobs."""
    executions = _Children(connection, EXECUTIONS)
    approvals = _Children(connection, APPROVALS)
    history = _Children(connection, HISTORY)
    for job in connection.execute(JOBS):
        name = job["job_id"]
        yield Dossier(job, executions.of(name), approvals.of(name), history.of(name))


class _Children:
    """Rows in the order of their jobs, taken as their job comes by."""

    def __init__(self, connection: Any, statement: str) -> None:
        self._rows = iter(connection.execute(statement))
        self._next: Row | None = next(self._rows, None)

    def of(self, job_id: str) -> list[Row]:
        """The rows of that job; asked for in ascending order, those of jobs that don't exist are passed over."""
        found: list[Row] = []
        while self._next is not None and self._next["job_id"] <= job_id:
            if self._next["job_id"] == job_id:
                found.append(self._next)
            self._next = next(self._rows, None)
        return found
