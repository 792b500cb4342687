"""`show`: everything about one job, for people and for scripts."""

from datetime import timedelta

import pytest

from core.jobs import Command, Gate, NewJob, NewSchedule
from core.status import Status
from core.verbs import possible
from store.store import Store
from tests.conftest import Clock
from tests.console.conftest import Cli
from tests.store.running_jobs import BROKE, WORKER, claim, rng, running, submit


def facts(out: str) -> dict[str, str]:
    """The names and values in front of the first empty line."""
    found = {}
    for line in out.split("\n\n", maxsplit=1)[0].splitlines():
        name, _, value = line.partition("  ")
        found[name.strip()] = value.strip()
    return found


def sections(out: str) -> dict[str, list[str]]:
    """The lines below each heading that follows the facts."""
    found = {}
    for part in out.split("\n\n")[1:]:
        heading, *lines = part.splitlines()
        found[heading] = lines
    return found


def test_a_queued_job_says_where_it_stands_and_what_can_be_done(cli: Cli) -> None:
    cli("submit", "--", "first")
    cli("submit", "--hold", "--", "echo", "two words")
    told = facts(cli("show", "2").out)
    assert told["job"].split()[0] == "2"
    assert told["status"] == "QUEUED, held: waiting its turn"
    assert told["command"] == "echo 'two words'"
    assert told["place"] == "2 in the queue"
    assert told["retries"] == "0 of 3 used, fixed:1s"
    assert told["created"].startswith("2026-03-02 09:00:00 UTC (now) by ")
    assert told["can"] == ", ".join(verb.name for verb in possible(Status.QUEUED))
    assert not {"error", "key", "chain", "template", "started", "finished", "params"} & set(told)


def test_every_option_is_told(cli: Cli) -> None:
    options = (
        "--type etl --key k --priority -7 --at 2026-03-02T12:00Z --deadline 2026-03-03 --timeout 1h30m "
        "--backoff exponential:1s:5m --max-retries 5 --concurrency-key disk --tag env=prod --param n=3 "
        "--cwd /tmp --env A=b --approval sure?"
    )
    cli("submit", *options.split(), "--", "ls")
    told = facts(cli("show", "1").out)
    assert (told["type"], told["key"], told["priority"]) == ("etl", "k", "-7")
    assert told["not before"] == "2026-03-02 12:00:00 UTC (in 3h)"
    assert told["deadline"] == "2026-03-03 00:00:00 UTC (in 15h)"
    assert (told["timeout"], told["takes turns on"]) == ("1h30m", "disk")
    assert told["retries"] == "0 of 5 used, exponential:1s:5m"
    assert (told["directory"], told["environment"]) == ("/tmp", "A=b")
    assert (told["tags"], told["params"]) == ("env=prod", '{"n": 3}')
    assert told["approval"] == "asks before it runs: sure?"


def test_a_shell_command_says_so(cli: Cli) -> None:
    cli("submit", "--shell", "--", "a | b")
    assert facts(cli("show", "1").out)["command"] == "a | b  (through the shell)"


def test_a_running_attempt_is_told_with_how_long_it_takes(cli: Cli, store: Store, clock: Clock) -> None:
    submit(store)
    (claimed,) = claim(store)
    assert sections(cli("show", "1").out)["Executions"][1].split() == ["1", "LEASED", "now", WORKER]
    with store.write("engine") as work:
        work.start(claimed.exec_id, WORKER)
    clock.forward(seconds=90)
    assert sections(cli("show", "1").out)["Executions"][1].split() == [
        "1", "IN_PROGRESS", "1m", "ago", "1m30s", WORKER,
    ]  # fmt: skip
    cli("cancel", "1")
    assert facts(cli("show", "1").out)["status"] == "RUNNING, asked to stop: an execution holds its lease"


def test_a_failed_attempt_tells_its_error_and_when_it_is_tried_again(cli: Cli, store: Store) -> None:
    claimed = running(store, NewJob(backoff="fixed:1m"))
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, BROKE, rng())
    out = cli("show", "1").out
    told = facts(out)
    assert told["error"] == "it broke (retryable)"
    assert told["retries"].startswith("1 of 3 used")
    assert told["next retry"] == "2026-03-02 09:01:00 UTC (in 1m)"
    assert told["attempts"] == "1"
    assert "place" not in told
    title, row = sections(out)["Executions"]
    assert title.split() == ["TRY", "STATUS", "OUTCOME", "EXIT", "STARTED", "TOOK", "BY", "ERROR"]
    assert row.split() == ["1", "ABORTED", "FAILED", "1", "now", "0s", WORKER, "it", "broke"]


def test_a_finished_job_tells_its_result_and_checkpoint(cli: Cli, store: Store, clock: Clock) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        work.checkpoint(claimed.exec_id, WORKER, {"file": "日本"})
        clock.forward(seconds=10)
    with store.write("engine") as work:
        work.finish(claimed.exec_id, WORKER, result=[1, None])
    told = facts(cli("show", "1").out)
    assert told["status"] == "SUCCEEDED: finished well"
    assert (told["checkpoint"], told["result"]) == ('{"file": "日本"}', "[1, null]")
    assert told["finished"] == "2026-03-02 09:00:10 UTC (now)"
    assert told["can"] == "retry"


def test_gates_are_told_with_their_answers(cli: Cli, store: Store) -> None:
    submit(store, NewJob(command=Command(("x",)), approval=Gate("Deploy?", expires_after=timedelta(hours=1))))
    submit(store, NewJob(command=Command(("x",)), approval=Gate("Sure?")))
    assert claim(store) == []
    (open_gate,) = sections(cli("show", "1").out)["Gates"]
    assert '"Deploy?", asked by ann, expires 2026-03-02 10:00:00 UTC (in 1h), not answered yet' in open_gate
    (endless,) = sections(cli("show", "2").out)["Gates"]
    assert '"Sure?", asked by ann, not answered yet' in endless
    cli("approve", "1", "--comment", "go ahead")
    (granted,) = sections(cli("show", "1").out)["Gates"]
    assert ", approved by " in granted
    assert granted.endswith(': "go ahead"')
    cli("approve", "2")
    (silent,) = sections(cli("show", "2").out)["Gates"]
    assert '"go ahead"' not in silent
    assert cli("show", "1", "--json").json["approvals"][0]["comment"] == "go ahead"


def test_where_a_job_came_from_is_told(cli: Cli, store: Store) -> None:
    with store.write("ann") as work:
        work.add_template("nightly", NewJob(command=Command(("x",))))
        work.add_schedule(NewSchedule("at night", "nightly", "0 2 * * *"))
        work.trigger_schedule("at night")
        work.cancel(1)
        work.retry(1)
    told = facts(cli("show", "2").out)
    assert (told["template"], told["schedule"], told["chain"]) == ("nightly", "at night", "1 → 2")
    assert "key" not in told


@pytest.mark.parametrize("length", [36, 13])
def test_a_job_is_found_by_its_uuid_and_by_the_beginning_of_it(cli: Cli, length: int) -> None:
    cli("submit", "--", "a")
    job_id = cli("show", "1", "--json").json["job_id"]
    for ref in (job_id[:length], job_id[:length].upper()):
        assert cli("show", ref, "--json").json["id"] == 1


def test_scripts_get_executions_with_their_artifacts_and_the_chain(cli: Cli, store: Store) -> None:
    claimed = running(store)
    with store.write("engine") as work:
        work.add_artifact(claimed.exec_id, WORKER, "/tmp/out.csv")
        work.finish(claimed.exec_id, WORKER)
        work.retry(1)
    shown = cli("show", "1", "--json").json
    (execution,) = shown["executions"]
    assert (execution["status"], execution["outcome"], execution["exit_code"]) == ("DONE", "COMPLETED", 0)
    assert (execution["artifacts"], execution["log_path"]) == (["/tmp/out.csv"], "x.log")
    assert execution["lease_expires_at"] == "2026-03-02T09:00:30Z"
    assert shown["chain"] == [1, 2]
