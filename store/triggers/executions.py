"""Guards of the executions table: one lease, one commit, an end that stays."""

from collections.abc import Iterator

from core.executions import EXEC_EDGES, LIVE_EXECUTIONS, ExecStatus
from store.sqltext import quoted
from store.triggers.words import changed, legal_steps, refuse, rewritten

_STEPS = {source: {edge.target for edge in EXEC_EDGES if edge.source is source} for source in ExecStatus}

EXEC_IMMUTABLE = ("id", "exec_id", "job_id", "attempt", "lease_owner", "leased_at", "params_snapshot")
_ONCE_STARTED = ("started_at", "committed_at", "log_path", "pid", "pid_started", "boot_id", "handed_over_at")
EXEC_WRITE_ONCE = (*_ONCE_STARTED, "outcome", "finished_at", "exit_code", "error")
EXEC_FROZEN_BY_END = (
    *_ONCE_STARTED,
    "status",
    "outcome",
    "lease_expires_at",
    "error_type",
    "progress",
    "progress_text",
)


def execution_guards() -> Iterator[str]:
    """What the executions table refuses."""
    ended = [status for status in ExecStatus if status not in LIVE_EXECUTIONS]
    yield refuse("executions_start", "INSERT", "executions", "NEW.status <> 'LEASED'", "an execution starts as LEASED")
    yield refuse(
        "executions_of_a_running_job",
        "INSERT",
        "executions",
        "NOT EXISTS (SELECT 1 FROM jobs WHERE job_id = NEW.job_id AND status = 'RUNNING' AND exec_id = NEW.exec_id "
        "AND attempt = NEW.attempt)",
        "only a job that was just claimed gets an execution",
    )
    yield refuse(
        "executions_no_second",
        "INSERT",
        "executions",
        "EXISTS (SELECT 1 FROM executions WHERE id = NEW.id) OR "
        "EXISTS (SELECT 1 FROM executions WHERE exec_id = NEW.exec_id) OR "
        "EXISTS (SELECT 1 FROM executions WHERE job_id = NEW.job_id AND "
        "status IN ('LEASED', 'IN_PROGRESS', 'COMMITTED', 'DONE'))",
        "its job has a live or committed execution",
    )
    yield refuse(
        "executions_transition",
        "UPDATE OF status",
        "executions",
        f"NEW.status IS NOT OLD.status AND NOT ({legal_steps(_STEPS)})",
        "illegal transition",
    )
    yield refuse(
        "executions_one_commit",
        "UPDATE OF status",
        "executions",
        "NEW.status IN ('COMMITTED', 'DONE') AND EXISTS (SELECT 1 FROM executions WHERE job_id = NEW.job_id AND "
        "exec_id <> NEW.exec_id AND status IN ('COMMITTED', 'DONE'))",
        "its job has committed already",
    )
    yield refuse("executions_immutable", "UPDATE", "executions", changed(EXEC_IMMUTABLE), "that column never changes")
    yield refuse(
        "executions_write_once", "UPDATE", "executions", rewritten(EXEC_WRITE_ONCE), "that column is written once"
    )
    yield refuse(
        "executions_frozen_by_end",
        "UPDATE",
        "executions",
        f"OLD.status IN ({quoted(ended)}) AND ({changed(EXEC_FROZEN_BY_END)})",
        "an ended execution keeps all but finished_at, exit_code, error and artifacts",
    )
    yield refuse(
        "executions_artifacts_grow",
        "UPDATE OF artifacts",
        "executions",
        # Everything but the closing bracket must still be there, in front, as it was.
        "NEW.artifacts IS NOT OLD.artifacts AND (substr(NEW.artifacts, 1, length(OLD.artifacts) - 1) <> "
        "substr(OLD.artifacts, 1, length(OLD.artifacts) - 1) OR "
        "json_array_length(NEW.artifacts) <= json_array_length(OLD.artifacts))",
        "artifacts only grow",
    )
    yield refuse(
        "executions_keep",
        "DELETE",
        "executions",
        "EXISTS (SELECT 1 FROM jobs WHERE job_id = OLD.job_id)",
        "an execution goes only with its job",
    )
