"""The outbox as it is read: what is due, what waits, what could not be delivered, and who listens."""

from collections.abc import Iterable
from datetime import datetime

from core.notifications import Notification
from core.refusals import NoSuchThing
from store.rows import from_us, load, notification_of, to_us
from store.tx import Tx
from store.views.leading import SETTING
from store.views.values import Listener, OutboxCounts

LISTENERS = "listeners"
"""The setting that says who wants to hear what; written by the engine that leads, from its config."""
_ROW = "SELECT n.*, j.id AS job FROM notifications n LEFT JOIN jobs j ON j.job_id = n.job_id"
DUE = f"""
{_ROW} WHERE n.target = :target AND n.next_attempt_at IS NOT NULL AND n.next_attempt_at <= :now
ORDER BY n.next_attempt_at, n.id LIMIT :limit
"""
NEXT = """
SELECT next_attempt_at AS at FROM notifications WHERE target = :target AND next_attempt_at IS NOT NULL
ORDER BY next_attempt_at LIMIT 1
"""
WAITING = f"{_ROW} WHERE n.next_attempt_at IS NOT NULL ORDER BY n.next_attempt_at, n.id LIMIT :limit"
FAILED = f"{_ROW} WHERE n.failed_at IS NOT NULL ORDER BY n.failed_at DESC, n.id DESC LIMIT :limit"
DELIVERED = f"{_ROW} WHERE n.delivered_at IS NOT NULL ORDER BY n.delivered_at DESC, n.id DESC LIMIT :limit"
SAID_SINCE = f"""
{_ROW} WHERE n.delivered_at IS NOT NULL AND n.delivered_at > :since ORDER BY n.delivered_at, n.id LIMIT :limit
"""
ONE = f"{_ROW} WHERE n.id = :id"
COUNT_WAITING = """
SELECT count(*) AS n, count(CASE WHEN attempts > 0 THEN 1 END) AS tried
FROM (SELECT attempts FROM notifications WHERE next_attempt_at IS NOT NULL LIMIT :limit)
"""
COUNT_FAILED = "SELECT count(*) AS n FROM (SELECT 1 FROM notifications WHERE failed_at IS NOT NULL LIMIT :limit)"

MOST = 10_000
"""What is more than these is not counted on."""


class OutboxViews(Tx):
    """What is told to whom."""

    def due_notifications(self, target: str, limit: int) -> list[Notification]:
        """What is to be delivered to that target now, the longest due first."""
        return [notification_of(row) for row in self.all(DUE, target=target, limit=limit)]

    def next_delivery(self, targets: Iterable[str]) -> datetime | None:
        """When something is due next for one of these."""
        rows = [row for target in targets if (row := self.one(NEXT, target=target)) is not None]
        return from_us(min(row["at"] for row in rows)) if rows else None

    def waiting_notifications(self, limit: int) -> list[Notification]:
        """What is still to be delivered, what is due first on top."""
        return [notification_of(row) for row in self.all(WAITING, limit=limit)]

    def failed_notifications(self, limit: int) -> list[Notification]:
        """What was given up, the latest first."""
        return [notification_of(row) for row in self.all(FAILED, limit=limit)]

    def delivered_notifications(self, limit: int) -> list[Notification]:
        """What has arrived, the latest first."""
        return [notification_of(row) for row in self.all(DELIVERED, limit=limit)]

    def said_since(self, since: datetime, limit: int) -> list[Notification]:
        """What counts as told since then, the earliest first."""
        return [notification_of(row) for row in self.all(SAID_SINCE, since=to_us(since), limit=limit)]

    def notification(self, number: int) -> Notification:
        """One of them."""
        row = self.one(ONE, id=number)
        if row is None:
            raise NoSuchThing(f"there is no notification {number}")
        return notification_of(row)

    def outbox_counts(self) -> OutboxCounts:
        """How many wait, have been tried in vain, and were given up."""
        waiting, failed = self.one(COUNT_WAITING, limit=MOST), self.one(COUNT_FAILED, limit=MOST)
        if waiting is None or failed is None:
            return OutboxCounts(0, 0, 0)
        return OutboxCounts(waiting["n"], waiting["tried"], failed["n"])

    def listeners(self) -> list[Listener]:
        """Who is told, as the engine that leads has it from its config."""
        row = self.one(SETTING, name=LISTENERS)
        found = {} if row is None else load(row["value"])
        return [Listener(name, tuple(wish["events"]), wish["off"]) for name, wish in sorted(found.items())]
