"""What runs now: how far it has come, how long against what is usual, and what the machine says about it."""

from collections.abc import Hashable
from typing import ClassVar

from console.ansi import uncoloured
from console.app.panes.base import Clock, RowsPane, job_name
from console.app.snapshot import PaneNumber, RunningLine, Snapshot
from console.app.targets import JobTarget
from console.app.widgets.pane_column import PaneColumn
from core.jsontext import format_bytes
from core.status import Status
from core.when import format_duration

BAR = 10
_EIGHTHS = " ▏▎▍▌▋▊▉█"


class RunningPane(RowsPane[RunningLine]):
    """The running jobs, the one that started first on top."""

    NUMBER: ClassVar[PaneNumber] = PaneNumber.RUNNING
    NAME: ClassVar[str] = "Running"
    STATES: ClassVar[frozenset[Status]] = frozenset({Status.RUNNING})

    def __init__(self, clock: Clock) -> None:
        super().__init__(
            [
                PaneColumn("ID", lambda row: str(row.job.id), 6, right=True),
                PaneColumn("JOB", _named, 14, least=10, grows=True),
                PaneColumn("PROGRESS", _progress, BAR + 5, drop=3, style=lambda _: "status--running"),
                PaneColumn("FOR", self._elapsed, 11, right=True, drop=1, style=self._elapsed_style),
                PaneColumn("TRY", lambda row: str(row.running.execution.attempt), 3, right=True, drop=5),
                PaneColumn("CPU", _cpu, 4, right=True, drop=6),
                PaneColumn("MEM", _memory, 6, right=True, drop=7),
                PaneColumn("PID", lambda row: str(row.running.execution.pid or ""), 7, right=True, drop=8),
                PaneColumn("LEASE", self._lease, 5, right=True, drop=9),
                PaneColumn("LAST LINE", _last, 30, least=14, drop=4, grows=True, style=lambda _: "list--dim"),
            ],
            clock,
        )

    def take(self, snapshot: Snapshot) -> None:
        """The running jobs."""
        self.rows = snapshot.running
        if snapshot.paused is not None:
            self.hints = ("nothing runs: the queue is paused", "", "p lets jobs start again")
        elif snapshot.leader is None:
            self.hints = ("nothing runs: there is no engine", "", "start one with:  jobdeck serve")
        else:
            self.hints = ("nothing runs",)

    def told(self) -> str:
        """How many slots are busy."""
        flow = None if self.snapshot is None else self.snapshot.flow
        if flow is None or flow.limits is None:
            return super().told()
        return f"{flow.usage.total:,} of {flow.limits.slots:,} slots"

    def key_of(self, row: RunningLine) -> Hashable:
        """A job is known by its number."""
        return row.job.id

    def target_of(self, row: RunningLine) -> JobTarget:
        """The job of a row."""
        return JobTarget(row.job.id, row.job.status, row.job.held, f"job {row.job.id} ({_named(row)})")

    def _seconds(self, row: RunningLine) -> float:
        execution = row.running.execution
        begun = execution.started_at or execution.leased_at
        return (self.clock() - begun).total_seconds()

    def _elapsed(self, row: RunningLine) -> str:
        execution = row.running.execution
        took = format_duration(self.clock() - (execution.started_at or execution.leased_at))
        usual = None if self.snapshot is None else self.snapshot.usual.get(row.job.job_type)
        return took if usual is None else f"{took}/{format_duration(usual)}"

    def _elapsed_style(self, row: RunningLine) -> str:
        usual = None if self.snapshot is None else self.snapshot.usual.get(row.job.job_type)
        return "status--retrying" if usual is not None and self._seconds(row) > 2 * usual.total_seconds() else ""

    def _lease(self, row: RunningLine) -> str:
        return format_duration(row.running.execution.lease_expires_at - self.clock())


def _named(row: RunningLine) -> str:
    job = row.job
    name = job_name(job.job_type, job.job_key, job.job_id, job.command_text)
    return f"stopping: {name}" if job.cancel_requested_at is not None else name


def bar(share: float, wide: int) -> str:
    """A bar of so many cells, filled to that percentage."""
    eighths = round(max(0.0, min(share, 100.0)) / 100 * wide * 8)
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(wide, "░")


def _progress(row: RunningLine) -> str:
    share = row.running.execution.progress
    return "" if share is None else f"{bar(share, BAR)} {share:3.0f}%"


def _cpu(row: RunningLine) -> str:
    return "" if row.cpu is None else f"{row.cpu:.0f}%"


def _memory(row: RunningLine) -> str:
    return "" if row.use is None else format_bytes(row.use.memory).replace(" ", "").replace("iB", "")


def _last(row: RunningLine) -> str:
    return row.running.execution.progress_text or uncoloured(row.last_line)
