"""Every way to end: full disks, closed outputs, odd encodings, and the entry point itself."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from console import __version__
from console.cli.desk import Desk
from console.cli.guard import guarded
from console.main import main, run
from store.store import Store
from tests.console.conftest import Cli
from tests.console.test_processes import python
from tests.store.running_jobs import running


def shell(redirect: str, home: Path) -> subprocess.CompletedProcess[bytes]:
    """Run `list` with its outputs as a shell was asked to set them up."""
    return subprocess.run(
        ["sh", "-c", f'exec "$0" -m console.main list {redirect}', sys.executable],
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "JOBDECK_HOME": str(home)},
    )


@pytest.mark.parametrize("redirect", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_outputs_are_no_reason_to_fail(store_path: Path, redirect: str) -> None:
    ran = shell(redirect, store_path.parent)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert (b"no jobs yet" in ran.stdout) is (">&-" not in redirect.split())


def test_a_complaint_that_nobody_can_hear_still_has_its_exit_code(store_path: Path) -> None:
    assert shell("--nonsense 2>&-", store_path.parent).returncode == 2
    assert shell("--nonsense 2>/dev/full", store_path.parent).returncode == 2


def test_a_reader_that_went_away_ends_it_quietly(store_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [sys.executable, "-m", "console.main", "list"],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
        env={**os.environ, "JOBDECK_HOME": str(store_path.parent)},
    )
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (141, b"")


def test_a_file_that_fails_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    def read() -> int:
        raise FileNotFoundError(2, "No such file or directory", "/x\x1b/y")

    assert guarded(read) == 1
    assert capsys.readouterr().err == "jobdeck: /x␛/y: no such file or directory\n"


def test_scripts_on_a_terminal_of_ascii_get_every_letter(store_path: Path) -> None:
    home = store_path.parent
    python("-m", "console.main", "submit", "--key", "日本", "--", "a", home=home)
    ran = python("-m", "console.main", "list", "--json", home=home, PYTHONIOENCODING="ascii")
    assert ran.stdout.isascii()
    assert json.loads(ran.stdout)[0]["job_key"] == "日本"


@pytest.mark.parametrize("argument", ["--version", "-V"])
def test_the_version_is_told(capsys: pytest.CaptureFixture[str], argument: str) -> None:
    assert run([argument]) == 0
    assert capsys.readouterr().out == f"jobdeck {__version__}\n"


def test_the_version_is_told_behind_other_options_too(cli: Cli) -> None:
    assert cli("--json", "--version").out == f"jobdeck {__version__}\n"


def test_the_entry_point_takes_what_was_typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["jobdeck", "job", "progres"])
    assert main() == 2
    assert "did you mean progress?" in capsys.readouterr().err


def test_time_is_the_wall_s_unless_another_clock_is_given() -> None:
    desk = Desk()
    assert desk.now.utcoffset() is not None
    assert desk.now is desk.now


def test_a_result_comes_by_a_pipe(cli: Cli, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    job = running(store).job
    report = ("report", job.job_type, job.job_key, "succeeded")
    assert cli(*report, "--error", "x").code == 2
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b'{"rows": 3')))
    assert cli(*report, "--result", "-").code == 2
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b'{"rows": 3}')))
    assert cli(*report, "--result", "-", "--json").json["result"] == {"rows": 3}


def test_so_many_gates_and_no_fewer_than_one(cli: Cli) -> None:
    ran = cli("approvals", "--limit", "0")
    assert (ran.code, "use 1 or more" in ran.err) == (2, True)
