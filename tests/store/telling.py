"""What tests ask a store for: a job's row and the lines of its history."""

from typing import Any, NamedTuple

from tests.store.raw import RawStore


class Line(NamedTuple):
    """A line of history as promises name it."""

    event: str
    actor: str
    reason: str | None


def history(raw: RawStore, number: int) -> list[Line]:
    """A job's history, oldest first."""
    rows = raw.run(
        "SELECT h.event, h.actor, h.reason FROM job_history h JOIN jobs j ON j.job_id = h.job_id "
        "WHERE j.id = :id ORDER BY h.id",
        id=number,
    )
    return [Line(*row) for row in rows]


def row_of(raw: RawStore, number: int) -> Any:
    """A job's row as it is stored."""
    return raw.run("SELECT * FROM jobs WHERE id = :id", id=number).fetchone()


def number_of(raw: RawStore, job_id: str) -> int:
    """The number of the job with that UUID."""
    return int(raw.run("SELECT id FROM jobs WHERE job_id = :job_id", job_id=job_id).fetchone()["id"])
