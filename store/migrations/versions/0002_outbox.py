"""The outbox has a row for each target, with what became of it; until now nothing was ever written to it."""

from alembic import op

revision = "0002"
down_revision = "0001"

STATEMENTS = (
    "DROP TABLE notifications",
    """CREATE TABLE notifications (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    notification_id TEXT NOT NULL,
    event TEXT NOT NULL,
    target TEXT NOT NULL,
    job_id TEXT,
    created_at INTEGER NOT NULL,
    attempts INTEGER DEFAULT 0 NOT NULL,
    next_attempt_at INTEGER,
    delivered_at INTEGER,
    failed_at INTEGER,
    last_error TEXT,
    payload TEXT DEFAULT '{}' NOT NULL,
    CONSTRAINT notifications_notification_id_is_unique UNIQUE (notification_id),
    CONSTRAINT notifications_event_is_known CHECK (event IN ('job.failed', 'recovery.acted', 'approval.wanted', 'approval.expiring', 'schedule.skipped', 'schedule.missed', 'queue.stuck')),
    CONSTRAINT notifications_target_has_a_length CHECK (length(target) BETWEEN 1 AND 100),
    CONSTRAINT notifications_attempts_count_up CHECK (attempts >= 0),
    CONSTRAINT notifications_wait_or_are_settled CHECK ((next_attempt_at IS NOT NULL) + (delivered_at IS NOT NULL) + (failed_at IS NOT NULL) = 1),
    CONSTRAINT notifications_failed_says_why CHECK (failed_at IS NULL OR last_error IS NOT NULL),
    CONSTRAINT notifications_last_error_has_bounds CHECK (length(coalesce(last_error, '')) <= 1000),
    CONSTRAINT notifications_payload_is_json CHECK (payload IS NULL OR (json_valid(payload) AND length(payload) <= 1048576 AND json_type(payload) = 'object')),
    CONSTRAINT notifications_job_id_is_a_job FOREIGN KEY(job_id) REFERENCES jobs (job_id) ON DELETE SET NULL
)
 STRICT""",
    """CREATE INDEX notifications_delivered ON notifications (delivered_at, id) WHERE delivered_at IS NOT NULL""",
    """CREATE INDEX notifications_due ON notifications (target, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL""",
    """CREATE INDEX notifications_failed ON notifications (failed_at, id) WHERE failed_at IS NOT NULL""",
    """CREATE INDEX notifications_of_job ON notifications (job_id) WHERE job_id IS NOT NULL""",
    """CREATE INDEX notifications_waiting ON notifications (next_attempt_at, id) WHERE next_attempt_at IS NOT NULL""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
