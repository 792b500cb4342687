"""The postman: delivers what is due, target by target, records what came of it, and is held up by nobody."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from core.classify import ErrorType, Failure
from core.engine.events import Event
from core.jobs import Command, Gate, NewJob
from core.limits import Limits
from core.machine import postman as module
from core.machine.clocks import SystemClock
from core.machine.postman import Postman
from core.notifications import Notification, Program, Target, Terminal, Webhook
from core.refusals import Trouble
from store.store import Store
from tests.machine.receiver import KEYS, Answer, Received, Receiver
from tests.machine.waiting import never, until

TRUE = Command(("true",))
HOPELESS = Failure("it can't work", ErrorType.TERMINAL, exit_code=64)
SECOND = timedelta(seconds=1)


class Post:
    """A store whose jobs fail as they are told to, and a postman."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = Store(path)
        self.told: list[Event] = []
        self.postman: Postman | None = None

    def listen(self, *targets: Target) -> None:
        self.targets = targets
        with self.store.write("engine") as work:
            work.know_targets(targets)

    def start(self, open_store: Callable[[], Store] | None = None) -> Postman:
        opened = open_store or (lambda: Store(self.path))
        self.postman = Postman(opened, self.targets, SystemClock(), Random(1), self.told.append)
        self.postman.start()
        return self.postman

    def fail_jobs(self, count: int = 1) -> None:
        """So many jobs fail, at once."""
        with self.store.write("ann") as work:
            for _ in range(count):
                work.submit(NewJob(command=TRUE))
                (job,) = work.claim("w", 30 * SECOND, Limits(slots=1))
                work.start(job.exec_id, "w")
                work.fail(job.exec_id, "w", HOPELESS, Random(1))
        self.look()

    def park(self) -> str:
        """A job stops at its gate; the token that answers it."""
        with self.store.write("ann") as work:
            work.submit(NewJob(command=TRUE, approval=Gate("ship it?")))
            work.claim("w", 30 * SECOND, Limits(slots=1))
        with self.store.read() as views:
            (gate,) = views.open_approvals(9)
        self.look()
        return self.store.token_of(gate.approval_id)

    def look(self) -> None:
        if self.postman is not None:
            self.postman.look()

    def all(self) -> list[Notification]:
        with self.store.read() as views:
            found = [*views.waiting_notifications(999), *views.failed_notifications(999)]
            return sorted([*found, *views.delivered_notifications(999)], key=lambda one: one.id)

    def states(self) -> list[str]:
        return [one.state for one in self.all()]

    def come_to(self, *states: str) -> list[Notification]:
        until(lambda: self.states() == list(states), f"they are {', '.join(states)}")
        return self.all()

    def close(self) -> None:
        if self.postman is not None:
            self.postman.leave()
            assert not self.postman.is_alive()
        self.store.close()


@pytest.fixture
def post(store_path: Path) -> Iterator[Post]:
    made = Post(store_path)
    yield made
    made.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as made:
        yield made


def webhook(receiver: Receiver, name: str = "ops", seconds: float = 20) -> Webhook:
    timeout = timedelta(seconds=seconds)
    return Webhook(name, timeout=timeout, url=receiver.url(), secrets=KEYS, allow_private=True)


def test_what_is_written_is_delivered_and_recorded(post: Post, receiver: Receiver) -> None:
    post.listen(webhook(receiver))
    post.start()
    post.fail_jobs()
    got = receiver.next()
    (one,) = post.come_to("delivered")
    assert got.id == one.notification_id == got.json["id"]
    assert got.json["type"] == "job.failed"
    assert got.json["data"]["error"] == "it can't work"
    assert got.signed_with(KEYS[0])
    assert one.attempts == 1


def test_what_was_written_before_it_came_is_delivered_too(post: Post, receiver: Receiver) -> None:
    post.listen(webhook(receiver))
    post.fail_jobs(50)
    post.start()
    assert len({receiver.next().id for _ in range(50)}) == 50
    post.come_to(*["delivered"] * 50)
    assert receiver.requests.empty()


def test_the_token_of_a_gate_is_in_what_is_sent_and_nowhere_else(
    post: Post, receiver: Receiver, tmp_path: Path
) -> None:
    receiver.answer = lambda got: Answer(500, {"x-echo": got.json["data"]["token"]}, got.content)
    out = tmp_path / "told"
    post.listen(webhook(receiver), Program("page", command=("/bin/sh", "-c", f"cat > {out}; cat {out} >&2; exit 1")))
    post.start()
    token = post.park()
    got = receiver.next()
    assert got.json["data"]["token"] == token
    assert got.json["data"]["question"] == "ship it?"
    post.come_to("retrying", "retrying")
    until(lambda: len(post.told) == 2, "both failures are told")
    assert f'"token": "{token}"' in out.read_text()
    files = [path for path in post.path.parent.rglob("*") if path.is_file() and path.suffix != ".key"]
    assert len(files) > 1
    assert not [path for path in files if token.encode() in path.read_bytes()]
    assert not [event for event in post.told if token in event.words]
    with post.store.write("bob") as work:
        assert work.approve(1, got.json["data"]["token"]).decision == "APPROVED"


def test_a_failure_is_tried_again_later_with_the_same_id(post: Post, receiver: Receiver) -> None:
    answers = [Answer(503), Answer()]
    receiver.answer = lambda _: answers.pop(0)
    post.listen(webhook(receiver))
    post.start()
    post.fail_jobs()
    first = receiver.next()
    (one,) = post.come_to("retrying")
    assert one.last_error == "it answered 503 Service Unavailable"
    assert one.next_attempt_at is not None
    assert 4 * SECOND < one.next_attempt_at - one.created_at < 60 * SECOND
    with post.store.write("ann") as work:
        work.tell_again(one.id)
    post.look()
    assert receiver.next().id == first.id
    post.come_to("delivered")
    assert [event.kind for event in post.told] == ["notify"]
    assert "ops could not be told job.failed of job 1: it answered 503" in post.told[0].words


def test_a_failing_target_is_not_hammered_with_all_that_waits_for_it(post: Post, receiver: Receiver) -> None:
    receiver.answer = lambda _: Answer(500)
    post.listen(webhook(receiver))
    post.fail_jobs(30)
    post.start()
    receiver.next()
    until(lambda: "retrying" in post.states(), "the first has failed")
    # The target rests for a second after its first failure, longer after each other one.
    never(lambda: receiver.requests.qsize() > 1, "it does not rest", seconds=0.5)


def test_gone_switches_the_target_off_and_says_so(post: Post, receiver: Receiver) -> None:
    receiver.answer = lambda _: Answer(410)
    post.listen(webhook(receiver))
    post.fail_jobs(3)
    post.start()
    receiver.next()
    post.come_to("failed", "failed", "failed")
    until(lambda: post.told, "it is said")
    assert "it is switched off now, until: jobdeck notify retry --target ops" in post.told[0].words
    post.fail_jobs()
    assert len(post.all()) == 3
    receiver.answer = lambda _: Answer()
    with post.store.write("ann") as work:
        assert len(work.tell_all_again("ops")) == 3
    post.look()
    post.come_to(*["delivered"] * 3)


def test_a_dead_or_slow_receiver_holds_up_no_other(post: Post, receiver: Receiver) -> None:
    release = threading.Event()

    def slow(_: Received) -> Answer:
        release.wait()
        return Answer()

    with Receiver() as quick:
        receiver.answer = slow
        post.listen(webhook(receiver, "slow", 300), webhook(quick, "quick"))
        post.start()
        post.fail_jobs(25)
        assert len({quick.next().id for _ in range(25)}) == 25
        receiver.next()
        until(lambda: post.states().count("delivered") == 25, "the quick one has got them all")
        release.set()
        until(lambda: post.states().count("delivered") == 50, "the slow one has got them all")


def test_one_that_leaves_breaks_off_what_would_take_long_and_counts_it_as_not_tried(
    post: Post, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LINGERS", 0.2)
    release = threading.Event()

    def slow(_: Received) -> Answer:
        release.wait()
        return Answer()

    receiver.answer = slow
    post.listen(webhook(receiver, seconds=300))
    leaving = post.start()
    post.fail_jobs()
    first = receiver.next()
    leaving.leave()
    assert not leaving.is_alive()
    release.set()
    (one,) = post.all()
    assert (one.state, one.attempts) == ("pending", 0)
    receiver.answer = lambda _: Answer()
    post.start()
    assert receiver.next().id == first.id
    post.come_to("delivered")


def test_one_that_leaves_delivers_what_is_due(post: Post, receiver: Receiver) -> None:
    post.listen(webhook(receiver))
    postman = post.start()
    post.fail_jobs(45)
    postman.leave()
    assert post.states() == ["delivered"] * 45


def test_a_store_that_fails_loses_no_result(post: Post, receiver: Receiver) -> None:
    full = threading.Event()
    write = Store.write

    class Full(Store):
        def write(self, *arguments: Any) -> Any:
            if full.is_set():
                raise Trouble("the disk is full")
            return write(self, *arguments)

    full.set()
    post.listen(webhook(receiver))
    post.fail_jobs()
    post.start(lambda: Full(post.path))
    receiver.next()
    until(lambda: post.told, "the trouble is told")
    assert post.told[0].words == "nobody can be told anything: the disk is full"
    assert post.states() == ["pending"]
    full.clear()
    post.come_to("delivered")
    assert receiver.requests.empty()


def test_terminals_and_programs_and_webhooks_side_by_side(post: Post, receiver: Receiver, tmp_path: Path) -> None:
    out = tmp_path / "told"
    post.listen(webhook(receiver), Program("page", command=("/usr/bin/tee", str(out))), Terminal("desk"))
    post.start()
    post.fail_jobs()
    receiver.next()
    post.come_to("delivered", "delivered", "delivered")
    assert '"type": "job.failed"' in out.read_text()


def test_a_target_that_has_moved_is_told_at_its_new_place_at_once(post: Post, receiver: Receiver) -> None:
    release = threading.Event()

    def refuses_late(_: Received) -> Answer:
        release.wait()
        return Answer(410)

    receiver.answer = refuses_late
    post.listen(webhook(receiver, seconds=300))
    postman = post.start()
    post.fail_jobs(3)
    first = receiver.next()
    with Receiver() as there:
        post.listen(webhook(there))
        postman.serve(post.targets)
        release.set()
        assert there.next().id == first.id
        post.come_to(*["delivered"] * 3)
    assert receiver.requests.empty()
    assert post.told == []


def test_one_that_is_told_no_more_holds_up_nothing(post: Post, receiver: Receiver) -> None:
    release = threading.Event()

    def slow(_: Received) -> Answer:
        release.wait()
        return Answer()

    receiver.answer = slow
    post.listen(webhook(receiver, "slow", 300))
    postman = post.start()
    post.fail_jobs(2)
    receiver.next()
    with Receiver() as other:
        post.listen(webhook(other, "other"))
        postman.serve(post.targets)
        post.fail_jobs()
        other.next()
        post.come_to("failed", "failed", "delivered")
        post.listen()
        postman.serve(post.targets)
        post.fail_jobs()
        postman.leave()
        assert not postman.is_alive()
    release.set()
    assert receiver.requests.empty()
    assert post.told == []
