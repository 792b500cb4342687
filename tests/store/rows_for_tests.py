"""Rows put straight into a store: many at once, or in a state that no operation would make."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from core.ids import uuid7
from core.positions import GAP
from store.rows import dump, to_us, to_us_or_none
from tests.conftest import START

INSERT = """
INSERT INTO jobs (job_id, job_type, job_key, status, priority, position, held, ready, concurrency_key,
                  scheduled_run_time, created_at, created_by, queued_at, updated_at, updated_by, event, tags, command,
                  params, approval, max_retries)
VALUES (:job_id, :job_type, :job_key, :status, :priority, :position, :held, :ready, :concurrency_key,
        :scheduled_run_time, :created_at, 'tester', :queued_at, :created_at, 'tester', 'submit', :tags, :command,
        :params, :approval, :max_retries)
"""


@dataclass(frozen=True)
class Row:
    """A job that waits, as one row."""

    job_type: str = "command"
    job_key: str | None = None
    draft: bool = False
    priority: int = 0
    position: int = GAP
    held: bool = False
    at: datetime | None = None
    created_at: datetime = START
    concurrency_key: str = ""
    tags: dict[str, str] = field(default_factory=dict)
    argv: tuple[str, ...] = ("true",)
    approval: dict[str, object] | None = None
    max_retries: int = 3

    def values(self) -> dict[str, object]:
        """The row's values by name."""
        created = to_us(self.created_at)
        job_id = uuid7(created // 1000)
        return {
            "job_id": job_id,
            "job_type": self.job_type,
            "job_key": self.job_key or job_id,
            "status": "CREATED" if self.draft else "QUEUED",
            "priority": self.priority,
            "position": self.position,
            "held": int(self.held),
            "ready": int(self.at is None),
            "concurrency_key": self.concurrency_key,
            "scheduled_run_time": to_us_or_none(self.at),
            "created_at": created,
            "queued_at": None if self.draft else created,
            "tags": dump(self.tags),
            "command": dump({"argv": self.argv}),
            "params": "{}",
            "approval": None if self.approval is None else dump(self.approval),
            "max_retries": self.max_retries,
        }


def insert(connection: Any, row: Row) -> int:
    """Put one job in and give its number."""
    return int(connection.execute(INSERT, row.values()).lastrowid)


def insert_all(connection: Any, rows: Iterator[Row] | list[Row]) -> None:
    """Put many jobs in, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(INSERT, (row.values() for row in rows))
    connection.execute("COMMIT")


def queue_of(count: int) -> Iterator[Row]:
    """A queue of that length: of each three jobs one is held, one waits for its time and one is ready."""
    later = START + timedelta(days=365)
    for number in range(count):
        yield Row(
            job_key=f"key-{number}",
            position=GAP * (number + 1),
            held=number % 3 == 0,
            at=later + timedelta(seconds=number) if number % 3 == 1 else None,
            created_at=START + timedelta(milliseconds=number),
        )
