"""Approval gates: asked for under a lease, answered with a token, expired by time."""

from datetime import datetime

from core.bounds import GATE_TEXT_LIMIT
from core.classify import ErrorType, Failure
from core.gates import Decision, check_answer, digest, token
from core.ids import uuid7
from core.jobs import Approval
from core.jsontext import check_text
from core.refusals import BadInput, NoSuchThing, Refused
from core.status import Status
from store.operations.finishing import Finishing
from store.rows import Row, approval_of, to_us_or_none
from store.tx import Ref

UNANSWERED = "nobody answered in time"
GATE = "SELECT a.*, j.id AS job FROM approvals a JOIN jobs j ON j.job_id = a.job_id WHERE a.approval_id = :approval_id"
LATEST_GATE = """
SELECT a.*, j.id AS job FROM approvals a JOIN jobs j ON j.job_id = a.job_id
WHERE a.job_id = :job_id ORDER BY a.id DESC LIMIT 1
"""
OPEN_GATE = """
SELECT a.*, j.id AS job FROM approvals a JOIN jobs j ON j.job_id = a.job_id
WHERE a.job_id = :job_id AND a.decision IS NULL
"""
GRANTED = "SELECT approval_id FROM approvals WHERE job_id = :job_id AND name = :name AND decision = 'APPROVED'"
ASK = """
INSERT INTO approvals (approval_id, job_id, exec_id, name, message, requested_at, requested_by, token_digest, four_eyes,
                       expires_at)
VALUES (:approval_id, :job_id, :exec_id, :name, :message, :now, :requested_by, :token_digest, :four_eyes, :expires_at)
"""
ANSWER = """
UPDATE approvals SET decision = :decision, decided_at = :now, decided_by = :actor, comment = :comment
WHERE approval_id = :approval_id AND decision IS NULL
"""
EXPIRED_GATES = """
SELECT a.approval_id, a.job_id, a.name, j.id AS job FROM approvals a JOIN jobs j ON j.job_id = a.job_id
WHERE a.decision IS NULL AND a.expires_at IS NOT NULL AND a.expires_at <= :now AND j.status = 'WAITING_FOR_APPROVAL'
ORDER BY a.expires_at LIMIT :limit
"""


class Gates(Finishing):
    """Gates: asking, answering, expiring."""

    def request_gate(
        self,
        exec_id: str,
        owner: str,
        name: str,
        message: str,
        *,
        four_eyes: bool = False,
        expires_at: datetime | None = None,
    ) -> Approval | None:
        """Ask for approval in the run; None when that gate was granted before. Asked again, it is the same gate."""
        row = self.leased(exec_id, owner)
        return self.ask(row, name, message, four_eyes=four_eyes, expires_at=expires_at)

    def ask(
        self, row: Row, name: str, message: str, *, four_eyes: bool, expires_at: datetime | None
    ) -> Approval | None:
        """Record a gate for an execution, unless it was granted before."""
        check_text(name, "gate name", 100)
        check_text(message, "gate message", GATE_TEXT_LIMIT, allow_newlines=True)
        if expires_at is not None and expires_at <= self.now:
            raise BadInput("a gate must expire in the future")
        if row["status"] == "COMMITTED":
            raise Refused(f"job {row['job']} has committed; a gate would come too late")
        if self.one(GRANTED, job_id=row["job_id"], name=name) is not None:
            return None
        standing = self.one(OPEN_GATE, job_id=row["job_id"])
        if standing is not None:
            if standing["name"] == name:
                return approval_of(standing)
            raise Refused(f'job {row["job"]} stands at gate "{standing["name"]}" already')
        approval_id = uuid7(self.now_us // 1000)
        self.run(
            ASK,
            approval_id=approval_id,
            job_id=row["job_id"],
            exec_id=row["exec_id"],
            name=name,
            message=message,
            requested_by=row["created_by"],
            token_digest=digest(token(self.key(), approval_id)),
            four_eyes=four_eyes,
            expires_at=to_us_or_none(expires_at),
        )
        return approval_of(self.one(GATE, approval_id=approval_id))

    def approval(self, approval_id: str) -> Approval:
        """A gate as it stands, answered or not."""
        row = self.one(GATE, approval_id=approval_id)
        if row is None:
            raise NoSuchThing("there is no such gate any more")
        return approval_of(row)

    def approve(self, ref: Ref, presented: str, comment: str | None = None) -> Approval:
        """Let a job pass its gate; the next free slot resumes it."""
        gate = self._answerable("approve", ref, presented, comment, grant=True)
        return self._answer(gate, Decision.APPROVED, comment)

    def deny(self, ref: Ref, presented: str, reason: str) -> Approval:
        """Refuse a job's gate, which fails the job."""
        gate = self._answerable("deny", ref, presented, reason, grant=False)
        answered = self._answer(gate, Decision.DENIED, reason)
        failure = Failure(f'gate "{gate["name"]}" was denied by {self.actor}: {reason}', ErrorType.TERMINAL)
        self.fail_job(gate["job_id"], failure, "deny", reason)
        return answered

    def expire_gates(self, limit: int = 1000) -> list[int]:
        """Fail the jobs whose gates nobody answered in time."""
        expired = []
        for row in self.all(EXPIRED_GATES, limit=limit):
            self.run(ANSWER, approval_id=row["approval_id"], decision=Decision.EXPIRED, comment=UNANSWERED)
            failure = Failure(f'gate "{row["name"]}" expired: {UNANSWERED}', ErrorType.TERMINAL)
            self.fail_job(row["job_id"], failure, "expire", failure.message)
            expired.append(int(row["job"]))
        return expired

    def _answerable(self, verb: str, ref: Ref, presented: str, comment: str | None, *, grant: bool) -> Row:
        if comment is not None:
            check_text(comment, "comment", GATE_TEXT_LIMIT, allow_newlines=True)
        job = self.job_row(ref)
        gate = self.one(LATEST_GATE, job_id=job["job_id"])
        if gate is None or (gate["decision"] is None and job["status"] != Status.WAITING_FOR_APPROVAL):
            # Not parked yet, or never gated: the state itself says why not.
            self.row_for(verb, ref)
            raise Refused(f"job {job['id']} has no gate to answer")
        approval = approval_of(gate)
        check_answer(approval, gate["token_digest"], presented, self.actor, self.now, job["created_by"], grant=grant)
        return gate

    def _answer(self, gate: Row, decision: Decision, comment: str | None) -> Approval:
        if not self.run(ANSWER, approval_id=gate["approval_id"], decision=decision, comment=comment):
            raise Refused(f'gate "{gate["name"]}" of job {gate["job"]} was answered a moment ago')
        return approval_of(self.one(GATE, approval_id=gate["approval_id"]))
