"""What a job prints: the log of its latest attempt, or of an earlier one."""

from pathlib import Path

from textual.app import ComposeResult

from console.app.job_sight import JobSight
from console.app.tabs.base import JobTab
from console.app.widgets.log_view import LogView
from core.jobs import Execution


class LogTab(JobTab):
    """One log at a time. A reader who is at its end goes on to the next attempt; any other stays."""

    NAME = "Log"

    def __init__(self) -> None:
        super().__init__()
        self.view = LogView()
        self._runs: list[Execution] = []
        self._at = 0
        self._hint = ""

    def compose(self) -> ComposeResult:
        """The log."""
        yield self.view

    def show(self, sight: JobSight) -> None:
        """Take the logs that there are."""
        at_latest = self._at >= len(self._runs) - 1
        self._runs = [one for one in sight.whole.executions if one.log_path]
        if at_latest and self.view.following:
            self._at = len(self._runs) - 1
        self._hint = f"job {sight.job.id} is {sight.job.status} and has not run, so it has printed nothing"
        self._show()

    def take_focus(self) -> None:
        """Let keys go to the lines."""
        self.view.focus_lines()

    def choose(self, exec_id: str) -> None:
        """Show the log of that execution."""
        found = next((at for at, run in enumerate(self._runs) if run.exec_id == exec_id), None)
        if found is not None:
            self._at = found
            self._show()

    def step(self, by: int) -> str | None:
        """Go to another attempt; why not, where there is none."""
        if not 0 <= self._at + by < len(self._runs):
            return "there is no later log" if by > 0 else "there is no earlier log"
        self._at += by
        self._show()
        return None

    def copied(self) -> str | None:
        """The lines in sight, or the one with the current hit."""
        return self.view.lines.text_in_sight() or None

    def paged(self) -> Path | None:
        """The file itself."""
        return self.view.path

    def _show(self) -> None:
        if not self._runs:
            self.view.show_log(None, "", self._hint)
            return
        self._at = max(0, min(self._at, len(self._runs) - 1))
        run = self._runs[self._at]
        self.view.show_log(Path(run.log_path or ""), self._title(run))

    def _title(self, run: Execution) -> str:
        """Which log it is, and that there is a later one."""
        parts = [f"attempt {run.attempt}"]
        if len(self._runs) > 1:
            parts.append(f"log {self._at + 1} of {len(self._runs)}, [ ] for others")
        if run.exit_code is not None:
            parts.append(f"exit {run.exit_code}")
        return " · ".join(parts)
