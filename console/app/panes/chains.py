"""Retry chains: the links between jobs, and inside each link its attempts."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from console.app.panes.base import SIGNS, STATUS_STYLES, Clock, RowsPane, job_name
from console.app.snapshot import PaneNumber, Snapshot
from console.app.targets import JobTarget
from console.app.widgets.pane_column import PaneColumn
from core.executions import Outcome
from core.jobs import Execution, Job
from core.status import Status
from core.when import format_duration, format_relative
from store.views import Chain


@dataclass(frozen=True, slots=True)
class ChainLine:
    """One line of the drawing: a job, or one of its attempts."""

    job: Job
    execution: Execution | None
    tree: str
    """The branches in front of it."""


class ChainsPane(RowsPane[ChainLine]):
    """The chains where something happened last, on top."""

    NUMBER: ClassVar[PaneNumber] = PaneNumber.CHAINS
    NAME: ClassVar[str] = "Retry chains"

    def __init__(self, clock: Clock) -> None:
        super().__init__(
            [
                PaneColumn("CHAIN", _branch, 26, least=12, grows=True, style=_style),
                PaneColumn("STATE", self._state, 24, least=10, drop=1, style=_style),
                PaneColumn("EXIT", _exit, 4, right=True, drop=4),
                PaneColumn("TOOK", self._took, 7, right=True, drop=3),
                PaneColumn("ERROR", _error, 20, least=8, drop=2, grows=True, style=lambda _: "list--dim"),
            ],
            clock,
        )
        self._chains = 0
        self.hints = ("no job was retried yet", "", "r on a job that has ended runs it again")

    def take(self, snapshot: Snapshot) -> None:
        """Every chain, drawn line by line."""
        self._chains = len(snapshot.chains)
        self.rows = [line for chain in snapshot.chains for line in drawn(chain)]

    def told(self) -> str:
        """How many chains there are."""
        return f"{self._chains:,}" if self._chains else ""

    def key_of(self, row: ChainLine) -> Hashable:
        """A job by its number, an attempt by its execution."""
        return row.job.id if row.execution is None else row.execution.exec_id

    def target_of(self, row: ChainLine) -> JobTarget:
        """The job of a line."""
        job = row.job
        return JobTarget(job.id, job.status, job.held, f"job {job.id} ({_name(job)})")

    def _state(self, row: ChainLine) -> str:
        job, execution = row.job, row.execution
        if execution is not None:
            return (execution.outcome or execution.status).lower().replace("_", " ")
        if job.status is Status.RETRYING and job.next_retry_at is not None:
            again = format_relative(job.next_retry_at, self.clock())
            return f"retry {job.retry_count} of {job.max_retries} {again}"
        return job.status.replace("_", " ").lower()

    def _took(self, row: ChainLine) -> str:
        execution = row.execution
        if execution is None or execution.started_at is None:
            return ""
        return format_duration((execution.finished_at or self.clock()) - execution.started_at)


def drawn(chain: Chain) -> Iterator[ChainLine]:
    """A chain as lines: each link below the one it retries, its attempts inside it."""
    for depth, link in enumerate(chain.links):
        indent = "  " * depth
        yield ChainLine(link.job, None, f"{indent}└ " if depth else "")
        last = len(link.executions) - 1
        for at, execution in enumerate(link.executions):
            yield ChainLine(link.job, execution, f"{indent}  {'└' if at == last else '├'} ")


def _name(job: Job) -> str:
    return job_name(job.job_type, job.job_key, job.job_id, job.command_text)


def _branch(row: ChainLine) -> str:
    if row.execution is not None:
        return f"{row.tree}attempt {row.execution.attempt}"
    return f"{row.tree}{SIGNS[row.job.status]} {row.job.id} {_name(row.job)}"


def _style(row: ChainLine) -> str:
    if row.execution is None:
        return STATUS_STYLES[row.job.status]
    return {Outcome.COMPLETED: "status--succeeded", Outcome.FAILED: "status--failed"}.get(
        row.execution.outcome or Outcome.SKIPPED, "list--dim"
    )


def _exit(row: ChainLine) -> str:
    code = None if row.execution is None else row.execution.exit_code
    return "" if code is None else str(code)


def _error(row: ChainLine) -> str:
    return (row.job.error_message if row.execution is None else row.execution.error) or ""
