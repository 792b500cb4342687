"""What an answer to a gate should rest on: who asks what, what the job has done so far, what was decided before."""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from console.ansi import uncoloured
from console.app.actions import with_a_key
from console.logreader import LogReader
from core.jobs import Approval, Execution, Job, Json
from core.refusals import Refused
from core.status import Status
from core.verbs import refusal
from store.views import Views

LOG_LINES = 15
LONGEST_LINE = 400
EARLIER_LINKS = 10
"""Decisions are looked for in so many jobs of the chain before this one."""
ONE_LINE = 80
"""Up to so many characters a value stands on one line."""
LONGEST_JSON = 2_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """A gate that waits for an answer, with what there is to know about it."""

    gate: Approval
    job: Job
    earlier: Sequence[Approval]
    """What was decided before in its chain, the oldest first."""
    log: Sequence[str]
    """The last lines that the job has printed, made plain."""


def gather(views: Views, job: int) -> Evidence:
    """The gate that a job stands at, and the evidence; refused when it stands at none."""
    whole = views.whole_job(job)
    sentence = refusal("approve", whole.job.status, str(job), with_a_key)
    if sentence is not None:
        raise Refused(sentence)
    waiting = [gate for gate in whole.approvals if gate.decision is None]
    if not waiting:
        raise Refused(f"job {job} has no gate to answer")
    before = whole.chain[: whole.chain.index(whole.job.id)][-EARLIER_LINKS:]
    earlier = [gate for link in before for gate in views.whole_job(link).approvals]
    earlier += [gate for gate in whole.approvals if gate.decision is not None]
    return Evidence(waiting[-1], whole.job, earlier, _log(whole.executions))


def standing(views: Views, gate: Approval) -> tuple[Approval | None, Job]:
    """How a gate and its job stand now."""
    whole = views.whole_job(gate.job)
    return next((one for one in whole.approvals if one.approval_id == gate.approval_id), None), whole.job


def over(gate: Approval | None, job: Job) -> str | None:
    """Why a gate can't be answered any more; None when it can."""
    if gate is None:
        return "there is no such gate any more; nothing was answered here"
    if gate.decision is not None:
        by = f" by {gate.decided_by}" if gate.decided_by else ""
        return (
            f'gate "{gate.name}" of job {gate.job} was {gate.decision.lower()}{by} meanwhile; nothing was answered here'
        )
    if job.status is not Status.WAITING_FOR_APPROVAL:
        return f"job {job.id} is {job.status} now; nothing was answered here"
    return None


def as_text(value: Json) -> str:
    """A value as JSON, over several lines where it is long, cut where it gets endless."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > ONE_LINE:
        text = json.dumps(value, ensure_ascii=False, indent=2)
    return text if len(text) <= LONGEST_JSON else f"{text[:LONGEST_JSON]}\n…"


def _log(executions: Sequence[Execution]) -> list[str]:
    """The last lines of the latest execution that has printed something."""
    for execution in reversed(executions):
        if execution.log_path is None:
            continue
        try:
            with LogReader(Path(execution.log_path)) as reader:
                reader.seek_last(LOG_LINES)
                lines = deque(reader.lines(last=True), LOG_LINES)
        except OSError as error:
            return [f"its log can't be read: {(error.strerror or str(error)).lower()}"]
        if lines:
            return [uncoloured(line.decode("utf-8", "replace"))[:LONGEST_LINE] for line in lines]
    return []
