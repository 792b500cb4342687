"""Approval gates: only the right token, in time, once, and by someone else where four eyes are asked for."""

import hashlib
import hmac
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.gates import Decision, check_answer, digest, token
from core.jobs import Approval
from core.refusals import Refused
from core.reservations import DEFAULT_EXPIRY, MAX_EXPIRY, ReservationStatus

KEY = b"k" * 32
NOW = datetime(2031, 5, 1, 9, 0, tzinfo=UTC)
GATE = Approval(
    approval_id="0196-gate",
    job_id="0196-job",
    job=42,
    exec_id=None,
    name="deploy",
    message="to production?",
    requested_at=NOW - timedelta(hours=1),
    requested_by="ann",
    four_eyes=False,
    expires_at=None,
    decision=None,
    decided_at=None,
    decided_by=None,
    comment=None,
    consumed_at=None,
)
TOKEN = token(KEY, GATE.approval_id)


def answer(gate: Approval = GATE, presented: str = TOKEN, actor: str = "bob", *, grant: bool = True) -> None:
    check_answer(gate, digest(TOKEN), presented, actor, NOW, "ann", grant=grant)


def refused(gate: Approval = GATE, presented: str = TOKEN, actor: str = "bob", *, grant: bool = True) -> str:
    with pytest.raises(Refused) as refusal:
        answer(gate, presented, actor, grant=grant)
    assert refusal.value.exit_code == 3
    return str(refusal.value)


@pytest.mark.parametrize("grant", [True, False])
def test_the_right_token_in_time_is_accepted(grant: bool) -> None:
    answer(grant=grant)
    answer(replace(GATE, expires_at=NOW + timedelta(microseconds=1)), grant=grant)
    assert refused(presented=TOKEN[:-1], grant=grant)


def test_a_token_is_the_hmac_of_its_gate_under_the_key() -> None:
    assert hmac.new(KEY, b"jobdeck gate 0196-gate", hashlib.sha256).hexdigest() == TOKEN


def test_another_gate_or_another_key_has_another_token() -> None:
    assert len({TOKEN, token(KEY, "0196-gate2"), token(b"l" * 32, GATE.approval_id)}) == 3
    assert "not the token" in refused(presented=token(KEY, "0196-gate2"))
    assert "not the token" in refused(presented=token(b"l" * 32, GATE.approval_id))


def test_what_the_database_keeps_is_not_the_token() -> None:
    assert digest(TOKEN) != TOKEN
    assert "not the token" in refused(presented=digest(TOKEN))


@given(st.text(max_size=80))
def test_any_other_text_is_refused_and_never_repeated(presented: str) -> None:
    assert presented != TOKEN
    assert refused(presented=presented) == 'that is not the token of the gate "deploy" of job 42'


@pytest.mark.parametrize("presented", ["", "\x00", "\ud800", "é", TOKEN.upper(), f" {TOKEN}"])
def test_a_token_that_is_nearly_or_not_at_all_one_is_refused(presented: str) -> None:
    assert "not the token" in refused(presented=presented)


def test_at_its_expiry_a_gate_can_no_longer_be_answered() -> None:
    assert "expired" in refused(replace(GATE, expires_at=NOW))


@pytest.mark.parametrize("decision", list(Decision))
def test_an_answered_gate_stays_answered_and_says_by_whom(decision: Decision) -> None:
    said = refused(replace(GATE, decision=decision, decided_by="eve", decided_at=NOW))
    assert said == f'the gate "deploy" of job 42 was already {decision.lower()} by eve'
    assert refused(replace(GATE, decision=decision)).endswith(f"already {decision.lower()}")


def test_four_eyes_refuse_the_submitters_own_approval_but_not_a_denial() -> None:
    gate = replace(GATE, four_eyes=True)
    assert "someone else must approve it" in refused(gate, actor="ann")
    answer(gate, actor="bob")
    answer(gate, actor="ann", grant=False)
    answer(GATE, actor="ann")


def test_a_reservation_lasts_five_minutes_unless_told_and_at_most_a_day() -> None:
    assert timedelta(minutes=5) == DEFAULT_EXPIRY
    assert timedelta(days=1) == MAX_EXPIRY
    assert set(ReservationStatus) == {"ACTIVE", "RELEASED", "EXPIRED"}
