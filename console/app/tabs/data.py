"""What a job carries: params, checkpoint, result, tags, command and environment, as JSON that folds."""

from collections.abc import Hashable, Mapping
from typing import Any

from console.app.job_sight import JobSight
from console.app.json_lines import JsonLine, JsonTree
from console.app.tabs.base import ListTab, RowsList
from console.app.widgets.pane_column import PaneColumn
from console.cli.jsonout import dumped
from console.masking import masked_json


class JsonList(RowsList[JsonLine]):
    """Lines of JSON."""

    def __init__(self) -> None:
        super().__init__(
            [
                PaneColumn("NAME", _name, 36, least=16, style=_name_style),
                PaneColumn("VALUE", lambda line: line.shown, 30, least=12, grows=True, style=_value_style),
            ]
        )

    def key_of(self, row: JsonLine) -> Hashable:
        """A line is known by where it stands."""
        return row.path


class DataTab(ListTab):
    """A tree whose folds stay as they were made."""

    NAME = "Data"

    def __init__(self) -> None:
        self._lines = JsonList()
        super().__init__(self._lines)
        self._tree = JsonTree()

    def show(self, sight: JobSight) -> None:
        """Show what the job carries."""
        values = _values(sight)
        if values != self._tree.values:
            self._tree.values = values
            self._arrange()

    def fold(self) -> None:
        """Fold what is under the cursor, or unfold it; on a plain value there is nothing to do."""
        line = self._lines.selected_row()
        if line is not None and line.folds:
            self._tree.turn(line.path)
            self._arrange()

    def detail(self) -> str:
        """The value under the cursor, where its line may have cut it."""
        line = self._lines.selected_row()
        return line.value if line is not None and isinstance(line.value, str) else ""

    def copied(self) -> str | None:
        """The value under the cursor, whole."""
        line = self._lines.selected_row()
        return None if line is None else line.text

    def paged(self) -> str:
        """All of it."""
        return dumped(self._tree.values, indent=2)

    def _arrange(self) -> None:
        self._lines.show_rows(self._tree.lines())
        self.show_detail()


def _values(sight: JobSight) -> Mapping[str, Any]:
    job = sight.job
    command = job.command
    artifacts = [one for execution in sight.whole.executions for one in execution.artifacts]
    values = {
        "params": dict(job.params),
        "checkpoint": job.checkpoint,
        "result": job.result,
        "tags": dict(job.tags),
        "command": {"argv": list(command.argv), "cwd": command.cwd, "shell": command.shell},
        "env": dict(command.env),
        **({"artifacts": artifacts} if artifacts else {}),
    }
    hidden: Mapping[str, Any] = masked_json(values, inside=False)
    return hidden


def _name(line: JsonLine) -> str:
    fold = ("▸ " if line.folded else "▾ ") if line.folds else "  "
    return "  " * line.depth + fold + line.name[:200]


def _name_style(line: JsonLine) -> str:
    return "list--marked" if line.depth == 0 else ""


def _value_style(line: JsonLine) -> str:
    if line.folds or line.value is None:
        return "list--dim"
    return "status--succeeded" if isinstance(line.value, str) else "status--running"
