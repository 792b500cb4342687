"""Whether retries form chains: forward only, each behind a finished job of the same type and key."""

from collections.abc import Iterator
from typing import Any

from core.status import FINAL
from store.doctor.findings import Finding, about
from store.rows import Row

LINKS = """
SELECT j.id, p.id AS earlier, p.status AS earlier_status, p.retry_count AS earlier_retries,
       j.job_type = p.job_type AND j.job_key = p.job_key AS same_key,
       j.retry_count - (SELECT count(*) FROM job_history h WHERE h.job_id = j.job_id AND h.new_status = 'RETRYING'
                        AND h.previous_status IS NOT 'RETRYING') AS inherited
FROM jobs j JOIN jobs p ON p.job_id = j.retry_of WHERE j.retry_of IS NOT NULL
"""


def links(connection: Any) -> Iterator[Finding]:
    """Links that are not what a retry makes."""
    for row in connection.execute(LINKS):
        yield from (Finding(about(row["id"]), f"is a retry of job {row['earlier']}, {words}") for words in _link(row))


def _link(row: Row) -> Iterator[str]:
    # Numbers only grow, so a chain in which each retry has a greater number than what it retries has no circle.
    if row["earlier"] >= row["id"]:
        yield "which is younger: the chain runs backwards or in a circle"
    if row["earlier_status"] not in FINAL:
        yield f"which is {row['earlier_status']} and not ended"
    if not row["same_key"]:
        yield "which has another type or key"
    # By hand it starts a fresh budget, by recovery it goes on where the one before stood.
    if row["inherited"] not in {0, row["earlier_retries"] + 1}:
        yield f"and began with {row['inherited']} retries used, which is neither none nor one more than that had"
