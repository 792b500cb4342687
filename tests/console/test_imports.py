"""`import crontab` and the way back: each line is explained or refused by its number, all are taken over or none."""

import os
from pathlib import Path

import pytest

from core.crontab import Entry, read_crontab
from store.store import Store
from tests.console.conftest import Cli
from tests.core.test_crontab import WILD


@pytest.fixture
def wild(tmp_path: Path) -> Path:
    path = tmp_path / "crontab"
    path.write_text(WILD)
    return path


GOOD = """\
MAILTO=ann
*/5 * * * * /usr/bin/poll --fast
CRON_TZ=Europe/Paris
30 2 * * 7 mail ann%dear ann,
0 0 1,15 * 5 /usr/bin/poll
"""


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good"
    path.write_text(GOOD)
    return path


def test_each_line_from_the_wild_is_explained_or_refused_by_its_number(cli: Cli, wild: Path) -> None:
    ran = cli("import", "crontab", str(wild), "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    told = {int(text.split()[1].rstrip(":")): text for text in ran.out.splitlines() if text.startswith("line ")}
    fires = [one.number for one in read_crontab(WILD, "UTC")]
    assert list(told) == fires
    assert "line 22: refused: @reboot is no time: have a service start it" in told[22]
    assert told[13] == "line 13: sunday-2: at 00:00 on Sunday (UTC)"
    assert told[7].startswith("line 7: poll: ")
    assert ran.out.endswith(" would be taken over, 7 refused\n")
    assert "its output is not mailed to ops@example.org; it is in its log" in ran.out
    assert "what stands behind the % is piped into it" in ran.out


def test_with_a_refused_line_nothing_is_taken_over_unless_it_may_be_skipped(cli: Cli, wild: Path) -> None:
    ran = cli("import", "crontab", str(wild))
    assert ran.code == 2
    assert "7 lines can't be taken over, so nothing was; --skip-refused takes the others" in ran.err
    assert cli("schedule", "list", "--json").json == []
    ran = cli("import", "crontab", str(wild), "--skip-refused", "--json")
    assert ran.code == 0
    assert ran.json["imported"]
    assert len(ran.json["refused"]) == 7
    assert len(cli("schedule", "list", "--json").json) == len(ran.json["lines"]) == 25
    assert cli("doctor").code == 0


def test_what_is_taken_over_runs_as_cron_would_run_it(cli: Cli, good: Path) -> None:
    ran = cli("import", "crontab", str(good))
    assert ran.code == 0
    assert ran.out.endswith(" lines were taken over, 0 refused\n")
    assert "cron still fires these lines, too" in ran.err
    poll = cli("template", "show", "poll", "--json").json
    assert poll["command"] == {
        "argv": ["/usr/bin/poll --fast"], "cwd": os.path.expanduser("~"), "env": {}, "shell": True,
    }  # fmt: skip
    assert (poll["max_retries"], poll["tags"]) == (0, {"from": "crontab"})
    mail = cli("schedule", "show", "mail", "--json").json
    assert (mail["timezone"], mail["overlap"], mail["catch_up"], mail["enabled"]) == (
        "Europe/Paris", "allow", "none", True,
    )  # fmt: skip
    assert cli("schedule", "show", "poll-2", "--json").json["cron_expression"] == "0 0 1,15 * 5"


def test_a_second_import_finds_everything_there(cli: Cli, good: Path, store: Store) -> None:
    cli("import", "crontab", str(good), "--disabled")
    ran = cli("import", "crontab", str(good))
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.count("; there already") == 3
    with store.read() as views:
        assert [one.enabled for one in views.schedules()] == [False] * 3


def test_a_name_that_something_else_has_is_refused_and_a_prefix_helps(cli: Cli, good: Path) -> None:
    cli("template", "add", "mail", "--", "true")
    ran = cli("import", "crontab", str(good))
    assert ran.code == 3
    assert 'line 4: there is a template "mail" already' in ran.err
    assert "--prefix" in ran.err
    assert cli("schedule", "list", "--json").json == []
    assert cli("import", "crontab", str(good), "--prefix", "old-").code == 0
    assert [one["name"] for one in cli("schedule", "list", "--json").json] == ["old-mail", "old-poll", "old-poll-2"]


def test_what_is_printed_as_a_crontab_is_the_same_when_it_is_read(cli: Cli, good: Path) -> None:
    cli("import", "crontab", str(good))
    out = cli("schedule", "list", "--crontab").out
    home = os.path.expanduser("~")
    found = [one for one in read_crontab(out, "UTC") if isinstance(one, Entry)]
    assert [(one.cron, one.timezone, one.command) for one in found] == [
        ("30 2 * * 7", "Europe/Paris", f"cd {home} && printf %b 'dear ann,\\n' | ( mail ann )"),
        ("0 0 1,15 * 5", "Europe/Paris", f"cd {home} && /usr/bin/poll"),
        ("*/5 * * * *", "UTC", f"cd {home} && /usr/bin/poll --fast"),
    ]
    assert cli("schedule", "list", "--crontab", "--json").json == out.splitlines()


def test_an_empty_crontab_and_an_empty_store_say_so(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("# nothing\nA=1\n")
    assert cli("import", "crontab", str(tmp_path / "empty")).out == "there is no line in it that fires\n"
    assert cli("schedule", "list", "--crontab").out == "# there are no schedules yet\n"


def test_a_system_crontab_names_users(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "system").write_text("17 * * * * root cd / && run-parts /etc/cron.hourly\n")
    ran = cli("import", "crontab", str(tmp_path / "system"), "--system", "--dry-run", "--json")
    assert ran.json["lines"][0]["name"] == "run-parts"
    assert ran.json["lines"][0]["notes"] == ["it runs as you, not as root"]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"\xff\xfe* * * * * x\n", "is not valid UTF-8 (line 1)"), (None, "can't be read: no such file or directory")],
)
def test_a_file_that_cannot_be_read_is_told(cli: Cli, tmp_path: Path, content: bytes | None, words: str) -> None:
    path = tmp_path / "x"
    if content is not None:
        path.write_bytes(content)
    ran = cli("import", "crontab", str(path))
    assert ran.code == 2
    assert words in ran.err


def test_the_users_own_crontab_is_asked_for(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "crontab"
    program.write_text("#!/bin/sh\necho '@daily rotate'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli("import", "crontab", "--dry-run", "--json").json["lines"][0]["name"] == "rotate"
    program.write_text("#!/bin/sh\necho no crontab for ann >&2\nexit 1\n")
    assert "crontab -l says: no crontab for ann; name a file instead" in cli("import", "crontab").err
    program.unlink()
    ran = cli("import", "crontab")
    assert ran.code == 2
    assert "crontab -l can't be asked" in ran.err
