"""The doctor on what surrounds jobs: chains, counters, schedules, templates and reservations."""

import pytest

from tests.store.patient import Patient

FOREVER = 2**62
"""Microseconds that no calendar reaches."""
SECOND = 1_000_000


def link(patient: Patient, key: str, place: int) -> int:
    """The number of a link in the chain of that key, the first being 0."""
    statement = "SELECT id FROM jobs WHERE job_key = :key ORDER BY id LIMIT 1 OFFSET :place"
    return int(patient.value(statement, key=key, place=place))


def test_a_chain_in_a_circle_is_told(patient: Patient) -> None:
    first, last = link(patient, "chain", 0), link(patient, "chain", 2)
    patient.harm(
        "UPDATE jobs SET retry_of = (SELECT job_id FROM jobs WHERE id = :last) WHERE id = :first",
        first=first,
        last=last,
    )
    assert patient.findings() == [
        (
            f"job {first}",
            f"is a retry of job {last}, which is younger: the chain runs backwards or in a circle",
        ),
    ]


def test_a_retry_of_a_live_job_of_another_key_is_told(patient: Patient) -> None:
    patient.harm(
        "UPDATE jobs SET retry_of = (SELECT job_id FROM jobs WHERE job_key = 'running') WHERE job_key = 'held'"
    )
    held, running = patient.job("held"), patient.job("running")
    assert patient.findings() == [
        (held, f"is a retry of {running}, which is RUNNING and not ended"),
        (held, f"is a retry of {running}, which has another type or key"),
    ]


@pytest.mark.parametrize("column", ["job_type", "job_key"])
def test_a_chain_of_two_types_or_keys_is_told(patient: Patient, column: str) -> None:
    first, last = link(patient, "succeeded", 0), link(patient, "succeeded", 1)
    patient.harm(f"UPDATE jobs SET {column} = 'other' WHERE id = :last", last=last)
    assert patient.findings() == [
        (f"job {last}", f"is a retry of job {first}, which has another type or key"),
    ]


@pytest.mark.parametrize(("key", "used", "began"), [("chain", 2, 1), ("recovered", 2, 2)])
def test_a_link_that_began_with_a_wrong_budget_is_told(patient: Patient, key: str, used: int, began: int) -> None:
    first, second = link(patient, key, 0), link(patient, key, 1)
    patient.harm("UPDATE jobs SET retry_count = :used WHERE id = :second", used=used, second=second)
    words = f"and began with {began} retries used, which is neither none nor one more than that had"
    assert patient.findings()[0] == (f"job {second}", f"is a retry of job {first}, {words}")


def test_a_miscount_of_a_status_is_told(patient: Patient) -> None:
    real = patient.value("SELECT count(*) FROM jobs WHERE status = 'FAILED'")
    patient.harm("UPDATE job_counts SET n = n + 4 WHERE status = 'FAILED'")
    assert patient.findings() == [
        ("counters", f"{real + 4} jobs are counted as FAILED, but {real} are"),
    ]


def test_a_status_without_a_count_is_told(patient: Patient) -> None:
    patient.harm("DELETE FROM job_counts WHERE status = 'RETRYING'")
    assert patient.findings() == [("counters", "there is no count of the jobs that are RETRYING")]


@pytest.mark.parametrize(
    ("statement", "counted"),
    [
        ("UPDATE queue_buckets SET n = 7 WHERE bucket = -3", 7),
        ("DELETE FROM queue_buckets WHERE bucket = -3", 0),
    ],
)
def test_a_miscount_of_a_stretch_of_the_queue_is_told(patient: Patient, statement: str, counted: int) -> None:
    """Position -1,000,000 is in the third stretch of 409,600 below zero."""
    patient.harm(statement)
    words = f"stretch -3 of priority 0 in the queue is counted as {counted} queued jobs long, but has 1"
    assert patient.findings() == [("counters", words)]


def test_a_stretch_that_is_counted_and_not_there_is_told(patient: Patient) -> None:
    patient.harm("INSERT INTO queue_buckets (priority, bucket, n) VALUES (12, 5, 2), (12, 6, 0)")
    words = "stretch 5 of priority 12 in the queue is counted as 2 queued jobs long, but has none"
    assert patient.findings() == [("counters", words)]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("cron_expression = 'every day'", "it can't be fired: "),
        ("timezone = 'Mars/Olympus'", 'it can\'t be fired: "Mars/Olympus" is not a time zone; '),
        (
            f"next_trigger_at = next_trigger_at + {SECOND}",
            "its next trigger, 2026-03-02 16:30:01 UTC, is no instant of 30 * * * *",
        ),
        ("next_trigger_at = :forever", f"its next trigger, {FOREVER}, lies outside the calendar"),
        ("last_triggered_at = last_triggered_at - 1", "{job} was fired after what is noted as its last trigger"),
        ("last_triggered_at = NULL", "{job} was fired after what is noted as its last trigger"),
        ("fired_count = 2", "it counts 2 fires, but has fired 3 jobs"),
    ],
)
def test_a_schedule_that_would_not_fire_as_it_should_is_told(patient: Patient, columns: str, words: str) -> None:
    """That schedule has fired at 13:30, 14:30 and 15:30 UTC."""
    patient.harm(f"UPDATE schedules SET {columns} WHERE name = 'replaces'", forever=FOREVER)
    ((subject, told),) = patient.findings()
    assert subject == 'schedule "replaces"'
    assert told.startswith(words.format(job=patient.job("replaces@2026-03-02T15:30:00Z")))


def test_a_next_trigger_beyond_the_last_year_that_cron_knows_is_told(patient: Patient) -> None:
    last_second = 253_402_300_799 * SECOND
    patient.harm("UPDATE schedules SET next_trigger_at = :last WHERE name = 'replaces'", last=last_second)
    assert patient.findings() == [
        ('schedule "replaces"', f"its next trigger, {last_second}, lies outside the calendar"),
    ]


def test_a_schedule_that_is_off_may_have_no_next_trigger(patient: Patient) -> None:
    patient.harm("UPDATE schedules SET enabled = 0, next_trigger_at = 1 WHERE name = 'replaces'")
    assert patient.findings() == []


def test_a_schedule_of_a_removed_template_is_told(patient: Patient) -> None:
    patient.harm("UPDATE job_templates SET removed_at = 1 WHERE name = 'backup'")
    words = 'its template "backup" was removed'
    assert patient.findings() == [(f'schedule "{name}"', words) for name in ("skips", "replaces", "off")]


def test_a_template_that_can_t_be_read_is_told(patient: Patient) -> None:
    patient.harm("""UPDATE job_templates SET options = '{"approval": {}}' WHERE name = 'backup'""")
    assert patient.findings() == [('template "backup"', "it can't be read: KeyError: 'message'")]


@pytest.mark.parametrize("status", ["RELEASED", "EXPIRED"])
def test_a_direct_job_that_waits_for_an_ended_reservation_is_told(patient: Patient, status: str) -> None:
    patient.harm(
        "UPDATE direct_reservations SET status = :status, ended_at = expires_at WHERE status = 'ACTIVE'", status=status
    )
    words = f"waits for a reservation that is {status}, so nothing will ever start it; cancel it"
    assert patient.findings() == [(patient.job("direct now"), words)]
