"""`list`: what an operator would ask next stands beside each job."""

from datetime import timedelta

import pytest

from console.cli.lists import COUNTED
from core.jobs import Gate, NewJob
from core.limits import Limits
from store.store import Store
from tests.conftest import START, Clock
from tests.console.conftest import Cli
from tests.store.rows_for_tests import Row, insert_all
from tests.store.running_jobs import BROKE, HOPELESS, TRUE, WORKER, claim, rng, running, submit


def row(cli: Cli, number: int = 1) -> str:
    """A job's line, with its columns set apart by one space."""
    (found,) = [line for line in cli("list").out.splitlines() if line.split()[0] == str(number)]
    return " ".join(found.split())


def test_the_table_has_a_line_for_each_job_in_the_order_of_the_queue(cli: Cli) -> None:
    cli("submit", "--type", "etl", "--key", "may", "--", "./load.sh", "x")
    cli("submit", "--priority", "5", "--", "ls")
    assert [" ".join(line.split()) for line in cli("list").out.splitlines()] == [
        "ID STATUS PRI TYPE KEY COMMAND NOTE CREATED",
        "2 QUEUED 5 command ls now",
        "1 QUEUED 0 etl may ./load.sh x now",
    ]


def test_a_running_job_tells_its_attempt_and_how_long_it_runs(cli: Cli, store: Store, clock: Clock) -> None:
    running(store)
    clock.forward(seconds=75)
    assert "attempt 1, for 1m15s" in row(cli)
    cli("cancel", "1")
    assert "stopping" in row(cli)
    assert "attempt" not in row(cli)


def test_a_job_that_waits_tells_for_what(cli: Cli, store: Store, clock: Clock) -> None:
    submit(store, NewJob(scheduled_run_time=START + timedelta(hours=1)))
    submit(store, NewJob(scheduled_run_time=START + timedelta(hours=1), held=True))
    submit(store, NewJob(command=TRUE, approval=Gate("sure?")))
    submit(store, NewJob(draft=True))
    submit(store, NewJob(draft=True, held=True))
    claim(store)
    assert row(cli, 1).endswith("starts in 1h now")
    assert row(cli, 2).endswith("held, starts in 1h now")
    assert "WAITING" in row(cli, 3)
    assert "answer with: jobdeck approve 3" in row(cli, 3)
    assert row(cli, 4).endswith(" draft now")
    assert row(cli, 5).endswith("held, draft now")
    clock.forward(hours=2)
    assert "starts" not in row(cli, 1)


def test_an_ended_job_tells_how(cli: Cli, store: Store, clock: Clock) -> None:
    first, second, third = (running(store, NewJob(command=TRUE, backoff="fixed:10m")) for _ in range(3))
    submit(store)
    clock.forward(seconds=20)
    with store.write("engine") as work:
        work.finish(first.exec_id, WORKER)
        work.fail(second.exec_id, WORKER, HOPELESS, rng())
        work.fail(third.exec_id, WORKER, BROKE, rng())
        work.cancel(4)
    assert "took 20s" in row(cli, 1)
    assert "it can't work" in row(cli, 2)
    assert "retry 1 of 3 in 10m: it broke" in row(cli, 3)
    assert row(cli, 4) == "4 CANCELLED 0 command true 20s ago"
    cli("cancel", "3")
    assert "it broke" in row(cli, 3)


def test_a_key_that_says_nothing_is_left_out(cli: Cli) -> None:
    cli("submit", "--", "a")
    cli("cancel", "1")
    cli("retry", "1")
    jobs = cli("list", "--json").json
    assert {job["job_key"] for job in jobs} == {cli("show", "1", "--json").json["job_id"]}
    for number in (1, 2):
        assert jobs[0]["job_key"] not in row(cli, number)


def test_more_matches_than_people_count_end_in_a_plus(cli: Cli, store: Store) -> None:
    insert_all(store._connection, [Row(position=n) for n in range(COUNTED + 3)])
    assert f"… and {COUNTED:,}+ more; --limit 0 shows all" in cli("list", "--limit", "2", "--filter", "held:no").out
    assert f"… and {COUNTED + 1:,} more; --limit 0 shows all" in cli("list", "--limit", "2").out


@pytest.mark.parametrize(
    ("expression", "numbers"),
    [
        ("status:running", [1]),
        ("phase:initial", [2, 3]),
        ("!status:queued", [1, 4]),
        ("status:cancelled,running", [1, 4]),
        ("type:etl", [3]),
        ("id:2,4", [2, 4]),
    ],
)
def test_a_filter_leaves_what_matches_for_people_and_scripts(
    cli: Cli, store: Store, expression: str, numbers: list[int]
) -> None:
    submit(store)
    claim(store, limits=Limits(slots=1))
    for job_type in ("a", "etl", "b"):
        submit(store, NewJob(job_type=job_type))
    cli("cancel", "4")
    assert [job["id"] for job in cli("list", "--filter", expression, "--json").json] == numbers
    lines = cli("list", "--filter", expression).out.splitlines()[1:]
    assert [int(line.split()[0]) for line in lines] == numbers


def test_nothing_found_says_what_to_do(cli: Cli) -> None:
    assert cli("list").out == "no jobs yet; try: jobdeck submit -- echo hello\n"
    assert cli("list", "--filter", "x").out == "no jobs match that filter; jobdeck list shows all\n"
    assert cli("list", "--filter", "x", "--json").json == []
