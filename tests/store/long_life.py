"""A store to which everything legal has happened: each job goes by the key that tells what became of it."""

from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

from core.classify import Failure
from core.jobs import Approval, Claim, Gate, NewJob, NewSchedule
from core.limits import Limits
from core.positions import Move
from store import sqlite
from store.store import Store
from store.work import Work
from tests.conftest import Clock
from tests.store.rows_for_tests import Row, insert
from tests.store.running_jobs import BROKE, HOPELESS, TRUE, WORKER, claim, rng, running, submit

DEAD = "worker-that-died"
HOUR = timedelta(hours=1)
FIRST_OF_KEY = "SELECT min(id) AS id FROM jobs WHERE job_key = :key"
FIRED_AND_WAITING = "SELECT id FROM jobs WHERE status = 'QUEUED' AND schedule_id IS NOT NULL"


def live_through_everything(path: Path) -> None:
    """Give an empty store its history."""
    clock = Clock()
    with Store(path, now=clock) as store:
        life = Life(store, clock)
        life.ends_of_runs()
        life.cancelled()
        life.chains_by_hand()
        life.answered_gates()
        life.crashes()
        life.ended_reservations()
        life.schedules()
        life.under_way()
        life.queue()
        life.direct_job()


def new(key: str, **options: object) -> NewJob:
    """A job of that key."""
    return NewJob(command=TRUE, job_key=key, **options)  # type: ignore[arg-type]


def first(work: Work, key: str) -> int:
    """The number of the first job of that key."""
    return int(work.all(FIRST_OF_KEY, key=key)[0]["id"])


class Life:
    """One chapter after the other; each leaves nothing in the queue that the next could claim by mistake."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self.clock = clock

    def engine(self) -> AbstractContextManager[Work]:
        """A transaction of an engine's."""
        return self.store.write("engine")

    def ann(self) -> AbstractContextManager[Work]:
        """A transaction of the operator's who submits."""
        return self.store.write("ann")

    def bob(self) -> AbstractContextManager[Work]:
        """A transaction of the operator's who approves."""
        return self.store.write("bob")

    def next_run(self) -> Claim:
        """The one job that can be claimed, running."""
        (claimed,) = claim(self.store, limits=Limits(slots=1000))
        with self.engine() as work:
            work.start(claimed.exec_id, WORKER)
        return claimed

    def next_attempt(self) -> Claim:
        """The job whose retry is due in a moment, running again."""
        self.clock.forward(seconds=2)
        with self.engine() as work:
            work.requeue_due()
        return self.next_run()

    def finish(self, claimed: Claim) -> None:
        """Its process ended well."""
        with self.engine() as work:
            work.finish(claimed.exec_id, WORKER, 0, {"ok": True})

    def fail(self, claimed: Claim, failure: Failure = BROKE) -> None:
        """Its process did not."""
        with self.engine() as work:
            work.fail(claimed.exec_id, WORKER, failure, rng())

    def cancel(self, ref: int) -> None:
        """An operator has no need of it."""
        with self.ann() as work:
            work.cancel(ref, "no need")

    def at_gate(self, key: str, **options: object) -> Approval:
        """A job that ran, asked for a gate and was parked there."""
        return self.park(running(self.store, new(key)), "deploy", **options)

    def park(self, claimed: Claim, name: str, **options: object) -> Approval:
        """It asks for a gate and stops there."""
        with self.engine() as work:
            gate = work.request_gate(claimed.exec_id, WORKER, name, "go on?", **options)  # type: ignore[arg-type]
            work.park(claimed.exec_id, WORKER)
        assert gate is not None
        return gate

    def approve(self, gate: Approval) -> None:
        """Someone else lets it pass."""
        with self.bob() as work:
            work.approve(gate.job, self.store.token_of(gate.approval_id), "fine")

    def recover(self) -> None:
        """A new engine settles what the dead one left."""
        with self.store.write("recovery") as work:
            work.recover(lambda owner: owner == DEAD, rng())

    def ends_of_runs(self) -> None:
        """Jobs that ran to an end of their own, at once or after some attempts."""
        self.finish(running(self.store, new("succeeded", params={"n": 1}, tags={"env": "prod"})))
        retried = running(self.store, new("retried", params={"n": 2}))
        with self.engine() as work:
            work.add_artifact(retried.exec_id, WORKER, "a.txt")
            work.progress(retried.exec_id, WORKER, 40, "well under way")
            work.checkpoint(retried.exec_id, WORKER, {"page": 4})
        self.fail(retried)
        self.finish(self.next_attempt())
        self.fail(running(self.store, new("failed")), HOPELESS)
        self.fail(running(self.store, new("gave up")))
        with self.ann() as work:
            work.give_up(first(work, "gave up"), "enough")
        running(self.store, new("lost"))
        self.clock.forward(minutes=1)
        with self.engine() as work:
            work.abort_expired(rng())
            work.retry(first(work, "lost"), "now")
        self.finish(self.next_run())
        running(self.store, new("reported", job_type="external"))
        with self.bob() as work:
            work.report("external", "reported", succeeded=True, result=[1], rng=rng())
        committed = running(self.store, new("committed, then broke"))
        with self.engine() as work:
            work.commit(committed.exec_id, WORKER, {"rows": 3})
        self.fail(committed)
        submit(self.store, new("too late", held=True, deadline_at=self.clock.now + HOUR))
        self.clock.forward(hours=2)
        with self.engine() as work:
            work.expire_deadlines()

    def cancelled(self) -> None:
        """Jobs that were cancelled, from every state that can be."""
        stopped = running(self.store, new("cancelled in its run"))
        self.cancel(stopped.job.id)
        self.fail(stopped)
        between = running(self.store, new("cancelled between attempts"))
        self.fail(between)
        self.cancel(between.job.id)
        self.cancel(submit(self.store, new("cancelled draft", draft=True)))
        self.cancel(submit(self.store, new("cancelled in the queue")))
        self.cancel(self.at_gate("withdrawn").job)

    def chains_by_hand(self) -> None:
        """Links behind jobs that failed, were cancelled and succeeded; one makes a chain of three."""
        self.fail(running(self.store, new("chain")))
        self.fail(self.next_attempt(), HOPELESS)
        for _ in range(2):
            with self.bob() as work:
                work.retry(first(work, "chain"), "again")
            self.fail(self.next_run())
            self.fail(self.next_attempt(), HOPELESS)
        for key in ("cancelled in the queue", "succeeded"):
            with self.bob() as work:
                work.retry(first(work, key))
            self.finish(self.next_run())

    def answered_gates(self) -> None:
        """Gates of every decision, two of them passed by one job in one attempt."""
        self.approve(self.at_gate("approved", four_eyes=True, expires_at=self.clock.now + HOUR))
        self.approve(self.park(self.next_run(), "announce"))
        self.fail(self.next_run())
        self.finish(self.next_attempt())
        denied = self.at_gate("denied")
        with self.bob() as work:
            work.deny(denied.job, self.store.token_of(denied.approval_id), "not now")
        self.at_gate("expired", expires_at=self.clock.now + HOUR)
        self.clock.forward(hours=2)
        with self.engine() as work:
            work.expire_gates()
        granted = self.at_gate("granted, then cancelled")
        self.approve(granted)
        self.cancel(granted.job)

    def crashes(self) -> None:
        """What recovery settles: a chain of three that inherits its grant, a budget that is used up, a commit."""
        submit(self.store, new("recovered", approval=Gate("may it run?"), max_retries=2))
        claim(self.store)
        with self.store.read() as views:
            (gate,) = views.open_approvals(1)
        self.approve(gate)
        for _ in range(2):
            (lost,) = claim(self.store, DEAD)
            with self.engine() as work:
                work.checkpoint(lost.exec_id, DEAD, {"step": 3})
            self.recover()
        self.finish(self.next_run())
        running(self.store, new("lost for good", max_retries=0), DEAD)
        committed = running(self.store, new("committed, then lost"), DEAD)
        with self.engine() as work:
            work.commit(committed.exec_id, DEAD)
        self.recover()

    def ended_reservations(self) -> None:
        """A reservation whose job ran, twice, and one that ran out with its job waiting."""
        with self.ann() as work:
            used = work.reserve("ann").reservation_id
            work.submit(new("direct", reservation_id=used))
        direct = self.next_run()
        with self.engine() as work:
            work.release_reservation(used)
        self.fail(direct)
        self.finish(self.next_attempt())
        with self.ann() as work:
            work.submit(new("direct, too late", reservation_id=work.reserve("ann").reservation_id))
        self.clock.forward(minutes=6)
        with self.engine() as work:
            work.expire_reservations(lambda _: False)

    def schedules(self) -> None:
        """Schedules that fired, skipped, replaced, were switched off and were removed."""
        with self.ann() as work:
            work.add_template("backup", NewJob(job_type="etl", command=TRUE, params={"n": 1}, approval=Gate("sure?")))
            work.add_template("gone", NewJob(command=TRUE))
            work.remove_template("gone")
            for name, overlap in (("skips", "skip"), ("replaces", "replace"), ("off", "allow"), ("removed", "allow")):
                work.add_schedule(NewSchedule(name, "backup", "30 * * * *", timezone="Europe/Paris", overlap=overlap))
        for _ in range(3):
            self.clock.forward(hours=1)
            with self.engine() as work:
                work.fire_due()
        with self.ann() as work:
            work.trigger_schedule("off")
            work.enable_schedule("off", False)
            work.remove_schedule("removed")
            for row in work.all(FIRED_AND_WAITING):
                work.hold(row["id"])

    def under_way(self) -> None:
        """Jobs that run, wait for approval, or wait for their next attempt."""
        running(self.store, new("running", params={"n": 3}))
        asks = running(self.store, new("asks for a gate"))
        commits = running(self.store, new("has committed"))
        with self.engine() as work:
            work.request_gate(asks.exec_id, WORKER, "deploy", "go on?")
            work.commit(commits.exec_id, WORKER)
        self.cancel(running(self.store, new("stopping")).job.id)
        self.at_gate("waiting", expires_at=self.clock.now + HOUR)
        self.fail(running(self.store, new("retrying", backoff="exponential:1s:5m")))
        with self.ann() as work:
            work.hold(first(work, "retrying"), "look at it first")
            work.set_priority(first(work, "retrying"), 7)
        # Last of these: a further claim would resume it.
        self.approve(self.at_gate("granted"))

    def queue(self) -> None:
        """A queue of several priorities, moved about until it had to be renumbered, with stretches far apart."""
        submit(self.store, new("draft", draft=True, priority=2))
        submit(self.store, new("held", held=True))
        submit(self.store, new("future", scheduled_run_time=self.clock.now + 24 * HOUR))
        refs = [submit(self.store, new(f"place {number}", priority=number % 3 - 1)) for number in range(12)]
        with self.ann() as work:
            for number in range(12):
                work.move(refs[4 + 3 * (number % 2)], Move.AFTER, refs[1])
            work.move(refs[0], Move.TOP)
            work.move_many(refs[3:6], Move.BOTTOM)
            work.set_priority(refs[2], -900)
            work.release(work.submit(new("released", draft=True)).id)
        connection = sqlite.connect(self.store.path)
        insert(connection, Row(job_key="far behind", position=1_000_000, created_at=self.clock.now))
        insert(connection, Row(job_key="far before", position=-1_000_000, created_at=self.clock.now))
        connection.close()

    def direct_job(self) -> None:
        """A reservation that stands, with its job waiting for the next free slot."""
        with self.ann() as work:
            work.submit(new("direct now", reservation_id=work.reserve("ann").reservation_id))
