"""A believable morning, the same every time: jobs in every state, chains, gates and schedules, at a standing clock."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from console.home import Places
from core.classify import ErrorType, Failure, classify_exit
from core.jobs import Claim, Command, Gate, NewJob, NewSchedule
from core.leading import Leader
from core.limits import Limits
from store.store import Store
from store.work import Work

NOW = datetime.fromisoformat("2031-05-01T09:04:00+00:00")
OWNER = "engine@buildbox:4242:1:boot:scene"
LEASE = timedelta(seconds=30)
LIMITS = Limits(slots=3, per_type={"backup": 1})
ALL = Limits(slots=1000)


class Scene:
    """Plays the morning into a store."""

    def __init__(self, store: Store, logs: Path) -> None:
        self._store = store
        self._logs = logs
        self._luck = Random(1)

    def at(self, ago: timedelta, act: Callable[[Work], object], who: str = "ann") -> None:
        """Something happens so long ago."""
        with self._store.write(who, NOW - ago) as work:
            act(work)

    def ran(self, ago: timedelta, took: timedelta, new: NewJob, end: Failure | None = None, log: str = "") -> Claim:
        """A job was submitted, started and ended."""
        claim = self.started(ago, new, log)
        self.at(ago - took, lambda work: self._end(work, claim, end), "engine")
        return claim

    def started(self, ago: timedelta, new: NewJob, log: str = "") -> Claim:
        """A job was submitted and started."""
        self.at(ago + timedelta(seconds=4), lambda work: work.submit(known(new)))
        return self.claimed(ago, log)

    def fired(self, ago: timedelta, took: timedelta, end: Failure | None = None) -> None:
        """A schedule fired, and its job ran."""
        self.at(ago, lambda work: work.fire_due(), "engine")
        claim = self.claimed(ago - timedelta(seconds=1))
        self.at(ago - took, lambda work: self._end(work, claim, end), "engine")

    def claimed(self, ago: timedelta, log: str = "") -> Claim:
        """The head of the queue was started."""
        claims: list[Claim] = []
        self.at(ago, lambda work: claims.extend(work.claim(OWNER, LEASE, ALL)), "engine")
        [claim] = claims
        path = self._logs / f"{claim.job.id}-{claim.attempt}.log"
        path.write_text(log)
        path.chmod(0o600)
        self.at(ago, lambda work: work.start(claim.exec_id, OWNER, log_path=str(path)), "engine")
        return claim

    def _end(self, work: Work, claim: Claim, end: Failure | None) -> None:
        # The scene's runs may take longer than a lease; nobody takes them away meanwhile.
        work.keep([claim.exec_id], OWNER, LEASE)
        if end is None:
            work.finish(claim.exec_id, OWNER, 0, {"rows": 1200})
        else:
            work.fail(claim.exec_id, OWNER, end, self._luck)


def minutes(number: float) -> timedelta:
    """So many minutes."""
    return timedelta(minutes=number)


def job(kind: str, key: str, *, command: str = "", priority: int = 0, **more: object) -> NewJob:
    """A job as an operator would submit it."""
    argv = tuple((command or f"./{kind}.sh {key}").split())
    return NewJob(kind, key, Command(argv, cwd="/srv/jobs"), priority=priority, tags={"env": "prod"}, **more)  # type: ignore[arg-type]


def known(new: NewJob) -> NewJob:
    """The job with an identity that is the same every time."""
    number = uuid.uuid5(uuid.NAMESPACE_OID, f"{new.job_type} {new.job_key}").int & ((1 << 62) - 1)
    return replace(new, job_id=str(uuid.UUID(int=(0x01C2_9E5E_4F40 << 80) | (7 << 76) | (0b10 << 62) | number)))


def play(store: Store, logs: Path) -> None:
    """The whole morning."""
    logs.mkdir(mode=0o700, parents=True, exist_ok=True)
    scene = Scene(store, logs)
    _schedules(scene)
    _history(scene)
    _chains(scene)
    _gates(scene)
    _running(scene)
    _queue(scene)
    leader = Leader(OWNER, "buildbox", 4242, "1:1", NOW - minutes(95), NOW + LEASE, 9, LIMITS)
    scene.at(timedelta(0), lambda work: work.take_lead(leader, None), "engine")


def _history(scene: Scene) -> None:
    for number in range(6):
        scene.ran(minutes(90 - 9 * number), minutes(4 + number % 3), job("etl", f"orders-2031-04-{25 + number}"))
    scene.ran(minutes(80), minutes(11), job("backup", "db-main"))
    scene.ran(minutes(45), minutes(2), job("thumbnails", "album-17"))
    broken = Failure("row 1,337: not a date: '31 February'", ErrorType.TERMINAL, exit_code=65)
    scene.ran(minutes(30), minutes(1), job("import", "feed-7"), broken, "reading feed-7.csv\nrow 1,337: not a date\n")
    scene.ran(minutes(28), minutes(3), job("report", "weekly"))
    for number, ago in enumerate((4.9, 4.6, 4.5, 3.8, 3.1, 3.0, 2.9, 2.3, 1.4, 1.3, 0.6)):
        scene.ran(minutes(ago), minutes(0.1), job("mail", f"digest-{number + 1}"))


def _chains(scene: Scene) -> None:
    reset = Failure("connection reset by peer", ErrorType.RETRYABLE, exit_code=1)
    scene.ran(minutes(26), minutes(0.4), job("sync", "warehouse-9", max_retries=1), reset)
    scene.at(minutes(25), lambda work: work.requeue_due(), "engine")
    claim = scene.claimed(minutes(24.9))
    scene.at(minutes(24.5), lambda work: scene._end(work, claim, reset), "engine")
    scene.at(minutes(12), lambda work: work.retry(claim.job.id, "the network is back"))
    again = scene.claimed(minutes(11.9), "connected\nsynchronised 512 items\n")
    scene.at(minutes(11.1), lambda work: scene._end(work, again, None), "engine")
    flaky = job("sync", "warehouse-12", max_retries=5, backoff="exponential:10m:30m:nojitter")
    scene.ran(minutes(3), minutes(0.2), flaky, classify_exit(75), "connecting …\ntemporary failure\n")


def _gates(scene: Scene) -> None:
    gate = Gate("ship web 4.2 to production?", four_eyes=True, expires_after=timedelta(hours=2))
    scene.at(minutes(9), lambda work: work.submit(known(job("deploy", "web-4.2", priority=5, approval=gate))))
    scene.at(minutes(8.9), lambda work: work.claim(OWNER, LEASE, ALL), "engine")
    table = job("migrate", "users-table", priority=5)
    claim = scene.started(
        minutes(7), table, "copying schema\n\x1b[32m✓\x1b[0m 14 tables checked\nready to lock users\n"
    )
    scene.at(minutes(6), lambda work: work.keep([claim.exec_id], OWNER, LEASE), "engine")
    scene.at(minutes(6), lambda work: work.checkpoint(claim.exec_id, OWNER, {"checked": 14, "next": "lock"}), "engine")
    question = "lock the users table for about two minutes?"
    scene.at(minutes(6), lambda work: work.request_gate(claim.exec_id, OWNER, "lock", question), "engine")
    scene.at(minutes(6), lambda work: work.park(claim.exec_id, OWNER), "engine")


def _running(scene: Scene) -> None:
    jobs = (
        (minutes(4), job("backup", "db-replica"), 41.0, "table 5 of 12"),
        (minutes(2.2), job("etl", "orders-2031-05-01"), 67.5, "batch 27 of 40"),
        (minutes(0.7), job("thumbnails", "album-18"), 8.0, "picture 3 of 38"),
    )
    for ago, new, share, words in jobs:
        claim = scene.started(ago, new, f"starting\n{words}\n")
        scene.at(timedelta(seconds=5), lambda work, one=claim: work.keep([one.exec_id], OWNER, LEASE), "engine")  # type: ignore[misc]
        told = (claim.exec_id, OWNER, share, words)
        scene.at(timedelta(seconds=5), lambda work, told=told: work.progress(*told), "engine")  # type: ignore[misc]


def _queue(scene: Scene) -> None:
    waiting = (
        (9, job("etl", "invoices-2031-05-01", priority=5)),
        (8.5, job("backup", "db-archive")),
        (8, job("thumbnails", "album-19")),
        (7.5, job("etl", "returns-2031-05-01")),
        (7, job("report", "month-end", scheduled_run_time=NOW + minutes(21 * 60))),
        (6, job("sync", "warehouse-13")),
        (5, job("cleanup", "tmp", command="find /tmp -mtime +7 -delete", held=True)),
        (4, job("etl", "orders-[/oops]", command="./etl.sh \x1b[31mred")),
        (3, job("thumbnails", "album-20")),
        (2, job("etl", "stock-2031-05-01")),
    )
    for ago, new in waiting:
        scene.at(minutes(ago), lambda work, new=new: work.submit(known(new)))  # type: ignore[misc]


def _schedules(scene: Scene) -> None:
    """A nightly backup that has run, a probe that fails now and then, a report that is switched off."""

    def plan(work: Work) -> None:
        work.add_template("nightly", job("backup", "nightly"))
        work.add_schedule(NewSchedule("nightly-backup", "nightly", "30 2 * * *", timezone="Europe/Paris"))
        monthly = NewSchedule("month-report", "nightly", "0 6 1 * *", timezone="America/New_York", enabled=False)
        work.add_schedule(monthly)

    def probe(work: Work) -> None:
        work.add_template("probe", job("probe", "health", max_retries=0))
        work.add_schedule(NewSchedule("health-probe", "probe", "*/15 * * * *"))

    scene.at(timedelta(hours=20), plan)
    scene.fired(minutes(8.5 * 60), minutes(12))
    scene.at(minutes(129), probe)
    for number, ago in enumerate(range(124, 0, -15)):
        slow = Failure("no answer within 10 s", ErrorType.RETRYABLE, exit_code=1) if number == 5 else None
        scene.fired(minutes(ago), minutes(0.2), slow)


@dataclass(frozen=True)
class Morning:
    """The morning, played into a home of its own."""

    places: Places
    logs: Path
    """What the jobs have printed."""


def play_at(home: Path) -> Morning:
    """Play it there."""
    places = Places(home, home / "jobdeck.db")
    with Store(places.db, now=lambda: NOW) as store:
        play(store, places.logs)
    return Morning(places, places.logs)
