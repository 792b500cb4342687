"""Gates that wait for an answer: what is asked, by whom, and until when."""

from collections.abc import Hashable
from typing import ClassVar

from console.app.panes.base import Clock, RowsPane, job_name
from console.app.snapshot import PaneNumber, Snapshot
from console.app.targets import JobTarget
from console.app.widgets.pane_column import PaneColumn
from core.jobs import Approval, Job
from core.status import Status
from core.when import format_relative

HINTS = (
    "nobody waits for an answer",
    "",
    "A job asks before it runs:  jobdeck submit --approval TEXT -- COMMAND",
    "or in the middle of it:     jobdeck job gate NAME -m TEXT",
)

ApprovalLine = tuple[Approval, Job]


class ApprovalsPane(RowsPane[ApprovalLine]):
    """The open gates, the longest waiting on top."""

    NUMBER: ClassVar[PaneNumber] = PaneNumber.APPROVALS
    NAME: ClassVar[str] = "Approvals"
    STATES: ClassVar[frozenset[Status]] = frozenset({Status.WAITING_FOR_APPROVAL})

    def __init__(self, clock: Clock) -> None:
        super().__init__(
            [
                PaneColumn("ID", lambda row: str(row[1].id), 6, right=True, style=lambda _: "status--waiting"),
                PaneColumn("QUESTION", lambda row: row[0].message, 36, least=20, grows=True),
                PaneColumn("JOB", lambda row: _name(row[1]), 12, least=8, drop=2),
                PaneColumn("BY", lambda row: row[0].requested_by, 6, least=3, drop=4),
                PaneColumn("ASKED", lambda row: format_relative(row[0].requested_at, self.clock()), 7, drop=3),
                PaneColumn("EXPIRES", self._expires, 8, right=True, drop=1, style=lambda _: "status--retrying"),
            ],
            clock,
        )
        self.hints = HINTS

    def take(self, snapshot: Snapshot) -> None:
        """The open gates; jobs that were let through but have no slot yet are not asked about any more."""
        self.rows = snapshot.approvals
        granted = snapshot.counts.get(Status.WAITING_FOR_APPROVAL, 0) - len(snapshot.approvals)
        one = "1 approved job goes" if granted == 1 else f"{granted:,} approved jobs go"
        self.hints = HINTS if granted <= 0 else (HINTS[0], f"{one} on in the next free slot", *HINTS[1:])

    def key_of(self, row: ApprovalLine) -> Hashable:
        """A gate is known by its own id: the same job may ask again."""
        return row[0].approval_id

    def target_of(self, row: ApprovalLine) -> JobTarget:
        """The job that waits."""
        job = row[1]
        return JobTarget(job.id, job.status, job.held, f"job {job.id} ({_name(job)})")

    def _expires(self, row: ApprovalLine) -> str:
        at = row[0].expires_at
        return "" if at is None else format_relative(at, self.clock())


def _name(job: Job) -> str:
    return job_name(job.job_type, job.job_key, job.job_id, job.command_text)
