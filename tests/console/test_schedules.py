"""`schedule`: templates that are submitted by the clock, listed, shown and changed."""

import pytest

from core.schedules import CatchUp, Overlap
from store.store import Store
from tests.conftest import Clock
from tests.console.conftest import Cli
from tests.console.test_show import facts

KEYS = [
    "name", "schedule_id", "template", "cron_expression", "timezone", "enabled", "catch_up", "overlap",
    "pause_on_failure", "param_overrides", "last_triggered_at", "next_trigger_at", "fired_count", "skipped_count",
    "missed_count", "last_skip_reason", "created_at", "created_by", "updated_at",
]  # fmt: skip


@pytest.fixture
def nightly(cli: Cli) -> str:
    """A schedule that fires every morning at six; the tests begin at nine."""
    cli("template", "add", "report", "--", "./report.sh")
    added = cli("schedule", "add", "nightly", "--template", "report", "--cron", "0 6 * * *")
    assert added.out == "schedule nightly added: every day at 06:00 (UTC)\n"
    return "nightly"


def fire(store: Store, clock: Clock) -> None:
    """Turn the clock to the next morning."""
    clock.forward(hours=21)
    with store.write("engine") as work:
        assert len(work.fire_due()) == 1


def test_the_list_tells_the_next_and_the_last_time(cli: Cli, nightly: str, store: Store, clock: Clock) -> None:
    assert nightly
    title, row = cli("schedule", "list").out.splitlines()
    assert title.split() == ["NAME", "NEXT", "WHEN", "TEMPLATE", "LAST", "FIRED", "SKIPPED"]
    assert " ".join(row.split()) == "nightly in 21h every day at 06:00 (UTC) report never 0 0"
    fire(store, clock)
    clock.forward(minutes=5)
    (_, row) = cli("schedule", "list").out.splitlines()
    assert " ".join(row.split()) == "nightly in 23h55m every day at 06:00 (UTC) report 5m ago 1 0"
    cli("schedule", "disable", "nightly")
    assert cli("schedule", "list").out.splitlines()[1].split()[:2] == ["nightly", "disabled"]


def test_a_schedule_is_shown_whole(cli: Cli, nightly: str, store: Store, clock: Clock) -> None:
    told = facts(cli("schedule", "show", nightly).out)
    assert (told["schedule"], told["state"], told["template"]) == ("nightly", "enabled", "report")
    assert (told["cron"], told["means"]) == ("0 6 * * *", "every day at 06:00 (UTC)")
    assert told["next"] == "2026-03-03 06:00:00 UTC (in 21h)"
    assert (told["fired"], told["skipped"], told["missed"]) == ("0", "0", "0")
    assert (told["after downtime"], told["while one is live"]) == ("catch up: one", "skip")
    assert not {"last", "params", "on failure"} & set(told)
    fire(store, clock)
    fired = facts(cli("schedule", "show", nightly).out)
    assert fired["last"] == "2026-03-03 06:00:00 UTC (now)"
    clock.forward(days=1)
    with store.write("engine") as work:
        work.fire_due()
    assert facts(cli("schedule", "show", nightly).out)["skipped"] == "1: job 1 is still QUEUED"


def test_a_disabled_schedule_shows_no_next_time(cli: Cli, nightly: str) -> None:
    assert cli("schedule", "disable", nightly).out == "schedule nightly is disabled\n"
    told = facts(cli("schedule", "show", nightly).out)
    assert told["state"] == "disabled"
    assert "next" not in told
    assert cli("schedule", "enable", nightly).out == "schedule nightly is enabled; next in 21h\n"


def test_every_option_reaches_the_schedule(cli: Cli, nightly: str) -> None:
    assert nightly
    options = (
        "--timezone Europe/Paris --catch-up all --overlap queue --pause-on-failure --param n=3 --param s=x --disabled"
    )
    added = cli("schedule", "add", "s", "--template", "report", "--cron", "0 6 * * *", *options.split(), "--json").json
    assert list(added) == KEYS
    assert (added["timezone"], added["catch_up"], added["overlap"]) == ("Europe/Paris", "all", "queue")
    assert (added["enabled"], added["pause_on_failure"], added["next_trigger_at"]) == (False, True, None)
    assert added["param_overrides"] == {"n": 3, "s": "x"}
    told = facts(cli("schedule", "show", "s").out)
    assert (told["params"], told["on failure"]) == ('{"n": 3, "s": "x"}', "disabled")
    assert [one["name"] for one in cli("schedule", "list", "--json").json] == ["nightly", "s"]
    assert cli("schedule", "show", "s", "--json").json == added


@pytest.mark.parametrize(
    ("option", "values"),
    [("--catch-up", [one.value for one in CatchUp]), ("--overlap", [one.value for one in Overlap])],
    ids=["catch-up", "overlap"],
)
def test_policies_are_named_in_small_letters(cli: Cli, nightly: str, option: str, values: list[str]) -> None:
    for value in values:
        edited = cli("schedule", "edit", nightly, option, value, "--json").json
        assert edited[option.removeprefix("--").replace("-", "_")] == value
    ran = cli("schedule", "edit", nightly, option, "sometimes")
    assert ran.code == 2
    assert all(value in ran.err for value in values)


def test_an_edit_changes_what_it_names(cli: Cli, nightly: str) -> None:
    ran = cli("schedule", "edit", nightly, "--cron", "0 7 * * *", "--param", "n=1")
    assert ran.out == "schedule nightly changed: every day at 07:00 (UTC)\n"
    edited = cli("schedule", "edit", nightly, "--no-pause-on-failure", "--overlap", "allow", "--json").json
    assert (edited["cron_expression"], edited["param_overrides"]) == ("0 7 * * *", {"n": 1})
    assert (edited["overlap"], edited["pause_on_failure"]) == ("allow", False)
    nothing = cli("schedule", "edit", nightly)
    assert nothing.code == 2
    assert "there is nothing to change" in nothing.err


def test_a_trigger_prints_the_job_s_id(cli: Cli, nightly: str) -> None:
    assert cli("schedule", "trigger", nightly).out == "1\n"
    job = cli("schedule", "trigger", nightly, "--json").json
    assert (job["id"], job["status"]) == (2, "QUEUED")


def test_a_removed_schedule_is_gone(cli: Cli, nightly: str) -> None:
    assert cli("schedule", "remove", nightly).out == "schedule nightly removed\n"
    ran = cli("schedule", "remove", nightly)
    assert (ran.code, 'there is no schedule "nightly"' in ran.err) == (4, True)
    cli("schedule", "add", nightly, "--template", "report", "--cron", "@daily")
    assert cli("schedule", "remove", nightly, "--json").json == {"removed": "nightly"}


def test_a_schedule_that_can_no_longer_be_read_does_not_hide_the_others(cli: Cli, nightly: str, store: Store) -> None:
    cli("schedule", "add", "lost", "--template", "report", "--cron", "0 6 * * *")
    store._connection.execute("UPDATE schedules SET timezone = 'Mars/Base' WHERE name = 'lost'")
    ran = cli("schedule", "list")
    assert ran.code == 0
    lost, kept = ran.out.splitlines()[1:]
    assert '0 6 * * *: "Mars/Base" is not a time zone' in lost
    assert kept.split()[0] == nightly
    assert facts(cli("schedule", "show", "lost").out)["means"].startswith('0 6 * * *: "Mars/Base"')


def test_a_preview_behind_the_end_of_the_calendar_says_so(cli: Cli) -> None:
    preview = ("schedule", "preview", "--cron", "0 6 1 1 *", "--after", "9998-06-01")
    assert cli(*preview).out.splitlines()[-1] == "it never fires after that"
    assert cli(*preview, "--json").json == []
