"""The outbox: written with what happens, for whoever listens; settled by what came of telling it."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from core.jobs import Command, Gate, NewJob, NewSchedule
from core.limits import Limits
from core.notifications import Notification, Program, Target, Terminal, Told, Webhook
from core.refusals import NoSuchThing, Refused
from core.status import Status
from store import sqlite
from store.store import Store
from tests.conftest import Clock
from tests.store.running_jobs import BROKE, HOPELESS, TRUE, WORKER, claim, job, rng, running, status, submit

OPS = Webhook("ops", url="https://hooks.example.com/a", secrets=(b"k" * 32,))
PAGE = Program("page", frozenset({Told.JOB_FAILED}), command=("page",))
DESK = Terminal("desk", frozenset({Told.APPROVAL_WANTED, Told.APPROVAL_EXPIRING}))


def listen(store: Store, *targets: Target) -> None:
    with store.write("engine") as work:
        work.know_targets(targets)


def waiting(store: Store) -> list[Notification]:
    with store.read() as views:
        return views.waiting_notifications(100)


def failed(store: Store) -> list[Notification]:
    with store.read() as views:
        return views.failed_notifications(100)


def said(store: Store, clock: Clock) -> list[Notification]:
    with store.read() as views:
        return views.said_since(clock.now - timedelta(days=100), 100)


def told(store: Store) -> list[tuple[str, str]]:
    return [(one.event, one.target) for one in waiting(store)]


@pytest.fixture
def heard(store: Store) -> Store:
    """A store with someone who wants to hear everything."""
    listen(store, OPS)
    return store


def fails(store: Store) -> int:
    claimed = running(store)
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, HOPELESS, rng())
    return claimed.job.id


def parked(store: Store, expires: timedelta | None = None) -> int:
    """A job that waits at the gate before its run."""
    number = submit(store, NewJob(command=TRUE, approval=Gate("ship it?", expires_after=expires)))
    assert claim(store) == []
    assert status(store, number) is Status.WAITING_FOR_APPROVAL
    return number


def test_without_listeners_nothing_is_written(store: Store) -> None:
    fails(store)
    assert waiting(store) == []


def test_a_job_that_failed_for_good_is_told_to_each_who_listens(store: Store, clock: Clock) -> None:
    listen(store, OPS, PAGE, DESK)
    number = fails(store)
    assert sorted(told(store)) == [("job.failed", "ops"), ("job.failed", "page")]
    one = waiting(store)[0]
    assert (one.job, one.attempts, one.next_attempt_at, one.state) == (number, 0, clock.now, "pending")
    assert one.message == f"job {number} (command) FAILED: it can't work"
    assert one.payload["error_type"] == "TERMINAL"
    assert len({other.notification_id for other in waiting(store)}) == 2
    assert said(store, clock) == []


def test_a_failure_that_is_tried_again_is_not_told(heard: Store) -> None:
    claimed = running(heard)
    with heard.write("engine") as work:
        assert work.fail(claimed.exec_id, WORKER, BROKE, rng()) is Status.RETRYING
    assert told(heard) == []
    with heard.write("ann") as work:
        work.give_up(claimed.job.id)
    assert told(heard) == [("job.failed", "ops")]


def test_what_is_told_and_what_happened_are_one_transaction(heard: Store) -> None:
    claimed = running(heard)

    def fails_and_breaks_off() -> None:
        with heard.write("engine") as work:
            work.fail(claimed.exec_id, WORKER, HOPELESS, rng())
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        fails_and_breaks_off()
    assert (told(heard), status(heard, claimed.job.id)) == ([], Status.RUNNING)


def test_a_denial_at_the_command_line_is_told_too(heard: Store) -> None:
    number = parked(heard)
    with heard.read() as views:
        (gate,) = views.open_approvals(1)
    with heard.write("bob") as work:
        work.deny(number, heard.token_of(gate.approval_id), "not now")
    assert told(heard) == [("job.failed", "ops")]


def test_a_gate_is_told_when_the_job_stands_at_it(heard: Store) -> None:
    number = parked(heard)
    (one,) = waiting(heard)
    assert (one.event, one.job) == ("approval.wanted", number)
    assert one.message == f'job {number} (command) waits at gate "before-run": ship it?'
    with heard.read() as views:
        (gate,) = views.open_approvals(1)
    assert one.approval_id == gate.approval_id


def test_no_token_is_in_the_store(heard: Store) -> None:
    parked(heard, timedelta(hours=1))
    with heard.read() as views:
        (gate,) = views.open_approvals(1)
    token = heard.token_of(gate.approval_id).encode()
    heard._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert all(token not in path.read_bytes() for path in heard.path.parent.iterdir() if path != heard.key_path)


def test_a_gate_that_is_about_to_expire_is_told_later(heard: Store, clock: Clock) -> None:
    parked(heard, timedelta(hours=1))
    first, second = waiting(heard)
    assert (first.event, first.next_attempt_at) == ("approval.wanted", clock.now)
    assert (second.event, second.next_attempt_at) == ("approval.expiring", clock.now + timedelta(minutes=45))
    with heard.read() as views:
        assert [one.event for one in views.due_notifications("ops", 9)] == ["approval.wanted"]
    clock.forward(minutes=45)
    with heard.read() as views:
        assert [one.event for one in views.due_notifications("ops", 9)] == ["approval.wanted", "approval.expiring"]


@pytest.mark.parametrize("answer", ["approve", "deny", "cancel", "expire"])
def test_an_answered_gate_is_not_told_any_more(heard: Store, clock: Clock, answer: str) -> None:
    number = parked(heard, timedelta(hours=1))
    with heard.read() as views:
        (gate,) = views.open_approvals(1)
    token = heard.token_of(gate.approval_id)
    if answer == "expire":
        clock.forward(hours=1)
    with heard.write("bob") as work:
        match answer:
            case "approve":
                work.approve(number, token)
            case "deny":
                work.deny(number, token, "no")
            case "cancel":
                work.cancel(number)
            case _:
                work.expire_gates()
    assert [one.event for one in waiting(heard)] == (["job.failed"] if answer in ("deny", "expire") else [])


def test_what_recovery_did_is_told_once_and_its_retries_are_no_failures(heard: Store) -> None:
    claimed = running(heard)
    with heard.write("engine") as work:
        work.recover(lambda _: True, rng())
    (one,) = waiting(heard)
    assert one.event == "recovery.acted"
    assert one.message == f"after a crash, job {claimed.job.id}: its run was lost; job 2 runs it again"
    with heard.write("engine") as work:
        assert work.recover(lambda _: True, rng()) == []
    assert len(waiting(heard)) == 1


def test_a_run_that_recovery_can_not_repeat_is_told_as_a_failure_too(heard: Store) -> None:
    claimed = running(heard, NewJob(command=TRUE, max_retries=0))
    with heard.write("engine") as work:
        work.recover(lambda _: True, rng())
    assert {(one.event, one.job) for one in waiting(heard)} == {
        ("job.failed", claimed.job.id),
        ("recovery.acted", None),
    }


def test_a_schedule_that_skips_and_one_that_missed_are_told(heard: Store, clock: Clock) -> None:
    with heard.write("ann") as work:
        work.add_template("t", NewJob(command=Command(("a",))))
        work.add_schedule(NewSchedule("s", "t", "*/10 * * * *"))
    clock.forward(minutes=10)
    with heard.write("engine") as work:
        work.fire_due()
    assert told(heard) == []
    clock.forward(minutes=40)
    with heard.write("engine") as work:
        work.fire_due()
    assert {one.event: one.message for one in waiting(heard)} == {
        "schedule.skipped": 'schedule "s" made no job at 2026-03-02T09:50:00Z: job 1 is still QUEUED',
        "schedule.missed": 'schedule "s" has missed 3 fires; it goes on at 2026-03-02T10:00:00Z',
    }


def test_a_stuck_queue_is_told_once(heard: Store, clock: Clock) -> None:
    running(heard)
    number = submit(heard)
    clock.forward(minutes=15)
    assert not watch(heard)
    clock.forward(minutes=1)
    assert watch(heard)
    assert not watch(heard)
    (one,) = waiting(heard)
    assert one.message == f"no job has started for 16m; job {number} (command) is the first that is ready"
    assert len(claim(heard, limits=Limits(slots=9))) == 1
    submit(heard)
    assert not watch(heard)
    clock.forward(hours=1)
    assert watch(heard)


def test_a_queue_that_is_paused_empty_or_held_is_not_stuck(heard: Store, clock: Clock) -> None:
    clock.forward(days=1)
    assert not watch(heard)
    number = submit(heard)
    with heard.write("ann") as work:
        work.hold(number)
    clock.forward(days=1)
    assert not watch(heard)
    with heard.write("ann") as work:
        work.unhold(number)
        work.pause()
    clock.forward(days=1)
    assert not watch(heard)


def test_where_jobs_usually_wait_for_hours_an_hour_is_nothing(heard: Store, clock: Clock) -> None:
    submit(heard)
    clock.forward(hours=2)
    (claimed,) = claim(heard)
    with heard.write("engine") as work:
        work.start(claimed.exec_id, WORKER)
        work.finish(claimed.exec_id, WORKER)
    submit(heard)
    clock.forward(hours=7)
    assert not watch(heard)
    clock.forward(hours=2)
    assert watch(heard)


def watch(store: Store) -> bool:
    with store.write("engine") as work:
        return work.watch_queue()


def test_a_terminal_counts_as_told_at_once(store: Store, clock: Clock) -> None:
    listen(store, DESK)
    parked(store, timedelta(hours=1))
    assert [one.event for one in said(store, clock)] == ["approval.wanted"]
    assert told(store) == [("approval.expiring", "desk")]
    fails(store)
    assert len(said(store, clock)) == 1


def test_delivered_is_final(heard: Store, clock: Clock) -> None:
    fails(heard)
    (one,) = waiting(heard)
    clock.forward(minutes=1)
    with heard.write("engine") as work:
        work.note_delivered(one.id)
        work.note_failure(one.id, "too late", None)
    with heard.read() as views:
        (found,) = views.delivered_notifications(9)
    assert (found.state, found.attempts, found.delivered_at, found.last_error) == ("delivered", 1, clock.now, None)
    with pytest.raises(Refused, match="was delivered to ops already"), heard.write("ann") as work:
        work.tell_again(one.id)
    with pytest.raises(sqlite.driver.IntegrityError, match="what was delivered stays so"):
        heard._connection.execute("UPDATE notifications SET delivered_at = NULL, next_attempt_at = 1")
    with pytest.raises(sqlite.driver.IntegrityError, match="what is told never changes"):
        heard._connection.execute("UPDATE notifications SET payload = '{}'")


def test_a_failure_is_tried_again_then_given_up_then_told_again_by_hand(heard: Store, clock: Clock) -> None:
    fails(heard)
    (one,) = waiting(heard)
    with heard.write("engine") as work:
        work.note_failure(one.id, "it answered 500", clock.now + timedelta(seconds=5))
    (found,) = waiting(heard)
    assert (found.state, found.attempts, found.last_error) == ("retrying", 1, "it answered 500")
    with heard.write("engine") as work:
        work.note_failure(one.id, "x" * 5000, None)
    (given_up,) = failed(heard)
    assert (given_up.state, given_up.attempts, len(given_up.last_error or "")) == ("failed", 2, 1000)
    with heard.read() as views:
        assert views.outbox_counts().failed == 1
    clock.forward(days=1)
    with heard.write("ann") as work:
        assert work.tell_all_again() == [one.id]
    (again,) = waiting(heard)
    assert (again.notification_id, again.attempts, again.next_attempt_at) == (one.notification_id, 0, clock.now)


def test_a_target_that_is_switched_off_is_told_nothing_until_it_is_wanted_again(heard: Store) -> None:
    fails(heard)
    with heard.write("engine") as work:
        work.switch_off("ops", "it answered 410 Gone")
    assert [one.last_error for one in failed(heard)] == ["the target is switched off: it answered 410 Gone"]
    fails(heard)
    listen(heard, OPS)
    fails(heard)
    assert (waiting(heard), len(failed(heard))) == ([], 1)
    with heard.read() as views:
        assert [(one.name, one.off) for one in views.listeners()] == [("ops", "it answered 410 Gone")]
    with heard.write("ann") as work:
        assert work.tell_all_again("ops") == [1]
    fails(heard)
    assert len(waiting(heard)) == 2


def test_a_switched_off_target_that_has_moved_is_tried_again(heard: Store) -> None:
    with heard.write("engine") as work:
        work.switch_off("ops", "it answered 410 Gone")
    listen(heard, Webhook("ops", url="https://hooks.example.com/b", secrets=(b"k" * 32,)))
    fails(heard)
    assert len(waiting(heard)) == 1


def test_what_was_for_a_target_that_is_no_more_is_given_up(heard: Store) -> None:
    fails(heard)
    listen(heard, PAGE)
    assert [one.last_error for one in failed(heard)] == ["the config has no target ops any more"]
    with pytest.raises(Refused, match="which no engine has in its config"), heard.write("ann") as work:
        work.tell_again(1)
    with pytest.raises(NoSuchThing, match="no engine has a target ops"), heard.write("ann") as work:
        work.tell_all_again("ops")
    with pytest.raises(NoSuchThing, match="there is no notification 99"), heard.write("ann") as work:
        work.tell_again(99)


def test_old_ones_are_forgotten(heard: Store, clock: Clock) -> None:
    fails(heard)
    fails(heard)
    first, second = waiting(heard)
    with heard.write("engine") as work:
        work.note_delivered(first.id)
        work.note_failure(second.id, "no", None)
    clock.forward(days=31)
    fails(heard)
    (third,) = waiting(heard)
    with heard.write("engine") as work:
        work.note_delivered(third.id)
    with heard.read() as views:
        assert [one.id for one in views.delivered_notifications(9)] == [third.id]
        assert views.failed_notifications(9) == []


def test_a_notification_outlives_its_job(heard: Store, make_store: Callable[[], Store]) -> None:
    number = fails(heard)
    assert job(make_store(), number).status is Status.FAILED
    heard._connection.execute("DELETE FROM jobs WHERE id = :id", {"id": number})
    (one,) = waiting(heard)
    assert (one.job, one.payload["job"]) == (None, number)
