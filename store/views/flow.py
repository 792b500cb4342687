"""What decides whether a queued job may start: the engine and its limits, what runs, a pause, a reservation."""

from core.limits import Lane, Usage
from core.waiting import Flow
from store.tx import Tx
from store.views.counting import CountViews
from store.views.gates import GateViews
from store.views.leading import LeaderViews

RUNNING_LANES = """
SELECT j.job_type, j.concurrency_key, e.handed_over_at IS NOT NULL AS elsewhere
FROM jobs j JOIN executions e ON e.exec_id = j.exec_id WHERE j.status = 'RUNNING'
"""


class UsageViews(Tx):
    """What runs now."""

    def usage(self) -> Usage:
        """What runs now, as the limits count it."""
        rows = self.all(RUNNING_LANES)
        return Usage.of(Lane(row["job_type"], row["concurrency_key"], bool(row["elsewhere"])) for row in rows)


class FlowViews(UsageViews, CountViews, GateViews, LeaderViews):
    """What the queue flows through."""

    def flow(self) -> Flow:
        """All that keeps queued jobs from starting, but for their own hold and time."""
        leader = self.leader()
        reservation = self.active_reservation()
        return Flow(
            limits=None if leader is None or leader.until <= self.now else leader.limits,
            usage=self.usage(),
            paused=self.paused() is not None,
            reserved=None if reservation is None or reservation.expires_at <= self.now else reservation.reservation_id,
        )
