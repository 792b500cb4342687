"""Whether every direct job that waits has a reservation that will let it start."""

from collections.abc import Iterator
from typing import Any

from store.doctor.findings import Finding, about

# One that has run before goes on with the queue; one that has not is started by its reservation alone.
STRANDED = """
SELECT j.id, r.status FROM jobs j JOIN direct_reservations r ON r.reservation_id = j.reservation_id
WHERE j.status = 'QUEUED' AND j.reservation_id IS NOT NULL AND j.attempt = 0 AND r.status <> 'ACTIVE' ORDER BY j.id
"""


def reservations(connection: Any) -> Iterator[Finding]:
    """Direct jobs that wait for what is over."""
    for row in connection.execute(STRANDED):
        words = f"waits for a reservation that is {row['status']}, so nothing will ever start it; cancel it"
        yield Finding(about(row["id"]), words)
