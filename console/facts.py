"""The facts of a job in words, the same for the command line and the screen."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from console.masking import masked_json
from console.moments import exact
from core.jobs import Approval, Command, Job
from core.status import MEANINGS
from core.verbs import possible
from core.when import format_duration

if TYPE_CHECKING:
    from store.views import WholeJob

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def facts(
    whole: "WholeJob", rank: int | None, waits_for: str, zone: ZoneInfo, now: datetime, dumped: Callable[[object], str]
) -> Iterator[tuple[str, str]]:
    """Names and values; what a job doesn't have is empty. `dumped` says how JSON is told."""
    job = whole.job

    def when(instant: datetime | None) -> str:
        return "" if instant is None else exact(instant, zone, now)

    yield "job", f"{job.id}  {job.job_id}"
    yield "status", f"{standing(job)}: {MEANINGS[job.status]}"
    yield "waits for", waits_for
    yield "error", f"{job.error_message} ({(job.error_type or '').lower()})" if job.error_message else ""
    yield "type", job.job_type
    yield "key", shown_key(job)
    yield "command", command_line(job.command)
    yield "directory", job.command.cwd or ""
    yield "environment", " ".join(f"{name}={value}" for name, value in masked_json(job.command.env).items())
    yield "priority", str(job.priority)
    yield "place", "" if rank is None else f"{rank + 1:,} in the queue"
    yield "retries", f"{job.retry_count} of {job.max_retries} used, {job.backoff}"
    yield "attempts", str(job.attempt) if job.attempt else ""
    yield "chain", " → ".join(map(str, whole.chain)) if len(whole.chain) > 1 else ""
    yield "template", whole.template or ""
    yield "schedule", whole.schedule or ""
    yield "not before", when(job.scheduled_run_time)
    yield "deadline", when(job.deadline_at)
    yield "timeout", "" if job.timeout is None else format_duration(job.timeout)
    yield "takes turns on", job.concurrency_key
    yield "approval", "" if job.approval is None else f"asks before it runs: {job.approval.message}"
    yield "tags", " ".join(f"{name}={value}" for name, value in job.tags.items())
    yield "params", dumped(masked_json(job.params)) if job.params else ""
    yield "checkpoint", "" if job.checkpoint is None else dumped(masked_json(job.checkpoint))
    yield "result", "" if job.result is None else dumped(masked_json(job.result))
    yield "created", f"{when(job.created_at)} by {job.created_by}"
    yield "queued", when(job.queued_at)
    yield "started", when(job.started_at)
    yield "next retry", when(job.next_retry_at)
    yield "finished", when(job.finished_at)
    yield "can", ", ".join(verb.name for verb in possible(job.status))


def standing(job: Job) -> str:
    """A job's status with what is under way about it."""
    held = ", held" if job.held and not job.status.final else ""
    stopping = ", asked to stop" if job.cancel_requested_at is not None and not job.status.final else ""
    return f"{job.status}{held}{stopping}"


def gate_line(approval: Approval, zone: ZoneInfo, now: datetime) -> str:
    """A gate and its answer in one line."""
    asked = f'{approval.name}: "{approval.message}", asked by {approval.requested_by}'
    if approval.decision is None:
        until = f", expires {exact(approval.expires_at, zone, now)}" if approval.expires_at else ""
        return f"{asked}{until}, not answered yet"
    comment = f': "{approval.comment}"' if approval.comment else ""
    by = f" by {approval.decided_by}" if approval.decided_by else ""
    return f"{asked}, {approval.decision.lower()}{by}{comment}"


def shown_key(job: Job) -> str:
    """A key that people gave; one that is only the number of the job, or of the one it retries, says nothing."""
    made_up = job.job_key == job.job_id or (job.retry_of is not None and _UUID.fullmatch(job.job_key))
    return "" if made_up else job.job_key


def command_line(command: Command) -> str:
    """A command as it would be typed."""
    import shlex

    if command.shell:
        return f"{command.text}  (through the shell)"
    return shlex.join(command.argv)
