"""`status`, `pause` and `resume`: how the store stands and what comes next."""

from datetime import timedelta
from pathlib import Path

import pytest

from core.gates import BEFORE_RUN
from core.jobs import Gate, NewJob
from core.status import Status
from store.store import Store
from store.views.counting import MOST_COUNTED
from tests.conftest import START
from tests.console.conftest import Cli
from tests.store.rows_for_tests import Row, insert_all
from tests.store.running_jobs import TRUE, claim, running, submit


def test_each_state_is_counted_and_empty_ones_are_left_out(cli: Cli, store: Store, store_path: Path) -> None:
    running(store)
    for _ in range(12):
        submit(store)
    with store.write("ann") as work:
        work.hold(2)
        work.cancel(13)
    out = cli("status").out
    assert f"store   {store_path}\n" in out
    assert "engine  none; start one with: jobdeck serve\n" in out
    assert "queue   open\n" in out
    assert out.split("\n\n")[1].splitlines() == ["11  QUEUED  (1 held)", " 1  RUNNING", " 1  CANCELLED"]


def test_jobs_that_wait_for_people_or_time_are_told_beside_the_queue(cli: Cli) -> None:
    cli("submit", "--hold", "--at", "2026-03-02T12:00Z", "--", "a")
    cli("submit", "--at", "2026-03-02T11:00Z", "--", "a")
    assert "2  QUEUED  (1 held, 2 not due yet)\n" in cli("status").out
    document = cli("status", "--json").json
    assert (document["held"], document["not_yet_due"]) == (1, 2)


def test_what_is_counted_only_so_far_is_told_as_more(cli: Cli, store: Store) -> None:
    insert_all(store._connection, [Row(position=n, held=True) for n in range(MOST_COUNTED + 5)])
    assert "10,005  QUEUED  (10,000+ held)\n" in cli("status").out


def test_the_next_events_come_soonest_first(cli: Cli, store: Store) -> None:
    submit(store, NewJob(scheduled_run_time=START + timedelta(hours=2)))
    submit(store, NewJob(command=TRUE, approval=Gate("go?", expires_after=timedelta(minutes=5))))
    claim(store)
    events = cli("status").out.split("\n\n")[2].splitlines()
    assert [line.split()[:3] for line in events] == [["NEXT", "WHAT"], ["in", "5m", "gate"], ["in", "2h", "job"]]
    assert cli("status", "--json").json["next_events"] == [
        {"at": "2026-03-02T09:05:00Z", "what": "gate", "words": f'gate "{BEFORE_RUN}" of job 2 expires'},
        {"at": "2026-03-02T11:00:00Z", "what": "run", "words": "job 1 comes due"},
    ]


def test_scripts_get_every_state_and_both_places(cli: Cli, store_path: Path) -> None:
    document = cli("status", "--json").json
    assert list(document) == [
        "db",
        "home",
        "engine",
        "paused",
        "counts",
        "held",
        "not_yet_due",
        "next_events",
        "notifications",
        "last_prune",
    ]
    assert (document["db"], document["home"]) == (str(store_path), str(store_path.parent))
    assert document["counts"] == {status.value: 0 for status in Status}
    assert (document["paused"], document["next_events"]) == (None, [])


def test_bare_jobdeck_without_a_terminal_names_what_would_work(cli: Cli) -> None:
    for arguments in ((), ("--read-only",), ("demo",)):
        ran = cli(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "needs a terminal" in ran.err
        assert "jobdeck serve" in ran.err
        assert "jobdeck --help" in ran.err


@pytest.mark.parametrize("reason", [None, "disk swap"])
def test_a_pause_says_who_and_why_and_is_made_once(cli: Cli, reason: str | None) -> None:
    because = () if reason is None else ("--reason", reason)
    assert cli("pause", *because).out == "paused; nothing new starts\n"
    assert cli("pause").out == "the queue was paused already\n"
    queue = cli("status").out.splitlines()[2]
    assert queue.startswith("queue   paused by ")
    assert "2026-03-02 09:00:00 UTC (now)" in queue
    assert queue.endswith((": disk swap" if reason else "(now)") + "; go on with: jobdeck resume")
    assert cli("status", "--json").json["paused"]["reason"] == reason
    assert cli("resume").out == "jobs start again\n"
    assert cli("resume").out == "the queue was not paused\n"


def test_scripts_hear_the_same_whether_it_was_paused_or_not(cli: Cli) -> None:
    assert cli("pause", "--json").json == cli("pause", "--json").json == {"paused": True}
    assert cli("resume", "--json").json == cli("resume", "--json").json == {"paused": False}
