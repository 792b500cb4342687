"""When schedules fire, told with the days on which the clocks change."""

import pytest

from tests.console.conftest import Cli


@pytest.mark.parametrize(
    ("zone", "after", "at", "local", "note"),
    [
        ("Europe/Paris", "2027-03-28", "2027-03-28T01:00:00Z", "2027-03-28T03:00:00+02:00", "clocks go forward"),
        ("Europe/Paris", "2027-10-31", "2027-10-31T00:30:00Z", "2027-10-31T02:30:00+02:00", "clocks go back"),
        ("America/New_York", "2027-03-14", "2027-03-14T07:00:00Z", "2027-03-14T03:00:00-04:00", "clocks go forward"),
        ("America/New_York", "2027-11-07", "2027-11-07T07:30:00Z", "2027-11-07T02:30:00-05:00", "clocks go back"),
        ("Europe/Paris", "2027-06-01", "2027-06-01T00:30:00Z", "2027-06-01T02:30:00+02:00", None),
    ],
)
def test_days_on_which_the_clocks_change_are_marked(
    cli: Cli, zone: str, after: str, at: str, local: str, note: str | None
) -> None:
    arguments = ("schedule", "preview", "--cron", "30 2 * * *", "--timezone", zone, "--after", after, "--count", "2")
    [first, second] = cli(*arguments, "--json").json
    assert set(first) == {"at", "local", "dst", "note"}
    assert (first["at"], first["local"]) == (at, local)
    assert (first["note"] is None) if note is None else first["note"].startswith(note)
    assert first["dst"] == {"clocks go forward": "gap", "clocks go back": "overlap", None: None}[note]
    assert (second["dst"], second["note"]) == (None, None)
    table = cli(*arguments).out
    assert "every day at 02:30" in table
    assert (note or "02:30") in table


def test_a_schedule_is_previewed_by_its_name(cli: Cli) -> None:
    cli("template", "add", "t", "--", "a")
    cli("schedule", "add", "s", "--template", "t", "--cron", "0 6 * * *", "--timezone", "Europe/Paris")
    assert cli("schedule", "preview", "s", "--count", "1", "--json").json[0]["at"] == "2026-03-03T05:00:00Z"
