"""Recovery after a crash: every job that a dead engine left RUNNING gets the end it is owed, once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random

from core.classify import ErrorType, Failure
from core.executions import ExecStatus
from core.jobs import Execution
from core.notifications import Told
from core.status import Status
from store.operations.claiming import LEASE
from store.operations.finishing import RECOVER
from store.operations.gates import Gates
from store.operations.linking import Linking
from store.operations.reservations import Reservations
from store.operations.running import EXECUTION
from store.operations.settings import Settings
from store.rows import Row, execution_of
from store.views.leading import RECOVERY

LEFT_RUNNING = "SELECT * FROM jobs WHERE status = 'RUNNING' ORDER BY started_at, id"

LIVE_HERE = """
SELECT * FROM executions WHERE status IN ('LEASED', 'IN_PROGRESS', 'COMMITTED') AND handed_over_at IS NULL
"""
# A result that was reported while no engine looked has ended the execution, but not its process.
WILL_GO_ON = """
SELECT e.* FROM jobs j JOIN executions e ON e.exec_id = j.exec_id
WHERE j.status = 'RETRYING' AND e.handed_over_at IS NULL
UNION ALL
SELECT e.* FROM jobs j JOIN executions e ON e.exec_id = j.exec_id
WHERE j.status = 'WAITING_FOR_APPROVAL' AND e.handed_over_at IS NULL
"""
MOST_TOLD = 200
"""Jobs that a report names; of the rest it tells the number."""

CRASH = Failure("Scheduler crash recovery", ErrorType.RETRYABLE)
NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Recovered:
    """What recovery did about one job."""

    job: int
    did: str


class Recovery(Gates, Linking, Reservations, Settings):
    """What a new engine does before anything else."""

    def recover(self, dead: Callable[[str], bool], rng: Random) -> list[Recovered]:
        """Settle what dead owners left behind; a second recovery finds nothing to do."""
        # Thousands of jobs have few owners, and each is asked after once.
        known_dead = cache(dead)
        done = [
            Recovered(row["id"], did)
            for row in self.all(LEFT_RUNNING)
            if (did := self._settle(row, known_dead, rng)) is not None
        ]
        self.expire_reservations(dead)
        if done:
            self._report(done)
        return done

    def left_behind(self, dead: Callable[[str], bool]) -> list[Execution]:
        """The executions of dead engines whose processes must have ended before their jobs go on."""
        left = [execution_of(row) for row in (*self.all(LIVE_HERE), *self.all(WILL_GO_ON))]
        known_dead = cache(dead)
        return [execution for execution in left if known_dead(execution.lease_owner)]

    def _report(self, done: list[Recovered]) -> None:
        told = [[one.job, one.did] for one in done[:MOST_TOLD]]
        self.set_setting(RECOVERY, {"at": self.now_us, "did": told, "more": len(done) - len(told)})
        first = f"job {done[0].job}: {done[0].did}"
        others = "" if len(done) == 1 else f"; and {len(done) - 1:,} more"
        facts = {"jobs": [{"job": job, "did": did} for job, did in told], "more": len(done) - len(told)}
        self.announce(Told.RECOVERY_ACTED, f"after a crash, {first}{others}", facts)

    def _settle(self, row: Row, dead: Callable[[str], bool], rng: Random) -> str | None:
        execution = self.one(EXECUTION, exec_id=row["exec_id"])
        if execution is None:
            # Only a damaged file comes to this; the run is recorded as lost so that its job can go on.
            self._record_lost_run(row)
            execution = self.execution(row["exec_id"])
        status = ExecStatus(execution["status"])
        if not status.live:
            return self._catch_up(execution, status, rng)
        if execution["handed_over_at"] is not None:
            # It goes on elsewhere, whoever started it; only its own time or a report ends it.
            return None
        if execution["lease_owner"] != NOBODY and not dead(execution["lease_owner"]):
            return None
        if status is ExecStatus.COMMITTED:
            self.conclude(execution, None, None)
            return "it had committed, so it was finished"
        if execution["cancel_requested_at"] is not None:
            self.end(execution, CRASH, rng)
            return "it was asked to stop, so it was cancelled"
        if self.at_gate(execution):
            self.park_row(execution)
            return "it stood at a gate, so it was parked there"
        self.abort(execution, CRASH)
        self.fail_job(row["job_id"], CRASH, RECOVER, CRASH.message)
        return self._run_again(row)

    def _run_again(self, row: Row) -> str:
        # Nothing else about it has changed, so it need not be read again.
        failed = {**dict(row), "status": Status.FAILED}
        link = self.link_automatically(failed, "its engine crashed")
        if link is None:
            self.announce_failure(row["job_id"], f"{CRASH.message}, and no retry is left")
            return "its run was lost and it failed; no retry is left for it"
        return f"its run was lost; job {link} runs it again"

    def _catch_up(self, execution: Row, status: ExecStatus, rng: Random) -> str:
        """The execution has ended and its job was not told: only a damaged file comes to this."""
        if status is ExecStatus.DONE:
            self.conclude(execution, None, None)
        elif status is ExecStatus.PARKED:
            self.park_row(execution)
        else:
            self.end(execution, Failure(execution["error"] or CRASH.message, ErrorType.RETRYABLE), rng)
        return f"its execution had ended as {status}, so it became {Status(self.job_row(execution['job'])['status'])}"

    def _record_lost_run(self, row: Row) -> None:
        self.run(
            LEASE,
            exec_id=row["exec_id"],
            job_id=row["job_id"],
            attempt=row["attempt"],
            owner=NOBODY,
            until=self.now_us,
            params=row["params"],
        )
