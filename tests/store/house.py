"""A store with logs, in which jobs have ended."""

from datetime import timedelta

from core.executions import log_name
from core.jobs import NewJob
from core.retention import Retention
from store.doctor import examine
from store.retention import Pruned, prune
from store.store import Store
from tests.conftest import Clock
from tests.store.running_jobs import HOPELESS, TRUE, WORKER, claim, rng, submit

MONTH = Retention(older_than=timedelta(days=30))


class House:
    """A store with logs, and jobs that have ended."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self.clock = clock
        self.logs = store.path.parent / "logs"
        self.logs.mkdir(mode=0o700)

    def failed(self, key: str) -> int:
        """A job that ran, printed something and failed."""
        submit(self.store, NewJob(command=TRUE, job_key=key))
        return self._run(noted=True)

    def again(self, ref: int) -> int:
        """A link behind it, which failed too."""
        with self.store.write("ann") as work:
            work.retry(ref)
        return self._run(noted=False)

    def _run(self, *, noted: bool) -> int:
        """Run the next job; without a note of its log it is as if its engine had died right after the start."""
        (claimed,) = claim(self.store)
        path = self.logs / log_name(claimed.job.id, claimed.attempt, claimed.exec_id)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        path.write_text("boom\n")
        path.chmod(0o600)
        with self.store.write("engine") as work:
            work.start(claimed.exec_id, WORKER, log_path=str(path) if noted else None)
            work.fail(claimed.exec_id, WORKER, HOPELESS, rng())
        return int(claimed.job.id)

    def left(self) -> list[str]:
        """The keys of the jobs that are still there, and how many logs."""
        with self.store.read() as views:
            return [row["job_key"] for row in views.all("SELECT job_key FROM jobs ORDER BY id")]

    def log_files(self) -> int:
        """How many logs are on the disk."""
        return sum(1 for _ in self.logs.rglob("*.log"))

    def prune(self, retention: Retention = MONTH) -> Pruned:
        """One prune to its end."""
        return prune(self.store, retention, self.logs)

    def well(self) -> bool:
        """Whether the doctor finds nothing."""
        report = examine(self.store.path, self.store.key_path, self.store.path.parent)
        assert report.findings == []
        return True
