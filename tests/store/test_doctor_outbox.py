"""The doctor on the outbox: no token is written down, and nobody is asked what was answered."""

from tests.store.patient import Patient

TELL = """
INSERT INTO notifications (notification_id, event, target, created_at, next_attempt_at, payload)
VALUES ('one', :event, 'ops', 1, 1, :payload)
"""
ANSWERED = "SELECT approval_id FROM approvals WHERE decision = 'APPROVED' ORDER BY id LIMIT 1"
OPEN = "SELECT approval_id FROM approvals WHERE decision IS NULL ORDER BY id LIMIT 1"


def test_a_token_that_is_written_down_is_told(patient: Patient) -> None:
    patient.harm(TELL, event="job.failed", payload='{"token": "abc"}')
    assert patient.findings() == [("notification 1", "holds a token, which must be written nowhere")]


def test_a_question_that_was_answered_is_told(patient: Patient) -> None:
    payload = f'{{"approval_id": "{patient.value(ANSWERED)}"}}'
    patient.harm(TELL, event="approval.wanted", payload=payload)
    assert patient.findings() == [("notification 1", "would ask for an approval that is APPROVED already")]


def test_a_question_that_is_open_is_in_order(patient: Patient) -> None:
    patient.harm(TELL, event="approval.expiring", payload=f'{{"approval_id": "{patient.value(OPEN)}"}}')
    assert patient.findings() == []
