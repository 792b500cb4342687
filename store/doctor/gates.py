"""Whether gates and their tokens are in order."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.executions import ExecStatus
from core.gates import Decision, digest, token
from core.status import Status
from store.doctor.dossiers import Dossier
from store.doctor.findings import Finding
from store.keyfile import KEY_BYTES
from store.rows import Row

OPEN_GATE = "SELECT 1 FROM approvals WHERE decision IS NULL LIMIT 1"
_MAY_STAND_AT_A_GATE = frozenset({Status.WAITING_FOR_APPROVAL, Status.RUNNING})
_ENDED_BY: dict[str, Status] = {
    Decision.DENIED: Status.FAILED,
    Decision.EXPIRED: Status.FAILED,
    Decision.WITHDRAWN: Status.CANCELLED,
}
"""What an answer other than a grant makes of a job, for ever."""


def key_file(connection: Any, path: Path) -> tuple[bytes | None, list[Finding]]:
    """The key that tokens are derived from, and what is wrong with it; unlike the store, this never makes one."""
    if not path.is_file():
        if connection.execute(OPEN_GATE).fetchone() is None:
            return None, []
        return None, [Finding("key", f"there is no key file {path}, so the open gates can't be answered")]
    try:
        key = path.read_bytes()
    except OSError as error:
        return None, [Finding("key", f"the key file {path} can't be read: {(error.strerror or str(error)).lower()}")]
    if len(key) != KEY_BYTES:
        return None, [Finding("key", f"the key file {path} is damaged: it has {len(key)} bytes, not {KEY_BYTES}")]
    return key, []


def parked(dossier: Dossier) -> bool:
    """Whether the latest execution stopped at a gate that nobody has passed since."""
    return bool(dossier.executions) and dossier.executions[-1]["status"] == ExecStatus.PARKED and bool(_at(dossier))


def examine_gates(dossier: Dossier, key: bytes | None) -> Iterator[str]:
    """What is wrong with one job's gates."""
    job = dossier.job
    for gate in dossier.approvals:
        if gate["decision"] is None:
            yield from _open(gate, dossier, key)
        else:
            yield from _answered(gate, dossier)
    passed = {gate["exec_id"] for gate in dossier.approvals if gate["consumed_at"] is not None}
    for row in dossier.executions[:-1]:
        if row["status"] == ExecStatus.PARKED and row["exec_id"] not in passed:
            yield f"went on after execution {row['exec_id']} without passing the gate where that had stopped"
    if job["approval_token"] is not None and job["approval_token"] not in {
        gate["token_digest"] for gate in _at(dossier)
    }:
        yield "waits for a token that belongs to none of its gates"


def _open(gate: Row, dossier: Dossier, key: bytes | None) -> Iterator[str]:
    name, status = _name(gate), dossier.job["status"]
    if status not in _MAY_STAND_AT_A_GATE:
        yield f"is {status}, but its {name} is still open"
    elif gate["exec_id"] != _latest(dossier):
        yield f"its {name} is open, but its latest execution did not ask for it"
    if key is not None and digest(token(key, gate["approval_id"])) != gate["token_digest"]:
        yield f"the token of its {name} was not made with this key, so nobody can answer it"


def _answered(gate: Row, dossier: Dossier) -> Iterator[str]:
    name, job, decision = _name(gate), dossier.job, gate["decision"]
    # What a recovered job inherits was asked for by a run of the job before it, and names none.
    if gate["exec_id"] is not None and gate["exec_id"] not in {row["exec_id"] for row in dossier.executions}:
        yield f"its {name} was asked for by execution {gate['exec_id']}, which is none of its own"
    if decision in _ENDED_BY and job["status"] != _ENDED_BY[decision]:
        yield f"is {job['status']}, but its {name} was {decision}, which makes it {_ENDED_BY[decision]}"
    late = None not in {gate["expires_at"], gate["decided_at"]} and gate["decided_at"] >= gate["expires_at"]
    if decision == Decision.APPROVED and late:
        yield f"its {name} was approved after it had expired"
    if decision == Decision.EXPIRED and not late:
        yield f"its {name} expired before its time"
    if decision == Decision.APPROVED and gate["four_eyes"] and gate["decided_by"] == job["created_by"]:
        yield f"its {name} wants four eyes, but {gate['decided_by']} submitted and approved it"


def _name(gate: Row) -> str:
    return f'gate "{gate["name"]}"'


def _latest(dossier: Dossier) -> str | None:
    return dossier.executions[-1]["exec_id"] if dossier.executions else None


def _at(dossier: Dossier) -> list[Row]:
    """The gates that its latest execution stands at: open, or granted and not yet passed."""
    latest = _latest(dossier)
    return [
        gate
        for gate in dossier.approvals
        if gate["exec_id"] == latest and gate["consumed_at"] is None and gate["decision"] in {None, Decision.APPROVED}
    ]
