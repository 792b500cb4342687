"""How fast the command answers, against what its parts take to start."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import Line, Once, Result, in_turns, ratio

TIMES = 5


def results() -> Iterator[Result]:
    """`jobdeck --version` against a bare import of the parser it doesn't load."""
    jobdeck = str(Path(sys.executable).with_name("jobdeck"))
    with tempfile.TemporaryDirectory() as home:
        taken = in_turns(
            {
                "version": _run(home, jobdeck, "--version"),
                "click": _run(home, sys.executable, "-c", "import click"),
            }
        )
    yield Line("jobdeck --version", 'python -c "import click"', ratio(taken["version"], taken["click"]), most=1.5)


def _run(home: str, *argv: str) -> Once:
    def once() -> float:
        begun = time.perf_counter()
        for _ in range(TIMES):
            subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env={"JOBDECK_HOME": home}, timeout=60)
        return time.perf_counter() - begun

    return once
