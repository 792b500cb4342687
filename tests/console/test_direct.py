"""`direct`: the next free slot, past the queue."""

from core.owners import NO_PROCESS, parse_owner
from store.store import Store
from tests.console.conftest import Cli
from tests.store.running_jobs import claim, submit


def test_a_direct_job_is_claimed_before_what_was_queued(cli: Cli, store: Store) -> None:
    queued = submit(store)
    ran = cli("direct", "--", "hotfix")
    assert (ran.code, ran.out) == (0, "2\n")
    assert [one.job.id for one in claim(store)] == [2]
    assert cli("show", str(queued)).out.count("QUEUED") == 1


def test_a_second_one_is_told_who_has_the_slot(cli: Cli) -> None:
    cli("direct", "--", "hotfix")
    ran = cli("direct", "--", "another")
    assert ran.code == 3
    assert ran.err.startswith("jobdeck: busy: ")
    assert len(cli("list", "--json").json) == 1


def test_whoever_does_not_wait_keeps_the_slot_until_its_time_is_over(cli: Cli, store: Store) -> None:
    cli("direct", "--expires", "10m", "--", "hotfix")
    with store.read() as views:
        reservation = views.active_reservation()
    assert reservation is not None
    owner = parse_owner(reservation.reserved_by)
    assert owner is not None
    assert owner.pid == NO_PROCESS
    assert (reservation.expires_at - reservation.reserved_at).total_seconds() == 600


def test_everything_else_says_why_it_waits(cli: Cli, store: Store) -> None:
    submit(store)
    cli("direct", "--", "hotfix")
    assert cli("show", "1", "--json").json["why"]["waits_for"] == "reservation"
