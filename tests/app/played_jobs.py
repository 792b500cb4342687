"""Jobs that have been through something, for tests of a job's screen."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

from core.classify import ErrorType, Failure
from core.jobs import Claim, Command, Job, NewJob
from core.limits import Limits
from core.status import Status
from store.store import Store
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, WORKER

BROKE = Failure("it broke [/badly]", ErrorType.RETRYABLE, exit_code=3)
HOPELESS = Failure("it can't work", ErrorType.TERMINAL, exit_code=64)


class Playing:
    """Plays engine and operator on a store, at a clock that it turns."""

    def __init__(self, store: Store, clock: Clock, logs: Path) -> None:
        self._store = store
        self._clock = clock
        self._logs = logs

    def submit(self, new: NewJob | None = None) -> int:
        """One job more."""
        with self._store.write("ann") as work:
            return work.submit(new or NewJob(command=Command(("make", "all")))).id

    def start(self, log: bytes | None = b"") -> Claim:
        """The head of the queue starts, and has printed this; None is a log that can't be found."""
        with self._store.write("engine") as work:
            (claim,) = work.claim(WORKER, LEASE, Limits(slots=1_000))
            path = self._logs / f"{claim.job.id}-{claim.attempt}.log"
            if log is not None:
                path.write_bytes(log)
            work.start(claim.exec_id, WORKER, pid=4711, log_path=str(path))
        return claim

    def log_of(self, claim: Claim) -> Path:
        """Where an execution prints."""
        return self._logs / f"{claim.job.id}-{claim.attempt}.log"

    def fail(self, claim: Claim, failure: Failure = BROKE, after: float = 5) -> Status:
        """It fails after so many seconds."""
        self._clock.forward(seconds=after)
        with self._store.write("engine") as work:
            return work.fail(claim.exec_id, WORKER, failure, Random(7))

    def finish(self, claim: Claim, result: object = None, after: float = 5) -> None:
        """It ends well after so many seconds."""
        self._clock.forward(seconds=after)
        with self._store.write("engine") as work:
            work.finish(claim.exec_id, WORKER, 0, result)

    def requeue(self, after: float = 2) -> None:
        """Its backoff elapses."""
        self._clock.forward(seconds=after)
        with self._store.write("engine") as work:
            work.requeue_due()

    def retry(self, job: int, reason: str | None = None) -> int:
        """Someone runs it again."""
        with self._store.write("bob") as work:
            return work.retry(job, reason).job.id

    def failed_twice(self, logs: Sequence[bytes] = (b"first\n", b"second\n")) -> int:
        """A job whose two attempts failed for good."""
        job = self.submit(NewJob(job_key="orders", command=Command(("make", "all")), max_retries=1))
        self._clock.forward(seconds=10)
        self.fail(self.start(logs[0]))
        self.requeue()
        self.fail(self.start(logs[1]), after=20)
        return job

    def job(self, number: int) -> Job:
        """The job as it is stored."""
        with self._store.read() as views:
            return views.job(number)
