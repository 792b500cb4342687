"""Approval gates: their tokens and who may answer them."""

import hashlib
import hmac
from datetime import datetime
from enum import StrEnum

from core.jobs import Approval
from core.refusals import Refused

BEFORE_RUN = "before-run"
"""The name of the gate that a job's own `approval` asks for."""


class Decision(StrEnum):
    """How a gate was answered, for ever."""

    APPROVED = "APPROVED"
    DENIED = "DENIED"
    EXPIRED = "EXPIRED"
    WITHDRAWN = "WITHDRAWN"


def token(key: bytes, approval_id: str) -> str:
    """The token that answers a gate, derived from the key file; it is never stored."""
    return hmac.new(key, b"jobdeck gate " + approval_id.encode(), hashlib.sha256).hexdigest()


def digest(presented: str) -> str:
    """What the database keeps of a token."""
    return hashlib.sha256(presented.encode("utf-8", "surrogatepass")).hexdigest()


def check_answer(
    approval: Approval,
    token_digest: str,
    presented: str,
    actor: str,
    now: datetime,
    submitter: str,
    *,
    grant: bool,
) -> None:
    """Refuse an answer that is late, repeated, without the right token, or one's own where four eyes are asked for."""
    name = f'gate "{approval.name}" of job {approval.job}'
    if approval.decision is not None:
        by = f" by {approval.decided_by}" if approval.decided_by else ""
        raise Refused(f"the {name} was already {approval.decision.lower()}{by}")
    if not hmac.compare_digest(digest(presented), token_digest):
        raise Refused(f"that is not the token of the {name}")
    if approval.expires_at is not None and approval.expires_at <= now:
        raise Refused(f"the {name} expired before it was answered")
    if grant and approval.four_eyes and actor == submitter:
        raise Refused(f"the {name} wants four eyes: {actor} submitted the job, so someone else must approve it")
