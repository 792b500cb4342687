"""Firing: one job per instant, whatever crashes, overlaps, or happens to the clock."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from core.jobs import Command, Job, NewJob, NewSchedule, Schedule
from core.refusals import NoSuchThing
from core.status import Status
from store.operations.firing import Fired
from store.store import Store
from tests.conftest import START, Clock
from tests.store.raw import COMMIT, RawStore
from tests.store.raw import START as STARTED
from tests.store.telling import Line, history, row_of

FIRST = START + timedelta(minutes=30)


def add(store: Store, new: NewJob | None = None, **options: object) -> Schedule:
    with store.write("ann") as work:
        work.add_template("x", new or NewJob(job_type="etl", command=Command(("a",)), params={"n": 1, "m": 2}))
        return work.add_schedule(NewSchedule("s", "x", "30 * * * *", **options))  # type: ignore[arg-type]


def fire(store: Store) -> list[Fired]:
    with store.write("engine") as work:
        return work.fire_due()


def jobs(store: Store, fired: list[Fired]) -> list[Job]:
    with store.read() as views:
        return [views.job(one.job) for one in fired if one.job is not None]


def schedule(store: Store) -> Schedule:
    with store.read() as views:
        return views.schedule("s")


def turn_fired(store: Store, raw: RawStore, status: Status) -> Job:
    """Fire once and bring that job to a state."""
    (job,) = jobs(store, fire(store))
    raw.turn(job.job_id, Status.RUNNING)
    if status is not Status.RUNNING:
        raw.turn(job.job_id, status)
    return job


def test_nothing_fires_before_its_time(store: Store) -> None:
    add(store)
    assert fire(store) == []


def test_a_fire_makes_a_job_of_the_template_with_the_schedules_params(store: Store, clock: Clock) -> None:
    made = add(store, param_overrides={"n": 9})
    clock.forward(minutes=31)
    fired = fire(store)
    (job,) = jobs(store, fired)
    assert fired == [Fired("s", job.id, FIRST, None)]
    assert (job.job_type, job.command.argv, job.params) == ("etl", ("a",), {"n": 9, "m": 2})
    assert (job.job_key, job.fire_time) == ("s@2026-03-02T09:30:00Z", FIRST)
    assert (job.schedule_id, job.template_id) == (made.schedule_id, made.template_id)
    after = schedule(store)
    assert (after.last_triggered_at, after.next_trigger_at) == (FIRST, FIRST + timedelta(hours=1))
    assert (after.fired_count, after.skipped_count, after.missed_count) == (1, 0, 0)


def test_nothing_fires_twice_not_even_from_two_connections(make_store: Callable[[], Store], clock: Clock) -> None:
    one, two = make_store(), make_store()
    add(one)
    clock.forward(minutes=31)
    assert [len(fire(store)) for store in (one, two, one)] == [1, 0, 0]


def test_a_crash_in_the_middle_fires_it_again_as_a_whole(store: Store, clock: Clock) -> None:
    add(store)
    clock.forward(minutes=31)
    with pytest.raises(ZeroDivisionError), store.write("engine") as work:
        assert len(work.fire_due()) / 0
    assert schedule(store).fired_count == 0
    assert len(fire(store)) == 1


def test_a_clock_set_back_fires_nothing_again(store: Store, clock: Clock) -> None:
    add(store, overlap="allow")
    clock.forward(minutes=31)
    fire(store)
    clock.forward(hours=-2)
    assert fire(store) == []
    clock.forward(hours=2)
    assert fire(store) == []
    clock.forward(hours=1)
    assert [one.at for one in fire(store)] == [FIRST + timedelta(hours=1)]


@pytest.mark.parametrize(("catch_up", "count", "missed"), [("one", 1, 4), ("all", 5, 0), ("none", 0, 5)])
def test_after_downtime(store: Store, clock: Clock, catch_up: str, count: int, missed: int) -> None:
    add(store, catch_up=catch_up, overlap="allow")
    clock.forward(hours=5)
    fired = fire(store)
    assert [one.at for one in fired] == [FIRST + timedelta(hours=hour) for hour in range(5)][5 - count :]
    after = schedule(store)
    assert (after.fired_count, after.missed_count) == (count, missed)
    assert after.next_trigger_at == FIRST + timedelta(hours=5)


def test_skip_leaves_an_instant_out_and_says_why(store: Store, clock: Clock) -> None:
    add(store)
    clock.forward(minutes=31)
    (job,) = jobs(store, fire(store))
    clock.forward(hours=1)
    reason = f"job {job.id} is still QUEUED"
    assert fire(store) == [Fired("s", None, FIRST + timedelta(hours=1), reason)]
    after = schedule(store)
    assert (after.fired_count, after.skipped_count, after.last_skip_reason) == (1, 1, reason)
    assert after.last_triggered_at == FIRST
    assert fire(store) == []


def test_queue_lets_one_wait_behind_the_one_that_runs(store: Store, raw: RawStore, clock: Clock) -> None:
    add(store, overlap="queue")
    clock.forward(minutes=31)
    turn_fired(store, raw, Status.RUNNING)
    clock.forward(hours=1)
    assert [one.skipped for one in fire(store)] == [None]
    clock.forward(hours=1)
    assert [one.job for one in fire(store)] == [None]


def test_replace_cancels_what_waits_and_asks_what_runs_to_stop(store: Store, raw: RawStore, clock: Clock) -> None:
    add(store, overlap="replace")
    clock.forward(minutes=31)
    running = turn_fired(store, raw, Status.RUNNING)
    clock.forward(hours=1)
    (waiting,) = jobs(store, fire(store))
    assert row_of(raw, running.id)["cancel_requested_at"] is not None
    clock.forward(hours=1)
    (newest,) = jobs(store, fire(store))
    assert [row_of(raw, job.id)["status"] for job in (running, waiting, newest)] == ["RUNNING", "CANCELLED", "QUEUED"]
    assert history(raw, waiting.id)[-1] == Line("cancel", "engine", f"replaced by job {newest.id} of its schedule")


def test_replace_lets_what_has_committed_end(store: Store, raw: RawStore, clock: Clock) -> None:
    add(store, overlap="replace")
    clock.forward(minutes=31)
    job = turn_fired(store, raw, Status.RUNNING)
    raw.run(STARTED, job_id=job.job_id)
    raw.run(COMMIT, job_id=job.job_id)
    clock.forward(hours=1)
    assert [one.skipped for one in fire(store)] == [None]
    assert row_of(raw, job.id)["cancel_requested_at"] is None


def test_a_retry_of_a_fired_job_keeps_its_fire_time(store: Store, raw: RawStore, clock: Clock) -> None:
    add(store)
    clock.forward(minutes=31)
    job = turn_fired(store, raw, Status.FAILED)
    with store.write("ann") as work:
        link = work.retry(job.id).job
    assert (link.fire_time, link.schedule_id, link.job_key) == (job.fire_time, job.schedule_id, job.job_key)


def fail_now(raw: RawStore, store: Store, job: Job, clock: Clock) -> None:
    """Fail a running job at the clock's time."""
    with store.read(clock.now) as views:
        now = views.now_us
    raw.run("UPDATE executions SET status = 'ABORTED', outcome = 'FAILED', error = 'x', finished_at = :now", now=now)
    raw.run(
        "UPDATE jobs SET status = 'FAILED', finished_at = :now, error_message = 'x', error_type = 'TERMINAL' "
        "WHERE job_id = :job_id",
        now=now,
        job_id=job.job_id,
    )


def test_a_schedule_that_pauses_on_failure_waits_to_be_enabled(store: Store, raw: RawStore, clock: Clock) -> None:
    add(store, pause_on_failure=True)
    clock.forward(minutes=31)
    job = turn_fired(store, raw, Status.RUNNING)
    clock.forward(minutes=1)
    fail_now(raw, store, job, clock)
    clock.forward(hours=1)
    (skipped,) = fire(store)
    assert skipped.job is None
    assert skipped.skipped is not None
    assert f"job {job.id} FAILED" in skipped.skipped
    paused = schedule(store)
    assert (paused.enabled, paused.next_trigger_at, paused.skipped_count) == (False, None, 1)
    assert paused.last_skip_reason == skipped.skipped
    with store.write("ann") as work:
        work.enable_schedule("s", True)
    clock.forward(hours=1)
    assert [one.skipped for one in fire(store)] == [None]


def test_a_key_that_someone_took_skips_that_instant_only(store: Store, clock: Clock) -> None:
    add(store, overlap="allow")
    with store.write("ann") as work:
        taken = work.submit(NewJob(job_type="etl", job_key="s@2026-03-02T09:30:00Z")).id
    clock.forward(minutes=31)
    (skipped,) = fire(store)
    assert skipped.skipped is not None
    assert f"job {taken}" in skipped.skipped
    clock.forward(hours=1)
    assert [one.skipped for one in fire(store)] == [None]


def test_a_zone_that_is_gone_stops_its_schedule_and_no_other(store: Store, raw: RawStore, clock: Clock) -> None:
    add(store)
    with store.write("ann") as work:
        work.add_schedule(NewSchedule("other", "x", "30 * * * *"))
    raw.run("UPDATE schedules SET timezone = 'Mars/Base' WHERE name = 's'")
    clock.forward(minutes=31)
    fired = {one.schedule: one for one in fire(store)}
    assert fired["other"].job is not None
    assert fired["s"].skipped is not None
    assert "is not a time zone" in fired["s"].skipped
    assert not schedule(store).enabled


def test_at_most_so_many_schedules_fire_at_once(store: Store, clock: Clock) -> None:
    add(store)
    with store.write("ann") as work:
        work.add_schedule(NewSchedule("other", "x", "30 * * * *"))
    clock.forward(minutes=31)
    with store.write("engine") as work:
        assert [[one.schedule for one in work.fire_due(limit=1)] for _ in range(3)] == [["s"], ["other"], []]


def test_a_trigger_by_hand_leaves_the_clock_alone(store: Store, raw: RawStore, clock: Clock) -> None:
    before = add(store, NewJob(job_key="fixed"), enabled=False)
    clock.forward(minutes=1)
    with store.write("bob") as work:
        first, second = work.trigger_schedule("s"), work.trigger_schedule("s")
    assert first.id != second.id
    assert (first.schedule_id, first.fire_time, first.status) == (before.schedule_id, None, Status.QUEUED)
    assert history(raw, first.id) == [Line("submit", "bob", None)]
    assert schedule(store) == before


def test_an_unknown_schedule_can_not_be_triggered(store: Store) -> None:
    with pytest.raises(NoSuchThing, match='there is no schedule "y"'), store.write("bob") as work:
        work.trigger_schedule("y")
