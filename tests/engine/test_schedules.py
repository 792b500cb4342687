"""Schedules under an engine: once per instant over crashes, downtime, overlaps and clocks that jump."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.jobs import Job
from core.status import Status
from tests.conftest import START
from tests.engine.conftest import MakeStage
from tests.engine.stage import Stage

HOURLY = "30 * * * *"
FIRST = START + timedelta(minutes=30)
HOUR = timedelta(hours=1)
QUEUED, RUNNING, SUCCEEDED, CANCELLED = Status.QUEUED, Status.RUNNING, Status.SUCCEEDED, Status.CANCELLED


def fired(stage: Stage) -> list[Job]:
    """What schedules have submitted, links aside."""
    return [job for job in stage.jobs() if job.fire_time is not None and job.retry_of is None]


def instants(stage: Stage) -> list[datetime]:
    return [job.fire_time for job in fired(stage) if job.fire_time is not None]


def test_it_fires_at_its_time_and_its_job_runs(stage: Stage) -> None:
    stage.schedule("s", HOURLY, ["sleep", 60])
    stage.start_engine()
    stage.run(29.9 * 60)
    assert fired(stage) == []
    stage.run(10)
    (job,) = fired(stage)
    assert (job.fire_time, job.status) == (FIRST, RUNNING)
    assert timedelta(0) <= job.created_at - FIRST < timedelta(seconds=1)
    assert stage.named_schedule("s").next_trigger_at == FIRST + HOUR


def test_it_fires_exactly_once_per_instant_whatever_crashes(stage: Stage) -> None:
    stage.schedule("s", "* * * * *", overlap="allow", catch_up="all")
    begun = stage.now
    crashes = 0
    for number in range(1, 41):
        stage.start_engine()
        # Ever deeper into the transactions that fire, start and finish.
        stage.faults.crash_before = stage.faults.statements + 5 * number
        stage.run(60)
        crashes += not any(seat.leads for seat in stage.seats)
        stage.faults.crash_before = None
        for seat in stage.seats:
            if seat.leads:
                seat.crash()
    stage.start_engine()
    stage.settle()
    assert crashes > 20
    minutes = int((stage.now - begun) / timedelta(minutes=1))
    assert instants(stage) == [begun + timedelta(minutes=number) for number in range(1, minutes + 1)]


@pytest.mark.parametrize(
    ("catch_up", "made_up", "missed"), [("one", [4], 4), ("all", [0, 1, 2, 3, 4], 0), ("none", [], 5)]
)
def test_after_downtime_it_catches_up_as_it_was_told(
    stage: Stage, catch_up: str, made_up: list[int], missed: int
) -> None:
    stage.schedule("s", HOURLY, catch_up=catch_up, overlap="allow")
    stage.run(5 * 3600)
    stage.start_engine()
    stage.settle()
    assert instants(stage) == [FIRST + hour * HOUR for hour in made_up]
    schedule = stage.named_schedule("s")
    assert (schedule.fired_count, schedule.missed_count) == (len(made_up), missed)
    stage.run(3600)
    assert instants(stage)[len(made_up) :] == [FIRST + 5 * HOUR]


def test_the_instant_of_a_moment_ago_is_no_downtime(stage: Stage) -> None:
    stage.schedule("s", HOURLY, catch_up="none")
    stage.run(30 * 60 + 20)
    stage.start_engine()
    stage.settle()
    assert instants(stage) == [FIRST]


def test_overlap_skip_leaves_out_what_comes_while_one_is_live(stage: Stage) -> None:
    stage.schedule("s", HOURLY, ["sleep", 2.2 * 3600])
    stage.start_engine()
    stage.run(4 * 3600)
    assert instants(stage) == [FIRST, FIRST + 3 * HOUR]
    schedule = stage.named_schedule("s")
    assert schedule.skipped_count == 2
    assert schedule.last_skip_reason == f"job {fired(stage)[0].id} is still RUNNING"


def test_overlap_queue_lets_one_wait_behind_the_one_that_runs(stage: Stage) -> None:
    stage.schedule("s", HOURLY, ["sleep", 2.2 * 3600], template={"concurrency_key": "k"}, overlap="queue")
    stage.start_engine()
    stage.run(2.6 * 3600)
    assert [(job.fire_time, job.status) for job in fired(stage)] == [(FIRST, RUNNING), (FIRST + HOUR, QUEUED)]
    stage.run(0.5 * 3600)
    assert [job.status for job in fired(stage)] == [SUCCEEDED, RUNNING]
    assert stage.named_schedule("s").skipped_count == 1


def test_overlap_allow_adds_them_all(make_stage: MakeStage) -> None:
    stage = make_stage(slots=5)
    stage.schedule("s", HOURLY, ["sleep", 10 * 3600], overlap="allow")
    stage.start_engine()
    stage.run(3 * 3600)
    assert [job.status for job in fired(stage)] == [RUNNING, RUNNING, RUNNING]


def test_overlap_replace_stops_the_one_that_runs(stage: Stage) -> None:
    stage.schedule("s", HOURLY, ["sleep", 10 * 3600], overlap="replace")
    stage.start_engine()
    stage.run(2 * 3600)
    assert [job.status for job in fired(stage)] == [CANCELLED, RUNNING]
    assert stage.world.processes[0].gone()


def test_overlap_replace_lets_one_that_has_committed_come_to_its_end(make_stage: MakeStage) -> None:
    stage = make_stage(slots=2)
    stage.schedule("s", HOURLY, ["say", "commit"], ["sleep", 1.5 * 3600], ["effect"], overlap="replace")
    stage.start_engine()
    stage.run(1.9 * 3600)
    assert [job.status for job in fired(stage)] == [RUNNING, RUNNING]
    stage.run(0.5 * 3600)
    assert fired(stage)[0].status is SUCCEEDED


@pytest.mark.parametrize("minutes", [-180, -40, -5])
def test_a_clock_set_back_fires_nothing_again(stage: Stage, minutes: int) -> None:
    stage.schedule("s", "*/10 * * * *", overlap="allow")
    stage.start_engine()
    stage.run(3600 + 60)
    before = instants(stage)
    stage.world.set_wall(minutes=minutes)
    stage.run(-minutes * 60 - 120)
    assert instants(stage) == before
    stage.run(22 * 60)
    assert len(set(instants(stage))) == len(instants(stage))
    assert instants(stage)[-1] == before[-1] + timedelta(minutes=20)


def test_a_clock_set_forward_is_like_downtime(stage: Stage) -> None:
    stage.schedule("s", HOURLY, overlap="allow")
    stage.start_engine()
    stage.run(10)
    stage.world.set_wall(hours=5)
    stage.run(10)
    assert instants(stage) == [FIRST + 4 * HOUR]
    assert stage.named_schedule("s").missed_count == 4


def test_a_schedule_that_is_off_fires_nothing_and_makes_nothing_up(stage: Stage) -> None:
    stage.schedule("s", HOURLY)
    stage.start_engine()
    stage.enable("s", False)
    stage.run(3 * 3600)
    assert fired(stage) == []
    stage.enable("s", True)
    stage.run(3600)
    assert instants(stage) == [FIRST + 3 * HOUR]


def test_a_schedule_can_be_triggered_by_hand_beside_its_clock(stage: Stage) -> None:
    stage.schedule("s", HOURLY, ["sleep", 1])
    stage.start_engine()
    stage.run(60)
    with stage.store.write("ann") as work:
        by_hand = work.trigger_schedule("s").id
    stage.run(3600)
    assert (stage.status(by_hand), instants(stage)) == (SUCCEEDED, [FIRST])


def test_one_that_pauses_on_failure_goes_on_when_someone_has_looked(stage: Stage) -> None:
    stage.schedule("s", HOURLY, ["exit", 64], pause_on_failure=True)
    stage.start_engine()
    stage.run(4 * 3600)
    schedule = stage.named_schedule("s")
    assert (instants(stage), schedule.enabled, schedule.skipped_count) == ([FIRST], False, 1)
    assert "FAILED, and the schedule pauses on failure" in (schedule.last_skip_reason or "")
    stage.enable("s", True)
    stage.run(3600)
    assert instants(stage) == [FIRST, FIRST + 4 * HOUR]


def test_a_failure_that_is_still_being_retried_pauses_nothing(stage: Stage) -> None:
    stage.schedule("s", HOURLY, ["flaky", 1, 1], pause_on_failure=True)
    stage.start_engine()
    stage.run(3 * 3600)
    assert [job.status for job in fired(stage)] == [SUCCEEDED] * 3


def test_a_run_that_was_lost_is_run_again_by_its_link_and_not_by_its_schedule(stage: Stage) -> None:
    stage.schedule("s", HOURLY, ["sleep", 600])
    stage.start_engine()
    stage.run(31 * 60)
    stage.crash()
    stage.start_engine()
    stage.settle()
    (job,) = fired(stage)
    assert stage.statuses(*stage.chain(job.id)) == [Status.FAILED, SUCCEEDED]
    assert stage.named_schedule("s").fired_count == 1


def test_a_schedule_that_can_t_be_fired_any_more_keeps_no_other_from_firing(stage: Stage) -> None:
    stage.schedule("odd", HOURLY)
    stage.schedule("well", HOURLY)
    with stage.store.write("ann") as work:
        work.run("UPDATE schedules SET timezone = 'Mars/Olympus' WHERE name = 'odd'")
    stage.start_engine()
    stage.run(3600)
    assert [job.job_key for job in fired(stage)] == [f"well@{FIRST:%Y-%m-%dT%H:%M:%SZ}"]
    assert not stage.named_schedule("odd").enabled


def nightly(zone: ZoneInfo, begun: datetime, until: datetime) -> list[datetime]:
    """Half past two of each night: once, and at the first instant after the gap on the night that skips it."""
    day, found = begun.astimezone(zone).date(), []
    while day <= until.astimezone(zone).date():
        at = datetime.combine(day, time(2, 30), zone).astimezone(UTC)
        skipped = at.astimezone(zone).time() != time(2, 30)
        found.append(datetime.combine(day, time(3, 0), zone).astimezone(UTC) if skipped else at)
        day += timedelta(days=1)
    return [at for at in found if begun < at <= until]


def test_a_year_of_schedules_across_every_change_of_the_clocks(make_stage: MakeStage) -> None:
    stage = make_stage(lease=timedelta(days=1))
    zones = ("Europe/Berlin", "America/New_York")
    for zone in zones:
        stage.schedule(zone, "30 2 * * *", ["sleep", 1], timezone=zone)
    stage.schedule("monthly", "0 0 1 * *", timezone="Asia/Tokyo")
    begun = stage.now
    stage.start_engine()
    stage.run(365 * 24 * 3600)
    schedules = {stage.named_schedule(name).schedule_id: name for name in (*zones, "monthly")}
    by_schedule: dict[str, list[datetime]] = {name: [] for name in schedules.values()}
    for job in fired(stage):
        assert job.fire_time is not None
        assert job.status is SUCCEEDED
        assert timedelta(0) <= job.created_at - job.fire_time < timedelta(seconds=1)
        by_schedule[schedules[job.schedule_id or ""]].append(job.fire_time)
    for zone in zones:
        assert by_schedule[zone] == nightly(ZoneInfo(zone), begun, stage.now)
        assert len(by_schedule[zone]) == 365
    tokyo = [at.astimezone(ZoneInfo("Asia/Tokyo")) for at in by_schedule["monthly"]]
    assert [(at.day, at.hour, at.month) for at in tokyo] == [(1, 0, month % 12 + 1) for month in range(3, 15)]
