"""Engines that are killed from one moment to the next, and the promises that hold all the same.

Here a share of it, the same each time; all of it is `python -m tests.machine.crash`, a part of `make soak`.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.machine.marks import Mark

CALLER = "JOBDECK_TEST_CALLER"
LONGEST = 600


@pytest.mark.parametrize(
    ("share", "kills"),
    [
        pytest.param(["--every", "19"], 200, id="at statements"),
        pytest.param(["--seed", "1", "--kills", "250"], 250, id="at random moments"),
    ],
)
def test_whenever_an_engine_is_killed_every_promise_is_kept(tmp_path: Path, share: list[str], kills: int) -> None:
    mark = Mark(CALLER)
    # Forked from a process without threads, which the one that runs tests may not be.
    ran = subprocess.Popen(
        [sys.executable, "-m", "tests.machine.crash", "--workers", "1", *share],
        env={**os.environ, "TMPDIR": str(tmp_path), CALLER: mark.value},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        told, _ = ran.communicate(timeout=LONGEST)
        left = mark.bearers()
    finally:
        mark.end_all()
        ran.wait()
    print(told)
    assert ran.returncode == 0, told
    assert int(told.splitlines()[-1].split()[0].replace(",", "")) >= kills, told
    assert left == []
    assert os.listdir(tmp_path) == []
