"""The doctor on jobs: a long legal life is healthy, and each way in which a job's rows can disagree is told."""

import pytest

from core.status import Status
from store.doctor import MOST_FINDINGS
from tests.store.patient import Patient

UNKNOWN_UUID = "00000000-0000-7000-8000-000000000000"
OF_JOB = "job_id = (SELECT min(job_id) FROM jobs WHERE job_key = :key)"
FIRST_RUN = f"id = (SELECT min(id) FROM executions WHERE {OF_JOB})"
LAST_RUN = f"id = (SELECT max(id) FROM executions WHERE {OF_JOB})"
TELL = f"""
INSERT INTO job_history (job_id, previous_status, new_status, event, actor, created_at)
SELECT job_id, :old, :new, 'sql', 'sql', 1 FROM jobs WHERE {OF_JOB}
"""
FOREVER = 2**62
"""Microseconds that no calendar reaches."""


def test_a_store_to_which_everything_legal_has_happened_is_healthy(patient: Patient) -> None:
    with patient.connection() as connection:
        seen = {row[0] for row in connection.execute("SELECT DISTINCT status FROM jobs")}
    assert seen == set(Status)
    report = patient.report()
    assert (report.healthy, report.findings) == (True, [])


def test_a_status_that_does_not_follow_from_the_facts_is_told(patient: Patient) -> None:
    patient.harm("UPDATE jobs SET cancel_requested_at = finished_at WHERE job_key = 'failed'")
    assert patient.findings() == [
        (patient.job("failed"), "is FAILED, but its facts and executions make it CANCELLED"),
    ]


def test_a_running_job_without_an_execution_is_told(patient: Patient) -> None:
    job, (execution,) = patient.job("running"), patient.executions("running")
    patient.harm(f"DELETE FROM executions WHERE {OF_JOB}", key="running")
    number = job.removeprefix("job ")
    assert patient.findings() == [
        (job, f"row {number} of jobs names a row of executions that does not exist"),
        (job, "is RUNNING, but its facts and executions make it QUEUED"),
        (job, "counts 1 attempts, but its executions come to 0"),
        (job, f"names execution {execution}, but its latest is none"),
        (job, "has 0 executions, but its history tells of 1"),
    ]


def test_a_job_that_miscounts_its_attempts_is_told(patient: Patient) -> None:
    patient.harm("UPDATE jobs SET attempt = 3 WHERE job_key = 'retried'")
    assert patient.findings() == [
        (patient.job("retried"), "counts 3 attempts, but its executions come to 2"),
    ]


@pytest.mark.parametrize(
    ("key", "run", "wrong", "right"),
    [("retried", 0, 2, 1), ("retried", 1, 1, 2), ("approved", 1, 2, 1)],
    ids=["the first is number 1", "a retry is one further", "a resume is the same"],
)
def test_an_execution_that_is_misnumbered_is_told(patient: Patient, key: str, run: int, wrong: int, right: int) -> None:
    execution = patient.executions(key)[run]
    patient.harm("UPDATE executions SET attempt = :wrong WHERE exec_id = :run", run=execution, wrong=wrong)
    words = f"execution {execution} is attempt {wrong}, but should be attempt {right}"
    assert patient.findings()[0] == (patient.job(key), words)


def test_a_job_that_names_an_earlier_execution_is_told(patient: Patient) -> None:
    first, latest = patient.executions("retried")
    patient.harm("UPDATE jobs SET exec_id = :first WHERE job_key = 'retried'", first=first)
    assert patient.findings() == [
        (patient.job("retried"), f"names execution {first}, but its latest is {latest}"),
    ]


def test_a_job_that_has_run_and_names_no_execution_is_told(patient: Patient) -> None:
    (execution,) = patient.executions("failed")
    patient.harm("UPDATE jobs SET exec_id = NULL WHERE job_key = 'failed'")
    assert patient.findings() == [
        (patient.job("failed"), f"names execution none, but its latest is {execution}"),
    ]


def test_a_job_that_names_another_job_s_execution_is_told(patient: Patient) -> None:
    (foreign,) = patient.executions("running")
    patient.harm("UPDATE jobs SET exec_id = :foreign WHERE job_key = 'held'", foreign=foreign)
    assert patient.findings() == [
        (patient.job("held"), f"names execution {foreign}, but its latest is none"),
    ]


@pytest.mark.parametrize(
    ("status", "columns"),
    [
        ("DONE", "outcome = 'COMPLETED', committed_at = finished_at"),
        ("IN_PROGRESS", "outcome = NULL, finished_at = NULL"),
    ],
)
def test_an_execution_after_a_commit_or_beside_a_live_one_is_told(patient: Patient, status: str, columns: str) -> None:
    first, _ = patient.executions("retried")
    aborted = "status = 'ABORTED', outcome = 'FAILED', error = 'x', committed_at = NULL"
    if status == "DONE":
        patient.harm(f"UPDATE executions SET {aborted} WHERE {LAST_RUN}", key="retried")
    patient.harm(f"UPDATE executions SET status = '{status}', {columns} WHERE {FIRST_RUN}", key="retried")
    assert patient.findings() == [
        (patient.job("retried"), f"execution {first} is {status}, but another was started after it"),
    ]


def test_a_skipped_execution_without_a_commit_is_told(patient: Patient) -> None:
    (execution,) = patient.executions("failed")
    patient.harm("UPDATE executions SET outcome = 'SKIPPED' WHERE exec_id = :execution", execution=execution)
    assert patient.findings() == [
        (patient.job("failed"), f"execution {execution} was skipped, but none has committed"),
    ]


def test_params_that_changed_after_a_run_are_told(patient: Patient) -> None:
    (execution,) = patient.executions("running")
    patient.harm("""UPDATE jobs SET params = '{"n": 9}' WHERE job_key = 'running'""")
    assert patient.findings() == [
        (patient.job("running"), f"execution {execution} ran with other params than the job has now"),
    ]


def test_params_that_are_only_written_otherwise_are_the_same(patient: Patient) -> None:
    patient.harm("""UPDATE jobs SET params = '{ "n" :  3 }' WHERE job_key = 'running'""")
    assert patient.findings() == []


def test_a_job_without_history_is_told(patient: Patient) -> None:
    patient.harm(f"DELETE FROM job_history WHERE {OF_JOB}", key="held")
    assert patient.findings() == [(patient.job("held"), "has no history")]


def test_a_history_that_lost_a_line_is_told(patient: Patient) -> None:
    patient.harm(f"DELETE FROM job_history WHERE {OF_JOB} AND new_status = 'CREATED'", key="released")
    assert patient.findings() == [
        (patient.job("released"), "history goes on from CREATED, but stood at nothing"),
    ]


def test_an_illegal_step_in_history_is_told(patient: Patient) -> None:
    patient.harm(TELL, key="held", old="QUEUED", new="CREATED")
    patient.harm(TELL, key="held", old="CREATED", new="QUEUED")
    assert patient.findings() == [
        (patient.job("held"), "history has the illegal step from QUEUED to CREATED"),
    ]


def test_a_history_with_an_illegal_start_is_told(patient: Patient) -> None:
    patient.harm(
        f"DELETE FROM job_history WHERE {OF_JOB} AND new_status = 'QUEUED'",
        f"UPDATE job_history SET previous_status = NULL WHERE {OF_JOB}",
        key="too late",
    )
    assert patient.findings() == [
        (patient.job("too late"), "history has the illegal step from nothing to FAILED"),
    ]


def test_a_history_that_ends_elsewhere_is_told(patient: Patient) -> None:
    patient.harm(TELL, key="held", old="QUEUED", new="CANCELLED")
    assert patient.findings() == [
        (patient.job("held"), "is QUEUED, but its history ends with CANCELLED"),
    ]


def test_retries_that_history_does_not_tell_of_are_told(patient: Patient) -> None:
    patient.harm("UPDATE jobs SET retry_count = 2 WHERE job_key = 'retried'")
    assert patient.findings() == [
        (patient.job("retried"), "counts 2 retries, but its history tells of 1"),
    ]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE jobs SET approval = '{}' WHERE job_key = :key", "can't be read: KeyError: 'message'"),
        ("UPDATE jobs SET created_at = :forever WHERE job_key = :key", "can't be read: OverflowError: "),
        (
            "UPDATE jobs SET backoff = 'often' WHERE job_key = :key",
            'its backoff can\'t be read: "often" is not a backoff; use fixed:1s or exponential:1s:5m',
        ),
        (
            f"UPDATE executions SET leased_at = :forever WHERE {OF_JOB}",
            "execution {execution} can't be read: OverflowError: ",
        ),
        (
            f"UPDATE approvals SET requested_at = :forever WHERE {OF_JOB}",
            'its gate "deploy" can\'t be read: OverflowError: ',
        ),
    ],
)
def test_a_row_that_can_t_be_read_back_is_told(patient: Patient, statement: str, words: str) -> None:
    (execution,) = patient.executions("waiting")
    patient.harm(statement, key="waiting", forever=FOREVER)
    ((subject, told),) = patient.findings()
    assert subject == patient.job("waiting")
    assert told.startswith(words.format(execution=execution) if "{execution}" in words else words)


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("UPDATE jobs SET params = '{' WHERE job_key = 'running'", "jobs_params_are_json"),
        (f"UPDATE executions SET status = 'LOST' WHERE {FIRST_RUN}", "executions_status_is_known"),
        (f"UPDATE job_history SET new_status = 'LOST' WHERE {OF_JOB}", "job_history_status_is_known"),
    ],
)
def test_what_can_t_be_read_hides_nothing_else_that_is_wrong(patient: Patient, statement: str, rule: str) -> None:
    patient.harm(statement, key="running")
    patient.harm("UPDATE jobs SET attempt = 5, backoff = 'often' WHERE job_key = 'running'")
    findings = patient.findings()
    assert any(words.startswith(f"breaks the rule {rule}: ") for _, words in findings)
    told = [words for subject, words in findings if subject == patient.job("running")]
    assert "counts 5 attempts, but its executions come to 1" in told
    assert any(words.startswith("its backoff can't be read: ") for words in told)


def test_listing_stops_where_nobody_would_read_on(patient: Patient) -> None:
    with patient.rules_off() as connection:
        connection.executemany(
            "INSERT INTO job_history (job_id, new_status, event, actor, created_at) VALUES (?, 'QUEUED', '', '', 1)",
            [(UNKNOWN_UUID,)] * (MOST_FINDINGS + 5),
        )
    findings = patient.findings()
    assert len(findings) == MOST_FINDINGS + 1
    assert findings[-1] == ("store", f"more is wrong than the first {MOST_FINDINGS} findings; restore a backup")
