"""Gates that wait for an answer, and the direct reservation."""

from core.jobs import Approval, Reservation
from store.rows import approval_of, reservation_of
from store.tx import Tx

# A gate asked for in a run that has not stopped yet can't be answered, so it isn't shown.
# A CROSS JOIN keeps the order that is written here: the oldest gates first, each with its job.
OPEN_APPROVALS = """
SELECT a.*, j.id AS job FROM approvals a CROSS JOIN jobs j ON j.job_id = a.job_id
WHERE a.decision IS NULL AND j.status = 'WAITING_FOR_APPROVAL' ORDER BY a.requested_at, a.id LIMIT :limit
"""
APPROVALS_OF_JOB = """
SELECT a.*, j.id AS job FROM approvals a JOIN jobs j ON j.job_id = a.job_id WHERE a.job_id = :job_id ORDER BY a.id
"""
ACTIVE_RESERVATION = "SELECT * FROM direct_reservations WHERE status = 'ACTIVE'"


class GateViews(Tx):
    """What people are asked to decide."""

    def open_approvals(self, limit: int) -> list[Approval]:
        """The gates that wait for an answer, the longest waiting first."""
        return [approval_of(row) for row in self.all(OPEN_APPROVALS, limit=limit)]

    def active_reservation(self) -> Reservation | None:
        """The direct caller who has the next free slot."""
        row = self.one(ACTIVE_RESERVATION)
        return None if row is None else reservation_of(row)
