"""Executions: each run of a job under one lease, and the job's history."""

from sqlalchemy import Column, ForeignKey, Integer, Table, Text, UniqueConstraint

from core.executions import LIVE_EXECUTIONS, OUTCOMES, ExecStatus, Outcome
from core.jsontext import PARAMS_LIMIT
from core.status import Status
from store.schema.base import TEXT_LIMIT, check, index, instant, json_rule, metadata, required
from store.sqltext import one_of

executions = Table(
    "executions",
    metadata,
    Column("id", Integer, primary_key=True),
    required("exec_id"),
    Column(
        "job_id",
        Text,
        ForeignKey("jobs.job_id", name="executions_job_id_is_a_job", ondelete="CASCADE"),
        nullable=False,
    ),
    required("attempt", Integer),
    required("status"),
    Column("outcome", Text),
    required("lease_owner"),
    required("lease_expires_at", Integer),
    required("leased_at", Integer),
    instant("started_at"),
    instant("handed_over_at"),
    instant("committed_at"),
    instant("finished_at"),
    Column("exit_code", Integer),
    Column("error_type", Text),
    Column("pid", Integer),
    Column("pid_started", Integer),
    Column("boot_id", Text),
    Column("progress", Integer),
    Column("progress_text", Text),
    Column("log_path", Text),
    Column("error", Text),
    required("artifacts", Text, "'[]'"),
    required("params_snapshot", Text, "'{}'"),
    UniqueConstraint("exec_id", name="executions_exec_id_is_unique"),
    check("executions_exec_id_is_a_uuid", "length(exec_id) = 36"),
    check("executions_status_is_known", one_of("status", ExecStatus)),
    check("executions_outcome_is_known", f"outcome IS NULL OR {one_of('outcome', Outcome)}"),
    check(
        "executions_outcome_fits_status",
        "CASE status "
        + " ".join(
            f"WHEN '{status}' THEN "
            + (f"outcome IS NOT NULL AND {one_of('outcome', outcomes)}" if outcomes else "outcome IS NULL")
            for status, outcomes in OUTCOMES.items()
        )
        + " END",
    ),
    check(
        "executions_ended_has_its_time",
        f"({one_of('status', LIVE_EXECUTIONS)}) = (finished_at IS NULL)",
    ),
    check("executions_committed_has_its_time", "(status IN ('COMMITTED', 'DONE')) = (committed_at IS NOT NULL)"),
    check(
        "executions_started_has_its_time",
        "status IN ('LEASED', 'ABORTED', 'PARKED') OR started_at IS NOT NULL",
    ),
    check("executions_handed_over_was_started", "handed_over_at IS NULL OR started_at IS NOT NULL"),
    check("executions_failed_has_its_error", "coalesce(outcome, '') <> 'FAILED' OR error IS NOT NULL"),
    check("executions_attempt_counts_from_1", "attempt >= 1"),
    check("executions_progress_is_a_share", "progress IS NULL OR progress BETWEEN 0 AND 10000"),
    check("executions_artifacts_are_json", json_rule("artifacts", "array", PARAMS_LIMIT)),
    check("executions_params_are_json", json_rule("params_snapshot", "object", PARAMS_LIMIT)),
    check("executions_error_has_bounds", f"length(coalesce(error, '')) <= {TEXT_LIMIT}"),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)

_LIVE_EXECUTION = one_of("status", LIVE_EXECUTIONS)
index("executions_one_live_per_job", executions, "job_id", where=_LIVE_EXECUTION, unique=True)
index(
    "executions_one_commit_per_job",
    executions,
    "job_id",
    where="status IN ('COMMITTED', 'DONE')",
    unique=True,
)
index("executions_of_job", executions, "job_id", "id")
index("executions_leases", executions, "lease_expires_at", where=_LIVE_EXECUTION)

job_history = Table(
    "job_history",
    metadata,
    Column("id", Integer, primary_key=True),
    Column(
        "job_id",
        Text,
        ForeignKey("jobs.job_id", name="job_history_job_id_is_a_job", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("previous_status", Text),
    required("new_status"),
    required("event"),
    required("actor"),
    Column("reason", Text),
    Column("metadata", Text),
    required("created_at", Integer),
    check("job_history_status_is_known", one_of("new_status", Status)),
    check("job_history_previous_is_known", f"previous_status IS NULL OR {one_of('previous_status', Status)}"),
    check("job_history_metadata_is_json", "metadata IS NULL OR json_valid(metadata)"),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)
index("job_history_of_job", job_history, "job_id", "id")
