"""Numbers for the status line: kept by triggers, or counted only as far as a screen needs."""

from core.status import Status
from store.rows import from_us, load
from store.tx import Tx
from store.views.values import Paused

COUNTS = "SELECT status, n FROM job_counts"
QUEUED_TOTAL = "SELECT n FROM job_counts WHERE status = 'QUEUED'"
HELD = "SELECT count(*) AS n FROM (SELECT 1 FROM jobs WHERE status = 'QUEUED' AND held = 1 LIMIT :most)"
NOT_YET_DUE = "SELECT count(*) AS n FROM (SELECT 1 FROM jobs WHERE status = 'QUEUED' AND ready = 0 LIMIT :most)"
PAUSED = "SELECT value FROM settings WHERE name = 'paused'"

MOST_COUNTED = 10_000
"""Where counting stops, so that a million held jobs cost no more than these."""


class CountViews(Tx):
    """How many, and whether the queue stands still."""

    def counts(self) -> dict[Status, int]:
        """How many jobs are in each state."""
        found = {row["status"]: row["n"] for row in self.all(COUNTS)}
        return {status: found.get(status, 0) for status in Status}

    def held_count(self, most: int = MOST_COUNTED) -> int:
        """How many queued jobs are held; `most` stands for that many or more."""
        return self._count(HELD, most)

    def not_yet_due_count(self, most: int = MOST_COUNTED) -> int:
        """How many queued jobs wait for their time; `most` stands for that many or more."""
        return self._count(NOT_YET_DUE, most)

    def paused(self) -> Paused | None:
        """Who stopped the queue, or None while it flows."""
        row = self.one(PAUSED)
        value = None if row is None else load(row["value"])
        if not value:
            return None
        return Paused(value["by"], from_us(value["at"]), value.get("reason"))

    def _count(self, statement: str, most: int) -> int:
        row = self.one(statement, most=most)
        return 0 if row is None else int(row["n"])
