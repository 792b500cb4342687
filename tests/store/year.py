"""A store's life for a year, day by day: `python -m tests.store.year [DAYS [JOBS_A_DAY [KEPT_DAYS]]]`."""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from core.classify import ErrorType, Failure
from core.executions import log_name
from core.filters import Filter
from core.jobs import Command, NewJob
from core.limits import Limits
from core.retention import Retention
from store.doctor import examine
from store.retention import prune
from store.store import Store
from store.views import Views
from store.views.pruning import Cursor
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, WORKER, rng

BROKE = Failure("the disk of the other side is full", ErrorType.TERMINAL, exit_code=64)
GRANULARITY = 10


@dataclass(frozen=True)
class Evening:
    """What a store is like at the end of a day."""

    day: int
    jobs: int
    file_bytes: int
    wal_bytes: int
    logs: int
    effort: int
    """Steps of the database's machine, in tens, for what a console and an engine ask all the time."""


class Year:
    """Submits, runs and prunes, with the clock turned by hand."""

    def __init__(self, home: Path, a_day: int, kept: timedelta) -> None:
        self.clock = Clock()
        self.home = home
        self.logs = home / "logs"
        self.logs.mkdir(mode=0o700)
        self.store = Store(home / "jobdeck.db", now=self.clock)
        self.a_day = a_day
        self.retention = Retention(older_than=kept)

    def days(self, how_many: int) -> Iterator[Evening]:
        """Live through so many days."""
        for day in range(how_many):
            self._work_for_a_day(day)
            self.clock.forward(days=1)
            prune(self.store, self.retention, self.logs)
            yield self._evening(day)

    def _work_for_a_day(self, day: int) -> None:
        for start in range(0, self.a_day, 100):
            count = min(100, self.a_day - start)
            with self.store.write("ann") as work:
                for number in range(start, start + count):
                    params = {"day": day, "files": [f"orders-{day}-{number}-{part}.csv" for part in range(8)]}
                    work.submit(NewJob(command=Command(("load", str(number))), job_type="etl", params=params))
            with self.store.write("engine") as work:
                failed = []
                for one in work.claim(WORKER, LEASE, Limits(slots=2 * count)):
                    path = self.logs / log_name(one.job.id, one.attempt, one.exec_id)
                    path.parent.mkdir(exist_ok=True, mode=0o700)
                    path.touch(mode=0o600)
                    work.start(one.exec_id, WORKER, pid=4711, log_path=str(path))
                    if one.job.id % 10:
                        work.finish(one.exec_id, WORKER, 0, {"rows": one.job.id})
                    else:
                        work.fail(one.exec_id, WORKER, BROKE, rng())
                        failed.append(one.job.id)
                # Every other failure is run again, by a link that is run with the next hundred.
                for ref in failed[::2]:
                    work.retry(ref)
            self.clock.forward(minutes=10)

    def _evening(self, day: int) -> Evening:
        # What the file needs by itself: how far a log has grown says nothing about that.
        self.store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        wal = self.store.path.with_name("jobdeck.db-wal")
        with self.store.read() as views:
            jobs = sum(views.counts().values())
        logs = sum(1 for file in self.logs.rglob("*.log"))
        size = self.store.path.stat().st_size
        return Evening(day, jobs, size, wal.stat().st_size, logs, self._effort(_questions))

    def _effort(self, ask: Callable[[Views], None]) -> int:
        taken = 0

        def count() -> int:
            nonlocal taken
            taken += 1
            return 0

        with self.store.read() as views:
            self.store._connection.set_progress_handler(count, GRANULARITY)
            ask(views)
            self.store._connection.set_progress_handler(None, GRANULARITY)
        return taken

    def is_well(self) -> bool:
        """Whether the doctor finds nothing."""
        return examine(self.store.path, self.store.key_path, self.home).healthy


def _questions(views: Views) -> None:
    views.queue_window(0, 50)
    views.list_jobs(Filter(), 50)
    views.history(None, None, 50)
    views.usual_duration("etl")
    views.chains(20)
    views.prunable(Retention(older_than=timedelta(days=3000)), Cursor())


def main(arguments: list[str]) -> int:
    days, a_day, kept = (int(given) for given in (*arguments, *("365", "1000", "30")[len(arguments) :]))
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="jobdeck-year-") as directory:
        home = Path(directory) / "home"
        home.mkdir(mode=0o700)
        year = Year(home, a_day, timedelta(days=kept))
        evenings = []
        for evening in year.days(days):
            evenings.append(evening)
            if evening.day % max(1, days // 12) == 0:
                print(f"{evening}, after {time.monotonic() - begun:.0f} s", flush=True)
        full, last = evenings[min(2 * kept, days) - 1], evenings[-1]
        flat = last.file_bytes <= 1.1 * full.file_bytes and last.effort <= 1.2 * full.effort
        well = year.is_well()
        year.store.close()
        print(f"{'flat' if flat else 'NOT FLAT'}, doctor {'is content' if well else 'FOUND SOMETHING'}: {last}")
        return 0 if flat and well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
