"""Guards of history, gates, reservations, templates and schedules."""

from collections.abc import Iterator

from core.notifications import Told
from store.triggers.words import changed, record, refuse, rewritten

APPROVAL_IMMUTABLE = (
    "id",
    "approval_id",
    "job_id",
    "exec_id",
    "name",
    "message",
    "requested_at",
    "requested_by",
    "token_digest",
    "four_eyes",
    "expires_at",
)
APPROVAL_WRITE_ONCE = ("decision", "decided_at", "decided_by", "comment", "consumed_at")
NOTIFICATION_IMMUTABLE = ("id", "notification_id", "event", "target", "created_at", "payload")


def other_guards() -> Iterator[str]:
    """What the smaller tables refuse and write down."""
    yield refuse("job_history_append_only", "UPDATE", "job_history", "1", "history never changes")
    yield refuse(
        "job_history_keep",
        "DELETE",
        "job_history",
        "EXISTS (SELECT 1 FROM jobs WHERE job_id = OLD.job_id)",
        "history goes only with its job",
    )
    yield refuse(
        "job_history_no_replace",
        "INSERT",
        "job_history",
        "EXISTS (SELECT 1 FROM job_history WHERE id = NEW.id)",
        "history never changes",
    )
    yield refuse(
        "approvals_no_replace",
        "INSERT",
        "approvals",
        "EXISTS (SELECT 1 FROM approvals WHERE id = NEW.id OR approval_id = NEW.approval_id) OR "
        "EXISTS (SELECT 1 FROM approvals WHERE job_id = NEW.job_id AND decision IS NULL)",
        "that job has an open gate already",
    )
    yield refuse("approvals_immutable", "UPDATE", "approvals", changed(APPROVAL_IMMUTABLE), "a gate never changes")
    yield refuse(
        "approvals_write_once", "UPDATE", "approvals", rewritten(APPROVAL_WRITE_ONCE), "a gate is answered once"
    )
    yield refuse(
        "approvals_keep",
        "DELETE",
        "approvals",
        "EXISTS (SELECT 1 FROM jobs WHERE job_id = OLD.job_id)",
        "a gate goes only with its job",
    )
    yield record(
        "approvals_answered",
        "UPDATE OF decision",
        "approvals",
        "INSERT INTO job_history (job_id, previous_status, new_status, event, actor, reason, metadata, created_at) "
        "SELECT NEW.job_id, status, status, lower(NEW.decision), NEW.decided_by, NEW.comment, "
        "json_object('gate', NEW.name, 'approval_id', NEW.approval_id), NEW.decided_at FROM jobs "
        "WHERE job_id = NEW.job_id",
        when="OLD.decision IS NULL AND NEW.decision IS NOT NULL",
    )
    # Whoever is told of a gate is to answer it, and it is answered.
    yield record(
        "approvals_told_no_more",
        "UPDATE OF decision",
        "approvals",
        "DELETE FROM notifications WHERE job_id = NEW.job_id AND event IN "
        f"('{Told.APPROVAL_WANTED}', '{Told.APPROVAL_EXPIRING}') AND delivered_at IS NULL",
        when="OLD.decision IS NULL AND NEW.decision IS NOT NULL",
    )
    yield refuse(
        "notifications_immutable",
        "UPDATE",
        "notifications",
        changed(NOTIFICATION_IMMUTABLE),
        "what is told never changes",
    )
    yield refuse(
        "notifications_delivered_is_final",
        "UPDATE OF delivered_at, failed_at, next_attempt_at, attempts, last_error",
        "notifications",
        "OLD.delivered_at IS NOT NULL",
        "what was delivered stays so",
    )
    yield refuse(
        "direct_reservations_start",
        "INSERT",
        "direct_reservations",
        "NEW.status <> 'ACTIVE' OR EXISTS (SELECT 1 FROM direct_reservations WHERE status = 'ACTIVE')",
        "there is one active reservation at a time",
    )
    yield refuse(
        "direct_reservations_end",
        "UPDATE",
        "direct_reservations",
        "OLD.status <> 'ACTIVE' OR " + changed(("id", "reservation_id", "reserved_at", "reserved_by")),
        "an ended reservation never changes",
    )
    yield refuse(
        "schedules_never_back",
        "UPDATE OF last_triggered_at",
        "schedules",
        "OLD.last_triggered_at IS NOT NULL AND "
        "(NEW.last_triggered_at IS NULL OR NEW.last_triggered_at < OLD.last_triggered_at)",
        "what has fired has fired",
    )
    for table, key in (("job_templates", "template_id"), ("schedules", "schedule_id")):
        yield refuse(
            f"{table}_immutable", "UPDATE", table, changed(("id", key, "created_at", "created_by")),
            "that column never changes",
        )  # fmt: skip
        yield refuse(
            f"{table}_no_replace",
            "INSERT",
            table,
            f"EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id OR {key} = NEW.{key}) OR "
            f"EXISTS (SELECT 1 FROM {table} WHERE name = NEW.name AND removed_at IS NULL)",
            "that name is taken",
        )
