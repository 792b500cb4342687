"""The JSON that scripts rely on, key by key."""

import re
from datetime import timedelta

from core.limits import Limits
from store.store import Store
from tests.console.conftest import Cli

JOB = [
    "id",
    "job_id",
    "job_type",
    "job_key",
    "status",
    "phase",
    "priority",
    "position",
    "held",
    "attempt",
    "retry_count",
    "max_retries",
    "retry_of",
    "next_retry_at",
    "scheduled_run_time",
    "params",
    "tags",
    "checkpoint",
    "result",
    "error_message",
    "error_type",
    "created_at",
    "queued_at",
    "started_at",
    "finished_at",
    "updated_at",
]
EXECUTION = [
    "exec_id",
    "attempt",
    "status",
    "outcome",
    "lease_owner",
    "lease_expires_at",
    "exit_code",
    "error",
    "started_at",
    "finished_at",
    "committed_at",
    "log_path",
    "artifacts",
]
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def test_a_job_has_exactly_these_keys(cli: Cli) -> None:
    assert list(cli("submit", "--json", "--", "a").json) == JOB
    [job] = cli("list", "--json").json
    assert list(job) == [*JOB, "why"]
    assert INSTANT.fullmatch(job["created_at"])
    assert list(cli("hold", "1", "--json").json[0]) == JOB


def test_show_adds_executions_chain_command_and_approvals(cli: Cli, store: Store) -> None:
    cli("submit", "--", "a")
    with store.write("worker") as work:
        work.claim("worker", timedelta(minutes=1), Limits(slots=1))
    shown = cli("show", "1", "--json").json
    assert set(shown) == {*JOB, "why", "executions", "chain", "command", "approvals"}
    assert list(shown["executions"][0]) == EXECUTION
    assert shown["chain"] == [1]
    assert (shown["status"], shown["phase"]) == ("RUNNING", "running")


def test_json_holds_hostile_text_exactly_without_a_byte_that_steers_a_terminal(cli: Cli) -> None:
    name = "\x1b[31mred \x9b31m \u202eevil \u65e5\u672c"
    cli("submit", "--", "echo", name)
    ran = cli("show", "1", "--json")
    assert ran.json["command"]["argv"] == ["echo", name]
    assert not {"\x1b", "\x9b", "\u202e"} & set(ran.out)
    assert "\u65e5\u672c" in ran.out
