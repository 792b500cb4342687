"""A home of its own with an engine on it, as the benchmarks need it: real processes, a real store."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from console.home import Places
from core.jobs import Command, NewJob
from core.machine.bell import ring
from core.status import FINAL, Status
from store.store import Store

JOBDECK = str(Path(sys.executable).with_name("jobdeck"))
PATIENCE = 120.0
LOOK_EVERY = 0.02


class Home:
    """One store with what runs on it."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(mode=0o700, parents=True)
        self.places = Places(directory, directory / "jobdeck.db")
        self.store = Store(self.places.db, ring=lambda: ring(self.places.run))

    @property
    def environment(self) -> dict[str, str]:
        """What its processes are started with."""
        return {**os.environ, "JOBDECK_HOME": str(self.places.home)}

    @contextmanager
    def served(self, slots: int, *argv: str) -> Iterator["subprocess.Popen[bytes]"]:
        """While an engine leads: `jobdeck serve`, or another process, which ends when its stdin does."""
        command = argv or (JOBDECK, "serve", "--slots", str(slots), "--quiet")
        process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            until((self.places.run / "desk.sock").exists, "an engine leads")
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()
            if not argv:
                process.terminate()
            process.wait(PATIENCE)

    def pause(self) -> None:
        """Let nothing start."""
        with self.store.write("bench") as work:
            work.pause("bench")

    def resume(self) -> float:
        """Let it start; when that was."""
        with self.store.write("bench") as work:
            work.resume()
        return time.time()

    def queue(self, count: int, *argv: str) -> None:
        """So many jobs in one transaction."""
        new = NewJob(command=Command(argv))
        with self.store.write("bench") as work:
            for _ in range(count):
                work.submit(new)

    def all_ended(self) -> float:
        """Wait until every job has succeeded; when the last one did."""
        until(self._idle, "all jobs ended")
        with self.store.read() as views:
            assert views.counts()[Status.SUCCEEDED] == sum(views.counts().values()), views.counts()
            (latest,) = views.finished(None, 1)
        assert latest.finished_at is not None
        return latest.finished_at.timestamp()

    def _idle(self) -> bool:
        with self.store.read() as views:
            return not sum(n for status, n in views.counts().items() if status not in FINAL)

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()


def until(look: Callable[[], object], what: str) -> None:
    """Wait for it."""
    end = time.monotonic() + PATIENCE
    while not look():
        if time.monotonic() > end:
            raise TimeoutError(f"not so after {PATIENCE:g} s: {what}")
        time.sleep(LOOK_EVERY)
