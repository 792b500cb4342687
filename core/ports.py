"""What the engine asks of the machine: a clock, a way to run processes, a lock that dies with its holder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from core.jobs import Execution


class Clock(Protocol):
    """Where the engine reads the time."""

    def now(self) -> datetime:
        """The present instant in UTC; an operator may set it back."""
        ...

    def monotonic(self) -> float:
        """Seconds that only ever go forward, for measuring how long something took."""
        ...


@dataclass(frozen=True, slots=True)
class Spawn:
    """A process to start."""

    exec_id: str
    """The execution it runs for, which is also the marker by which its orphans are found."""
    argv: tuple[str, ...]
    log_path: Path
    """Where its output goes."""
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    """What is set beyond the engine's own environment."""
    log_limit: int = 64 * 1024 * 1024
    """How many bytes of its output are kept; the oldest lines go first."""


class Process(Protocol):
    """A process tree that was started for an execution."""

    @property
    def pid(self) -> int:
        """Its number, which only counts together with the two that follow."""
        ...

    @property
    def pid_started(self) -> int:
        """When the kernel says that it started, so that a reused pid is not taken for it."""
        ...

    @property
    def boot_id(self) -> str:
        """The boot of the machine that it belongs to."""
        ...

    def exited(self) -> int | None:
        """Its return code, negative for a signal; None while it runs."""
        ...

    def terminate(self) -> None:
        """Ask the whole tree to end; no error if it has ended."""
        ...

    def kill(self) -> None:
        """End the whole tree; no error if it has ended."""
        ...

    def gone(self) -> bool:
        """Whether nothing of its tree runs any more."""
        ...

    def tend(self) -> None:
        """Keep its output within its limit."""
        ...


class ProcessRunner(Protocol):
    """How processes come to life."""

    def spawn(self, spawn: Spawn) -> Process:
        """Start a process in a group of its own; an OSError says why it can't be started."""
        ...

    def leftovers(self, executions: Sequence[Execution]) -> Sequence[Process]:
        """What still runs for these executions of a dead engine: found by what was noted, and by its marker."""
        ...


class LeadLock(Protocol):
    """A lock on a store that the kernel takes back when its holder dies."""

    def acquire(self) -> bool:
        """Take it, or say that another process has it; holding it already is having it."""
        ...

    def release(self) -> None:
        """Give it back."""
        ...
