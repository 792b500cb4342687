"""Submitting, ordering, holding, cancelling and retrying jobs from the shell."""

from pathlib import Path

import pytest

from tests.console.conftest import Cli


def statuses(cli: Cli) -> dict[int, str]:
    return {job["id"]: job["status"] for job in cli("list", "--json").json}


def order(cli: Cli) -> list[int]:
    return [job["id"] for job in cli("list", "--json").json if job["status"] == "QUEUED"]


def test_submit_prints_the_id_and_nothing_else(cli: Cli) -> None:
    assert cli("submit", "--", "echo", "hello").out == "1\n"
    assert cli("submit", "echo", "--json", "-x").out == "2\n"
    assert cli("show", "2", "--json").json["command"]["argv"] == ["echo", "--json", "-x"]


def test_an_empty_store_teaches_the_next_command(cli: Cli) -> None:
    for verb in (["list"], ["status"]):
        assert "jobdeck submit -- echo hello" in cli(*verb).out
    assert "jobdeck template add" in cli("template", "list").out
    assert "jobdeck schedule add" in cli("schedule", "list").out
    assert "--approval" in cli("approvals").out


def test_shared_options_stand_before_or_behind_the_verb(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = str(tmp_path_factory.mktemp("other") / "o.db")
    assert cli("--db", other, "--json", "submit", "--", "a").json["id"] == 1
    assert [job["id"] for job in cli("list", "--db", other, "--json").json] == [1]
    assert cli("--json", "list").json == []


def test_every_option_of_submit_reaches_the_job(cli: Cli) -> None:
    options = (
        "submit --type etl --key k --priority -7 --at 2026-03-02T12:00Z --hold --max-retries 5 "
        "--backoff exponential:1s:5m --timeout 1h30m --deadline 2026-03-03 --concurrency-key disk --tag env=prod "
        "--param n=3 --param s=text --cwd /tmp --env A=b=c --json -- ls"
    )
    job = cli(*options.split()).json
    assert (job["job_type"], job["job_key"], job["priority"], job["held"]) == ("etl", "k", -7, True)
    assert job["scheduled_run_time"] == "2026-03-02T12:00:00Z"
    assert (job["max_retries"], job["tags"], job["params"]) == (5, {"env": "prod"}, {"n": 3, "s": "text"})
    assert cli("show", "1", "--json").json["command"] == {
        "argv": ["ls"],
        "cwd": "/tmp",
        "env": {"A": "b=c"},
        "shell": False,
    }


def test_a_taken_key_is_refused_returned_or_replaced(cli: Cli) -> None:
    submit = ("submit", "--key", "k")
    assert cli(*submit, "--", "a").out == "1\n"
    refused = cli(*submit, "--", "a")
    assert (refused.code, refused.out) == (3, "")
    assert "job 1" in refused.err
    assert cli(*submit, "--if-exists", "return", "--", "a").out == "1\n"
    assert cli(*submit, "--if-exists", "replace", "--", "a").out == "2\n"
    assert statuses(cli) == {2: "QUEUED", 1: "CANCELLED"}


def test_several_ids_are_all_done_or_none(cli: Cli) -> None:
    cli("submit", "--", "a")
    cli("submit", "--", "b")
    refused = cli("cancel", "1", "99", "2")
    assert refused.code == 4
    assert "99" in refused.err
    assert "nothing was changed" in refused.err
    assert statuses(cli) == {1: "QUEUED", 2: "QUEUED"}
    cli("cancel", "2")
    refused = cli("hold", "1", "2")
    assert refused.code == 3
    assert "job 2 is CANCELLED" in refused.err
    assert not any(job["held"] for job in cli("list", "--json").json)
    assert [job["id"] for job in cli("hold", "1", "1", "--json").json] == [1]


def test_drafts_are_released(cli: Cli) -> None:
    cli("submit", "--draft", "--", "a")
    assert statuses(cli) == {1: "CREATED"}
    assert cli("release", "1").code == 0
    assert statuses(cli) == {1: "QUEUED"}


def test_priority_takes_negative_numbers_and_move_exactly_one_place(cli: Cli) -> None:
    for name in "abc":
        cli("submit", "--", name)
    assert cli("priority", "1", "-5").out == "job 1 has priority -5\n"
    assert order(cli) == [2, 3, 1]
    assert "number 1" in cli("move", "3", "--top").out
    assert order(cli) == [3, 2, 1]
    assert cli("move", "1", "--before", "2", "--json").json["priority"] == 0
    assert order(cli) == [3, 1, 2]
    assert cli("move", "1", "--up", "--down").code == 2
    assert cli("move", "1").code == 2


def test_retry_makes_a_link_and_the_chain_shows_it(cli: Cli) -> None:
    cli("submit", "--", "a")
    cli("cancel", "1")
    assert cli("retry", "1").out == "job 2 retries job 1\n"
    shown = cli("show", "2", "--json").json
    assert shown["chain"] == [1, 2]
    assert shown["retry_of"] == cli("show", "1", "--json").json["job_id"]
    assert [link["id"] for link in cli("chain", "1", "--json").json] == [1, 2]
    drawn = cli("chain", "2").out
    assert "job 1 CANCELLED" in drawn
    assert "└▶ job 2 QUEUED" in drawn


def test_edit_changes_sets_and_takes_away(cli: Cli) -> None:
    cli("submit", "--param", "a=1", "--param", "b=2", "--at", "2027-01-01", "--", "x")
    edited = cli("edit", "1", "--param", "c=[3]", "--unset-param", "a", "--at", "none", "--tag", "t=u", "--json").json
    assert edited["params"] == {"b": 2, "c": [3]}
    assert edited["scheduled_run_time"] is None
    assert edited["tags"] == {"t": "u"}
    assert cli("edit", "1", "--key", "k").code == 3
    assert cli("edit", "1").code == 2
    assert cli("edit", "1", "--", "echo", "other").code == 0
    assert cli("show", "1", "--json").json["command"]["argv"] == ["echo", "other"]


def test_pause_and_resume_are_seen_in_status(cli: Cli) -> None:
    assert cli("pause", "--reason", "disk swap").code == 0
    assert cli("status", "--json").json["paused"]["reason"] == "disk swap"
    assert "disk swap" in cli("status").out
    assert cli("resume").code == 0
    assert cli("status", "--json").json["paused"] is None


def test_a_long_list_is_cut_and_says_so(cli: Cli) -> None:
    for name in "abc":
        cli("submit", "--", name)
    assert "… and 1 more; --limit 0 shows all" in cli("list", "--limit", "2").out
    assert "… and 1 more" in cli("list", "--limit", "2", "--filter", "status:queued").out
    assert "more" not in cli("list", "--limit", "0").out
    assert len(cli("list", "--limit", "2", "--json").json) == 2
    assert "no jobs match" in cli("list", "--filter", "status:failed").out


def test_history_tells_what_happened_oldest_first(cli: Cli) -> None:
    cli("submit", "--", "a")
    cli("cancel", "1", "--reason", "no need")
    entries = cli("history", "1", "--json").json
    assert [entry["new_status"] for entry in entries] == ["QUEUED", "CANCELLED"]
    assert entries[-1]["reason"] == "no need"
    assert "no need" in cli("history", "1").out


def test_doctor_finds_a_fresh_store_well_and_a_missing_one_missing(
    cli: Cli, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cli("submit", "--", "a")
    assert cli("doctor").out.endswith("all is well\n")
    assert cli("doctor", "--json").json["findings"] == []
    missing = str(tmp_path_factory.mktemp("none") / "x.db")
    assert cli("doctor", "--db", missing).code == 4


def test_doctor_names_what_is_wrong_and_exits_1(cli: Cli, store_path: Path) -> None:
    store_path.chmod(0o644)
    ran = cli("doctor", "--json")
    assert ran.code == 1
    assert ran.json["healthy"] is False
    assert str(store_path) in str(ran.json["findings"])


def test_templates_and_schedules_from_the_shell(cli: Cli) -> None:
    assert cli("template", "add", "nightly", "--type", "etl", "--param", "a=1", "--", "./n.sh").code == 0
    assert cli("template", "add", "nightly", "--", "./n.sh").code == 3
    job = cli("submit", "--template", "nightly", "--param", "b=2", "--json").json
    assert (job["job_type"], job["params"]) == ("etl", {"a": 1, "b": 2})
    add = ("schedule", "add", "s", "--template", "nightly", "--cron", "30 2 * * *", "--timezone", "Europe/Paris")
    assert cli(*add, "--json").json["next_trigger_at"] == "2026-03-03T01:30:00Z"
    assert "every day at 02:30" in cli("schedule", "list").out
    assert cli("schedule", "edit", "s", "--cron", "0 3 * * *", "--json").json["cron_expression"] == "0 3 * * *"
    assert cli("schedule", "disable", "s", "--json").json["enabled"] is False
    assert cli("schedule", "enable", "s", "--json").json["enabled"] is True
    assert cli("schedule", "trigger", "s").out == "2\n"
    assert cli("template", "remove", "nightly").code == 3
    assert cli("schedule", "remove", "s").code == 0
    assert cli("template", "remove", "nightly").code == 0
    assert cli("schedule", "show", "s").code == 4
