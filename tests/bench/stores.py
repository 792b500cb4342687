"""Stores of a given size, filled fast: the triggers are taken off, what they would have written is written at once."""

from pathlib import Path

from store import sqlite
from store.buckets import BUCKET
from store.store import Store
from store.triggers import all_triggers
from tests.store.rows_for_tests import insert_all, queue_of

HISTORY = """
INSERT INTO job_history (job_id, new_status, event, actor, created_at)
SELECT job_id, status, event, updated_by, created_at FROM jobs ORDER BY id
"""
COUNTS = "UPDATE job_counts SET n = (SELECT count(*) FROM jobs WHERE jobs.status = job_counts.status)"
BUCKETS = """
INSERT INTO queue_buckets (priority, bucket, n)
SELECT priority, position / :width, count(*) FROM jobs WHERE status = 'QUEUED' GROUP BY 1, 2
"""


def build(path: Path, count: int) -> Path:
    """A store with that many queued jobs: a third held, a third in the future, the rest ready."""
    Store(path).close()
    connection = sqlite.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -200000")
    for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f'DROP TRIGGER "{row["name"]}"')
    insert_all(connection, queue_of(count))
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(HISTORY)
    connection.execute(COUNTS)
    connection.execute(BUCKETS, {"width": BUCKET})
    for statement in all_triggers():
        connection.execute(statement)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path
