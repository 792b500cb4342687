"""What is planned: every kind of event that the clock brings, and templates and schedules by their names."""

from datetime import timedelta

import pytest

from core.gates import BEFORE_RUN
from core.jobs import Command, Gate, NewJob, NewSchedule
from core.refusals import NoSuchThing
from store.store import Store
from store.views import NextEvent
from tests.conftest import START, Clock
from tests.store.rows_for_tests import Row, insert_all
from tests.store.running_jobs import BROKE, TRUE, WORKER, claim, rng, running, submit


def upcoming(store: Store, limit: int = 99) -> list[NextEvent]:
    with store.read() as views:
        return views.next_events(limit)


def after(**span: float) -> timedelta:
    return timedelta(**span)


@pytest.fixture
def nightly(store: Store) -> str:
    with store.write("ann") as work:
        work.add_template("report", NewJob(job_type="etl", command=TRUE, params={"day": "today"}))
        work.add_schedule(NewSchedule("nightly", "report", "30 9 * * *"))
    return "nightly"


def test_an_idle_store_expects_nothing(store: Store) -> None:
    submit(store)
    assert upcoming(store) == []


def test_a_retry_is_announced_with_its_number(store: Store) -> None:
    claimed = running(store, NewJob(max_retries=2, backoff="fixed:40s"))
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, BROKE, rng())
    assert upcoming(store) == [
        NextEvent(START + after(seconds=40), "retry", "job 1 goes back to the queue for retry 1 of 2")
    ]


def test_a_job_that_waits_for_its_time_is_announced_also_when_it_is_held(store: Store) -> None:
    submit(store, NewJob(scheduled_run_time=START + after(hours=2)))
    submit(store, NewJob(scheduled_run_time=START + after(hours=1), held=True))
    assert upcoming(store) == [
        NextEvent(START + after(hours=1), "run", "job 2 comes due, but is held"),
        NextEvent(START + after(hours=2), "run", "job 1 comes due"),
    ]


def test_a_schedule_is_announced_while_it_is_enabled(store: Store, nightly: str) -> None:
    assert upcoming(store) == [NextEvent(START + after(minutes=30), "schedule", 'schedule "nightly" fires')]
    with store.write("ann") as work:
        work.enable_schedule(nightly, enabled=False)
    assert upcoming(store) == []
    with store.write("ann") as work:
        work.enable_schedule(nightly, enabled=True)
        work.remove_schedule(nightly)
    assert upcoming(store) == []


def test_a_gate_that_expires_is_announced_until_it_is_answered(store: Store) -> None:
    submit(store, NewJob(command=TRUE, approval=Gate("go?", expires_after=after(minutes=10))))
    submit(store, NewJob(command=TRUE, approval=Gate("whenever?")))
    assert claim(store) == []
    assert upcoming(store) == [
        NextEvent(START + after(minutes=10), "gate", f'gate "{BEFORE_RUN}" of job 1 expires'),
    ]
    with store.read() as views:
        gate = views.open_approvals(1)[0]
    with store.write("ann") as work:
        work.approve(1, store.token_of(gate.approval_id), None)
    assert upcoming(store) == []


def test_a_reservation_is_announced_while_it_stands(store: Store) -> None:
    with store.write("ann") as work:
        made = work.reserve("ann on tty1")
    with store.read() as views:
        assert views.active_reservation() == made
    words = "the direct reservation of ann on tty1 expires"
    assert upcoming(store) == [NextEvent(START + after(minutes=5), "reservation", words)]
    with store.write("ann") as work:
        work.release_reservation(made.reservation_id)
    assert upcoming(store) == []
    with store.read() as views:
        assert views.active_reservation() is None


def test_all_kinds_come_soonest_first_and_are_cut(store: Store, nightly: str) -> None:
    assert nightly
    submit(store, NewJob(command=TRUE, approval=Gate("go?", expires_after=after(minutes=20))))
    claim(store)
    claimed = running(store, NewJob(command=TRUE, backoff="fixed:1m"))
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, BROKE, rng())
        work.reserve("bob")
    submit(store, NewJob(scheduled_run_time=START + after(minutes=10)))
    kinds = ["retry", "reservation", "run", "gate", "schedule"]
    assert [event.what for event in upcoming(store)] == kinds
    for limit in range(6):
        assert [event.what for event in upcoming(store, limit)] == kinds[:limit]


def test_many_of_one_kind_do_not_hide_what_comes_sooner(store: Store) -> None:
    later = START + after(days=1)
    insert_all(store._connection, [Row(at=later + after(seconds=20 - n)) for n in range(20)])
    with store.write("ann") as work:
        work.reserve("bob")
    assert [event.what for event in upcoming(store, 3)] == ["reservation", "run", "run"]
    assert [event.at for event in upcoming(store, 3)[1:]] == [later + after(seconds=1), later + after(seconds=2)]


def test_a_schedule_is_read_back_with_its_template_s_name(store: Store, nightly: str) -> None:
    with store.read() as views:
        found = views.schedule(nightly)
        assert views.schedules() == [found]
    assert (found.name, found.template_name, found.cron_expression) == ("nightly", "report", "30 9 * * *")
    assert (found.enabled, found.next_trigger_at) == (True, START + after(minutes=30))
    assert (found.last_triggered_at, found.fired_count, found.created_by) == (None, 0, "ann")


def test_templates_and_schedules_are_listed_by_name_without_the_removed_ones(store: Store) -> None:
    with store.write("ann") as work:
        for name in ("b", "c", "a"):
            work.add_template(name, NewJob(command=Command((name,))))
            work.add_schedule(NewSchedule(f"of {name}", name, "0 6 * * *"))
        work.remove_schedule("of b")
        work.remove_template("b")
    with store.read() as views:
        assert [one.name for one in views.templates()] == ["a", "c"]
        assert [one.new_job.command.argv for one in views.templates()] == [("a",), ("c",)]
        assert [one.name for one in views.schedules()] == ["of a", "of c"]
        assert views.template("c") == views.templates()[1]


def test_an_unknown_or_removed_name_is_told_by_its_kind(store: Store, nightly: str) -> None:
    with store.write("ann") as work:
        work.remove_schedule(nightly)
    with store.read() as views:
        with pytest.raises(NoSuchThing, match='there is no schedule "nightly"'):
            views.schedule("nightly")
        with pytest.raises(NoSuchThing, match='there is no template "none"'):
            views.template("none")
        # Names are told apart by their case.
        with pytest.raises(NoSuchThing, match='there is no template "Report"'):
            views.template("Report")


def test_a_fired_schedule_knows_its_last_and_its_next_time(store: Store, clock: Clock, nightly: str) -> None:
    clock.forward(minutes=30)
    with store.write("engine") as work:
        work.fire_due()
    with store.read() as views:
        found = views.schedule(nightly)
        whole = views.whole_job(1)
    assert (found.last_triggered_at, found.fired_count) == (START + after(minutes=30), 1)
    assert found.next_trigger_at == START + after(minutes=30, days=1)
    assert (whole.schedule, whole.template, whole.job.params) == ("nightly", "report", {"day": "today"})
