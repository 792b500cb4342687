"""What a move goes past when a filter hides a part of the queue."""

from collections.abc import Collection, Generator
from contextlib import closing
from dataclasses import dataclass

from core.filters import Filter
from core.refusals import Refused
from store.filtering import narrowed
from store.ranks import Ranks
from store.rows import Row, job_of
from store.tx import JOB_BY_ID

AHEAD = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority
  AND (position, created_at, id) < (:position, :created_at, :id) AND {}
ORDER BY position DESC, created_at DESC, id DESC
"""
BEHIND = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority
  AND (position, created_at, id) > (:position, :created_at, :id) AND {}
ORDER BY position, created_at, id
"""


@dataclass(frozen=True, slots=True)
class Passing:
    """What lies between jobs and where they are to go."""

    hidden: int
    """How many jobs that the filter hides they go past."""
    shown: int | None
    """The nearest job that is shown, if one step was asked for."""
    priority: int


class PassingViews(Ranks):
    """Moves, seen through a filter."""

    def passing(self, chosen: Filter, jobs: Collection[int], *, ahead: bool, all_the_way: bool) -> Passing:
        """What these jobs go past on their way ahead or back: by one that is shown, or all the way."""
        rows = [row for job in jobs if (row := self.one(JOB_BY_ID, id=job)) is not None and row["status"] == "QUEUED"]
        if not rows:
            raise Refused("none of these jobs is in the queue any more")
        if len({row["priority"] for row in rows}) > 1:
            raise Refused("the marked jobs have different priorities; with a filter on, move those of one at a time")
        moved = {row["id"] for row in rows}
        edge = (min if ahead else max)(rows, key=lambda row: (row["position"], row["created_at"], row["id"]))
        far = (max if ahead else min)(rows, key=lambda row: (row["position"], row["created_at"], row["id"]))
        if all_the_way:
            others = self._passed(far, ahead=ahead) - (len(moved) - 1)
            visible = sum(1 for row in self._shown(chosen, far, ahead=ahead) if row["id"] not in moved)
            return Passing(others - visible, None, edge["priority"])
        with closing(self._shown(chosen, edge, ahead=ahead)) as shown:
            nearest = next((row for row in shown if row["id"] not in moved), None)
        if nearest is None:
            where = "before" if ahead else "behind"
            raise Refused(f"nothing that is shown stands {where} it in priority {edge['priority']}")
        between = abs(self._passed(edge, ahead=True) - self._passed(nearest, ahead=True)) - 1
        return Passing(between, nearest["id"], edge["priority"])

    def _passed(self, row: Row, *, ahead: bool) -> int:
        rank = self.rank_of(row)
        return 0 if rank is None else rank.ahead if ahead else rank.behind

    def _shown(self, chosen: Filter, row: Row, *, ahead: bool) -> Generator[Row]:
        """The jobs that pass the filter, nearest first."""
        condition = narrowed(chosen, self.now)
        statement = (AHEAD if ahead else BEHIND).format(condition.where)
        key = {name: row[name] for name in ("priority", "position", "created_at", "id")}
        cursor = self.connection.execute(statement, {**self._always, **condition.values, **key})
        # A statement left half read would keep its transaction open.
        with closing(cursor):
            for found in cursor:
                if chosen.matches(job_of(found), self.now):
                    yield found
