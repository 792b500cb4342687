"""What other people and the engine do to a store while someone sits in front of the console."""

from datetime import timedelta
from pathlib import Path
from random import Random

from core.filters import Filter
from core.gates import token
from core.jobs import Claim, Command, HistoryEntry, Job, NewJob
from core.limits import Limits
from core.refusals import JobdeckError
from core.status import Status
from store.store import Store
from store.views import Views
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, WORKER

ONE = NewJob(job_key="nightly", command=Command(("make", "all")), params={"n": 3})


class Strangers:
    """Bob, carl and the engine, on a connection of their own."""

    def __init__(self, store: Store, clock: Clock, logs: Path) -> None:
        self._store = store
        self._clock = clock
        self._logs = logs
        self._seen_until = 0

    def submit(self, new: NewJob | None = None) -> int:
        """Carl submits a job."""
        with self._store.write("carl") as work:
            return work.submit(new or NewJob(command=Command(("make", "all")))).id

    def ask(
        self, message: str, *, name: str = "deploy", log: bytes = b"", new: NewJob | None = None,
        expires: timedelta | None = None,
    ) -> int:  # fmt: skip
        """A job starts and stops at a gate."""
        free = ONE if self._is_free("nightly") else NewJob(command=Command(("make", "all")))
        job = self.submit(new or free)
        self.park(message, name=name, log=log, expires=expires, job=job)
        return job

    def ask_again(
        self,
        job: int,
        message: str,
        *,
        name: str = "again",
        expires: timedelta | None = None,
        checkpoint: object = None,
    ) -> None:
        """A job that was approved goes on and stops at another gate."""
        self.park(message, name=name, expires=expires, checkpoint=checkpoint, job=job)

    def park(
        self, message: str, *, name: str, log: bytes = b"", expires: timedelta | None = None,
        checkpoint: object = None, job: int | None = None,
    ) -> None:  # fmt: skip
        """A job starts, or goes on, and stops at a gate."""
        with self._store.write("engine") as work:
            claims = work.claim(WORKER, LEASE, Limits(slots=1_000))
            for claim in claims:
                work.start(claim.exec_id, WORKER, log_path=self._log(claim, log) if log else None)
                if job is None or claim.job.id == job:
                    if checkpoint is not None:
                        work.checkpoint(claim.exec_id, WORKER, checkpoint)
                    until = None if expires is None else self._clock() + expires
                    work.request_gate(claim.exec_id, WORKER, name, message, expires_at=until)
                    work.park(claim.exec_id, WORKER)

    def answer(self, job: int, *, grant: bool, comment: str | None = None) -> None:
        """Bob answers a gate."""
        with self._store.read() as views:
            gate = views.whole_job(job).approvals[-1]
        with self._store.write("bob") as work:
            presented = token(work.key(), gate.approval_id)
            if grant:
                work.approve(job, presented, comment)
            else:
                work.deny(job, presented, comment or "no")

    def happen(self, what: str, job: int) -> None:
        """Something becomes of a job at its gate."""
        if what in ("approved", "denied"):
            self.answer(job, grant=what == "approved")
        elif what == "asked_again":
            self.answer(job, grant=True)
            self.ask_again(job, "Something else?")
        elif what == "cancelled":
            with self._store.write("bob") as work:
                work.cancel(job)
        else:
            self._clock.forward(hours=2)
            with self._store.write("engine") as work:
                work.expire_gates()

    def start_some(self) -> None:
        """The engine starts whatever it can, after someone has submitted two more."""
        self.submit()
        self.submit()
        with self._store.write("engine") as work:
            for claim in work.claim(WORKER, LEASE, Limits(slots=4)):
                work.start(claim.exec_id, WORKER)

    def anything(self, luck: Random) -> None:
        """One thing that others might do, to any job; what the rules refuse is not done."""
        jobs = self._jobs()
        waiting = [job.id for job in jobs if job.status is Status.WAITING_FOR_APPROVAL]
        queued = [job.id for job in jobs if job.status is Status.QUEUED]
        deeds = ["submitted", "asked", *(["approved", "denied", "cancelled", "asked_again"] if waiting else [])]
        what = luck.choice([*deeds, *(["moved", "held", "dropped", "started"] if queued else [])])
        try:
            if what == "submitted":
                self.submit()
            elif what == "asked":
                self.ask("Another one?", name=luck.choice(["deploy", "lock"]), expires=timedelta(hours=1))
            elif what in ("moved", "held", "dropped", "started"):
                self._to_queued(what, luck.choice(queued))
            else:
                self.happen(what, luck.choice(waiting))
        except JobdeckError:
            pass

    def decisions(self) -> dict[str, tuple[str, str] | None]:
        """How every gate was answered and by whom."""
        with self._store.read() as views:
            gates = [gate for number in _ids(views) for gate in views.whole_job(number).approvals]
        return {
            gate.approval_id: None if gate.decision is None else (str(gate.decision), str(gate.decided_by))
            for gate in gates
        }

    def touched_by(self, who: str) -> set[int]:
        """The jobs that someone has done something to since it was last forgotten."""
        return {entry.job for entry in self._history() if entry.actor == who and entry.id > self._seen_until}

    def forget(self) -> None:
        """Look only at what happens from now on."""
        self._seen_until = max(entry.id for entry in self._history())

    def lose_logs(self) -> None:
        """Someone tidies up where the logs are."""
        for path in self._logs.glob("*.log"):
            path.unlink()

    def _to_queued(self, what: str, job: int) -> None:
        with self._store.write("bob") as work:
            if what == "moved":
                work.set_priority(job, work.job(job).priority + 1)
            elif what == "held":
                work.hold(job)
            elif what == "dropped":
                work.cancel(job)
            else:
                work.claim(WORKER, LEASE, Limits(slots=1_000))

    def _log(self, claim: Claim, log: bytes) -> str:
        path = self._logs / f"{claim.job.id}-{claim.attempt}.log"
        path.write_bytes(log)
        return str(path)

    def _is_free(self, key: str) -> bool:
        return all(job.job_key != key or job.status.final for job in self._jobs())

    def _jobs(self) -> list[Job]:
        with self._store.read() as views:
            return [views.job(number) for number in _ids(views)]

    def _history(self) -> list[HistoryEntry]:
        with self._store.read() as views:
            return list(views.history(None, Filter(), 10_000))


def _ids(views: Views) -> range:
    return range(1, 1 + sum(views.counts().values()))
