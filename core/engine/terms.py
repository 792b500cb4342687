"""The terms an engine works under: limits, times, types, and where things are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from core.job_types import JobType
from core.limits import Limits
from core.notifications import Target

SHORT_GRACE = timedelta(seconds=2)
"""For what is left of a tree whose first process has ended by itself, and for orphans."""


@dataclass(frozen=True)
class Terms:
    """What an engine is told when it starts, and told anew when its operator has changed it."""

    limits: Limits
    type_named: Callable[[str], JobType]
    logs: Path
    """The directory under which each execution gets its log file."""
    python: str
    """The interpreter of a python job whose type names none."""
    python_job: str
    """The file that such an interpreter runs."""
    lease: timedelta = timedelta(seconds=30)
    grace: timedelta = timedelta(seconds=10)
    """Between the polite and the certain end of a process."""
    log_limit: int = 64 * 1024 * 1024
    targets: tuple[Target, ...] = ()
    """Who is told what happens."""
    resolve: Callable[[Mapping[str, str]], Mapping[str, str]] = dict
    """Looks up what references in an environment stand for, when a process starts."""
    env: Mapping[str, str] = field(default_factory=dict)
    """What every job finds in its environment: where the store and the engine are."""
