"""Making room in the queue: when a gap runs out, the jobs around it stand further apart, and no others are touched."""

from core.positions import GAP, HIGHEST, LOWEST
from store.rows import Row
from store.tx import Tx

FAR_BEFORE = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority
  AND (position, created_at, id) < (:position, :created_at, :id)
ORDER BY position DESC, created_at DESC, id DESC LIMIT 1 OFFSET :reach
"""
FAR_AFTER = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority
  AND (position, created_at, id) > (:position, :created_at, :id)
ORDER BY position, created_at, id LIMIT 1 OFFSET :reach
"""
BETWEEN = """
SELECT count(*) AS n FROM jobs WHERE status = 'QUEUED' AND priority = :priority
  AND (position, created_at, id) > (:low_position, :low_created_at, :low_id)
  AND (position, created_at, id) < (:high_position, :high_created_at, :high_id)
"""
# The revision stays: that others got new numbers is nothing that happened to any one job.
RENUMBER = """
UPDATE jobs SET position = ordered.place
FROM (SELECT id, :start + row_number() OVER (ORDER BY position, created_at, id) * :step
             + CASE WHEN (position, created_at, id) >= (:position, :created_at, :id) THEN :room ELSE 0 END AS place
      FROM jobs WHERE status = 'QUEUED' AND priority = :priority
        AND (position, created_at, id) > (:low_position, :low_created_at, :low_id)
        AND (position, created_at, id) < (:high_position, :high_created_at, :high_id)) AS ordered
WHERE jobs.id = ordered.id AND jobs.position <> ordered.place
"""

REACH = 256
"""So many neighbours on either side get new numbers; more only where they stand too close for that."""
CLOSEST = GAP // 4
"""A stretch that lies between others is wide enough when its jobs get at least this far from each other."""

_KEY = ("position", "created_at", "id")


class Renumbering(Tx):
    """Spreading the jobs of one priority."""

    def make_room(self, edge: Row, moved: int) -> None:
        """Let so many jobs fit directly in front of this one; the order of all others stays."""
        reach = REACH
        while not self._spread_out(edge, moved, reach):
            reach *= 4

    def _spread_out(self, edge: Row, moved: int, reach: int) -> bool:
        """Spread a stretch around that job, unless it is too narrow."""
        key = {name: edge[name] for name in _KEY}
        low = self.one(FAR_BEFORE, priority=edge["priority"], reach=reach, **key)
        high = self.one(FAR_AFTER, priority=edge["priority"], reach=reach, **key)
        ends = _end("low", low, LOWEST) | _end("high", high, HIGHEST)
        counted = self.one(BETWEEN, priority=edge["priority"], **ends)
        found = _numbers(low, high, 0 if counted is None else counted["n"] + moved)
        if found is None:
            return False
        start, step = found
        self.run(RENUMBER, priority=edge["priority"], start=start, step=step, room=(moved - 1) * step, **key, **ends)
        return True


def _numbers(low: Row | None, high: Row | None, steps: int) -> tuple[int, int] | None:
    """Where the stretch between two jobs starts (None: it has no end there), and how far apart its jobs stand."""
    if low is not None and high is not None:
        step = (high["position"] - low["position"]) // steps
        return (low["position"], step) if step >= CLOSEST else None
    if low is not None:
        return (low["position"], GAP) if low["position"] <= HIGHEST - GAP * steps else None
    if high is not None:
        return (high["position"] - GAP * steps, GAP) if high["position"] >= LOWEST + GAP * steps else None
    return 0, GAP


def _end(name: str, row: Row | None, extreme: int) -> dict[str, int]:
    return {f"{name}_{part}": extreme if row is None else row[part] for part in _KEY}
