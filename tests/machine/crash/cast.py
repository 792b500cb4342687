"""The jobs of the crash tests: what each does, and what must become of it, however often its engine dies."""

import sys
from dataclasses import dataclass
from pathlib import Path

from core.config import Config
from core.job_types import JobType, Kind
from core.jobs import Command, NewJob
from core.status import Status

ACTOR = str(Path(__file__).parent / "actor.py")
FAR = "far"
CONFIG = Config(types={FAR: JobType(FAR, Kind.EXTERNAL)})
DEEP = 100
"""Retries enough for every crash that a test brings about."""


@dataclass(frozen=True)
class Role:
    """One kind of job."""

    steps: tuple[str, ...]
    """What its process does; empty for one that is no actor."""
    ends: Status = Status.SUCCEEDED
    program: str | None = None
    """What is run instead of an actor."""
    job_type: str = "command"
    max_retries: int = DEEP

    def job(self, key: str, directory: Path) -> NewJob:
        """A job of this kind."""
        argv = (self.program,) if self.program else (sys.executable, "-I", "-S", ACTOR, str(directory), *self.steps)
        return NewJob(
            job_type=self.job_type,
            job_key=key,
            command=Command(argv),
            max_retries=self.max_retries,
            backoff="fixed:1ms",
        )


ROLES = {
    "commits": Role(("commit", "effect", "sleep=0.02")),
    "commits-and-fails": Role(("commit", "effect", "exit=1")),
    "asks": Role(("gate", "commit", "effect")),
    "tree": Role(("tree",)),
    "emigrants": Role(("emigrants", "commit", "effect")),
    "flaky": Role(("checkpoint", "commit", "effect")),
    "plain": Role(()),
    "quick": Role((), program="/bin/true"),
    "hopeless": Role(("exit=65",), Status.FAILED),
    "fails": Role(("exit=1",), Status.FAILED, max_retries=2),
    "missing": Role((), Status.FAILED, program="/no/such/program"),
    "far": Role((), job_type=FAR),
    "long": Role(("sleep=60",), Status.CANCELLED),
}


def role_of(key: str) -> Role:
    """The role that a job plays, by its key."""
    return ROLES[key.rpartition(".")[0]]
