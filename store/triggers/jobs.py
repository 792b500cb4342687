"""Guards of the jobs table: legal transitions, immutable columns, nothing lost."""

from collections.abc import Iterator

from core.executions import LIVE_EXECUTIONS
from core.status import FINAL, LIVE, Status
from core.transitions import EDGES
from store.sqltext import one_of
from store.triggers.words import changed, legal_steps, refuse, rewritten

_STEPS = {source: {edge.target for edge in EDGES if edge.source is source} for source in Status}

JOB_IMMUTABLE = (
    "id",
    "job_id",
    "job_type",
    "job_key",
    "created_at",
    "created_by",
    "retry_of",
    "template_id",
    "schedule_id",
    "fire_time",
    "group_id",
    "reservation_id",
)
JOB_FROZEN_BY_RUN = ("params", "command")
JOB_WRITE_ONCE = ("queued_at", "started_at", "finished_at", "cancel_requested_at", "kill_requested_at")


def job_guards() -> Iterator[str]:
    """What the jobs table refuses."""
    starts = {edge.target for edge in EDGES if edge.source is None}
    yield refuse(
        "jobs_start",
        "INSERT",
        "jobs",
        f"NOT ({one_of('NEW.status', starts)})",
        f"a job starts as {' or '.join(sorted(starts))}",
    )
    yield refuse(
        "jobs_no_replace",
        "INSERT",
        "jobs",
        "EXISTS (SELECT 1 FROM jobs WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM jobs WHERE job_id = NEW.job_id) OR "
        "EXISTS (SELECT 1 FROM jobs WHERE retry_of = NEW.retry_of AND retry_of IS NOT NULL) OR "
        "(NEW.fire_time IS NOT NULL AND NEW.retry_of IS NULL AND EXISTS (SELECT 1 FROM jobs WHERE "
        "schedule_id = NEW.schedule_id AND fire_time = NEW.fire_time AND fire_time IS NOT NULL AND retry_of IS NULL))",
        "that job exists already",
    )
    yield refuse(
        "jobs_no_second_key",
        "INSERT",
        "jobs",
        f"EXISTS (SELECT 1 FROM jobs WHERE job_type = NEW.job_type AND job_key = NEW.job_key "
        f"AND {one_of('status', LIVE)})",
        "a live job has that key",
    )
    yield refuse(
        "jobs_retry_of_ended",
        "INSERT",
        "jobs",
        f"NEW.retry_of IS NOT NULL AND NOT EXISTS (SELECT 1 FROM jobs WHERE job_id = NEW.retry_of "
        f"AND {one_of('status', FINAL)})",
        "only a finished job has a retry",
    )
    yield refuse("jobs_final", "UPDATE", "jobs", one_of("OLD.status", FINAL), "a finished job never changes")
    yield refuse(
        "jobs_transition",
        "UPDATE OF status",
        "jobs",
        f"NEW.status IS NOT OLD.status AND NOT ({legal_steps(_STEPS)})",
        "illegal transition",
    )
    yield refuse("jobs_immutable", "UPDATE", "jobs", changed(JOB_IMMUTABLE), "that column never changes")
    yield refuse(
        "jobs_frozen_by_run",
        "UPDATE",
        "jobs",
        f"OLD.attempt > 0 AND ({changed(JOB_FROZEN_BY_RUN)})",
        "params and command are fixed once it has run",
    )
    yield refuse("jobs_write_once", "UPDATE", "jobs", rewritten(JOB_WRITE_ONCE), "that column is written once")
    yield refuse(
        "jobs_count_up",
        "UPDATE",
        "jobs",
        "NEW.attempt NOT IN (OLD.attempt, OLD.attempt + 1) OR NEW.revision < OLD.revision OR "
        "NEW.retry_count NOT IN (OLD.retry_count, OLD.retry_count + 1)",
        "attempt, retry_count and revision count up",
    )
    yield refuse(
        "jobs_order",
        "UPDATE",
        "jobs",
        "(NEW.priority IS NOT OLD.priority AND OLD.status NOT IN ('CREATED', 'QUEUED', 'RETRYING')) OR "
        "(NEW.position IS NOT OLD.position AND NEW.status <> 'QUEUED')",
        "only a job that waits in the queue changes its place",
    )
    yield refuse(
        "jobs_leave_running",
        "UPDATE OF status",
        "jobs",
        "OLD.status = 'RUNNING' AND NEW.status <> 'RUNNING' AND "
        f"EXISTS (SELECT 1 FROM executions WHERE job_id = NEW.job_id AND {one_of('status', LIVE_EXECUTIONS)})",
        "its execution is still live",
    )
    yield refuse(
        "jobs_success_is_committed",
        "UPDATE OF status",
        "jobs",
        "OLD.status = 'RUNNING' AND NEW.status <> 'RUNNING' AND (NEW.status = 'SUCCEEDED') <> "
        "EXISTS (SELECT 1 FROM executions WHERE job_id = NEW.job_id AND status IN ('COMMITTED', 'DONE'))",
        "it succeeds exactly when an execution has committed",
    )
    yield refuse(
        "jobs_resume_is_approved",
        "UPDATE OF status",
        "jobs",
        "OLD.status = 'WAITING_FOR_APPROVAL' AND NEW.status = 'RUNNING' AND NOT EXISTS (SELECT 1 FROM approvals "
        "WHERE job_id = NEW.job_id AND decision = 'APPROVED' AND consumed_at IS NULL)",
        "its gate was not approved",
    )
    yield refuse(
        "jobs_keep_live",
        "DELETE",
        "jobs",
        one_of("OLD.status", LIVE),
        "a job that has not ended can not be deleted",
    )
