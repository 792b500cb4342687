"""Whom an action is done to: one job, or all that are marked."""

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from core.status import Status

ANY = frozenset(Status)


@dataclass(frozen=True, slots=True)
class JobTarget:
    """A job that something can be done to."""

    id: int
    status: Status
    held: bool
    name: str
    """How a question calls it."""


@dataclass(frozen=True, slots=True)
class Meant:
    """The jobs that an action is done to."""

    jobs: Collection[int] = ()
    known: Sequence[JobTarget] = ()
    """Those of them that are at hand; a question names some."""
    states: frozenset[Status] = ANY
    """Marks are for what was seen in a pane: a job that has left these states by then is left alone."""

    def pinned(self) -> "Meant":
        """The same jobs, whatever is marked from now on."""
        return replace(self, jobs=array("q", self.jobs))

    @property
    def several(self) -> bool:
        """Whether it is more than one."""
        return len(self.jobs) > 1

    @property
    def words(self) -> str:
        """What a question calls them."""
        if self.several:
            return f"{len(self.jobs):,} jobs"
        return self.known[0].name if self.known else f"job {next(iter(self.jobs))}"


def only(target: JobTarget | None) -> Meant:
    """A single job, or none."""
    return Meant() if target is None else Meant((target.id,), (target,))
