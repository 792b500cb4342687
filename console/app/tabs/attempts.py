"""A job's chain: its links, and inside each link its attempts."""

from collections.abc import Iterator

from console.app.deck import Deck
from console.app.job_sight import JobSight, name_of
from console.app.panes.chains import ChainLine, ChainsPane, drawn
from console.app.tabs.base import ListTab
from console.moments import exact
from core.jobs import Execution, Job
from core.status import Status
from core.when import format_duration
from store.views import Chain


class ChainList(ChainsPane):
    """One chain, drawn as the pane of all chains draws it."""

    DEFAULT_CSS = """
    ChainList { border: none; &:focus { border: none; } }
    """

    def show_chain(self, chain: Chain) -> None:
        """Show this chain; the cursor stays on its thing."""
        self.rows = list(drawn(chain))
        self.arranged()


class AttemptsTab(ListTab):
    """Links and attempts."""

    NAME = "Attempts"

    def __init__(self, deck: Deck) -> None:
        self._chain = ChainList(deck.clock)
        super().__init__(self._chain)
        self._deck = deck
        self._begun = False

    def show(self, sight: JobSight) -> None:
        """Show the chain; at first the cursor stands on the job itself."""
        if not self._begun:
            self._begun = True
            self._chain.selected = sight.job.id
        self._chain.show_chain(sight.chain)
        self.show_detail()

    def tick(self) -> None:
        """What runs takes longer, what waits will not wait as long."""
        self._chain.refresh()

    def selected(self) -> ChainLine | None:
        """The link or attempt under the cursor."""
        return self._chain.selected_row()

    def detail(self) -> str:
        """The whole of what is under the cursor."""
        line = self.selected()
        if line is None:
            return ""
        told = _link(line.job) if line.execution is None else self._attempt(line.execution)
        return ", ".join(told)

    def paged(self) -> str:
        """Every link and attempt, in full."""
        return "\n".join(
            f"{line.tree}{', '.join(_link(line.job) if line.execution is None else self._attempt(line.execution))}"
            for line in self._chain.rows
        )

    def _attempt(self, execution: Execution) -> Iterator[str]:
        now = self._deck.clock()
        yield f"attempt {execution.attempt}"
        yield (execution.outcome or execution.status).lower().replace("_", " ")
        if execution.exit_code is not None:
            yield f"exit {execution.exit_code}"
        if execution.started_at is not None:
            yield f"started {exact(execution.started_at, self._deck.zone, now)}"
            yield f"took {format_duration((execution.finished_at or now) - execution.started_at)}"
        yield f"by {execution.lease_owner}"
        if execution.error:
            yield execution.error


def _link(job: Job) -> Iterator[str]:
    yield f"job {job.id}"
    yield job.status.lower().replace("_", " ")
    yield name_of(job)
    if job.status is Status.RETRYING or job.retry_count:
        yield f"{job.retry_count} of {job.max_retries} retries used, {job.backoff}"
    if job.error_message:
        yield job.error_message
