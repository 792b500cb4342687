"""The order of the queue: jobs are moved by id relative to id, into the gaps between positions."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from core.jobs import Job
from core.positions import GAP, HIGHEST, LOWEST
from core.refusals import BadInput, Refused
from core.status import Status
from store.operations.holding import Holding
from store.operations.renumbering import Renumbering
from store.ranks import Ranks
from store.rows import Row
from store.tx import JOB_BY_ID, Ref

BEFORE = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority
  AND (position, created_at, id) < (:position, :created_at, :id)
ORDER BY position DESC, created_at DESC, id DESC LIMIT 1
"""
AFTER = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority
  AND (position, created_at, id) > (:position, :created_at, :id)
ORDER BY position, created_at, id LIMIT 1
"""
FIRST = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority ORDER BY position, created_at, id LIMIT 1
"""
LAST = """
SELECT * FROM jobs WHERE status = 'QUEUED' AND priority = :priority
ORDER BY position DESC, created_at DESC, id DESC LIMIT 1
"""
MOVE = """
UPDATE jobs SET priority = :priority, position = :position, updated_at = :now, updated_by = :actor, event = 'move',
       reason = :reason, revision = revision + 1
WHERE id = :id AND status = 'QUEUED'
"""


class Move(StrEnum):
    """Where a job goes."""

    UP = "up"
    DOWN = "down"
    TOP = "top"
    BOTTOM = "bottom"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of a job among the others."""

    job: int
    priority: int
    behind: int | None
    """The job directly in front of it; None when it is the first of its priority."""


_RELATIVE = (Move.BEFORE, Move.AFTER)
_ENDS = (Move.TOP, Move.BOTTOM)


class Ordering(Holding, Ranks, Renumbering):
    """Moving jobs within the queue."""

    def move(self, ref: Ref, where: Move, other: Ref | None = None) -> Job:
        """Move a job; before or after one of another priority, it takes that priority too."""
        return self.move_many([ref], where, other)[0]

    def move_many(self, refs: Iterable[Ref], where: Move, other: Ref | None = None) -> list[Job]:
        """Move several jobs at once, in the order that they have among themselves."""
        found = {row["id"]: row for row in (self.row_for("move", ref) for ref in refs)}
        anchor = self._anchor(where, other, set(found))
        rows = sorted(found.values(), key=_queue_order)
        if anchor is not None:
            self._beside(rows, anchor, front=where is Move.BEFORE, words=f"{where} job {anchor['id']}")
        else:
            for _, lane in groupby(rows, key=lambda row: int(row["priority"])):
                self._within_priority(list(lane), where)
        self.forget_tails()
        return [self.job(row["id"]) for row in rows]

    def standing(self, ref: Ref) -> Standing:
        """Where a queued job stands now, so that it can be put back there."""
        row = self.row_for("move", ref)
        before = self._next_to(BEFORE, row)
        return Standing(row["id"], row["priority"], None if before is None else before["id"])

    def stand_again(self, standing: Standing) -> Job:
        """Put a job back where it stood, if it and the one it stood behind are still in the queue."""
        row = self.row_for("move", standing.job)
        if row["priority"] != standing.priority:
            self.set_priority(row["id"], standing.priority)
        if standing.behind is None:
            return self.move(row["id"], Move.TOP)
        return self.move(row["id"], Move.AFTER, standing.behind)

    def _anchor(self, where: Move, other: Ref | None, moved: set[int]) -> Row | None:
        if where not in _RELATIVE:
            if other is not None:
                raise BadInput(f"{where} is a place of its own; another job goes with before or after")
            return None
        if other is None:
            raise BadInput(f"{where} needs the job to go {where}")
        row = self.job_row(other)
        if row["id"] in moved:
            raise BadInput(f"job {row['id']} can't go {where} itself; name another job")
        if row["status"] != Status.QUEUED:
            raise Refused(f"job {row['id']} is {row['status']} and not in the queue, so nothing can go {where} it")
        return row

    def _within_priority(self, rows: list[Row], where: Move) -> None:
        """Jobs of one priority to one of its ends, or each run of neighbours one step."""
        if where in _ENDS:
            end = self.one(FIRST if where is Move.TOP else LAST, priority=rows[0]["priority"])
            anchor = self._unmarked(BEFORE if where is Move.BOTTOM else AFTER, end, rows)
            if anchor is not None:
                self._beside(rows, anchor, front=where is Move.TOP, words=where)
            return
        runs = self._runs(rows)
        for run in runs if where is Move.UP else reversed(runs):
            # Read again: a run that moved before may have renumbered this one.
            fresh = [self._row(row["id"]) for row in run]
            passed = self._next_to(BEFORE, fresh[0]) if where is Move.UP else self._next_to(AFTER, fresh[-1])
            # What a run can't pass is another marked one, which stands at the end of the queue itself.
            if passed is not None and passed["id"] not in {row["id"] for row in rows}:
                self._beside(fresh, passed, front=where is Move.UP, words=where)

    def _runs(self, rows: list[Row]) -> list[list[Row]]:
        """Those that stand directly behind one another, together."""
        runs = [[rows[0]]]
        for row in rows[1:]:
            before = self._next_to(BEFORE, row)
            if before is not None and before["id"] == runs[-1][-1]["id"]:
                runs[-1].append(row)
            else:
                runs.append([row])
        return runs

    def _beside(self, rows: list[Row], anchor: Row, *, front: bool, words: str) -> None:
        """Put jobs, in their order, directly in front of or behind another; those that stand there already stay."""
        marked = {row["id"] for row in rows}
        standing: list[int] = []
        beyond = self._next_to(BEFORE if front else AFTER, anchor)
        while beyond is not None and beyond["id"] in marked:
            standing.append(beyond["id"])
            beyond = self._next_to(BEFORE if front else AFTER, beyond)
        low, high = (beyond, anchor) if front else (anchor, beyond)
        order = [row["id"] for row in rows]
        if not standing:
            self._fill(order, low, high, anchor["priority"], words)
            return
        # Queue order makes one stretch of them: what comes from above, what stands there, what comes from below.
        first, last = sorted((order.index(standing[0]), order.index(standing[-1])))
        self._fill(order[:first], low, self._row(order[first]), anchor["priority"], words)
        self._fill(
            order[last + 1 :],
            self._row(order[last]),
            None if high is None else self._row(high["id"]),
            anchor["priority"],
            words,
        )

    def _fill(self, moved: list[int], low: Row | None, high: Row | None, priority: int, words: str) -> None:
        """Spread jobs over the gap between two others, after making it wide enough if it is not."""
        if not moved:
            return
        positions = spread(low, high, len(moved))
        if positions is None:
            self.make_room(high or low, len(moved) if high is not None else 1)
            low, high = (None if row is None else self._row(row["id"]) for row in (low, high))
            positions = spread(low, high, len(moved))
        for number, position in zip(moved, positions or (), strict=True):
            self.run(MOVE, id=number, priority=priority, position=position, reason=words)

    def _unmarked(self, statement: str, row: Row | None, rows: list[Row]) -> Row | None:
        """From that job on, the first that is none of these."""
        marked = {each["id"] for each in rows}
        while row is not None and row["id"] in marked:
            row = self._next_to(statement, row)
        return row

    def _next_to(self, statement: str, row: Row) -> Row | None:
        return self.one(statement, priority=row["priority"], **_key(row))

    def _row(self, number: int) -> Row:
        row = self.one(JOB_BY_ID, id=number)
        if row is None:
            raise Refused(f"job {number} is gone")
        return row


def spread(low: Row | None, high: Row | None, count: int) -> list[int] | None:
    """Positions for so many jobs between two others (None: an open end), None when they don't fit."""
    if low is not None and high is not None:
        step = (high["position"] - low["position"]) // (count + 1)
        start = low["position"]
    else:
        step = GAP
        start = 0 if high is None else high["position"] - GAP * (count + 1)
        start = start if low is None else low["position"]
    fits = step > 0 and start + step >= LOWEST and start + step * count <= HIGHEST
    return [start + step * (place + 1) for place in range(count)] if fits else None


def _key(row: Row) -> dict[str, int]:
    """What a job is ordered by within its priority."""
    return {name: row[name] for name in ("position", "created_at", "id")}


def _queue_order(row: Row) -> tuple[int, int, int, int]:
    return (-row["priority"], row["position"], row["created_at"], row["id"])
