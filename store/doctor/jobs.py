"""Whether one job's row, its executions, its gates and its history tell the same story."""

import json
from collections.abc import Iterator

from core.executions import ExecStatus, Outcome
from core.projection import Facts, project
from core.status import Status
from core.transitions import allowed
from store.doctor.dossiers import Dossier
from store.doctor.findings import Finding, about
from store.doctor.gates import examine_gates, parked
from store.doctor.readable import examine_columns

_ANOTHER_MAY_FOLLOW = frozenset({ExecStatus.ABORTED, ExecStatus.PARKED})
_COMMITTED = frozenset({ExecStatus.COMMITTED, ExecStatus.DONE})


def examine_job(dossier: Dossier, key: bytes | None) -> Iterator[Finding]:
    """What is wrong with one job."""
    subject = about(dossier.job["id"])
    for sentences in (
        _projection(dossier),
        _attempts(dossier),
        _commit(dossier),
        _params(dossier),
        _history(dossier),
        _retold(dossier),
        examine_gates(dossier, key),
        examine_columns(dossier),
    ):
        try:
            yield from (Finding(subject, words) for words in sentences)
        except ValueError:
            # A state or a JSON text that can't be read; the rules have found it already, with its name.
            continue


def _projection(dossier: Dossier) -> Iterator[str]:
    """Its status must follow from its facts and executions."""
    job = dossier.job
    facts = Facts(
        queued=job["queued_at"] is not None,
        finished=job["finished_at"] is not None,
        cancel_requested=job["cancel_requested_at"] is not None,
        retry_waiting=job["next_retry_at"] is not None,
        parked=parked(dossier),
    )
    derived = project(facts, [ExecStatus(row["status"]) for row in dossier.executions])
    if derived != job["status"]:
        yield f"is {job['status']}, but its facts and executions make it {derived}"


def _attempts(dossier: Dossier) -> Iterator[str]:
    """Each claim is a further attempt, each resume at a gate the same one, and the job knows the latest."""
    job, last = dossier.job, None
    for row in dossier.executions:
        expected = 1 if last is None else last["attempt"] + (last["status"] != ExecStatus.PARKED)
        if row["attempt"] != expected:
            yield f"execution {row['exec_id']} is attempt {row['attempt']}, but should be attempt {expected}"
        last = row
    counted, latest = (0, None) if last is None else (last["attempt"], last["exec_id"])
    if job["attempt"] != counted:
        yield f"counts {job['attempt']} attempts, but its executions come to {counted}"
    if job["exec_id"] != latest:
        yield f"names execution {job['exec_id'] or 'none'}, but its latest is {latest or 'none'}"


def _commit(dossier: Dossier) -> Iterator[str]:
    """Nothing runs beside a live execution or after a commit, and only a duplicate of a commit is skipped."""
    for row in dossier.executions[:-1]:
        if row["status"] not in _ANOTHER_MAY_FOLLOW:
            yield f"execution {row['exec_id']} is {row['status']}, but another was started after it"
    if not any(row["status"] in _COMMITTED for row in dossier.executions):
        for row in dossier.executions:
            if row["outcome"] == Outcome.SKIPPED:
                yield f"execution {row['exec_id']} was skipped, but none has committed"


def _params(dossier: Dossier) -> Iterator[str]:
    """Once it has run, its params are what each execution saw."""
    text = dossier.job["params"]
    for row in dossier.executions:
        if row["params_snapshot"] != text and json.loads(row["params_snapshot"]) != json.loads(text):
            yield f"execution {row['exec_id']} ran with other params than the job has now"


def _history(dossier: Dossier) -> Iterator[str]:
    """Its history is one unbroken line of legal steps that ends where it stands."""
    if not dossier.history:
        yield "has no history"
        return
    before: str | None = None
    for row in dossier.history:
        old, new = row["previous_status"], row["new_status"]
        if old != before:
            yield f"history goes on from {old or 'nothing'}, but stood at {before or 'nothing'}"
        elif old != new and not allowed(None if old is None else Status(old), Status(new)):
            yield f"history has the illegal step from {old or 'nothing'} to {new}"
        before = new
    if before != dossier.job["status"]:
        yield f"is {dossier.job['status']}, but its history ends with {before}"


def _retold(dossier: Dossier) -> Iterator[str]:
    """Its history tells of each run and of each retry that it has used."""
    steps = [row["new_status"] for row in dossier.history if row["new_status"] != row["previous_status"]]
    runs, retries = steps.count(Status.RUNNING), steps.count(Status.RETRYING)
    if runs != len(dossier.executions):
        yield f"has {len(dossier.executions)} executions, but its history tells of {runs}"
    # A link may have begun with those of the job before it, which the chains are checked for.
    if dossier.job["retry_of"] is None and dossier.job["retry_count"] != retries:
        yield f"counts {dossier.job['retry_count']} retries, but its history tells of {retries}"
