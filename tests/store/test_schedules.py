"""Schedules: what is checked, and when each comes next."""

from datetime import UTC, datetime, timedelta

import pytest

from core.edits import UNSET_PARAM, ScheduleEdit
from core.jobs import NewJob, NewSchedule, Schedule
from core.refusals import BadInput, NoSuchThing, Refused
from store.store import Store
from tests.conftest import START, Clock
from tests.store.raw import RawStore

HOURLY = NewSchedule("s", "x", "30 * * * *")


def add(store: Store, new: NewSchedule = HOURLY) -> Schedule:
    with store.write("ann") as work:
        work.add_template("x", NewJob())
        return work.add_schedule(new)


def test_a_new_schedule_knows_when_it_comes_next(store: Store) -> None:
    made = add(store)
    assert (made.name, made.template_name, made.enabled, made.created_by) == ("s", "x", True, "ann")
    assert (made.next_trigger_at, made.last_triggered_at) == (START + timedelta(minutes=30), None)
    assert (made.fired_count, made.skipped_count, made.missed_count) == (0, 0, 0)


def test_the_zone_counts(store: Store) -> None:
    made = add(store, NewSchedule("s", "x", "0 12 * * *", timezone="Europe/Paris"))
    assert made.next_trigger_at == datetime(2026, 3, 2, 11, 0, tzinfo=UTC)


def test_a_schedule_that_is_off_has_no_next(store: Store) -> None:
    assert add(store, NewSchedule("s", "x", "0 * * * *", enabled=False)).next_trigger_at is None


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (NewSchedule("", "x", "0 * * * *"), "the name of a schedule is empty"),
        (NewSchedule("s", "x", "99 * * * *"), "99"),
        (NewSchedule("s", "x", "0 " * 200), "the limit is 256"),
        (NewSchedule("s", "x", "0 * * * *", timezone="Mars/Base"), "is not a time zone"),
        (NewSchedule("s", "x", "0 * * * *", catch_up="some"), "use one, all, none"),
        (NewSchedule("s", "x", "0 * * * *", overlap="some"), "use skip, queue, allow, replace"),
        (NewSchedule("s", "x", "0 * * * *", param_overrides={"a": object()}), "JSON does not know"),
    ],
)
def test_a_schedule_that_could_not_work_is_refused(store: Store, new: NewSchedule, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        add(store, new)


def test_a_schedule_needs_a_template_that_is_there(store: Store) -> None:
    with pytest.raises(NoSuchThing, match='there is no template "y"'):
        add(store, NewSchedule("s", "y", "0 * * * *"))


def test_a_name_is_taken_until_its_schedule_is_removed(store: Store, raw: RawStore) -> None:
    add(store)
    with store.write("ann") as work:
        with pytest.raises(Refused, match='there is a schedule "s" already'):
            work.add_schedule(HOURLY)
        work.remove_schedule("s")
        work.add_schedule(HOURLY)
        work.remove_schedule("s")
        with pytest.raises(NoSuchThing, match='there is no schedule "s"'):
            work.remove_schedule("s")
    rows = raw.run("SELECT enabled, next_trigger_at, removed_at FROM schedules").fetchall()
    assert [(row[0], row[1], row[2] is None) for row in rows] == [(0, None, False)] * 2


def test_another_cron_counts_from_now_on(store: Store, clock: Clock) -> None:
    add(store)
    clock.forward(hours=5)
    with store.write("bob") as work:
        edited = work.edit_schedule("s", ScheduleEdit(cron_expression="15 * * * *"))
    assert edited.next_trigger_at == clock.now + timedelta(minutes=15)


def test_an_edit_that_leaves_the_clock_alone_leaves_the_next_trigger_alone(store: Store, clock: Clock) -> None:
    before = add(store, NewSchedule("s", "x", "30 * * * *", param_overrides={"a": 1, "b": 2}))
    clock.forward(hours=5)
    edit = ScheduleEdit(
        catch_up="all", overlap="queue", pause_on_failure=True, param_overrides={"a": UNSET_PARAM, "c": 3}
    )
    with store.write("bob") as work:
        edited = work.edit_schedule("s", edit)
    assert edited.next_trigger_at == before.next_trigger_at
    assert (edited.catch_up, edited.overlap, edited.pause_on_failure) == ("all", "queue", True)
    assert edited.param_overrides == {"b": 2, "c": 3}


def test_an_edit_names_another_template_and_another_zone(store: Store) -> None:
    add(store, NewSchedule("s", "x", "0 12 * * *"))
    with store.write("bob") as work:
        work.add_template("y", NewJob())
        edited = work.edit_schedule("s", ScheduleEdit(template="y", timezone="Asia/Tokyo"))
    assert (edited.template_name, edited.timezone) == ("y", "Asia/Tokyo")
    assert edited.next_trigger_at == datetime(2026, 3, 3, 3, 0, tzinfo=UTC)


def test_a_wrong_edit_changes_nothing(store: Store) -> None:
    before = add(store)
    with pytest.raises(BadInput), store.write("bob") as work:
        work.edit_schedule("s", ScheduleEdit(cron_expression="nonsense"))
    with store.write("bob") as work:
        assert work.edit_schedule("s", ScheduleEdit()) == before


def test_what_passed_while_it_was_off_is_not_made_up(store: Store, clock: Clock) -> None:
    add(store)
    with store.write("bob") as work:
        off = work.enable_schedule("s", False)
    assert (off.enabled, off.next_trigger_at) == (False, None)
    clock.forward(hours=5)
    with store.write("bob") as work:
        on = work.enable_schedule("s", True)
        assert on.next_trigger_at == clock.now + timedelta(minutes=30)
        assert work.fire_due() == []


def test_enabling_what_is_on_changes_nothing(store: Store, clock: Clock) -> None:
    before = add(store)
    clock.forward(hours=5)
    with store.write("bob") as work:
        assert work.enable_schedule("s", True) == before


def test_with_the_clock_set_back_the_next_is_still_after_the_last(store: Store, clock: Clock) -> None:
    add(store)
    clock.forward(minutes=30)
    with store.write("engine") as work:
        assert len(work.fire_due()) == 1
        work.enable_schedule("s", False)
    clock.forward(hours=-3)
    with store.write("bob") as work:
        assert work.enable_schedule("s", True).next_trigger_at == START + timedelta(minutes=90)
