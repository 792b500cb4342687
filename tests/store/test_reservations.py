"""Direct reservations: one at a time, and none for ever."""

from datetime import timedelta

import pytest

from core.jobs import NewJob
from core.refusals import BadInput, NoSuchThing, Refused
from core.status import Status
from store.store import Store
from tests.conftest import START, Clock
from tests.store.raw import RawStore
from tests.store.telling import Line, history, row_of


def nobody(_: str) -> bool:
    return False


def test_a_reservation_stands_until_it_is_released(store: Store) -> None:
    with store.write("ann") as work:
        made = work.reserve("ann@host")
        assert work.active_reservation() == made
        assert (made.status, made.reserved_by, made.expires_at) == ("ACTIVE", "ann@host", START + timedelta(minutes=5))
        assert work.release_reservation(made.reservation_id)
        assert work.active_reservation() is None
        assert not work.release_reservation(made.reservation_id)


def test_a_second_caller_is_told_that_it_is_busy(store: Store) -> None:
    with store.write("ann") as work:
        work.reserve("ann")
    with pytest.raises(Refused, match="busy: ann has the next free slot, until 2026-03-02T09:05:00Z"):  # noqa: SIM117
        with store.write("bob") as work:
            work.reserve("bob")


def test_one_that_has_run_out_gives_way_to_the_next_caller(store: Store, raw: RawStore, clock: Clock) -> None:
    with store.write("ann") as work:
        work.reserve("ann")
    clock.forward(minutes=5)
    with store.write("bob") as work:
        made = work.reserve("bob")
    rows = raw.run("SELECT reserved_by, status FROM direct_reservations ORDER BY id").fetchall()
    assert [tuple(row) for row in rows] == [("ann", "EXPIRED"), ("bob", "ACTIVE")]
    assert made.reserved_at == clock.now


def test_expiry_is_by_time_or_by_the_death_of_the_owner(store: Store, clock: Clock) -> None:
    with store.write("engine") as work:
        first = work.reserve("ann").reservation_id
        assert work.expire_reservations(nobody) == []
        assert work.expire_reservations(lambda owner: owner == "ann") == [first]
        second = work.reserve("bob").reservation_id
    clock.forward(minutes=5)
    with store.write("engine") as work:
        assert work.expire_reservations(nobody) == [second]
        assert work.active_reservation() is None


@pytest.mark.parametrize("expiry", [timedelta(0), timedelta(hours=25)])
def test_a_reservation_has_a_length(store: Store, expiry: timedelta) -> None:
    with pytest.raises(BadInput, match="more than 0s and at most 1d"), store.write("ann") as work:
        work.reserve("ann", expiry)


def test_an_unknown_reservation_can_not_be_released(store: Store) -> None:
    with pytest.raises(NoSuchThing, match="there is no reservation nope"), store.write("ann") as work:
        work.release_reservation("nope")


def test_a_direct_job_that_never_started_goes_with_its_reservation(store: Store, raw: RawStore, clock: Clock) -> None:
    with store.write("ann") as work:
        job = work.submit(NewJob(reservation_id=work.reserve("ann").reservation_id)).id
    clock.forward(minutes=5)
    with store.write("engine") as work:
        work.expire_reservations(nobody)
    assert row_of(raw, job)["status"] == "CANCELLED"
    assert history(raw, job)[-1] == Line("cancel", "engine", "its reservation was expired before it could start")


def test_a_direct_job_that_runs_goes_on_after_its_release(store: Store, raw: RawStore) -> None:
    with store.write("ann") as work:
        reservation = work.reserve("ann").reservation_id
        submitted = work.submit(NewJob(reservation_id=reservation))
    raw.turn(submitted.job_id, Status.RUNNING)
    with store.write("engine") as work:
        work.release_reservation(reservation)
    assert row_of(raw, submitted.id)["status"] == "RUNNING"
