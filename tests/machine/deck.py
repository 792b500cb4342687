"""A home as an operator has it: a store, a config, and engines that are started on it as processes of their own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from console.home import Places
from core.jobs import Command, Execution, Job, NewJob
from core.machine.bell import ring
from core.status import Status
from store.doctor import examine
from store.store import Store
from tests.machine.marks import VARIABLE, Mark
from tests.machine.waiting import until

JOBDECK = (sys.executable, "-m", "console.main")


class Served:
    """An engine that runs as `jobdeck serve`."""

    def __init__(self, deck: "Deck", name: str, arguments: tuple[str, ...]) -> None:
        self._told = deck.places.home.parent / f"{name}.out"
        with self._told.open("wb") as out:
            self.process = subprocess.Popen(
                [*JOBDECK, "serve", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=deck.environment,
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def told(self) -> str:
        """All that it has printed."""
        return self._told.read_text()

    def tells(self, words: str) -> Self:
        """Once it has printed this."""
        until(lambda: words in self.told() or self.process.poll() is not None, f"the engine tells {words!r}")
        assert words in self.told(), self.told()
        return self

    def leads(self) -> Self:
        """Once it leads the store."""
        return self.tells("leads this store with")

    def kill(self) -> None:
        """End it from one moment to the next."""
        self.process.kill()
        self.process.wait()

    def ends(self, within: float = 30.0) -> int:
        """Its exit code, once it has ended by itself."""
        return self.process.wait(within)


class Deck:
    """A store with the engines that come and go."""

    def __init__(self, home: Path, blank_store: Path, config: str = "") -> None:
        home.mkdir(mode=0o700)
        self.places = Places(home, home / "jobdeck.db")
        shutil.copy(blank_store, self.places.db)
        self.places.db.chmod(0o600)
        self.places.config.write_text(config)
        self.mark = Mark()
        self.store = Store(self.places.db, ring=lambda: ring(self.places.run))
        self._engines: list[Served] = []

    @property
    def environment(self) -> dict[str, str]:
        """What every process here is started with."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("JOBDECK_")}
        return {**kept, "JOBDECK_HOME": str(self.places.home), "TZ": "UTC", VARIABLE: self.mark.value}

    def serve(self, *arguments: str) -> Served:
        """An engine of one's own."""
        self._engines.append(Served(self, f"engine{len(self._engines)}", arguments))
        return self._engines[-1]

    def jobdeck(self, *arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
        """What the command says."""
        return subprocess.run(
            [*JOBDECK, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**self.environment, **env},
        )

    def submit(self, *argv: str, cwd: Path | None = None, **wanted: Any) -> int:
        """Hand in a job."""
        command = Command(argv, cwd=None if cwd is None else str(cwd))
        with self.store.write("ann") as work:
            return work.submit(NewJob(**{"command": command, "backoff": "fixed:1ms", **wanted})).id

    def shell(self, script: str, **wanted: Any) -> int:
        """Hand in a script."""
        return self.submit("/bin/sh", "-c", script, **wanted)

    def job(self, ref: int) -> Job:
        with self.store.read() as views:
            return views.job(ref)

    def executions(self, ref: int) -> list[Execution]:
        """The runs of a job, oldest first."""
        with self.store.read() as views:
            return views.executions_of(views.job(ref).job_id)

    def tail(self, ref: int) -> Job:
        """The last link of a job's chain."""
        with self.store.read() as views:
            return views.chain(ref).tail

    def reaches(self, ref: int, *wanted: Status) -> Job:
        """The job, once it has got there."""
        until(lambda: self.job(ref).status in wanted, f"job {ref} is {' or '.join(wanted)}")
        return self.job(ref)

    def ends(self, ref: int) -> Job:
        """The job, once it has ended."""
        return self.reaches(ref, Status.SUCCEEDED, Status.FAILED, Status.CANCELLED)

    def log(self, ref: int) -> str:
        """What the runs of a job have printed, one after the other."""
        paths = sorted(self.places.logs.glob(f"*/{ref}-*.log"), key=lambda path: path.stat().st_mtime_ns)
        return "".join(path.read_text() for path in paths)

    def approve(self, ref: int) -> None:
        """Let a job pass its gate."""
        with self.store.read() as views:
            (gate,) = [one for one in views.open_approvals(100) if one.job == ref]
        with self.store.write("bob") as work:
            work.approve(ref, self.store.token_of(gate.approval_id))

    def findings(self) -> list[str]:
        """What the doctor says is wrong."""
        report = examine(self.places.db, self.store.key_path, self.places.home)
        return [f"{one.subject}: {one.words}" for one in report.findings]

    def close(self) -> None:
        """End everything that runs here."""
        for engine in self._engines:
            engine.kill()
        self.mark.end_all()
        self.store.close()


MakeDeck = Callable[[str], Deck]
"""Makes a home with that config."""


def running(deck: Deck, script: str) -> int:
    """A job whose process has said that it is ready."""
    job = deck.shell(script)
    until(lambda: "ready" in deck.log(job), f"job {job} runs")
    return job
