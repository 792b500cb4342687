"""Random operations from several connections: the store keeps every promise and agrees with a model in memory."""

import shutil
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from core.classify import ErrorType, Failure
from core.jobs import Command, Gate, NewJob
from core.limits import Limits
from core.positions import Move
from core.refusals import Fenced, JobdeckError
from core.status import FINAL, Status
from core.verbs import VERBS
from store.doctor import examine
from store.store import Store
from tests.conftest import Clock
from tests.store.queue_model import ModelJob, QueueModel

LEASE = timedelta(seconds=30)
SLOTS = Limits(slots=3)
BEFORE_RUN = frozenset({Status.CREATED, Status.QUEUED, Status.RETRYING})

refs = st.integers(0, 10_000)
connections = st.integers(0, 2)


class StoreMachine(RuleBasedStateMachine):
    """Operators, engines and a clock, all at once."""

    blank: Path

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp(prefix="jobdeck-machine-"))
        self.directory.chmod(0o700)
        path = self.directory / "jobdeck.db"
        shutil.copy(self.blank, path)
        path.chmod(0o600)
        self.clock = Clock()
        self.stores = [Store(path, now=self.clock) for _ in range(3)]
        self.model = QueueModel()
        self.rng = Random(1)

    def teardown(self) -> None:
        path = self.stores[0].path
        try:
            assert examine(path, path.with_name("jobdeck.key"), self.directory).findings == []
        finally:
            for store in self.stores:
                store.close()
            shutil.rmtree(self.directory)

    def pick(self, ref: int, *states: Status) -> ModelJob | None:
        """One of the jobs in these states, or in any."""
        jobs = self.model.in_state(*(states or tuple(Status)))
        return jobs[ref % len(jobs)] if jobs else None

    @initialize(retries=st.integers(0, 2))
    def begin(self, retries: int) -> None:
        for who in range(3):
            self.submit_one(who, who % 2, "plain", retries)

    @rule(
        who=connections,
        priority=st.integers(-1, 1),
        kind=st.sampled_from(["plain", "plain", "plain", "draft", "held", "later", "gated"]),
        retries=st.integers(0, 2),
    )
    def submit(self, who: int, priority: int, kind: str, retries: int) -> None:
        self.submit_one(who, priority, kind, retries)

    def submit_one(self, who: int, priority: int, kind: str, retries: int) -> None:
        """One job more, in the store and in the model."""
        at = self.clock.now + timedelta(seconds=20) if kind == "later" else None
        draft, held, gated = kind == "draft", kind == "held", kind == "gated"
        new = NewJob(
            command=Command(("true",)),
            priority=priority,
            draft=draft,
            held=held,
            scheduled_run_time=at,
            approval=Gate("ok?") if gated else None,
            max_retries=retries,
            backoff="fixed:5s",
        )
        with self.stores[who].write("ann") as work:
            ref = work.submit(new).id
        job = ModelJob(ref, priority, Status.CREATED, held, at, gated, retries_left=retries)
        assert ref not in self.model.jobs
        self.model.jobs[ref] = job
        if not draft:
            self.model.enqueue(job)

    @rule(who=connections, ref=refs, verb=st.sampled_from(["release", "hold", "unhold", "cancel", "give-up"]))
    def operate(self, who: int, ref: int, verb: str) -> None:
        job = self.pick(ref)
        if job is None:
            return
        legal = job.status in VERBS[verb].sources and not (verb == "cancel" and job.committed)
        try:
            with self.stores[who].write("ann") as work:
                verbs: dict[str, Callable[[int], object]] = {
                    "release": work.release,
                    "hold": work.hold,
                    "unhold": work.unhold,
                    "cancel": work.cancel,
                    "give-up": work.give_up,
                }
                verbs[verb](job.id)
        except JobdeckError:
            assert not legal
            return
        assert legal
        if verb == "release":
            self.model.enqueue(job)
        elif verb in {"hold", "unhold"}:
            job.held = verb == "hold"
        elif verb == "give-up":
            self.model.end(job, Status.FAILED)
        elif job.status is Status.RUNNING:
            job.cancel_asked = True
        else:
            self.model.end(job, Status.CANCELLED)

    @rule(who=connections, ref=refs, priority=st.integers(-1, 1))
    def reprioritise(self, who: int, ref: int, priority: int) -> None:
        job = self.pick(ref, *BEFORE_RUN)
        if job is None:
            return
        with self.stores[who].write("ann") as work:
            work.set_priority(job.id, priority)
        if job.status is Status.QUEUED and priority != job.priority:
            self.model.dequeue(job)
            job.priority = priority
            self.model.enqueue(job)
        job.priority = priority

    @rule(who=connections, ref=refs, other=refs, where=st.sampled_from(list(Move)))
    def move(self, who: int, ref: int, other: int, where: Move) -> None:
        job, beside = self.pick(ref, Status.QUEUED), self.pick(other, Status.QUEUED)
        if job is None or beside is None or job is beside:
            return
        relative = where in {Move.BEFORE, Move.AFTER}
        with self.stores[who].write("ann") as work:
            work.move(job.id, where, beside.id if relative else None)
        self.model.place(job, str(where), beside if relative else None)

    @rule(who=connections, owner=st.sampled_from("AB"))
    def claim(self, who: int, owner: str) -> None:
        expected, free = [], SLOTS.slots - len(self.model.in_state(Status.RUNNING))
        waiting = [job for job in self.model.in_state(Status.WAITING_FOR_APPROVAL) if job.granted and job.at_gate]
        with self.stores[who].write("engine") as work:
            claims = work.claim(owner, LEASE, SLOTS)
        resumed = [one for one in claims if one.resumed_gate is not None]
        assert {one.job.id for one in resumed} <= {job.id for job in waiting}
        assert len(resumed) == min(free, len(waiting))
        free -= len(resumed)
        for ref in self.model.order():
            job = self.model.jobs[ref]
            asleep = job.wakes_at is not None
            if free <= 0:
                break
            if job.held or asleep:
                continue
            if job.gated and not job.granted:
                self.model.end(job, Status.WAITING_FOR_APPROVAL)
                job.at_gate = True
                continue
            expected.append(ref)
            free -= 1
        assert [one.job.id for one in claims if one.resumed_gate is None] == expected
        for one in claims:
            job = self.model.jobs[one.job.id]
            self.model.end(job, Status.RUNNING)
            job.exec_id, job.owner, job.lease_until = one.exec_id, owner, self.clock.now + LEASE
            job.at_gate = job.committed = False
            with self.stores[who].write("engine") as work:
                work.start(one.exec_id, owner)

    @rule(who=connections, ref=refs, ending=st.sampled_from(["finish", "fail", "hopeless", "commit", "renew", "gate"]))
    def run(self, who: int, ref: int, ending: str) -> None:
        job = self.pick(ref, Status.RUNNING)
        if job is None:
            return
        assert job.lease_until is not None
        lost = job.lease_until <= self.clock.now
        try:
            with self.stores[who].write("engine") as work:
                if ending == "renew":
                    assert bool(work.renew([job.exec_id], job.owner, LEASE)) is lost
                elif ending == "commit":
                    work.commit(job.exec_id, job.owner)
                elif ending == "finish":
                    work.finish(job.exec_id, job.owner)
                elif ending == "gate":
                    work.request_gate(job.exec_id, job.owner, "middle", "go on?")
                    work.park(job.exec_id, job.owner)
                else:
                    kind = ErrorType.RETRYABLE if ending == "fail" else ErrorType.TERMINAL
                    work.fail(job.exec_id, job.owner, Failure("broke", kind, 1), self.rng)
        except Fenced:
            assert lost
            assert not job.committed
            return
        except JobdeckError:
            assert ending == "gate"
            return
        if ending == "renew":
            job.lease_until = job.lease_until if lost else self.clock.now + LEASE
            return
        assert job.committed or not lost
        if ending == "commit":
            job.committed = True
        elif ending == "gate":
            job.at_gate, job.granted = True, False
            self.model.end(job, Status.CANCELLED if job.cancel_asked else Status.WAITING_FOR_APPROVAL)
        elif ending == "finish" or job.committed:
            self.model.end(job, Status.SUCCEEDED)
        else:
            self.broke(job, retryable=ending == "fail")

    def broke(self, job: ModelJob, *, retryable: bool) -> None:
        """What the policy makes of a failure."""
        if job.cancel_asked:
            self.model.end(job, Status.CANCELLED)
        elif retryable and job.retries_left:
            job.retries_left -= 1
            job.retry_at = self.clock.now + timedelta(seconds=5)
            self.model.end(job, Status.RETRYING)
        else:
            self.model.end(job, Status.FAILED)

    @rule(who=connections, ref=refs, grant=st.booleans(), right=st.booleans())
    def answer(self, who: int, ref: int, grant: bool, right: bool) -> None:
        job = self.pick(ref, Status.WAITING_FOR_APPROVAL)
        if job is None:
            return
        store = self.stores[who]
        with store.read() as views:
            gate = views.whole_job(job.id).approvals[-1]
        token = store.token_of(gate.approval_id) if right else "0" * 64
        try:
            with store.write("bob") as work:
                work.approve(job.id, token) if grant else work.deny(job.id, token, "no")
        except JobdeckError:
            assert job.granted or not right
            return
        assert right
        if grant:
            job.granted = True
        else:
            self.model.end(job, Status.FAILED)

    @rule(who=connections, ref=refs)
    def retry(self, who: int, ref: int) -> None:
        job = self.pick(ref, Status.RETRYING, *FINAL)
        if job is None:
            return
        try:
            with self.stores[who].write("ann") as work:
                again = work.retry(job.id)
        except JobdeckError:
            assert job.status in FINAL
            return
        if job.status is Status.RETRYING:
            assert again.job.id == job.id
            job.wakes_at = None
            self.model.enqueue(job)
            return
        link = again.job
        assert link.id not in self.model.jobs
        fresh = ModelJob(link.id, link.priority, Status.QUEUED, gated=job.gated, retries_left=link.max_retries)
        self.model.jobs[link.id] = fresh
        self.model.enqueue(fresh)

    @rule(who=connections, seconds=st.sampled_from([1, 5, 31]))
    def time_passes(self, who: int, seconds: int) -> None:
        now = self.clock.forward(seconds=seconds)
        with self.stores[who].write("engine") as work:
            work.wake_due()
            work.requeue_due()
        for job in self.model.jobs.values():
            if job.wakes_at is not None and job.wakes_at <= now and job.status is Status.QUEUED:
                job.wakes_at = None
        due = [job for job in self.model.in_state(Status.RETRYING) if job.retry_at is not None and job.retry_at <= now]
        for job in sorted(due, key=lambda one: (one.retry_at, one.id)):
            self.model.enqueue(job)

    @rule(who=connections)
    def take_back_lost_leases(self, who: int) -> None:
        with self.stores[who].write("engine") as work:
            ended = work.abort_expired(self.rng)
        lost = [
            job
            for job in self.model.in_state(Status.RUNNING)
            if job.lease_until is not None and job.lease_until <= self.clock.now
        ]
        assert sorted(ended) == sorted(job.id for job in lost)
        for job in lost:
            if job.committed:
                self.model.end(job, Status.SUCCEEDED)
            else:
                self.broke(job, retryable=True)

    @rule(who=connections)
    @precondition(lambda self: any(job.owner == "A" for job in self.model.in_state(Status.RUNNING)))
    def a_dies_and_is_recovered(self, who: int) -> None:
        victims = [job for job in self.model.in_state(Status.RUNNING) if job.owner == "A"]
        with self.stores[who].write("recovery") as work:
            done = work.recover(lambda owner: owner == "A", self.rng)
        assert sorted(one.job for one in done) == sorted(job.id for job in victims)
        for job in victims:
            if job.committed:
                self.model.end(job, Status.SUCCEEDED)
            elif job.cancel_asked:
                self.model.end(job, Status.CANCELLED)
            else:
                self.model.end(job, Status.FAILED)
        with self.stores[who].read() as views:
            links = sorted((views.whole_job(job.id).chain[-1], job.id) for job in victims)
        for link, ref in links:
            if link == ref:
                continue
            job = self.model.jobs[ref]
            fresh = ModelJob(link, job.priority, Status.QUEUED, gated=job.gated, retries_left=job.retries_left - 1)
            fresh.granted = job.granted
            self.model.jobs[link] = fresh
            self.model.enqueue(fresh)

    @invariant()
    def the_store_agrees_with_the_model(self) -> None:
        with self.stores[0].read() as views:
            window = views.queue_window(0, 1000)
            counts = views.counts()
            states = {row["id"]: row["status"] for row in views.all("SELECT id, status FROM jobs")}
        assert states == {ref: job.status for ref, job in self.model.jobs.items()}
        assert [row.id for row in window.rows] == self.model.order()
        assert window.total == len(window.rows)
        assert {status: n for status, n in counts.items() if n} == {
            status: len(self.model.in_state(status)) for status in Status if self.model.in_state(status)
        }


def test_random_operations_keep_every_promise(blank_store: Path) -> None:
    machine = type("Machine", (StoreMachine,), {"blank": blank_store})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=80,
            stateful_step_count=60,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
