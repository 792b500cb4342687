"""Answering gates and reporting results, on jobs that a worker has claimed."""

import io
from datetime import timedelta

import pytest

from core.limits import Limits
from store.store import Store
from tests.console.conftest import Cli

LEASE = timedelta(minutes=1)


def claim(store: Store) -> str:
    with store.write("worker") as work:
        return work.claim("worker", LEASE, Limits(slots=4))[0].exec_id


@pytest.fixture
def parked(cli: Cli, store: Store) -> str:
    """A job that waits at its gate."""
    cli("submit", "--approval", "Deploy [/now]?", "--approval-expires", "1h", "--", "deploy")
    with store.write("worker") as work:
        work.claim("worker", LEASE, Limits(slots=4))
    [gate] = cli("approvals", "--json").json
    return str(gate["approval_id"])


def test_the_table_of_gates_shows_the_question_and_its_end(cli: Cli, parked: str) -> None:
    assert parked
    table = cli("approvals").out
    assert "Deploy [/now]?" in table
    assert "in 1h" in table


def test_the_owner_approves_without_a_token(cli: Cli, parked: str) -> None:
    answered = cli("approve", "1", "--comment", "fine", "--json").json
    assert (answered["approval_id"], answered["decision"], answered["comment"]) == (parked, "APPROVED", "fine")
    assert cli("approve", "1").code == 3


def test_a_wrong_token_is_refused_and_the_right_one_comes_by_stdin(
    cli: Cli, parked: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("approve", "1", "--token", "0" * 64).code == 3
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert cli("approve", "1", "--token", "-").code == 2
    monkeypatch.setattr("sys.stdin", io.StringIO(store.token_of(parked) + "\n"))
    assert cli("approve", "1", "--token", "-").code == 0


def test_denied_jobs_fail_with_the_reason(cli: Cli, parked: str) -> None:
    assert parked
    assert cli("deny", "1").code == 2
    assert cli("deny", "1", "--reason", "not now").code == 0
    shown = cli("show", "1", "--json").json
    assert shown["status"] == "FAILED"
    assert "not now" in shown["error_message"]


def test_results_are_reported_by_type_and_key(cli: Cli, store: Store) -> None:
    cli("submit", "--type", "export", "--key", "k", "--", "start")
    assert cli("report", "export", "other", "succeeded").code == 4
    assert cli("report", "export", "k", "succeeded").code == 3
    claim(store)
    assert cli("report", "export", "k", "failed", "--result", "{}").code == 2
    assert cli("report", "export", "k", "succeeded", "--result", "{").code == 2
    assert cli("report", "export", "k", "succeeded", "--result", '{"rows": 3}', "--json").json["result"] == {"rows": 3}


def test_a_failed_attempt_is_drawn_and_its_retries_can_be_cut(cli: Cli, store: Store) -> None:
    cli("submit", "--type", "export", "--key", "k", "--", "start")
    claim(store)
    assert cli("report", "export", "k", "failed", "--error", "bucket gone").out == "job 1 is RETRYING\n"
    assert "bucket gone" in cli("chain", "1").out
    assert "bucket gone" in cli("list").out
    assert cli("give-up", "1").code == 0
    assert cli("show", "1", "--json").json["status"] == "FAILED"
