"""What is run for a crontab's line, how it is called, and the way back to a line."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.crontab import Entry, read_crontab
from core.crontab_jobs import command_for, crontab_of, name_for
from core.jobs import Command, Schedule
from core.refusals import BadInput

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def entry(text: str) -> Entry:
    *_, found = read_crontab(text, "UTC")
    assert isinstance(found, Entry)
    return found


def schedule(name: str, cron: str, timezone: str = "UTC", *, enabled: bool = True) -> Schedule:
    times = (None, None, 0, 0, 0, None, NOW, "ann", NOW)
    return Schedule("id", name, "id", name, cron, timezone, enabled, "one", "skip", False, {}, *times)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/usr/local/bin/backup.sh --all", "backup"),
        ("cd /srv/app && ./bin/rake jobs:work", "rake"),
        ("cd / && run-parts --report /etc/cron.hourly", "run-parts"),
        ("FOO=bar BAR=baz /opt/tool x", "tool"),
        ("sudo -u postgres nice -n 19 pg_dump main | gzip > /b.gz", "pg_dump"),
        ("/usr/bin/python3 /opt/report.py", "report"),
        ("python3 -m pip list", "python3"),
        ("[ -x /usr/sbin/anacron ] || anacron", "x"),
        ("(flock -n /tmp/l poll)", "flock"),
        ("☃", "cron"),
        ("", "cron"),
    ],
)
def test_a_name_tells_what_the_line_runs(command: str, name: str) -> None:
    assert name_for(command, set()) == name


def test_names_are_made_different_in_their_order() -> None:
    assert name_for("x", {"x", "x-2"}) == "x-3"
    assert name_for("x", {"x"}, "web-") == "web-x"


def test_a_command_runs_in_the_home_directory_by_the_crontabs_shell_and_environment() -> None:
    assert command_for(entry("@daily a | b"), "/home/ann") == Command(("a | b",), "/home/ann", {}, True)
    bash = command_for(entry("SHELL=/bin/bash\nHOME=/srv\nA=1\n@daily x"), "/home/ann")
    assert bash == Command(("/bin/bash", "-c", "x"), "/srv", {"HOME": "/srv", "A": "1"})


def test_what_stands_behind_a_percent_is_really_read_by_the_command(tmp_path: Path) -> None:
    command = command_for(entry(r"@daily cat > out; echo \%d >> out%dear ann,%50\% off \n 'ok'"), str(tmp_path))
    subprocess.run(["/bin/sh", "-c", command.argv[0]], cwd=command.cwd, check=True)
    assert (tmp_path / "out").read_text() == "dear ann,\n50% off \\n 'ok'\n%d\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("SHELL=/usr/bin/fish\n@daily cat%x", "/usr/bin/fish has other words"),
        ("@daily cat # all%x", "put it into a script"),
        ("@daily %x", "no command in front of the %"),
    ],
)
def test_a_line_that_would_come_out_otherwise_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        command_for(entry(text), "/")


def test_schedules_become_lines_of_a_crontab() -> None:
    lines = list(
        crontab_of(
            [
                (schedule("plain", "5 4 * * *"), Command(("echo", "a b", "100%"))),
                (schedule("paris", "@daily", "Europe/Paris", enabled=False), Command(("a | b",), "/srv/x y", {}, True)),
                (schedule("env", "* * * * *"), Command(("run",), None, {"A": "1 2"})),
                (schedule("shell env", "* * * * *"), Command(("a | b",), None, {"A": "1"}, True)),
                (schedule("two\nlines", "* * * * *"), Command(("a\nb",))),
                (schedule("typed", "* * * * *"), Command()),
            ]
        )
    )
    assert lines == [
        "CRON_TZ=Europe/Paris",
        "# paris (disabled)",
        "# @daily cd '/srv/x y' && a | b",
        "CRON_TZ=UTC",
        "# env",
        "* * * * * env 'A=1 2' run",
        "# plain",
        "5 4 * * * echo 'a b' 100\\%",
        "# shell env",
        "* * * * * env A=1 /bin/sh -c 'a | b'",
        "# two lines",
        "# its command has a newline in it, or is its type's own, so no line of a crontab can hold it",
        "# typed",
        "# its command has a newline in it, or is its type's own, so no line of a crontab can hold it",
    ]
