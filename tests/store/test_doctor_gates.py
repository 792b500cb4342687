"""The doctor on gates: nothing passes that was not approved in time, by the right person, under the right key."""

from pathlib import Path

import pytest

from core.gates import digest, token
from tests.store.patient import Patient

OF_JOB = "job_id = (SELECT min(job_id) FROM jobs WHERE job_key = :key)"
STRANGER = "00000000-0000-7000-8000-000000000000"


def harm_gate(patient: Patient, key: str, columns: str, name: str = "deploy", **values: object) -> None:
    """Rewrite a gate of the first job of that key."""
    patient.harm(f"UPDATE approvals SET {columns} WHERE {OF_JOB} AND name = :name", key=key, name=name, **values)


def test_a_gate_that_is_still_open_at_an_ended_job_is_told(patient: Patient) -> None:
    harm_gate(patient, "withdrawn", "decision = NULL, decided_at = NULL, decided_by = NULL")
    assert patient.findings() == [
        (patient.job("withdrawn"), 'is CANCELLED, but its gate "deploy" is still open'),
    ]


def test_an_open_gate_that_the_latest_execution_did_not_ask_for_is_told(patient: Patient) -> None:
    harm_gate(patient, "asks for a gate", "exec_id = :stranger", stranger=STRANGER)
    assert patient.findings() == [
        (patient.job("asks for a gate"), 'its gate "deploy" is open, but its latest execution did not ask for it'),
    ]


def test_an_open_gate_of_a_job_without_executions_is_told(patient: Patient) -> None:
    job = patient.job("asks for a gate")
    patient.harm(f"DELETE FROM executions WHERE {OF_JOB}", key="asks for a gate")
    assert (job, 'its gate "deploy" is open, but its latest execution did not ask for it') in patient.findings()


def test_an_answered_gate_that_no_execution_of_its_job_asked_for_is_told(patient: Patient) -> None:
    harm_gate(patient, "denied", "exec_id = :stranger", stranger=STRANGER)
    assert patient.findings() == [
        (patient.job("denied"), f'its gate "deploy" was asked for by execution {STRANGER}, which is none of its own'),
    ]


@pytest.mark.parametrize(
    ("key", "status", "decision", "right"),
    [
        ("granted, then cancelled", "CANCELLED", "DENIED", "FAILED"),
        ("denied", "FAILED", "WITHDRAWN", "CANCELLED"),
    ],
)
def test_a_job_that_did_not_end_as_its_gate_says_is_told(
    patient: Patient, key: str, status: str, decision: str, right: str
) -> None:
    harm_gate(patient, key, "decision = :decision", decision=decision)
    assert patient.findings() == [
        (patient.job(key), f'is {status}, but its gate "deploy" was {decision}, which makes it {right}'),
    ]


def test_a_job_that_runs_although_its_gate_expired_is_told(patient: Patient) -> None:
    harm_gate(patient, "approved", "decision = 'EXPIRED', consumed_at = NULL, expires_at = decided_at")
    job, parked = patient.job("approved"), patient.executions("approved")[0]
    assert patient.findings() == [
        (job, 'is SUCCEEDED, but its gate "deploy" was EXPIRED, which makes it FAILED'),
        (job, f"went on after execution {parked} without passing the gate where that had stopped"),
    ]


@pytest.mark.parametrize(("name", "run"), [("deploy", 0), ("announce", 1)])
def test_a_job_that_went_on_without_passing_its_gate_is_told(patient: Patient, name: str, run: int) -> None:
    harm_gate(patient, "approved", "consumed_at = NULL", name)
    parked = patient.executions("approved")[run]
    assert patient.findings() == [
        (
            patient.job("approved"),
            f"went on after execution {parked} without passing the gate where that had stopped",
        ),
    ]


def test_a_gate_that_was_approved_too_late_is_told(patient: Patient) -> None:
    harm_gate(patient, "approved", "expires_at = decided_at")
    assert patient.findings() == [
        (patient.job("approved"), 'its gate "deploy" was approved after it had expired'),
    ]


@pytest.mark.parametrize("expiry", ["decided_at + 1", "NULL"])
def test_a_gate_that_expired_too_early_is_told(patient: Patient, expiry: str) -> None:
    harm_gate(patient, "expired", f"expires_at = {expiry}")
    assert patient.findings() == [
        (patient.job("expired"), 'its gate "deploy" expired before its time'),
    ]


def test_a_grant_without_its_time_breaks_a_rule_and_stops_no_examination(patient: Patient) -> None:
    gate = patient.value(f"SELECT id FROM approvals WHERE {OF_JOB} AND name = 'deploy'", key="approved")
    harm_gate(patient, "approved", "decided_at = NULL")
    ((subject, words),) = patient.findings()
    assert subject == f"gate {gate}"
    assert words.startswith("breaks the rule approvals_decision_has_its_facts: ")


def test_a_gate_for_four_eyes_that_the_submitter_approved_is_told(patient: Patient) -> None:
    harm_gate(patient, "approved", "decided_by = 'ann'")
    assert patient.findings() == [
        (patient.job("approved"), 'its gate "deploy" wants four eyes, but ann submitted and approved it'),
    ]


def test_a_job_that_waits_for_another_token_is_told(patient: Patient) -> None:
    patient.harm("UPDATE jobs SET approval_token = :other WHERE job_key = 'waiting'", other="e" * 64)
    assert patient.findings() == [
        (patient.job("waiting"), "waits for a token that belongs to none of its gates"),
    ]


def test_open_gates_of_another_key_are_told(patient: Patient) -> None:
    other = bytes(32)
    patient.key.write_bytes(other)
    words = 'the token of its gate "deploy" was not made with this key, so nobody can answer it'
    assert patient.findings() == [(patient.job("asks for a gate"), words), (patient.job("waiting"), words)]
    gate = patient.value(f"SELECT approval_id FROM approvals WHERE {OF_JOB}", key="asks for a gate")
    harm_gate(patient, "asks for a gate", "token_digest = :right", right=digest(token(other, gate)))
    assert patient.findings() == [(patient.job("waiting"), words)]


def test_open_gates_without_a_key_are_told(patient: Patient) -> None:
    patient.key.unlink()
    assert patient.findings() == [
        ("key", f"there is no key file {patient.key}, so the open gates can't be answered"),
    ]
    assert not patient.key.exists()


def test_without_open_gates_no_key_is_missed(store_path: Path) -> None:
    blank = Patient(store_path.parent)
    assert not blank.key.exists()
    assert blank.findings() == []


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_of_another_length_is_told(patient: Patient, length: int) -> None:
    patient.key.write_bytes(bytes(length))
    assert patient.findings() == [
        ("key", f"the key file {patient.key} is damaged: it has {length} bytes, not 32"),
    ]
