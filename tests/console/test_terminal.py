"""The command on a real terminal: its width, its colours, and terminals that know neither."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from console.plain import width
from core.jobs import Command, Gate, NewJob
from core.limits import Limits
from store.store import Store
from tests.console.conftest import Cli
from tests.store.running_jobs import BROKE, TRUE, WORKER, claim, rng, running, submit

COLOURS = re.compile(r"\x1b\[\d+m")


@pytest.fixture
def busy(store: Store) -> Path:
    """A home with a job in many states, all of them with long words."""
    long = Command(("./a-long-command.sh", "日本語" * 20))
    claimed = running(store, NewJob(command=long, job_type="extract-transform-load", job_key="key" * 20))
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, BROKE, rng())
    submit(store, NewJob(command=TRUE, approval=Gate("May it " + "really " * 20 + "run?")))
    claim(store, limits=Limits(slots=9))
    running(store)
    submit(store, NewJob(command=long))
    with store.write("ann") as work:
        work.cancel(4)
        work.retry(4)
        work.add_template("a template with a long name", NewJob(command=long))
    return store.path.parent


def on_terminal(columns: int, *arguments: str, home: Path, **env: str) -> str:
    """All that the command writes to a terminal of that width."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    settings = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "TERM")}
    ran = subprocess.Popen(
        [sys.executable, "-m", "console.main", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        env={**settings, "TERM": "xterm", "JOBDECK_HOME": str(home), **env},
    )
    os.close(follower)
    written = b""
    # On Linux a terminal whose far end was closed ends in an error.
    with suppress(OSError):
        while part := os.read(leader, 65536):
            written += part
    os.close(leader)
    assert ran.wait(60) == 0
    return written.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [40, 80])
def test_a_table_fits_the_terminal_it_is_shown_on(busy: Path, columns: int) -> None:
    out = on_terminal(columns, "list", home=busy)
    assert "\x1b[35mWAITING" in out
    lines = COLOURS.sub("", out).splitlines()
    assert len(lines) == 6
    # It uses what it has, and not a column more.
    assert columns - 3 <= max(map(width, lines)) <= columns


def test_a_width_that_was_told_goes_before_the_terminal_s_own(busy: Path) -> None:
    lines = COLOURS.sub("", on_terminal(200, "list", home=busy, COLUMNS="30")).splitlines()
    assert max(map(width, lines)) <= 30


@pytest.mark.parametrize("verb", ["list", "status"])
def test_a_terminal_that_wants_no_colour_gets_none(busy: Path, verb: str) -> None:
    # An empty NO_COLOR counts as none.
    assert "\x1b" in on_terminal(80, verb, home=busy, NO_COLOR="")
    for env in ({"NO_COLOR": "1"}, {"NO_COLOR": "0"}, {"TERM": "dumb"}):
        assert "\x1b" not in on_terminal(80, verb, home=busy, **env)


@pytest.mark.parametrize(("term", "drawn"), [("xterm", True), ("dumb", False)])
def test_a_long_file_shows_how_far_it_has_come(store_path: Path, tmp_path: Path, term: str, drawn: bool) -> None:
    jobs = tmp_path / "jobs.jsonl"
    jobs.write_text((json.dumps({"argv": ["true"]}) + "\n") * 2_000)
    out = on_terminal(80, "submit", "--from", str(jobs), home=store_path.parent, TERM=term)
    assert out.endswith("2,000 jobs queued: 1–2000\n")
    assert ("1,000 of 2,000" in out) is drawn
    assert ("\x1b" in out) is drawn


TABLES = [
    ["list"],
    ["history"],
    ["history", "1"],
    ["chain", "1"],
    ["chain", "2"],
    ["chain", "5"],
    ["approvals"],
    ["template", "list"],
]


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("verb", TABLES, ids=" ".join)
def test_no_table_is_wider_than_the_narrowest_terminal(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    for columns in (1, 2, 3, 5, 8, 13, 21, 34):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = cli(*verb).out.splitlines()
        assert lines
        assert max(map(width, lines)) <= columns, columns


@pytest.mark.usefixtures("busy")
def test_the_attempts_of_a_job_fit_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (1, 2, 3, 8, 21, 34):
        monkeypatch.setenv("COLUMNS", str(columns))
        attempts = cli("show", "1").out.split("Executions\n")[1].splitlines()
        assert len(attempts) == 2
        assert max(map(width, attempts)) <= columns, columns
