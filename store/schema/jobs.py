"""Jobs: what is asked for, where it stands, and every promise about it that one row can keep."""

from sqlalchemy import Column, ForeignKey, Integer, Table, Text, UniqueConstraint, text

from core.jsontext import CHECKPOINT_LIMIT, PARAMS_LIMIT, RESULT_LIMIT
from core.status import FINAL, LIVE, Status
from store.schema.base import (
    KEY_LIMIT,
    NAME_LIMIT,
    PRIORITY_LIMIT,
    TEXT_LIMIT,
    check,
    index,
    instant,
    json_rule,
    metadata,
    required,
)
from store.sqltext import one_of

jobs = Table(
    "jobs",
    metadata,
    Column("id", Integer, primary_key=True),
    required("job_id"),
    required("job_type"),
    required("job_key"),
    required("status"),
    required("priority", Integer, "0"),
    required("position", Integer, "0"),
    required("held", Integer, "0"),
    required("ready", Integer, "1"),
    required("concurrency_key", Text, "''"),
    required("attempt", Integer, "0"),
    required("retry_count", Integer, "0"),
    required("max_retries", Integer, "3"),
    required("backoff", Text, "'fixed:1s'"),
    Column("retry_of", Text, ForeignKey("jobs.job_id", name="jobs_retry_of_is_a_job")),
    instant("next_retry_at"),
    instant("scheduled_run_time"),
    instant("deadline_at"),
    Column("timeout", Integer),
    Column(
        "exec_id",
        Text,
        # Deferred: a claim names the execution first and inserts it next; at COMMIT both are there or neither.
        ForeignKey(
            "executions.exec_id",
            name="jobs_exec_id_is_an_execution",
            deferrable=True,
            initially="DEFERRED",
            use_alter=False,
        ),
    ),
    Column("approval_token", Text),
    instant("cancel_requested_at"),
    instant("kill_requested_at"),
    Column("error_type", Text),
    required("created_at", Integer),
    required("created_by"),
    instant("queued_at"),
    instant("started_at"),
    instant("finished_at"),
    required("updated_at", Integer),
    required("updated_by"),
    required("event"),
    Column("reason", Text),
    required("revision", Integer, "1"),
    Column("template_id", Text, ForeignKey("job_templates.template_id", name="jobs_template_id_is_a_template")),
    Column("schedule_id", Text, ForeignKey("schedules.schedule_id", name="jobs_schedule_id_is_a_schedule")),
    instant("fire_time"),
    Column("group_id", Text),
    Column(
        "reservation_id",
        Text,
        ForeignKey("direct_reservations.reservation_id", name="jobs_reservation_id_is_a_reservation"),
    ),
    # What may be large stands last: SQLite then reads the columns before it without touching overflow pages.
    required("tags", Text, "'{}'"),
    required("command", Text, "'{}'"),
    Column("approval", Text),
    Column("error_message", Text),
    required("params", Text, "'{}'"),
    Column("checkpoint", Text),
    Column("result", Text),
    UniqueConstraint("job_id", name="jobs_job_id_is_unique"),
    check("jobs_status_is_known", one_of("status", Status)),
    check("jobs_job_id_is_a_uuid", "length(job_id) = 36"),
    check("jobs_job_type_has_a_length", f"length(job_type) BETWEEN 1 AND {NAME_LIMIT}"),
    check("jobs_job_key_has_a_length", f"length(job_key) BETWEEN 1 AND {KEY_LIMIT}"),
    check("jobs_concurrency_key_has_a_length", f"length(concurrency_key) <= {KEY_LIMIT}"),
    check("jobs_priority_has_bounds", f"priority BETWEEN {-PRIORITY_LIMIT} AND {PRIORITY_LIMIT}"),
    check("jobs_flags_are_0_or_1", "held IN (0, 1) AND ready IN (0, 1)"),
    check("jobs_unready_has_its_time", "ready = 1 OR scheduled_run_time IS NOT NULL"),
    check("chk_max_retries", "max_retries BETWEEN 0 AND 100"),
    check("chk_retry_count", "retry_count >= 0 AND retry_count <= max_retries"),
    check("chk_next_retry_at", "(status = 'RETRYING') = (next_retry_at IS NOT NULL)"),
    check("chk_approval_token", "(status = 'WAITING_FOR_APPROVAL') = (approval_token IS NOT NULL)"),
    check("chk_finished_at", f"({one_of('status', FINAL)}) = (finished_at IS NOT NULL)"),
    check(
        "chk_error_message",
        "CASE WHEN status IN ('FAILED', 'RETRYING') THEN error_message IS NOT NULL AND error_type IS NOT NULL "
        "WHEN status = 'CANCELLED' THEN 1 ELSE error_message IS NULL AND error_type IS NULL END",
    ),
    check("jobs_error_type_is_known", "error_type IS NULL OR error_type IN ('RETRYABLE', 'TERMINAL')"),
    check("jobs_attempt_counts_up", "attempt >= 0 AND revision >= 1"),
    check("jobs_only_a_draft_was_never_queued", "status IN ('CREATED', 'CANCELLED') OR queued_at IS NOT NULL"),
    check("jobs_a_draft_has_no_run", "status <> 'CREATED' OR (queued_at IS NULL AND attempt = 0)"),
    check(
        "jobs_a_run_has_its_execution",
        "status NOT IN ('RUNNING', 'WAITING_FOR_APPROVAL', 'RETRYING', 'SUCCEEDED') OR "
        "(exec_id IS NOT NULL AND attempt >= 1 AND started_at IS NOT NULL)",
    ),
    check("jobs_cancelled_was_asked_for", "status <> 'CANCELLED' OR cancel_requested_at IS NOT NULL"),
    check("jobs_killed_was_cancelled", "kill_requested_at IS NULL OR cancel_requested_at IS NOT NULL"),
    check("jobs_fire_time_belongs_to_a_schedule", "fire_time IS NULL OR schedule_id IS NOT NULL"),
    check("jobs_retry_of_is_another_job", "retry_of IS NULL OR retry_of <> job_id"),
    check("jobs_timeout_is_positive", "timeout IS NULL OR timeout > 0"),
    check("jobs_tags_are_json", json_rule("tags", "object", TEXT_LIMIT)),
    check("jobs_command_is_json", json_rule("command", "object", PARAMS_LIMIT)),
    check("jobs_approval_is_json", json_rule("approval", "object", TEXT_LIMIT)),
    check("jobs_params_are_json", json_rule("params", "object", PARAMS_LIMIT)),
    check("jobs_checkpoint_is_json", json_rule("checkpoint", "", CHECKPOINT_LIMIT)),
    check("jobs_result_is_json", json_rule("result", "", RESULT_LIMIT)),
    check(
        "jobs_texts_have_bounds",
        f"length(coalesce(error_message, '')) <= {TEXT_LIMIT} AND length(coalesce(reason, '')) <= {TEXT_LIMIT}",
    ),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)

_ORDER = (text("priority DESC"), "position", "created_at", "id")
_READY = "status = 'QUEUED' AND held = 0 AND ready = 1 AND (reservation_id IS NULL OR attempt > 0)"
_LIVE_JOB = one_of("status", LIVE)
_FINAL_JOB = one_of("status", FINAL)


index("jobs_one_live_per_key", jobs, "job_type", "job_key", where=_LIVE_JOB, unique=True)
index("jobs_one_retry_each", jobs, "retry_of", where="retry_of IS NOT NULL", unique=True)
index(
    "jobs_one_per_fire", jobs, "schedule_id", "fire_time", where="fire_time IS NOT NULL AND retry_of IS NULL",
    unique=True,
)  # fmt: skip
index("jobs_queue", jobs, *_ORDER, where="status = 'QUEUED'")
index("jobs_ready", jobs, *_ORDER, "job_type", "concurrency_key", where=_READY)
index("jobs_lanes", jobs, "job_type", "concurrency_key", *_ORDER, where=_READY)
index("jobs_not_yet_due", jobs, "scheduled_run_time", where="status = 'QUEUED' AND ready = 0")
index("jobs_deadlines", jobs, "deadline_at", where="status = 'QUEUED' AND deadline_at IS NOT NULL")
index("jobs_retrying", jobs, "next_retry_at", where="status = 'RETRYING'")
index("jobs_drafts", jobs, "id", where="status = 'CREATED'")
index("jobs_running", jobs, "started_at", "id", where="status = 'RUNNING'")
index("jobs_stopping", jobs, "cancel_requested_at", where="status = 'RUNNING' AND cancel_requested_at IS NOT NULL")
index("jobs_waiting", jobs, "id", where="status = 'WAITING_FOR_APPROVAL'")
index("jobs_direct", jobs, "reservation_id", where="status = 'QUEUED' AND reservation_id IS NOT NULL")
index("jobs_finished", jobs, "finished_at", "id", where="finished_at IS NOT NULL")
index("jobs_finished_by_status", jobs, "status", "finished_at", "id", where="finished_at IS NOT NULL")
index("jobs_finished_by_type", jobs, "job_type", "finished_at", "id", where="finished_at IS NOT NULL")
# Filters compare keys without ASCII case, and so does this collation.
index("jobs_keys", jobs, text("job_key COLLATE NOCASE"), "id")
# With it the insert of an execution finds the job that named it first; without, SQLite would read every job.
index("jobs_of_execution", jobs, "exec_id", where="exec_id IS NOT NULL")
index("jobs_of_schedule", jobs, "schedule_id", "id", where="schedule_id IS NOT NULL")
# The delete of a reservation looks for the jobs that name it.
index("jobs_of_reservation", jobs, "reservation_id", where="reservation_id IS NOT NULL")
index("jobs_held", jobs, "id", where="status = 'QUEUED' AND held = 1")
index("jobs_chained", jobs, "updated_at", "id", where="retry_of IS NOT NULL OR retry_count > 0")
