"""A program with a screen, in a process of its own, and what was measured while it lived."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

SIZE = (160, 48)


@dataclass(frozen=True)
class Measured:
    """One console's life, or that of what it is compared with."""

    first_paint: float
    """When the first row was on the screen; from outside, the seconds from the start of the process to that."""
    keys: Sequence[float] = ()
    """Seconds from each press of the cursor key to the row that it painted."""
    pages: Sequence[float] = ()
    """Seconds from each press of page down to the row that it painted."""
    memory: int = 0
    """The most bytes that the process ever had."""
    rows: int = 0
    """The most rows of the queue that were at hand."""
    ended: int = 0
    """How many jobs the engine ended meanwhile."""


def peak() -> int:
    """The most memory that this process ever had; what getrusage tells would count whoever started it."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def measure(module: str, *arguments: object) -> Measured:
    """One of the programs, in a process of its own, so that its memory is its own too."""
    argv = [sys.executable, "-m", f"tests.bench.{module}", *map(str, arguments)]
    begun = time.time()
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, timeout=600)
    measured = Measured(**json.loads(done.stdout))
    return replace(measured, first_paint=measured.first_paint - begun)
