"""`edit`, and the small changes: what is named changes, the rest stays."""

from datetime import timedelta
from typing import Any

import pytest

from core.jobs import NewJob
from store.store import Store
from tests.console.conftest import Cli
from tests.store.running_jobs import BROKE, WORKER, rng, running


@pytest.fixture
def full(cli: Cli) -> dict[str, Any]:
    """A job with all that can be taken away again."""
    options = (
        "--at 2027-01-01 --deadline 2027-02-01 --timeout 1h --concurrency-key disk --cwd /tmp --env A=b --tag t=u "
        "--approval sure? --approval-expires 90s --four-eyes --param a=1"
    )
    cli("submit", *options.split(), "--", "x")
    return whole(cli)


def whole(cli: Cli) -> dict[str, Any]:
    """All that is told of the job, by --json and by words."""
    told = dict(line.split("  ", 1) for line in cli("show", "1").out.splitlines())
    return {**cli("show", "1", "--json").json, "told": {name: value.strip() for name, value in told.items()}}


@pytest.mark.parametrize(
    ("option", "fact"),
    [
        ("--at", "not before"),
        ("--deadline", "deadline"),
        ("--timeout", "timeout"),
        ("--concurrency-key", "takes turns on"),
        ("--cwd", "directory"),
        ("--approval", "approval"),
    ],
)
def test_none_takes_a_value_away(cli: Cli, full: dict[str, Any], option: str, fact: str) -> None:
    before = full["told"]
    assert before.pop(fact)
    ran = cli("edit", "1", option, "none")
    assert (ran.code, ran.out) == (0, "job 1 is changed\n")
    after = whole(cli)["told"]
    # What it waits for follows from the rest.
    del before["waits for"], after["waits for"]
    assert after == before


@pytest.mark.parametrize(
    ("option", "value", "fact", "told"),
    [
        ("--at", "2027-01-02", "not before", "2027-01-02 00:00:00 UTC (in 305d15h)"),
        ("--deadline", "2027-01-03", "deadline", "2027-01-03 00:00:00 UTC (in 306d15h)"),
        ("--timeout", "2h", "timeout", "2h"),
        ("--max-retries", "9", "retries", "0 of 9 used, fixed:1s"),
        ("--backoff", "exponential:2s:1m", "retries", "0 of 3 used, exponential:2s:1m"),
        ("--concurrency-key", "net", "takes turns on", "net"),
        ("--cwd", "/var", "directory", "/var"),
        ("--approval", "Really?", "approval", "asks before it runs: Really?"),
    ],
)
@pytest.mark.usefixtures("full")
def test_a_value_is_replaced(cli: Cli, option: str, value: str, fact: str, told: str) -> None:
    assert cli("edit", "1", option, value).code == 0
    assert whole(cli)["told"][fact] == told


@pytest.mark.usefixtures("full")
def test_another_question_keeps_its_terms(cli: Cli, store: Store) -> None:
    cli("edit", "1", "--approval", "Really?")
    with store.read() as views:
        gate = views.job(1).approval
    assert gate is not None
    assert (gate.message, gate.four_eyes, gate.expires_after) == ("Really?", True, timedelta(seconds=90))


def test_a_question_can_be_asked_of_a_job_that_had_none(cli: Cli, store: Store) -> None:
    cli("submit", "--", "x")
    assert cli("edit", "1", "--approval", "Really?").code == 0
    with store.read() as views:
        gate = views.job(1).approval
    assert gate is not None
    assert (gate.message, gate.four_eyes, gate.expires_after) == ("Really?", False, None)


@pytest.mark.usefixtures("full")
def test_pairs_are_set_and_taken_away_one_by_one(cli: Cli) -> None:
    edit = "--env C=d --unset-env A --tag x=y --unset-tag t --param b=[2] --unset-param a"
    assert cli("edit", "1", *edit.split()).code == 0
    job = whole(cli)
    assert (job["command"]["env"], job["tags"], job["params"]) == ({"C": "d"}, {"x": "y"}, {"b": [2]})


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--param", "a=2", "--unset-param", "a"], 2, "param a is both set and taken away"),
        (["--unset-tag", ""], 2, "the name of the tag to take away"),
        (["--type", "etl"], 3, "a job's type never changes"),
        (["--key", "k"], 3, "a job's key never changes"),
        ([], 2, "there is nothing to change"),
        (["--timeout", "soon"], 2, "not a duration"),
    ],
)
def test_what_can_t_be_is_refused_and_changes_nothing(cli: Cli, arguments: list[str], code: int, words: str) -> None:
    before = whole(cli)
    ran = cli("edit", "1", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert words in ran.err
    assert whole(cli) == before


def test_held_jobs_may_start_again(cli: Cli) -> None:
    cli("submit", "--hold", "--", "x")
    assert cli("hold", "1").out == "job 1 was held already\n"
    assert cli("unhold", "1").out == "job 1 may start\n"
    assert cli("unhold", "1").out == "job 1 was not held\n"
    assert cli("unhold", "1", "--json").json[0]["held"] is False
    assert cli("hold", "1").out == "job 1 is held\n"


def test_a_job_that_waits_for_its_retry_is_tried_now(cli: Cli, store: Store) -> None:
    claimed = running(store, NewJob(backoff="fixed:1h"))
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, BROKE, rng())
    assert cli("retry", "1").out == "job 1 is back in the queue\n"


def test_a_running_job_is_asked_to_stop(cli: Cli, store: Store) -> None:
    running(store)
    assert cli("cancel", "1").out == "job 1 is asked to stop\n"


def test_a_new_priority_is_told_to_scripts_too(cli: Cli) -> None:
    cli("submit", "--", "x")
    assert cli("priority", "1", "-3", "--json").json["priority"] == -3
