"""Whether the outbox keeps its secrets, and tells of nothing that is over."""

from collections.abc import Iterator
from typing import Any

from store.doctor.findings import Finding

# Only JSON can be looked into; what is none, the rules have found.
BETRAYS = """
SELECT id FROM notifications WHERE CASE WHEN json_valid(payload) THEN json_extract(payload, '$.token') END IS NOT NULL
ORDER BY id
"""
ANSWERED = """
SELECT n.id, a.decision FROM notifications n JOIN approvals a
  ON a.approval_id = CASE WHEN json_valid(n.payload) THEN json_extract(n.payload, '$.approval_id') END
WHERE n.next_attempt_at IS NOT NULL AND n.event IN ('approval.wanted', 'approval.expiring')
  AND a.decision IS NOT NULL ORDER BY n.id
"""


def outbox(connection: Any) -> Iterator[Finding]:
    """Tokens that were written down, and questions that would be asked though they are answered."""
    for row in connection.execute(BETRAYS).fetchall():
        yield Finding(f"notification {row['id']}", "holds a token, which must be written nowhere")
    for row in connection.execute(ANSWERED).fetchall():
        yield Finding(f"notification {row['id']}", f"would ask for an approval that is {row['decision']} already")
