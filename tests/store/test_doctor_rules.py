"""The doctor on the schema's own rules: each CHECK, each uniqueness and each reference is read again from the rows."""

import pytest
from sqlalchemy import CheckConstraint, UniqueConstraint

from store.schema import metadata
from tests.store.patient import Patient

STRANGER = "00000000-0000-7000-8000-000000000000"
LONG = "printf('%.*c', 2000000, 'x')"
LONG_JSON = f"json_quote({LONG})"
NOTIFY = """
INSERT INTO notifications (notification_id, event, target, job_id, created_at, next_attempt_at)
SELECT job_id, 'job.failed', 'ops', job_id, 1, 1 FROM jobs ORDER BY id LIMIT 2
"""
PAUSE = """INSERT INTO settings (name, value, updated_at, updated_by) VALUES ('paused', '{}', 1, 'ann')"""

BROKEN: dict[str, dict[str, str]] = {
    "jobs": {
        "jobs_status_is_known": "status = 'LOST'",
        "jobs_job_id_is_a_uuid": "job_id = 'one'",
        "jobs_job_type_has_a_length": "job_type = ''",
        "jobs_job_key_has_a_length": f"job_key = {LONG}",
        "jobs_concurrency_key_has_a_length": f"concurrency_key = {LONG}",
        "jobs_priority_has_bounds": "priority = 1000001",
        "jobs_flags_are_0_or_1": "held = 2",
        "jobs_unready_has_its_time": "ready = 0, scheduled_run_time = NULL",
        "chk_max_retries": "max_retries = 101",
        "chk_retry_count": "retry_count = max_retries + 1",
        "chk_next_retry_at": "next_retry_at = 5",
        "chk_approval_token": "approval_token = 'x'",
        "chk_finished_at": "finished_at = NULL",
        "chk_error_message": "error_message = 'x'",
        "jobs_error_type_is_known": "error_type = 'ODD'",
        "jobs_attempt_counts_up": "attempt = -1",
        "jobs_only_a_draft_was_never_queued": "queued_at = NULL",
        "jobs_a_draft_has_no_run": "status = 'CREATED'",
        "jobs_a_run_has_its_execution": "exec_id = NULL",
        "jobs_cancelled_was_asked_for": "status = 'CANCELLED'",
        "jobs_killed_was_cancelled": "kill_requested_at = 5",
        "jobs_fire_time_belongs_to_a_schedule": "fire_time = 5",
        "jobs_retry_of_is_another_job": "retry_of = job_id",
        "jobs_timeout_is_positive": "timeout = 0",
        "jobs_tags_are_json": "tags = '[]'",
        "jobs_command_is_json": "command = '{'",
        "jobs_approval_is_json": "approval = '7'",
        "jobs_params_are_json": "params = '{'",
        "jobs_checkpoint_is_json": f"checkpoint = {LONG_JSON}",
        "jobs_result_is_json": "result = 'no'",
        "jobs_texts_have_bounds": f"reason = {LONG}",
    },
    "executions": {
        "executions_exec_id_is_a_uuid": "exec_id = 'one'",
        "executions_status_is_known": "status = 'LOST'",
        "executions_outcome_is_known": "outcome = 'ODD'",
        "executions_outcome_fits_status": "outcome = 'FAILED'",
        "executions_ended_has_its_time": "finished_at = NULL",
        "executions_committed_has_its_time": "committed_at = NULL",
        "executions_started_has_its_time": "started_at = NULL",
        "executions_handed_over_was_started": "handed_over_at = 5, started_at = NULL",
        "executions_failed_has_its_error": "outcome = 'FAILED', error = NULL",
        "executions_attempt_counts_from_1": "attempt = 0",
        "executions_progress_is_a_share": "progress = 10001",
        "executions_artifacts_are_json": "artifacts = '{}'",
        "executions_params_are_json": "params_snapshot = '{'",
        "executions_error_has_bounds": f"error = {LONG}",
    },
    "job_history": {
        "job_history_status_is_known": "new_status = 'LOST'",
        "job_history_previous_is_known": "previous_status = 'LOST'",
        "job_history_metadata_is_json": "metadata = '{'",
    },
    "approvals": {
        "approvals_name_has_a_length": "name = ''",
        "approvals_token_digest_is_a_digest": "token_digest = 'x'",
        "approvals_four_eyes_is_0_or_1": "four_eyes = 2",
        "approvals_decision_is_known": "decision = 'PERHAPS'",
        "approvals_decision_has_its_facts": "decided_by = NULL",
        "approvals_only_a_granted_one_is_passed": "decision = 'DENIED', consumed_at = 5",
        "approvals_texts_have_bounds": f"message = {LONG}",
    },
    "direct_reservations": {
        "direct_reservations_status_is_known": "status = 'LOST'",
        "direct_reservations_ended_has_its_time": "ended_at = NULL",
        "direct_reservations_expires_later": "expires_at = reserved_at",
    },
    "notifications": {
        "notifications_event_is_known": "event = 'boredom'",
        "notifications_target_has_a_length": "target = ''",
        "notifications_attempts_count_up": "attempts = -1",
        "notifications_wait_or_are_settled": "next_attempt_at = NULL",
        "notifications_failed_says_why": "failed_at = 5, next_attempt_at = NULL",
        "notifications_last_error_has_bounds": f"last_error = {LONG}",
        "notifications_payload_is_json": "payload = '{'",
    },
    "job_templates": {
        "job_templates_name_has_a_length": "name = ''",
        "job_templates_job_type_has_a_length": "job_type = ''",
        "job_templates_options_are_json": "options = '{'",
        "job_templates_params_are_json": "params = '[]'",
    },
    "schedules": {
        "schedules_name_has_a_length": "name = ''",
        "schedules_cron_has_a_length": "cron_expression = ''",
        "schedules_flags_are_0_or_1": "pause_on_failure = 2",
        "schedules_catch_up_is_known": "catch_up = 'two'",
        "schedules_overlap_is_known": "overlap = 'dance'",
        "schedules_enabled_has_its_next": "next_trigger_at = NULL",
        "schedules_removed_is_off": "removed_at = 5",
        "schedules_counts_count_up": "missed_count = -1",
        "schedules_next_is_after_last": "next_trigger_at = last_triggered_at",
        "schedules_overrides_are_json": "param_overrides = '[]'",
        "schedules_reason_has_bounds": f"last_skip_reason = {LONG}",
    },
    "job_counts": {
        "job_counts_status_is_known": "status = 'ALL'",
        "job_counts_never_below_0": "n = -1",
    },
    "queue_buckets": {"queue_buckets_never_below_0": "n = -1"},
    "settings": {"settings_value_is_json": "value = '{'"},
}
"""How each rule can be broken."""
CHOSEN = {"jobs": "job_key = 'retried'"}
"""Which row of a table is to break its rules, where the first would not do: that job has succeeded and no retry."""
NAMED = {"jobs": "job", "executions": "execution", "job_history": "history line", "approvals": "gate"}
RULES = [(table, rule, columns) for table, rules in BROKEN.items() for rule, columns in rules.items()]

TWICE: dict[str, tuple[str, str]] = {
    "jobs_job_id_is_unique": ("jobs", "job_id = (SELECT job_id FROM jobs ORDER BY id LIMIT 1)"),
    "jobs_one_live_per_key": ("jobs", "job_key = 'running'"),
    "jobs_one_retry_each": ("jobs", "retry_of = (SELECT min(job_id) FROM jobs WHERE job_key = 'succeeded')"),
    "jobs_one_per_fire": (
        "jobs",
        "(schedule_id, fire_time) = (SELECT schedule_id, fire_time FROM jobs WHERE fire_time IS NOT NULL LIMIT 1)",
    ),
    "executions_exec_id_is_unique": ("executions", "exec_id = (SELECT exec_id FROM executions ORDER BY id LIMIT 1)"),
    "executions_one_live_per_job": (
        "executions",
        "status = 'LEASED', job_id = (SELECT job_id FROM executions WHERE status = 'IN_PROGRESS' LIMIT 1)",
    ),
    "executions_one_commit_per_job": (
        "executions",
        "status = 'DONE', job_id = (SELECT job_id FROM executions WHERE status = 'DONE' LIMIT 1)",
    ),
    "approvals_approval_id_is_unique": (
        "approvals",
        "approval_id = (SELECT approval_id FROM approvals ORDER BY id LIMIT 1)",
    ),
    "approvals_one_open_per_job": (
        "approvals",
        "decision = NULL, job_id = (SELECT job_id FROM approvals WHERE decision IS NULL LIMIT 1)",
    ),
    "approvals_one_grant_per_gate": (
        "approvals",
        "(job_id, name) = (SELECT job_id, name FROM approvals WHERE decision = 'APPROVED' LIMIT 1)",
    ),
    "direct_reservations_reservation_id_is_unique": (
        "direct_reservations",
        "reservation_id = (SELECT reservation_id FROM direct_reservations ORDER BY id LIMIT 1)",
    ),
    "direct_reservations_one_active": ("direct_reservations", "status = 'ACTIVE'"),
    "notifications_notification_id_is_unique": (
        "notifications",
        "notification_id = (SELECT notification_id FROM notifications ORDER BY id LIMIT 1)",
    ),
    "job_templates_template_id_is_unique": (
        "job_templates",
        "template_id = (SELECT template_id FROM job_templates ORDER BY id LIMIT 1)",
    ),
    "job_templates_one_per_name": ("job_templates", "name = 'backup', removed_at = NULL"),
    "schedules_schedule_id_is_unique": (
        "schedules",
        "schedule_id = (SELECT schedule_id FROM schedules ORDER BY id LIMIT 1)",
    ),
    "schedules_one_per_name": ("schedules", "name = 'skips', removed_at = NULL"),
}
"""What the last row of a table is given that another row has already."""

NOWHERE = [
    (table.name, column.name, key.column.table.name)
    for table in metadata.tables.values()
    for column in table.columns
    for key in column.foreign_keys
]


def test_every_rule_of_the_schema_is_tried_here() -> None:
    checks = {
        (table.name, str(one.name))
        for table in metadata.tables.values()
        for one in table.constraints
        if isinstance(one, CheckConstraint)
    }
    constraints = {
        str(one.name)
        for table in metadata.tables.values()
        for one in table.constraints
        if isinstance(one, UniqueConstraint)
    }
    indexes = {str(one.name) for table in metadata.tables.values() for one in table.indexes if one.unique}
    assert {(table, rule) for table, rule, _ in RULES} == checks
    assert set(TWICE) == constraints | indexes


@pytest.mark.parametrize(("table", "rule", "columns"), RULES, ids=[rule for _, rule, _ in RULES])
def test_a_row_that_breaks_a_rule_is_told(patient: Patient, table: str, rule: str, columns: str) -> None:
    patient.harm(NOTIFY, PAUSE)
    key = "id" if "id" in metadata.tables[table].c else next(iter(metadata.tables[table].primary_key)).name
    row = patient.value(f"SELECT {key} FROM {table} WHERE {CHOSEN.get(table, '1')} ORDER BY {key} LIMIT 1")
    patient.harm(f"UPDATE {table} SET {columns} WHERE {key} = :row", row=row)
    # Where the name of a row is what is wrong with it, it goes by the wrong one.
    name = "ALL" if rule == "job_counts_status_is_known" else row
    broken = [subject for subject, words in patient.findings() if words.startswith(f"breaks the rule {rule}: ")]
    assert broken == [f"{NAMED.get(table, table)} {name}"]


@pytest.mark.parametrize("unique", TWICE)
def test_rows_that_share_what_only_one_may_have_are_told(patient: Patient, unique: str) -> None:
    table, columns = TWICE[unique]
    patient.harm(NOTIFY)
    # The last reservation is active already, so there the one before has to join it.
    nth = 1 if unique == "direct_reservations_one_active" else 0
    row = f"(SELECT id FROM {table} ORDER BY id DESC LIMIT 1 OFFSET {nth})"
    patient.harm_twice(table, unique, f"UPDATE {table} SET {columns} WHERE id = {row}")
    ((subject, words),) = [one for one in patient.findings() if f"break {unique}: " in one[1]]
    name, _, first = subject.rpartition(" ")
    assert name == NAMED.get(table, table)
    assert words.startswith(f"2 rows of {table} (from {first} to {patient.value(f'SELECT max(id) FROM {table}')}) ")


@pytest.mark.parametrize(("table", "column", "parent"), NOWHERE, ids=[f"{one[0]}.{one[1]}" for one in NOWHERE])
def test_a_row_that_points_nowhere_is_told(patient: Patient, table: str, column: str, parent: str) -> None:
    patient.harm(NOTIFY)
    number = patient.value(f"SELECT max(id) FROM {table}")
    patient.harm(f"UPDATE {table} SET {column} = :stranger WHERE id = :number", stranger=STRANGER, number=number)
    subject = f"job {number}" if table == "jobs" else table
    assert (subject, f"row {number} of {table} names a row of {parent} that does not exist") in patient.findings()


def test_a_foreign_table_s_row_without_a_number_that_points_nowhere_is_told(patient: Patient) -> None:
    with patient.rules_off() as connection:
        connection.execute("CREATE TABLE notes (job TEXT PRIMARY KEY REFERENCES jobs (job_id)) WITHOUT ROWID")
        connection.execute("INSERT INTO notes (job) VALUES ('nobody')")
    assert patient.findings() == [
        ("schema", "the table notes is none of jobdeck's"),
        ("notes", "a row of notes names a row of jobs that does not exist"),
    ]
