"""Telling of gates: that one waits for an answer, and later, unless someone has answered, that its time runs out."""

from core.jobs import Json
from core.notifications import Told, warn_at
from core.when import iso
from store.operations.outbox import Outbox, job_facts, job_words
from store.rows import from_us, from_us_or_none

OPEN = """
SELECT approval_id, name, message, requested_at, requested_by, four_eyes, expires_at FROM approvals
WHERE job_id = :job_id AND decision IS NULL
"""


class GateNews(Outbox):
    """What is told of gates."""

    def announce_gate(self, job_id: str) -> None:
        """A job has stopped at a gate; the warning is written down with it, for when it will be due."""
        if not (self.hears(Told.APPROVAL_WANTED) or self.hears(Told.APPROVAL_EXPIRING)):
            return
        gate = self.one(OPEN, job_id=job_id)
        if gate is None:
            return
        job = self.job_row(job_id)
        expires_at = from_us_or_none(gate["expires_at"])
        facts: dict[str, Json] = {
            **job_facts(job),
            "approval_id": gate["approval_id"],
            "gate": gate["name"],
            "question": gate["message"],
            "requested_by": gate["requested_by"],
            "four_eyes": bool(gate["four_eyes"]),
            "expires_at": None if expires_at is None else iso(expires_at),
        }
        where = f'{job_words(job)} waits at gate "{gate["name"]}"'
        self.announce(Told.APPROVAL_WANTED, f"{where}: {gate['message']}", facts, job_id)
        if expires_at is not None:
            words = f"{where} and fails at {iso(expires_at)} unless someone answers: {gate['message']}"
            due = max(self.now, warn_at(from_us(gate["requested_at"]), expires_at))
            self.announce(Told.APPROVAL_EXPIRING, words, facts, job_id, due)
