"""Claiming: which jobs start now, each with its execution; and what time brings to the queue."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta

from core.classify import ErrorType, Failure
from core.gates import BEFORE_RUN
from core.ids import uuid7
from core.jobs import Claim
from core.limits import Lane, Limits, Room
from store.operations.gates import GRANTED, Gates
from store.rows import Row, from_us, gate_of, job_of, to_us
from store.views.flow import RUNNING_LANES, UsageViews

# The constants of a partial index stand in the text of its queries: with bound values SQLite could not use it.
PAUSED = "SELECT 1 FROM settings WHERE name = 'paused' AND value <> 'null'"
RESERVED = "SELECT reservation_id FROM direct_reservations WHERE status = 'ACTIVE' AND expires_at > :now"
TO_RESUME = """
SELECT a.approval_id, a.name, j.id, j.job_type, j.concurrency_key FROM approvals a JOIN jobs j ON j.job_id = a.job_id
WHERE a.decision = 'APPROVED' AND a.consumed_at IS NULL AND j.status = 'WAITING_FOR_APPROVAL'
ORDER BY a.decided_at, a.id LIMIT :limit
"""
# Named, because some SQLites would take the whole queue's index here and walk past a million held jobs.
READY = """
SELECT id, job_type, concurrency_key FROM jobs INDEXED BY jobs_ready
WHERE status = 'QUEUED' AND held = 0 AND ready = 1 AND (reservation_id IS NULL OR attempt > 0)
ORDER BY priority DESC, position, created_at, id LIMIT :limit
"""
NEXT_LANE = """
SELECT job_type, concurrency_key FROM jobs
WHERE status = 'QUEUED' AND held = 0 AND ready = 1 AND (reservation_id IS NULL OR attempt > 0)
  AND (job_type, concurrency_key) > (:job_type, :concurrency_key)
ORDER BY job_type, concurrency_key LIMIT 1
"""
NEXT_TYPE = """
SELECT job_type, concurrency_key FROM jobs
WHERE status = 'QUEUED' AND held = 0 AND ready = 1 AND (reservation_id IS NULL OR attempt > 0) AND job_type > :job_type
ORDER BY job_type, concurrency_key LIMIT 1
"""
HEAD_OF_LANE = """
SELECT id, job_type, concurrency_key, priority, position, created_at FROM jobs
WHERE status = 'QUEUED' AND held = 0 AND ready = 1 AND (reservation_id IS NULL OR attempt > 0)
  AND job_type = :job_type AND concurrency_key = :concurrency_key
ORDER BY priority DESC, position, created_at, id LIMIT :limit
"""
DIRECT = """
SELECT id, job_type, concurrency_key FROM jobs
WHERE status = 'QUEUED' AND reservation_id IS NOT NULL AND reservation_id = :reservation_id AND held = 0 AND ready = 1
  AND attempt = 0
"""
RELEASE_TAKEN = """
UPDATE direct_reservations SET status = 'RELEASED', ended_at = :now
WHERE reservation_id = :reservation_id AND status = 'ACTIVE'
"""
CLAIM = """
UPDATE jobs SET status = 'RUNNING', exec_id = :exec_id, attempt = attempt + 1,
       started_at = coalesce(started_at, :now), updated_at = :now, updated_by = :actor, event = 'claim', reason = NULL,
       revision = revision + 1
WHERE id = :id AND status = 'QUEUED' AND held = 0 AND ready = 1 AND (deadline_at IS NULL OR deadline_at > :now)
RETURNING *
"""
RESUME = """
UPDATE jobs SET status = 'RUNNING', exec_id = :exec_id, approval_token = NULL, updated_at = :now, updated_by = :actor,
       event = 'resume', reason = :reason, revision = revision + 1
WHERE id = :id AND status = 'WAITING_FOR_APPROVAL'
RETURNING *
"""
LEASE = """
INSERT INTO executions (exec_id, job_id, attempt, status, lease_owner, lease_expires_at, leased_at, params_snapshot)
VALUES (:exec_id, :job_id, :attempt, 'LEASED', :owner, :until, :now, :params)
"""
CONSUME = "UPDATE approvals SET consumed_at = :now WHERE approval_id = :approval_id AND consumed_at IS NULL"
WAKE = """
UPDATE jobs SET ready = 1, updated_at = :now
WHERE id IN (SELECT id FROM jobs WHERE status = 'QUEUED' AND ready = 0 AND scheduled_run_time <= :now
             ORDER BY scheduled_run_time LIMIT :limit)
"""
ANY_RETRYING = "SELECT 1 FROM jobs WHERE status = 'RETRYING' LIMIT 1"
RETRIES_DUE = """
SELECT * FROM jobs WHERE status = 'RETRYING' AND next_retry_at <= :now ORDER BY next_retry_at LIMIT :limit
"""
TOO_LATE = """
SELECT id, job_id, deadline_at FROM jobs
WHERE status = 'QUEUED' AND deadline_at IS NOT NULL AND deadline_at <= :now ORDER BY deadline_at LIMIT :limit
"""
# Each is the first entry of its index.
NEXT_DUE = """
SELECT (SELECT min(scheduled_run_time) FROM jobs WHERE status = 'QUEUED' AND ready = 0),
       (SELECT min(deadline_at) FROM jobs WHERE status = 'QUEUED' AND deadline_at IS NOT NULL),
       (SELECT min(next_retry_at) FROM jobs WHERE status = 'RETRYING'),
       (SELECT min(next_trigger_at) FROM schedules WHERE enabled = 1),
       (SELECT min(expires_at) FROM approvals WHERE decision IS NULL AND expires_at IS NOT NULL),
       (SELECT min(expires_at) FROM direct_reservations WHERE status = 'ACTIVE'),
       (SELECT min(lease_expires_at) FROM executions WHERE status IN ('LEASED', 'IN_PROGRESS', 'COMMITTED'))
"""
HOT = (PAUSED, RESERVED, RUNNING_LANES, TO_RESUME, READY, NEXT_LANE, NEXT_TYPE, HEAD_OF_LANE, DIRECT, CLAIM, RESUME,
       WAKE, RETRIES_DUE, TOO_LATE, NEXT_DUE)  # fmt: skip
"""What runs at every wake-up of an engine, whatever the size of the store."""

LOOK_AHEAD = 200
"""So many jobs beyond the free slots are looked at in plain queue order before lanes are compared."""
MOST_GATES = 100
"""Gates asked for in one claim, so that a long row of gated jobs does not make one long transaction."""


class Claiming(Gates, UsageViews):
    """Claims, and the jobs that time makes ready, requeues or fails."""

    stopped_short = False
    """Whether the last claim has left what another one may take: behind a direct job, or behind very many gates."""
    _parked = 0
    """How many jobs the last claim has asked about."""

    def claim(
        self, owner: str, lease: timedelta, limits: Limits, apart_from: Collection[tuple[str, str]] = ()
    ) -> list[Claim]:
        """Fill the free slots: what was approved first, then the queue in its order, past whatever a limit blocks.

        Jobs that are named, by type and key, are passed over: something of an earlier run of theirs is still alive.
        """
        self.stopped_short = False
        self._parked = 0
        if self.one(PAUSED) is not None:
            return []
        room = Room(limits, self.usage())
        if not room.slots_left:
            return []
        self._apart_from = apart_from
        until = to_us(self.now + lease)
        reserved = self.one(RESERVED)
        if reserved is not None:
            return self._claim_direct(reserved["reservation_id"], room, owner, until)
        claims = list(self._resume(room, owner, until))
        # Mostly the very first jobs fit; those behind them are read only where they don't.
        for ahead in (0, LOOK_AHEAD):
            wanted = room.slots_left + ahead
            page = self.all(READY, limit=wanted)
            claims += self._claim_in_order(page, room, owner, until)
            if not room.slots_left or self.stopped_short or len(page) < wanted:
                return claims
        claims += self._claim_in_order(self._past_the_blocked(room), room, owner, until)
        return claims

    def next_due(self) -> datetime | None:
        """When the clock next has something to do to a job, a schedule, a gate, a lease or a reservation."""
        row = self.one(NEXT_DUE)
        due = [] if row is None else [at for at in tuple(row) if at is not None]
        return from_us(min(due)) if due else None

    def waits_for_retry(self) -> bool:
        """Whether a job waits for its next attempt."""
        return self.one(ANY_RETRYING) is not None

    def wake_due(self, limit: int = 1000) -> int:
        """Make the jobs ready whose time has come, and say how many."""
        return self.run(WAKE, limit=limit)

    def requeue_due(self, limit: int = 1000) -> int:
        """Put the jobs whose backoff has elapsed back into the queue, and say how many."""
        due = self.all(RETRIES_DUE, limit=limit)
        for row in due:
            self.requeue(row, "its backoff elapsed")
        return len(due)

    def expire_deadlines(self, limit: int = 1000) -> list[int]:
        """Fail the jobs that were to start by now and have not."""
        late = self.all(TOO_LATE, limit=limit)
        for row in late:
            words = f"it was to start before {from_us(row['deadline_at']):%Y-%m-%d %H:%M:%S} UTC"
            self.fail_job(row["job_id"], Failure(words, ErrorType.TERMINAL), "expire", words)
        return [int(row["id"]) for row in late]

    def _claim_direct(self, reservation_id: str, room: Room, owner: str, until: int) -> list[Claim]:
        """The job that a reservation was made for; once it is taken the queue goes on as before."""
        direct = self.all(DIRECT, reservation_id=reservation_id)
        claims = list(self._claim_in_order(direct, room, owner, until))
        if len(self.all(DIRECT, reservation_id=reservation_id)) < len(direct):
            self.run(RELEASE_TAKEN, reservation_id=reservation_id)
            self.stopped_short = True
        return claims

    def _resume(self, room: Room, owner: str, until: int) -> Iterator[Claim]:
        for gate in self.all(TO_RESUME, limit=room.slots_left + LOOK_AHEAD):
            lane = _lane(gate)
            if not room.fits(lane) or self._still_alive(gate["id"]):
                continue
            exec_id = self._new_exec_id()
            row = self.one(RESUME, id=gate["id"], exec_id=exec_id, reason=f'gate "{gate["name"]}" was approved')
            if row is None:
                continue
            room.take(lane)
            self._lease(row, owner, until)
            self.run(CONSUME, approval_id=gate["approval_id"])
            yield Claim(job_of(row), exec_id, row["attempt"], from_us(until), gate["name"])

    def _claim_in_order(self, candidates: Iterable[Row], room: Room, owner: str, until: int) -> Iterator[Claim]:
        for candidate in candidates:
            if not room.slots_left:
                return
            if self._parked == MOST_GATES:
                self.stopped_short = True
                return
            lane = _lane(candidate)
            if not room.fits(lane) or self._still_alive(candidate["id"]):
                continue
            exec_id = self._new_exec_id()
            row = self.one(CLAIM, id=candidate["id"], exec_id=exec_id)
            if row is None:
                continue
            self._lease(row, owner, until)
            if row["approval"] is not None and self._ask_before_run(row):
                self._parked += 1
                continue
            room.take(lane)
            yield Claim(job_of(row), exec_id, row["attempt"], from_us(until), None)

    def _still_alive(self, number: int) -> bool:
        if not self._apart_from:
            return False
        row = self.job_row(number)
        return (row["job_type"], row["job_key"]) in self._apart_from

    def _past_the_blocked(self, room: Room) -> list[Row]:
        """The first jobs of every lane that has room, in queue order.

        Lanes without room are stepped over whole, so a hundred thousand jobs of a type at its limit cost one seek.
        """
        heads: list[Row] = []
        lane = self.one(NEXT_LANE, job_type="", concurrency_key="")
        while lane is not None:
            where = {"job_type": lane["job_type"], "concurrency_key": lane["concurrency_key"]}
            if not room.fits(Lane(lane["job_type"])):
                lane = self.one(NEXT_TYPE, job_type=lane["job_type"])
                continue
            if room.fits(_lane(lane)):
                heads += self.all(HEAD_OF_LANE, limit=room.slots_left, **where)
            lane = self.one(NEXT_LANE, **where)
        return sorted(heads, key=lambda row: (-row["priority"], row["position"], row["created_at"], row["id"]))

    def _lease(self, row: Row, owner: str, until: int) -> None:
        self.run(
            LEASE,
            exec_id=row["exec_id"],
            job_id=row["job_id"],
            attempt=row["attempt"],
            owner=owner,
            until=until,
            params=row["params"],
        )

    def _ask_before_run(self, row: Row) -> bool:
        """Park a job at the gate before its run, unless that was passed in an earlier attempt."""
        gate = gate_of(row["approval"])
        if gate is None or self.one(GRANTED, job_id=row["job_id"], name=BEFORE_RUN) is not None:
            return False
        execution = self.execution(row["exec_id"])
        expires_at = None if gate.expires_after is None else self.now + gate.expires_after
        self.ask(execution, BEFORE_RUN, gate.message, four_eyes=gate.four_eyes, expires_at=expires_at)
        self.park_row(execution)
        return True

    def _new_exec_id(self) -> str:
        return uuid7(self.now_us // 1000)


def _lane(row: Row) -> Lane:
    return Lane(row["job_type"], row["concurrency_key"])
