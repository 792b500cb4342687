"""Approval gates and direct reservations."""

from sqlalchemy import Column, ForeignKey, Integer, Table, Text, UniqueConstraint

from core.gates import Decision
from core.reservations import ReservationStatus
from store.schema.base import NAME_LIMIT, TEXT_LIMIT, check, index, instant, metadata, required
from store.sqltext import one_of

approvals = Table(
    "approvals",
    metadata,
    Column("id", Integer, primary_key=True),
    required("approval_id"),
    Column(
        "job_id",
        Text,
        ForeignKey("jobs.job_id", name="approvals_job_id_is_a_job", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("exec_id", Text),
    required("name"),
    required("message"),
    required("requested_at", Integer),
    required("requested_by"),
    # Only the digest: the token itself is never stored.
    required("token_digest"),
    required("four_eyes", Integer, "0"),
    instant("expires_at"),
    Column("decision", Text),
    instant("decided_at"),
    Column("decided_by", Text),
    Column("comment", Text),
    instant("consumed_at"),
    UniqueConstraint("approval_id", name="approvals_approval_id_is_unique"),
    check("approvals_name_has_a_length", f"length(name) BETWEEN 1 AND {NAME_LIMIT}"),
    check("approvals_token_digest_is_a_digest", "length(token_digest) = 64"),
    check("approvals_four_eyes_is_0_or_1", "four_eyes IN (0, 1)"),
    check("approvals_decision_is_known", f"decision IS NULL OR {one_of('decision', Decision)}"),
    check(
        "approvals_decision_has_its_facts",
        "(decision IS NULL) = (decided_at IS NULL) AND (decision IS NULL) = (decided_by IS NULL)",
    ),
    check("approvals_only_a_granted_one_is_passed", "consumed_at IS NULL OR decision = 'APPROVED'"),
    check(
        "approvals_texts_have_bounds",
        f"length(message) <= {TEXT_LIMIT} AND length(coalesce(comment, '')) <= {TEXT_LIMIT}",
    ),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)
index("approvals_one_open_per_job", approvals, "job_id", where="decision IS NULL", unique=True)
index("approvals_one_grant_per_gate", approvals, "job_id", "name", where="decision = 'APPROVED'", unique=True)
index("approvals_of_job", approvals, "job_id", "id")
index("approvals_open", approvals, "requested_at", "id", where="decision IS NULL")
index("approvals_expiring", approvals, "expires_at", where="decision IS NULL AND expires_at IS NOT NULL")
index(
    "approvals_to_resume",
    approvals,
    "decided_at",
    "id",
    where="decision = 'APPROVED' AND consumed_at IS NULL",
)

direct_reservations = Table(
    "direct_reservations",
    metadata,
    Column("id", Integer, primary_key=True),
    required("reservation_id"),
    required("reserved_at", Integer),
    required("reserved_by"),
    required("status"),
    required("expires_at", Integer),
    instant("ended_at"),
    UniqueConstraint("reservation_id", name="direct_reservations_reservation_id_is_unique"),
    check("direct_reservations_status_is_known", one_of("status", ReservationStatus)),
    check("direct_reservations_ended_has_its_time", "(status = 'ACTIVE') = (ended_at IS NULL)"),
    check("direct_reservations_expires_later", "expires_at > reserved_at"),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)
index("direct_reservations_one_active", direct_reservations, "status", where="status = 'ACTIVE'", unique=True)
