"""The outbox: what is to be told to whom, one row for each target."""

from sqlalchemy import Column, ForeignKey, Integer, Table, Text, UniqueConstraint

from core.bounds import DELIVERY_ERROR_LIMIT
from core.jsontext import PARAMS_LIMIT
from core.notifications import Told
from store.schema.base import NAME_LIMIT, check, index, instant, json_rule, metadata, required
from store.sqltext import one_of

notifications = Table(
    "notifications",
    metadata,
    Column("id", Integer, primary_key=True),
    required("notification_id"),
    required("event"),
    required("target"),
    Column("job_id", Text, ForeignKey("jobs.job_id", name="notifications_job_id_is_a_job", ondelete="SET NULL")),
    required("created_at", Integer),
    required("attempts", Integer, "0"),
    # Only what is still to be delivered has one.
    instant("next_attempt_at"),
    instant("delivered_at"),
    instant("failed_at"),
    Column("last_error", Text),
    # A gate's token is never in it; it is derived when the notification is sent.
    required("payload", Text, "'{}'"),
    UniqueConstraint("notification_id", name="notifications_notification_id_is_unique"),
    check("notifications_event_is_known", one_of("event", Told)),
    check("notifications_target_has_a_length", f"length(target) BETWEEN 1 AND {NAME_LIMIT}"),
    check("notifications_attempts_count_up", "attempts >= 0"),
    check(
        "notifications_wait_or_are_settled",
        "(next_attempt_at IS NOT NULL) + (delivered_at IS NOT NULL) + (failed_at IS NOT NULL) = 1",
    ),
    check("notifications_failed_says_why", "failed_at IS NULL OR last_error IS NOT NULL"),
    check("notifications_last_error_has_bounds", f"length(coalesce(last_error, '')) <= {DELIVERY_ERROR_LIMIT}"),
    check("notifications_payload_is_json", json_rule("payload", "object", PARAMS_LIMIT)),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)
index("notifications_due", notifications, "target", "next_attempt_at", "id", where="next_attempt_at IS NOT NULL")
index("notifications_waiting", notifications, "next_attempt_at", "id", where="next_attempt_at IS NOT NULL")
index("notifications_delivered", notifications, "delivered_at", "id", where="delivered_at IS NOT NULL")
index("notifications_failed", notifications, "failed_at", "id", where="failed_at IS NOT NULL")
index("notifications_of_job", notifications, "job_id", where="job_id IS NOT NULL")
