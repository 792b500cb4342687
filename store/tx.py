"""One transaction's view of the store: short named statements, and finding a job by the name people gave it."""

from datetime import datetime
from typing import Any

from core.jobs import Job
from core.refusals import BadInput, NoSuchThing
from store.rows import Row, job_of, to_us

JOB_BY_ID = "SELECT * FROM jobs WHERE id = :id"
JOB_BY_UUID = "SELECT * FROM jobs WHERE job_id = :job_id"
JOBS_BY_PREFIX = "SELECT * FROM jobs WHERE job_id >= :low AND job_id < :high ORDER BY job_id LIMIT 2"

Ref = int | str
"""A job as people name it: its number, its UUID, or a unique prefix of that."""


class Tx:
    """A transaction under way; every statement can use `:now` and `:actor`."""

    def __init__(self, connection: Any, now: datetime, actor: str) -> None:
        self.connection = connection
        self.now = now
        self.now_us = to_us(now)
        self.actor = actor
        self._always = {"now": self.now_us, "actor": actor}

    def one(self, statement: str, **values: object) -> Row | None:
        """The first row, or None."""
        cursor = self.connection.execute(statement, {**self._always, **values})
        row = cursor.fetchone()
        # A statement left half read would keep its transaction open.
        cursor.close()
        return row

    def all(self, statement: str, **values: object) -> list[Row]:
        """Every row."""
        rows: list[Row] = self.connection.execute(statement, {**self._always, **values}).fetchall()
        return rows

    def run(self, statement: str, **values: object) -> int:
        """Carry out a change and say how many rows it touched."""
        return int(self.connection.execute(statement, {**self._always, **values}).rowcount)

    def insert(self, statement: str, **values: object) -> int:
        """Add one row and give back its number."""
        return int(self.connection.execute(statement, {**self._always, **values}).lastrowid)

    def job_row(self, ref: Ref) -> Row:
        """The row of the job that a person means."""
        row = None
        text = str(ref).strip()
        if text.isascii() and text.isdigit() and len(text) < 19:
            row = self.one(JOB_BY_ID, id=int(text))
            if row is not None or len(text) < 8:
                return _found(row, text)
        lowered = text.lower()
        if not lowered or len(lowered) > 36 or not set(lowered) <= set("0123456789abcdef-"):
            raise BadInput(f'"{text[:40]}" does not name a job; use its number, its UUID or the first characters of it')
        if len(lowered) == 36:
            return _found(self.one(JOB_BY_UUID, job_id=lowered), text)
        rows = self.all(JOBS_BY_PREFIX, low=lowered, high=lowered + "~")
        if len(rows) > 1:
            raise BadInput(f'"{text}" is the beginning of several jobs; give more characters of it')
        return _found(rows[0] if rows else None, text)

    def job(self, ref: Ref) -> Job:
        """The job that a person means."""
        return job_of(self.job_row(ref))


def _found(row: Row | None, text: str) -> Row:
    if row is None:
        raise NoSuchThing(f"there is no job {text}")
    return row
