"""Process trees as an engine starts them, for tests of what becomes of them."""

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from core.executions import ExecStatus
from core.jobs import Execution
from core.machine.processes import Child, Processes
from core.ports import Spawn
from tests.machine.waiting import until

_NUMBERS = count(1)

EXECUTION = Execution(
    exec_id="",
    job_id="job",
    attempt=1,
    status=ExecStatus.IN_PROGRESS,
    outcome=None,
    lease_owner="engine",
    lease_expires_at=datetime(2026, 3, 2, tzinfo=UTC),
    exit_code=None,
    error=None,
    error_type=None,
    leased_at=datetime(2026, 3, 2, tzinfo=UTC),
    started_at=None,
    handed_over_at=None,
    committed_at=None,
    finished_at=None,
    log_path=None,
    pid=None,
    pid_started=None,
    boot_id=None,
    progress=None,
    progress_text=None,
    params_snapshot={},
    artifacts=(),
)


class Runner:
    """Starts processes the way an engine does, each with a name of its own for its execution."""

    def __init__(self, directory: Path) -> None:
        self.logs = directory / "logs"
        self.processes = Processes()
        self._children: list[Child] = []

    def spawn_of(self, argv: Sequence[str], exec_id: str | None = None) -> Spawn:
        """What to start."""
        name = exec_id or f"exec-{os.getpid()}-{next(_NUMBERS)}"
        return Spawn(name, tuple(argv), self.logs / "000" / f"{name}.log", env={"JOBDECK_EXEC_ID": name})

    def start(self, spawn: Spawn) -> Child:
        """A process that will be waited for."""
        self._children.append(self.processes.spawn(spawn))
        return self._children[-1]

    def shell(self, script: str, ready: str | None = None) -> tuple[Child, Spawn]:
        """A shell's process, once it has said that it is ready."""
        spawn = self.spawn_of(("/bin/sh", "-c", script))
        child = self.start(spawn)
        if ready is not None:
            until(lambda: ready in said(spawn), f"it says {ready!r}")
        return child, spawn

    def close(self) -> None:
        """Read off the end of every process; they have been killed by now."""
        for child in self._children:
            ended(child)


def said(spawn: Spawn) -> list[str]:
    """The lines that a process has printed so far."""
    return spawn.log_path.read_text().splitlines()


def ended(child: Child) -> int:
    """The return code of a process, once it has one."""
    until(lambda: child.exited() is not None, f"process {child.pid} ends")
    code = child.exited()
    assert code is not None
    return code


def noted(child: Child, exec_id: str) -> Execution:
    """The execution as the store would know it."""
    return replace(EXECUTION, exec_id=exec_id, pid=child.pid, pid_started=child.pid_started, boot_id=child.boot_id)
