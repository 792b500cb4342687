"""What the database refuses by itself, whoever asks: changed identities, rewritten facts, lost rows."""

import pytest

from core.status import Status
from store import sqlite
from store.triggers.executions import EXEC_FROZEN_BY_END, EXEC_IMMUTABLE, EXEC_WRITE_ONCE
from store.triggers.jobs import JOB_IMMUTABLE, JOB_WRITE_ONCE
from store.triggers.others import APPROVAL_IMMUTABLE
from tests.store.raw import GRANT, INSERT_JOB, NOW, START, RawStore, uuid

OTHER = {"status": "'ABORTED'", "retry_of": "'x'", "params_snapshot": "'{\"a\": 1}'"}


def refused(raw: RawStore, words: str, statement: str, **values: object) -> None:
    """The statement is aborted with those words."""
    with pytest.raises(sqlite.driver.IntegrityError, match=words):
        raw.run(statement, **values)


@pytest.mark.parametrize("column", JOB_IMMUTABLE)
def test_what_a_job_is_never_changes(raw: RawStore, column: str) -> None:
    raw.job_in(Status.QUEUED)
    number = column in {"id", "created_at", "fire_time"}
    refused(raw, "jobs: ", f"UPDATE jobs SET {column} = {'12345' if number else OTHER.get(column, repr(uuid(999)))}")


def test_the_job_s_identity_guard_names_itself(raw: RawStore) -> None:
    raw.job_in(Status.QUEUED)
    refused(raw, "jobs: that column never changes", "UPDATE jobs SET job_type = 'other'")
    refused(raw, "jobs: that column never changes", "UPDATE jobs SET created_at = 1")


@pytest.mark.parametrize("alias", ["rowid", "_rowid_", "oid"])
def test_a_row_can_t_be_renumbered_by_its_hidden_name(raw: RawStore, alias: str) -> None:
    raw.job_in(Status.QUEUED)
    refused(raw, "jobs: that column never changes", f"UPDATE jobs SET {alias} = 77")


@pytest.mark.parametrize("column", JOB_WRITE_ONCE)
def test_an_instant_once_written_stays(raw: RawStore, column: str) -> None:
    job_id = raw.job_in(Status.RUNNING)
    raw.run("UPDATE jobs SET cancel_requested_at = :now")
    raw.run(f"UPDATE jobs SET {column} = :now WHERE {column} IS NULL AND '{column}' <> 'finished_at'")
    if column == "finished_at":
        raw.turn(job_id, Status.SUCCEEDED)
    refused(raw, "jobs: ", f"UPDATE jobs SET {column} = {column} + 1")
    refused(raw, "jobs: ", f"UPDATE jobs SET {column} = NULL")


def test_params_and_command_change_until_the_first_run(raw: RawStore) -> None:
    job_id = raw.job_in(Status.QUEUED)
    raw.run("""UPDATE jobs SET params = '{"a": 1}', command = '{"argv": ["x"]}'""")
    raw.turn(job_id, Status.RUNNING)
    refused(raw, "fixed once it has run", """UPDATE jobs SET params = '{"a": 2}'""")
    refused(raw, "fixed once it has run", """UPDATE jobs SET command = '{"argv": ["y"]}'""")


def test_counters_only_count_up(raw: RawStore) -> None:
    job_id = raw.job_in(Status.RETRYING)
    raw.turn(job_id, Status.QUEUED)
    for change in ("attempt = attempt - 1", "attempt = attempt + 2", "retry_count = 0", "revision = revision - 1"):
        refused(raw, "count up", f"UPDATE jobs SET {change}")


def test_the_place_of_a_job_that_runs_is_fixed(raw: RawStore) -> None:
    raw.job_in(Status.RUNNING)
    refused(raw, "changes its place", "UPDATE jobs SET position = 5")
    refused(raw, "changes its place", "UPDATE jobs SET priority = 5")


def test_a_running_job_has_an_execution_when_the_transaction_ends(raw: RawStore) -> None:
    job_id = raw.job_in(Status.QUEUED)
    with pytest.raises(sqlite.driver.IntegrityError, match="FOREIGN KEY"), raw.transaction():
        raw.run("UPDATE jobs SET status = 'RUNNING', attempt = 1, started_at = :now, exec_id = :e", e=uuid(500))
    assert raw.status_of(job_id) == Status.QUEUED


def test_a_job_can_t_leave_running_under_a_live_execution(raw: RawStore) -> None:
    raw.job_in(Status.RUNNING)
    refused(
        raw,
        "its execution is still live",
        "UPDATE jobs SET status = 'FAILED', finished_at = 1, error_message = 'x', error_type = 'TERMINAL'",
    )


def test_success_needs_a_commit_and_a_commit_allows_nothing_else(raw: RawStore) -> None:
    job_id = raw.job_in(Status.RUNNING)
    raw.run("UPDATE executions SET status = 'ABORTED', outcome = 'FAILED', error = 'x', finished_at = :now")
    refused(raw, "exactly when an execution has committed", "UPDATE jobs SET status = 'SUCCEEDED', finished_at = 1")
    raw.turn(job_id, Status.RETRYING)
    other = raw.job_in(Status.RUNNING)
    raw.run(START, job_id=other)
    raw.run("UPDATE executions SET status = 'COMMITTED', committed_at = :now WHERE job_id = :job_id", job_id=other)
    raw.run(
        "UPDATE executions SET status = 'DONE', outcome = 'COMPLETED', finished_at = :now WHERE job_id = :job_id",
        job_id=other,
    )
    refused(
        raw,
        "exactly when an execution has committed",
        "UPDATE jobs SET status = 'FAILED', finished_at = 1, error_message = 'x', error_type = 'TERMINAL' "
        "WHERE job_id = :job_id",
        job_id=other,
    )


def test_a_job_resumes_only_after_its_gate_was_approved(raw: RawStore) -> None:
    job_id = raw.job_in(Status.WAITING_FOR_APPROVAL)
    resume = "UPDATE jobs SET status = 'RUNNING', approval_token = NULL WHERE job_id = :job_id"
    refused(raw, "its gate was not approved", resume, job_id=job_id)
    raw.run("UPDATE approvals SET decision = 'DENIED', decided_at = 1, decided_by = 'x'")
    refused(raw, "its gate was not approved", resume, job_id=job_id)


def test_one_live_job_holds_a_key(raw: RawStore) -> None:
    job_id = raw.job_in(Status.QUEUED)
    twin = (
        "INSERT INTO jobs (job_id, job_type, job_key, status, created_at, created_by, queued_at, updated_at, "
        "updated_by, event) VALUES (:new, 't', :key, 'QUEUED', 1, 'x', 1, 1, 'x', 'submit')"
    )
    refused(raw, "a live job has that key", twin, new=uuid(600), key=job_id)
    raw.turn(job_id, Status.CANCELLED)
    raw.run(twin, new=uuid(600), key=job_id)


@pytest.mark.parametrize("table", ["jobs", "executions", "job_history", "approvals"])
def test_insert_or_replace_replaces_nothing(raw: RawStore, table: str) -> None:
    raw.job_in(Status.WAITING_FOR_APPROVAL)
    before = [tuple(row) for row in raw.run(f"SELECT * FROM {table}")]
    refused(raw, f"{table}: ", f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")
    assert [tuple(row) for row in raw.run(f"SELECT * FROM {table}")] == before


def test_update_or_replace_removes_no_other_job(raw: RawStore) -> None:
    first, second = raw.job_in(Status.QUEUED), raw.job_in(Status.QUEUED)
    refused(
        raw, "jobs: ", "UPDATE OR REPLACE jobs SET job_id = :first WHERE job_id = :second", first=first, second=second
    )
    assert raw.run("SELECT count(*) FROM jobs").fetchone()[0] == 2


@pytest.mark.parametrize("column", EXEC_IMMUTABLE)
def test_what_an_execution_is_never_changes(raw: RawStore, column: str) -> None:
    raw.job_in(Status.RUNNING)
    number = column in {"id", "attempt", "leased_at"}
    value = "12345" if number else OTHER.get(column, repr(uuid(999)))
    refused(raw, "executions: that column never changes", f"UPDATE executions SET {column} = {value}")


@pytest.mark.parametrize("column", sorted(set(EXEC_WRITE_ONCE) - {"outcome", "error", "log_path", "boot_id"}))
def test_a_fact_of_an_execution_is_written_once(raw: RawStore, column: str) -> None:
    raw.job_in(Status.RUNNING)
    raw.run(START, job_id=uuid(1))
    raw.run("UPDATE executions SET status = 'COMMITTED', committed_at = :now")
    raw.run("UPDATE executions SET pid = 7, pid_started = 8, exit_code = 0, handed_over_at = :now")
    raw.run("UPDATE executions SET status = 'DONE', outcome = 'COMPLETED', finished_at = :now")
    refused(raw, "executions: ", f"UPDATE executions SET {column} = {column} + 1")


@pytest.mark.parametrize("column", EXEC_FROZEN_BY_END)
def test_an_ended_execution_keeps_what_it_was(raw: RawStore, column: str) -> None:
    raw.job_in(Status.FAILED)
    value = {"status": "'DONE'", "outcome": "'SKIPPED'", "error_type": "'TERMINAL'"}.get(column, "5")
    refused(raw, "executions: ", f"UPDATE executions SET {column} = {value}")


def test_an_ended_execution_still_takes_its_exit_code_and_artifacts_once(raw: RawStore) -> None:
    raw.job_in(Status.FAILED)
    raw.run("UPDATE executions SET exit_code = 3")
    raw.run("""UPDATE executions SET artifacts = '["a.txt"]'""")
    refused(raw, "written once", "UPDATE executions SET exit_code = 4")


@pytest.mark.parametrize("shrunk", ["[]", '["b"]', '["a"]', '["x","b"]', '["a","c"]', '["ab"]'])
def test_artifacts_only_grow(raw: RawStore, shrunk: str) -> None:
    raw.job_in(Status.RUNNING)
    raw.run("""UPDATE executions SET artifacts = '["a","b"]'""")
    raw.run("""UPDATE executions SET artifacts = '["a","b","c"]'""")
    refused(raw, "artifacts only grow", "UPDATE executions SET artifacts = :shrunk", shrunk=shrunk)


def test_an_execution_exists_only_for_the_claim_that_made_it(raw: RawStore) -> None:
    job_id = raw.job_in(Status.RUNNING)
    insert = (
        "INSERT INTO executions (exec_id, job_id, attempt, status, lease_owner, lease_expires_at, leased_at) "
        "VALUES (:e, :job_id, 1, :status, 'w', 5, 1)"
    )
    refused(raw, "executions: ", insert, e=uuid(700), job_id=job_id, status="LEASED")
    refused(raw, "executions: ", insert, e=uuid(700), job_id=job_id, status="DONE")


def test_history_can_t_be_rewritten_or_dropped(raw: RawStore) -> None:
    raw.job_in(Status.FAILED)
    refused(raw, "history never changes", "UPDATE job_history SET reason = 'other'")
    refused(raw, "history goes only with its job", "DELETE FROM job_history")


def test_a_gate_is_answered_once(raw: RawStore) -> None:
    job_id = raw.job_in(Status.WAITING_FOR_APPROVAL)
    raw.run(GRANT, job_id=job_id)
    refused(raw, "answered once", "UPDATE approvals SET decision = 'DENIED'")
    refused(raw, "answered once", "UPDATE approvals SET decision = NULL, decided_at = NULL, decided_by = NULL")


@pytest.mark.parametrize("column", [one for one in APPROVAL_IMMUTABLE if one not in {"four_eyes"}])
def test_what_a_gate_asks_never_changes(raw: RawStore, column: str) -> None:
    raw.job_in(Status.WAITING_FOR_APPROVAL)
    number = column in {"id", "requested_at", "expires_at"}
    refused(raw, "approvals: ", f"UPDATE approvals SET {column} = {'12345' if number else repr('e' * 64)}")


@pytest.mark.parametrize("status", [status for status in Status if not status.final])
def test_a_job_that_has_not_ended_can_t_be_deleted(raw: RawStore, status: Status) -> None:
    raw.job_in(status)
    refused(raw, "can not be deleted", "DELETE FROM jobs")


def test_a_finished_job_goes_with_all_that_belongs_to_it(raw: RawStore) -> None:
    job_id = raw.job_in(Status.WAITING_FOR_APPROVAL)
    raw.turn(job_id, Status.CANCELLED)
    raw.run("DELETE FROM jobs WHERE job_id = :job_id", job_id=job_id)
    for table in ("jobs", "executions", "job_history", "approvals"):
        assert raw.run(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
    assert raw.run("SELECT n FROM job_counts WHERE status = 'CANCELLED'").fetchone()[0] == 0


def test_a_retry_names_a_finished_job_and_only_one_does(raw: RawStore) -> None:
    live, ended = raw.job_in(Status.QUEUED), raw.job_in(Status.FAILED)
    link = INSERT_JOB.replace("(job_id,", "(retry_of, job_id,").replace("VALUES (", "VALUES (:retry_of, ")
    refused(
        raw, "only a finished job has a retry", link, retry_of=live, job_id=uuid(800), status="QUEUED", queued_at=NOW
    )
    raw.run(link, retry_of=ended, job_id=uuid(801), status="QUEUED", queued_at=NOW)
    refused(raw, "exists already", link, retry_of=ended, job_id=uuid(802), status="QUEUED", queued_at=NOW)


def test_a_reservation_that_ended_stays_ended_and_one_is_active_at_a_time(raw: RawStore) -> None:
    reserve = (
        "INSERT INTO direct_reservations (reservation_id, reserved_at, reserved_by, status, expires_at) "
        "VALUES (:r, 1, 'x', 'ACTIVE', 9)"
    )
    raw.run(reserve, r=uuid(1))
    refused(raw, "one active reservation", reserve, r=uuid(2))
    raw.run("UPDATE direct_reservations SET status = 'RELEASED', ended_at = 2")
    refused(raw, "never changes", "UPDATE direct_reservations SET status = 'ACTIVE', ended_at = NULL")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("status", "'DONE'"),
        ("priority", "1000001"),
        ("held", "2"),
        ("max_retries", "101"),
        ("retry_count", "-1"),
        ("retry_count", "4"),
        ("params", "'[]'"),
        ("params", "'{'"),
        ("tags", "'7'"),
        ("next_retry_at", "5"),
        ("approval_token", "'x'"),
        ("finished_at", "5"),
        ("error_message", "'x'"),
        ("timeout", "0"),
        ("ready", "0"),
        ("priority", "'high'"),
        ("reason", "printf('%.*c', 70000, 'x')"),
    ],
)
def test_a_value_that_a_queued_job_can_t_have_is_refused(raw: RawStore, column: str, value: str) -> None:
    raw.job_in(Status.QUEUED)
    with pytest.raises(sqlite.driver.IntegrityError):
        raw.run(f"UPDATE jobs SET {column} = {value}")
