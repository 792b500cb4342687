"""What the machine tells about running jobs: their use of it, and the last line that each has printed."""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from console.app.snapshot import RunningLine
from console.logreader import LogReader
from core.machine.procfs import Use, used_by

MEASURED = 50
"""Of so many running jobs the machine is asked about their use and their logs."""
EVERY = 1.0
"""Seconds between two measurements; nobody reads faster."""
LONGEST_LINE = 2_000


class Meter:
    """Remembers what it measured the last time, since a share of a processor is a difference."""

    def __init__(self) -> None:
        self._use: dict[int, Use] = {}
        self._cpu: dict[int, float] = {}
        self._at = 0.0

    def measured(self, lines: Sequence[RunningLine]) -> list[RunningLine]:
        """The same jobs with what the machine tells about the first of them."""
        self._measure({pid for line in lines if (pid := line.running.execution.pid)})
        return [*map(self._told, lines[:MEASURED]), *lines[MEASURED:]]

    def _measure(self, pids: set[int]) -> None:
        now = time.monotonic()
        if now - self._at < EVERY:
            return
        before, self._use = self._use, used_by(pids)
        self._cpu = {
            pid: 100 * max(0.0, use.seconds - before[pid].seconds) / (now - self._at)
            for pid, use in self._use.items()
            if pid in before
        }
        self._at = now

    def _told(self, line: RunningLine) -> RunningLine:
        execution = line.running.execution
        pid = execution.pid or 0
        return replace(line, use=self._use.get(pid), cpu=self._cpu.get(pid), last_line=_last_line(execution.log_path))


def _last_line(path: str | None) -> str:
    """The last line that a job has printed."""
    if path is None:
        return ""
    try:
        with LogReader(Path(path)) as reader:
            reader.seek_last(1)
            lines = list(islice(reader.lines(last=True), 1))
    except OSError:
        return ""
    return lines[0][:LONGEST_LINE].decode("utf-8", "replace") if lines else ""
