"""A job's executions as a table."""

from collections.abc import Sequence

from console.cli.desk import Desk
from console.cli.output import GREEN, RED
from console.cli.tables import Column, print_table
from core.executions import Outcome
from core.jobs import Execution
from core.when import format_duration, format_relative


def attempts_table(executions: Sequence[Execution], desk: Desk, indent: str = "  ") -> None:
    """Print the executions, oldest first."""
    columns: list[Column[Execution]] = [
        Column("TRY", lambda one: str(one.attempt), right=True),
        Column("STATUS", lambda one: one.status.value, colour=_colour),
        Column("OUTCOME", lambda one: one.outcome.value if one.outcome else "", drop=3),
        Column("EXIT", lambda one: "" if one.exit_code is None else str(one.exit_code), right=True),
        Column("STARTED", lambda one: format_relative(one.started_at or one.leased_at, desk.now), drop=2),
        Column("TOOK", lambda one: _took(one, desk), right=True, drop=1),
        Column("BY", lambda one: one.lease_owner, least=8, drop=4),
        Column("ERROR", lambda one: one.error or "", least=10),
    ]
    print_table(executions, columns, indent)


def _colour(execution: Execution) -> str | None:
    return {Outcome.COMPLETED: GREEN, Outcome.FAILED: RED}.get(execution.outcome) if execution.outcome else None


def _took(execution: Execution, desk: Desk) -> str:
    if execution.started_at is None:
        return ""
    return format_duration((execution.finished_at or desk.now) - execution.started_at)
