"""A question about jobs, pinned to them: whatever becomes of them meanwhile is said, and no other job is ever meant."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widgets import Static

from console.app.dialogs.base import Confirm, content
from console.app.snapshot import Snapshot
from console.app.targets import Meant
from core.refusals import JobdeckError
from core.status import Status

if TYPE_CHECKING:
    from console.app.app import JobdeckApp

NAMED = 8
"""So many of the jobs are named."""
WATCHED = 2_000
"""The states of more jobs than these are not looked up again and again while one thinks."""


class JobsDialog(Confirm):
    """Yes or no, about one job or several."""

    if TYPE_CHECKING:
        app: JobdeckApp

    def __init__(self, verb: str, meant: Meant, words: str) -> None:
        detail = f"This will {words}."
        if meant.several:
            names = [target.name for target in meant.known[:NAMED]]
            more = len(meant.jobs) - len(names)
            detail = "\n".join([*names, f"… and {more:,} more"] if more and names else names)
        super().__init__(f"{verb} {meant.words}?", detail, yes=verb)
        self._meant = meant
        self._now = Static("", id="now", classes="detail", markup=False)

    def extra(self) -> ComposeResult:
        """What has become of them since."""
        yield self._now

    def on_mount(self) -> None:
        """Look how they stand now."""
        super().on_mount()
        self._now.display = False
        self._look()

    def store_changed(self, _snapshot: Snapshot) -> None:
        """Look again."""
        self._look()

    def _look(self) -> None:
        if len(self._meant.jobs) <= WATCHED:
            self.app.ask(lambda views: views.states_of(self._meant.jobs), self._told)

    def _told(self, found: dict[int, Status] | JobdeckError) -> None:
        if not self.is_attached or isinstance(found, JobdeckError):
            return
        words = self._words(found)
        self._now.update(content(words))
        self._now.display = bool(words)

    def _words(self, found: dict[int, Status]) -> str:
        """How they stand now, if that is otherwise than it was when they were chosen."""
        gone = len(self._meant.jobs) - len(found)
        if not self._meant.several:
            [job] = self._meant.jobs
            if gone:
                return f"Job {job} is gone."
            was = self._meant.known[0].status if self._meant.known else found[job]
            return "" if found[job] is was else f"It was {was} when you chose it; it is {found[job]} now."
        left = Counter(status for status in found.values() if status not in self._meant.states)
        if not left and not gone:
            return ""
        parts = [*_counted(left), *([f"{gone:,} gone"] if gone else [])]
        return f"Meanwhile {', '.join(parts)}; what has left is left alone."


def _counted(states: Counter[Status]) -> Iterable[str]:
    return (f"{number:,} {'is' if number == 1 else 'are'} {status}" for status, number in sorted(states.items()))
