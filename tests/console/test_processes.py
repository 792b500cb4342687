"""The command as its own process: what it imports, how it starts, where its output goes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
from console.main import run
code = run(sys.argv[1:])
heavy = ("alembic", "click", "rich", "sqlalchemy", "textual")
print(code, *(name for name in heavy if name in sys.modules), file=sys.stderr)
"""


def python(*arguments: str, home: Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "JOBDECK_HOME": str(home), **env},
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (["submit", "--", "echo", "hello"], "0 click"),
        (["list"], "0 click"),
        (["list", "--json"], "0 click"),
        (["--version"], "0"),
        (["job", "progress", "40"], "3"),
        (["--json", "--home", "/x", "job", "heartbeat"], "3"),
        (["job", "--help"], "0"),
    ],
)
def test_a_verb_loads_no_more_than_it_needs(store_path: Path, arguments: list[str], loaded: str) -> None:
    ran = python("-c", SCRIPT, *arguments, home=store_path.parent)
    assert ran.stderr.decode().splitlines()[-1] == loaded


def test_the_first_paint_waits_for_nothing_that_only_a_key_opens() -> None:
    script = """
import sys
import console.app.app
from console.app import ahead
early = [name for name in (*ahead.LATER, "store.work", "core.engine.engine", "croniter") if name in sys.modules]
ahead.begin()
[loading] = [one for one in __import__("threading").enumerate() if one.name == "ahead"] or [None]
if loading is not None:
    loading.join()
print(early, [name for name in ahead.LATER if name not in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, timeout=60, text=True)
    assert ran.stdout == "[] []\n"


def test_the_first_job_makes_the_store_for_its_owner_only(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    ran = python("-m", "console.main", "submit", "--", "a", home=home)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"1\n", b"")
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "jobdeck.db").stat().st_mode & 0o777 == 0o600


def test_a_terminal_that_knows_only_ascii_is_no_reason_to_fail(store_path: Path) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    ran = python(
        "-m", "console.main", "submit", "--key", "\u65e5\u672c", "--", "a", home=store_path.parent, **ascii_only
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    ran = python("-m", "console.main", "list", home=store_path.parent, **ascii_only)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"??" in ran.stdout


def test_broken_utf_8_in_an_argument_is_refused(store_path: Path) -> None:
    ran = python("-m", "console.main", "submit", "--", os.fsdecode(b"\xff"), home=store_path.parent)
    assert ran.returncode == 2
    assert ran.stderr.startswith(b"jobdeck: argument 3")


def test_a_full_disk_behind_stdout_is_told(store_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "console.main", "list", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
            env={**os.environ, "JOBDECK_HOME": str(store_path.parent)},
        )
    assert (ran.returncode, ran.stderr) == (1, b"jobdeck: no space left on device\n")
