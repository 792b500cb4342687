"""`history`: what happened, oldest first, cut at the old end."""

import pytest

from core.jobs import NewJob
from store.store import Store
from tests.conftest import Clock
from tests.console.conftest import Cli
from tests.store.running_jobs import BROKE, WORKER, rng, running, submit


@pytest.fixture
def busy(store: Store, clock: Clock) -> Store:
    """A job of type etl that failed for now, and one of type mail that was submitted a minute later."""
    claimed = running(store, NewJob(job_type="etl", job_key="k"))
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, BROKE, rng())
    clock.forward(minutes=1)
    submit(store, NewJob(job_type="mail"))
    return store


@pytest.mark.usefixtures("busy")
def test_one_job_s_history_tells_each_step(cli: Cli) -> None:
    title, *lines = cli("history", "1").out.splitlines()
    assert title.split() == ["WHEN", "EVENT", "STATUS", "BY", "WHY"]
    assert [line.split()[2:] for line in lines] == [
        ["submit", "QUEUED", "ann"],
        ["claim", "QUEUED", "→", "RUNNING", "engine"],
        ["fail", "RUNNING", "→", "RETRYING", "engine", "it", "broke"],
    ]
    assert {" ".join(line.split()[:2]) for line in lines} == {"1m ago"}


@pytest.mark.usefixtures("busy")
def test_the_history_of_all_names_the_job_of_each_line(cli: Cli) -> None:
    title, *lines = cli("history").out.splitlines()
    assert title.split()[:2] == ["WHEN", "ID"]
    assert [line.split()[-4:] for line in lines][-1] == ["2", "submit", "QUEUED", "ann"]
    assert len(lines) == 4


@pytest.mark.usefixtures("busy")
def test_a_change_that_is_no_step_shows_the_state_it_was_made_in(cli: Cli) -> None:
    cli("hold", "2", "--reason", "later")
    assert cli("history", "2").out.splitlines()[-1].split()[:3] == ["now", "hold", "QUEUED"]


@pytest.mark.usefixtures("busy")
def test_a_short_history_keeps_the_newest_and_says_so(cli: Cli) -> None:
    first, _, *lines = cli("history", "--limit", "2").out.splitlines()
    assert first == "… and earlier entries; --limit 0 shows all"
    assert [line.split()[-1] for line in lines] == ["broke", "ann"]
    assert "earlier" not in cli("history", "--limit", "4").out
    assert "earlier" not in cli("history", "--limit", "0").out
    assert [entry["event"] for entry in cli("history", "--limit", "2", "--json").json] == ["fail", "submit"]


def test_a_table_stops_at_a_hundred_and_scripts_get_all(cli: Cli, store: Store) -> None:
    with store.write("ann") as work:
        for _ in range(101):
            work.submit(NewJob())
    assert len(cli("history").out.splitlines()) == 102
    assert len(cli("history", "--limit", "0").out.splitlines()) == 102
    assert len(cli("history", "--json").json) == 101


@pytest.mark.usefixtures("busy")
def test_a_filter_leaves_the_jobs_that_match(cli: Cli) -> None:
    assert [entry["id"] for entry in cli("history", "--filter", "type:mail", "--json").json] == [2]
    lines = cli("history", "--filter", "type:etl").out.splitlines()[1:]
    assert [line.split()[2:4] for line in lines] == [["1", "submit"], ["1", "claim"], ["1", "fail"]]


def test_an_empty_history_says_what_to_do(cli: Cli) -> None:
    assert cli("history").out == "nothing has happened yet; try: jobdeck submit -- echo hello\n"
    assert cli("history", "--json").json == []
    cli("submit", "--", "a")
    out = cli("history", "--filter", "type:none").out
    assert out == "nothing has happened to any job that matches that filter; jobdeck history shows all\n"


def test_a_job_and_a_filter_together_are_refused(cli: Cli) -> None:
    cli("submit", "--", "a")
    ran = cli("history", "1", "--filter", "type:etl")
    assert (ran.code, ran.out) == (2, "")
    assert "one of the two" in ran.err
    assert cli("history", "1", "--filter", " ").code == 0
    assert cli("history", "--limit", "-1").code == 2


@pytest.mark.usefixtures("busy")
def test_scripts_get_each_entry_key_by_key(cli: Cli) -> None:
    entry = cli("history", "1", "--json").json[-1]
    assert list(entry) == [
        "id", "job_id", "previous_status", "new_status", "event", "actor", "reason", "metadata", "created_at",
    ]  # fmt: skip
    assert (entry["id"], entry["previous_status"], entry["new_status"]) == (1, "RUNNING", "RETRYING")
    assert (entry["reason"], entry["created_at"]) == ("it broke", "2026-03-02T09:00:00Z")
    assert entry["metadata"]["error_type"] == "RETRYABLE"
