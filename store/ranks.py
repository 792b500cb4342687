"""Where a job stands in the queue: how many are before it, counted by stretches and never by walking there."""

from typing import NamedTuple

from store.buckets import BUCKET
from store.rows import Row
from store.tx import Ref, Tx

IN_HIGHER_PRIORITIES = "SELECT coalesce(sum(n), 0) AS n FROM queue_buckets WHERE priority > :priority"
IN_PRIORITY = "SELECT coalesce(sum(n), 0) AS n FROM queue_buckets WHERE priority = :priority"
IN_EARLIER_BUCKETS = """
SELECT coalesce(sum(n), 0) AS n FROM queue_buckets WHERE priority = :priority AND bucket < :bucket
"""
EARLIER_IN_BUCKET = """
SELECT count(*) AS n FROM jobs WHERE status = 'QUEUED' AND priority = :priority AND position >= :low
  AND (position, created_at, id) < (:position, :created_at, :id)
"""


class Rank(NamedTuple):
    """A place in the queue, by how many jobs stand where."""

    before: int
    """In the whole queue."""
    ahead: int
    """Of its own priority."""
    behind: int
    """Of its own priority."""


class Ranks(Tx):
    """Places in the queue."""

    def queue_rank(self, ref: Ref) -> int | None:
        """How many jobs stand before this one, or None when it isn't queued."""
        rank = self.rank_of(self.job_row(ref))
        return None if rank is None else rank.before

    def rank_of(self, row: Row) -> Rank | None:
        """Where the job of that row stands, or None when it isn't queued."""
        if row["status"] != "QUEUED":
            return None
        priority, bucket = row["priority"], row["position"] // BUCKET
        key = {name: row[name] for name in ("position", "created_at", "id")}
        higher = self.number(IN_HIGHER_PRIORITIES, priority=priority)
        earlier = self.number(IN_EARLIER_BUCKETS, priority=priority, bucket=bucket)
        ahead = earlier + self.number(EARLIER_IN_BUCKET, priority=priority, low=first_position(bucket), **key)
        return Rank(higher + ahead, ahead, self.number(IN_PRIORITY, priority=priority) - ahead - 1)

    def number(self, statement: str, **values: object) -> int:
        """What a statement counts."""
        row = self.one(statement, **values)
        return 0 if row is None else int(row["n"])


def first_position(bucket: int) -> int:
    """The first place of a stretch; the lowest one begins below what 64 bits can hold."""
    return max(bucket * BUCKET, -(2**63))
