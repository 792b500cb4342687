"""Run by the interpreter that has the peers: `python_peers.py NAME STORE JOBS SLOTS` prints the seconds it took."""

import subprocess
import sys
import threading
import time

TRUE = ["/bin/true"]


class Counter:
    """Counts ends, and tells when all are there."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._lock = threading.Lock()
        self.done = threading.Event()

    def run(self) -> None:
        """One job."""
        subprocess.run(TRUE, check=True)
        with self._lock:
            self._left -= 1
            if not self._left:
                self.done.set()


def huey(store: str, count: int, slots: int) -> float:
    """huey with its SQLite storage, fsync on, and so many worker threads."""
    from huey import SqliteHuey  # type: ignore[import-not-found]

    queue = SqliteHuey(filename=store, fsync=True)
    counter = Counter(count)
    job = queue.task()(counter.run)
    for _ in range(count):
        job()
    consumer = queue.create_consumer(workers=slots, periodic=False, initial_delay=0.001, max_delay=0.01)
    begun = time.perf_counter()
    consumer.start()
    counter.done.wait()
    taken = time.perf_counter() - begun
    consumer.stop()
    return taken


def apscheduler(store: str, count: int, slots: int) -> float:
    """APScheduler with its SQLAlchemy job store on SQLite, and so many threads."""
    from apscheduler.executors.pool import ThreadPoolExecutor  # type: ignore[import-not-found]
    from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore  # type: ignore[import-not-found]
    from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-not-found]

    global COUNTER  # noqa: PLW0603 - a stored job can only name what a module holds
    COUNTER = Counter(count)
    scheduler = BackgroundScheduler(
        jobstores={"default": SQLAlchemyJobStore(url=f"sqlite:///{store}")},
        executors={"default": ThreadPoolExecutor(slots)},
        job_defaults={"misfire_grace_time": None},
    )
    scheduler.start(paused=True)
    for _ in range(count):
        scheduler.add_job("__main__:count_one", "date")
    begun = time.perf_counter()
    scheduler.resume()
    COUNTER.done.wait()
    taken = time.perf_counter() - begun
    scheduler.shutdown()
    return taken


COUNTER = Counter(0)


def count_one() -> None:
    """One stored job."""
    COUNTER.run()


if __name__ == "__main__":
    name, path, jobs, workers = sys.argv[1:]
    peer = {"huey": huey, "apscheduler": apscheduler}[name]
    print(peer(path, int(jobs), int(workers)))
