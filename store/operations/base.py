"""What every operation stands on: a transaction that writes, the gate key, and the queue's tail."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from core.positions import after_last
from core.refusals import Refused
from core.status import Status
from core.verbs import refusal
from store.rows import Row
from store.sqlite import driver
from store.tx import Ref, Tx

LAST_POSITION = """
SELECT position FROM jobs WHERE status = 'QUEUED' AND priority = :priority ORDER BY position DESC LIMIT 1
"""
REQUEUE = """
UPDATE jobs SET status = 'QUEUED', position = :position, ready = 1, next_retry_at = NULL, error_message = NULL,
       error_type = NULL, updated_at = :now, updated_by = :actor, event = 'retry', reason = :reason,
       revision = revision + 1
WHERE id = :id AND status = 'RETRYING'
"""


class Operation(Tx):
    """A transaction that writes. It holds the database's only write lock, so what it has read stays true."""

    def __init__(self, connection: Any, now: datetime, actor: str, key: Callable[[], bytes]) -> None:
        super().__init__(connection, now, actor)
        self.key = key
        self._tails: dict[int, int] = {}

    @contextmanager
    def by_itself(self) -> Iterator[None]:
        """A part of the transaction that may fail without taking the rest with it."""
        self.connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException as error:
            # A full disk has rolled the whole transaction back, and the savepoint with it.
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO part")
                self.connection.execute("RELEASE part")
                self.forget_tails()
                if isinstance(error, driver.IntegrityError):
                    raise Refused(f"the database refused that: {error}") from error
            raise
        self.connection.execute("RELEASE part")

    def next_position(self, priority: int) -> int:
        """The place behind the last queued job of that priority; asked again, the place behind that."""
        if priority not in self._tails:
            row = self.one(LAST_POSITION, priority=priority)
            self._tails[priority] = after_last(None if row is None else row["position"])
        else:
            self._tails[priority] = after_last(self._tails[priority])
        return self._tails[priority]

    def forget_tails(self) -> None:
        """Positions were changed by other means, so the next one has to be looked up."""
        self._tails.clear()

    def row_for(self, verb: str, ref: Ref) -> Row:
        """The job's row, if an operator may do that to it now; otherwise the sentence that says why not."""
        row = self.job_row(ref)
        sentence = refusal(verb, Status(row["status"]), str(row["id"]))
        if sentence is not None:
            raise Refused(sentence)
        return row

    def requeue(self, row: Row, reason: str | None) -> None:
        """Put a RETRYING job back into the queue, at the tail of its priority."""
        self.run(REQUEUE, id=row["id"], position=self.next_position(row["priority"]), reason=reason)
