"""Short words for what these tests do all the time: submit, claim, start."""

from datetime import timedelta
from random import Random

from core.classify import ErrorType, Failure
from core.jobs import Claim, Command, Job, NewJob
from core.limits import Limits
from core.status import Status
from store.store import Store

LEASE = timedelta(seconds=30)
WORKER = "worker-1"
BROKE = Failure("it broke", ErrorType.RETRYABLE, exit_code=1)
HOPELESS = Failure("it can't work", ErrorType.TERMINAL, exit_code=64)
TRUE = Command(("true",))


def rng() -> Random:
    """The same luck every time."""
    return Random(7)


def submit(store: Store, new: NewJob | None = None) -> int:
    """One job more in the queue."""
    with store.write("ann") as work:
        return work.submit(new or NewJob(command=TRUE)).id


def claim(store: Store, owner: str = WORKER, limits: Limits | None = None) -> list[Claim]:
    """What a worker with a free slot gets."""
    with store.write("engine") as work:
        return work.claim(owner, LEASE, limits or Limits(slots=1))


def running(store: Store, new: NewJob | None = None, owner: str = WORKER) -> Claim:
    """A job whose process runs."""
    submit(store, new)
    (claimed,) = claim(store, owner, Limits(slots=1000))
    with store.write("engine") as work:
        work.start(claimed.exec_id, owner, pid=4711, log_path="x.log")
    return claimed


def job(store: Store, ref: int) -> Job:
    """The job as it is stored."""
    with store.read() as views:
        return views.job(ref)


def status(store: Store, ref: int) -> Status:
    """Where it stands."""
    return job(store, ref).status


def events(store: Store, ref: int) -> list[tuple[str, str]]:
    """Its history, oldest first: what happened and who did it."""
    with store.read() as views:
        rows = views.all(
            "SELECT event, actor FROM job_history WHERE job_id = (SELECT job_id FROM jobs WHERE id = :id) ORDER BY id",
            id=ref,
        )
    return [(row["event"], row["actor"]) for row in rows]
