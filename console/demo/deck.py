"""The demo's store: types, templates and schedules, a queue to begin with, and a feeder that keeps it moving."""

import random
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from core.config import Config
from core.job_types import JobType, Kind
from core.jobs import Command, Gate, NewJob, NewSchedule
from core.refusals import JobdeckError
from core.status import Status
from store.store import Store

SLOTS = 3
PLENTY = 14
"""As long as so many jobs wait, no more are added."""
WORK = str(Path(__file__).parent)


def config() -> Config:
    """The types of the demo: a limit here, a patient backoff there."""
    kinds = {
        "backup": JobType("backup", Kind.PYTHON, function="work:steady", concurrency=1),
        "etl": JobType("etl", Kind.PYTHON, function="work:steady"),
        "thumbnails": JobType("thumbnails", Kind.PYTHON, function="work:steady", concurrency=2),
        "sync": JobType("sync", Kind.PYTHON, function="work:flaky", backoff="exponential:3s:30s", max_retries=5),
        "deploy": JobType("deploy", Kind.PYTHON, function="work:deploy", max_retries=0),
        "import": JobType("import", Kind.PYTHON, function="work:hopeless"),
    }
    types = {name: replace(kind, cwd=WORK) for name, kind in kinds.items()}
    return Config(slots=SLOTS, grace=timedelta(seconds=3), types=types)


def fill(store: Store, luck: random.Random) -> None:
    """What a newcomer finds: a queue, two questions, schedules that fire every minute or so."""
    with store.write("ann") as work:
        for _ in range(PLENTY):
            work.submit(something(luck))
        work.submit(_deploy("web 4.2"))
        asking = Command(("true",))
        work.submit(
            NewJob(
                "migrate",
                "users-table",
                asking,
                priority=9,
                max_retries=0,
                tags={"env": "prod"},
                approval=Gate("lock the users table for about two minutes?", expires_after=timedelta(hours=2)),
            )
        )
        work.submit(
            NewJob(
                "certificates",
                "wildcard",
                asking,
                priority=9,
                max_retries=0,
                tags={"env": "prod"},
                approval=Gate("replace the wildcard certificate now?", four_eyes=False),
            )
        )
        later = something(luck)
        work.submit(replace(later, job_key="month-end", scheduled_run_time=work.now + timedelta(minutes=9)))
        work.add_template("heartbeat", _steady("etl", "heartbeat", 4, 3.0, "probe"))
        work.add_template("rotate", _steady("backup", "rotate-logs", 6, 8.0, "file"))
        work.add_schedule(NewSchedule("heartbeat", "heartbeat", "* * * * *"))
        work.add_schedule(NewSchedule("rotate-logs", "rotate", "*/2 * * * *", timezone="Europe/Paris"))
        monthly = NewSchedule("month-report", "rotate", "30 2 1 * *", timezone="America/New_York", enabled=False)
        work.add_schedule(monthly)


def something(luck: random.Random) -> NewJob:
    """One more job, of whatever kind comes up."""
    number = luck.randrange(1000, 9999)
    makers: list[Callable[[], NewJob]] = [
        lambda: _steady("etl", f"orders-{number}", luck.randrange(6, 20), luck.uniform(6, 18), "batch"),
        lambda: _steady("etl", f"invoices-{number}", luck.randrange(4, 12), luck.uniform(5, 12), "file"),
        lambda: _steady("thumbnails", f"album-{number}", luck.randrange(20, 60), luck.uniform(5, 15), "picture"),
        lambda: _steady("backup", f"db-{number}", 10, luck.uniform(8, 20), "table"),
        lambda: NewJob("sync", f"warehouse-{number}", params={"seconds": luck.uniform(2, 4), "luck": 0.7},
                       max_retries=5, backoff="exponential:3s:30s", tags={"team": "ops"}),
        lambda: NewJob("import", f"feed-{number}", params={"seconds": luck.uniform(2, 4)}, tags={"team": "data"}),
    ]  # fmt: skip
    weights = [6, 4, 4, 2, 4, 1]
    return replace(luck.choices(makers, weights)[0](), priority=luck.choice([0, 0, 0, 0, 5]))


def _steady(kind: str, key: str, parts: int, seconds: float, noun: str) -> NewJob:
    params = {"parts": parts, "seconds": round(seconds, 1), "noun": noun}
    return NewJob(kind, key, params=params, tags={"env": "prod"})


def _deploy(what: str) -> NewJob:
    return NewJob("deploy", what.replace(" ", "-"), params={"what": what, "seconds": 5}, priority=5, max_retries=0)


class Feeder(threading.Thread):
    """Keeps the demo moving: a job now and then, and a new question once the last ones were answered."""

    def __init__(self, path: Path, ring: Callable[[], None], seed: int) -> None:
        super().__init__(name="feeder", daemon=True)
        self._path = path
        self._ring = ring
        self._luck = random.Random(seed)  # noqa: S311 - a demo's luck
        self._ending = threading.Event()

    def end(self) -> None:
        """Stop feeding."""
        self._ending.set()

    def run(self) -> None:
        """Look every few seconds whether there is still enough to do."""
        with Store(self._path, ring=self._ring) as store:
            release = 3
            while not self._ending.wait(self._luck.uniform(1.5, 4)):
                with store.read() as views:
                    counts = views.counts()
                try:
                    with store.write("ann") as work:
                        if counts[Status.QUEUED] < PLENTY:
                            work.submit(something(self._luck))
                        if not counts[Status.WAITING_FOR_APPROVAL]:
                            work.submit(_deploy(f"web 4.{release}"), "return")
                            release += 1
                except JobdeckError:
                    # A key that is still taken; another one comes up next time.
                    continue
