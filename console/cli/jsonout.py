"""JSON for scripts: which keys each thing has, instants in UTC, one document on stdout."""

import json
import re
import sys
import tempfile
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from console.cli.output import is_utf8, line
from console.masking import masked_json
from core.config_notify import shown
from core.jobs import Approval, Command, Execution, Gate, HistoryEntry, Job, NewJob, Schedule, Template
from core.status import Status
from core.waiting import Flow, why
from core.when import iso

if TYPE_CHECKING:
    from core.config import Config
    from core.job_types import JobType
    from core.notifications import Notification

_IN_MEMORY = 16 * 1024 * 1024
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def instant(at: datetime | None) -> str | None:
    """An instant as ISO 8601 in UTC."""
    return None if at is None else iso(at)


def seconds(span: timedelta | None) -> float | int | None:
    """A duration in seconds, whole where it is whole."""
    if span is None:
        return None
    length = span.total_seconds()
    return int(length) if length.is_integer() else length


def job_json(job: Job) -> dict[str, Any]:
    """A job as scripts get it."""
    return {
        "id": job.id,
        "job_id": job.job_id,
        "job_type": job.job_type,
        "job_key": job.job_key,
        "status": job.status.value,
        "phase": job.phase.value,
        "priority": job.priority,
        "position": job.position,
        "held": job.held,
        "attempt": job.attempt,
        "retry_count": job.retry_count,
        "max_retries": job.max_retries,
        "retry_of": job.retry_of,
        "next_retry_at": instant(job.next_retry_at),
        "scheduled_run_time": instant(job.scheduled_run_time),
        "params": job.params,
        "tags": job.tags,
        "checkpoint": job.checkpoint,
        "result": job.result,
        "error_message": job.error_message,
        "error_type": job.error_type,
        "created_at": iso(job.created_at),
        "queued_at": instant(job.queued_at),
        "started_at": instant(job.started_at),
        "finished_at": instant(job.finished_at),
        "updated_at": iso(job.updated_at),
    }


def why_json(job: Job, flow: Flow, now: datetime) -> dict[str, str] | None:
    """What a queued job waits for."""
    if job.status is not Status.QUEUED:
        return None
    found = why(job, flow, now)
    return {"waits_for": found.obstacle.value, "words": found.words}


def execution_json(execution: Execution) -> dict[str, Any]:
    """One execution of a job."""
    return {
        "exec_id": execution.exec_id,
        "attempt": execution.attempt,
        "status": execution.status.value,
        "outcome": None if execution.outcome is None else execution.outcome.value,
        "lease_owner": execution.lease_owner,
        "lease_expires_at": iso(execution.lease_expires_at),
        "exit_code": execution.exit_code,
        "error": execution.error,
        "started_at": instant(execution.started_at),
        "finished_at": instant(execution.finished_at),
        "committed_at": instant(execution.committed_at),
        "log_path": execution.log_path,
        "artifacts": list(execution.artifacts),
    }


def command_json(command: Command) -> dict[str, Any]:
    """What a job runs."""
    return {"argv": list(command.argv), "cwd": command.cwd, "env": dict(command.env), "shell": command.shell}


def approval_json(approval: Approval) -> dict[str, Any]:
    """A gate, without its token."""
    return {
        "approval_id": approval.approval_id,
        "id": approval.job,
        "job_id": approval.job_id,
        "name": approval.name,
        "message": approval.message,
        "four_eyes": approval.four_eyes,
        "requested_at": iso(approval.requested_at),
        "requested_by": approval.requested_by,
        "expires_at": instant(approval.expires_at),
        "decision": approval.decision,
        "decided_at": instant(approval.decided_at),
        "decided_by": approval.decided_by,
        "comment": approval.comment,
    }


def history_json(entry: HistoryEntry) -> dict[str, Any]:
    """One line of history."""
    return {
        "id": entry.job,
        "job_id": entry.job_id,
        "previous_status": None if entry.previous_status is None else entry.previous_status.value,
        "new_status": entry.new_status.value,
        "event": entry.event,
        "actor": entry.actor,
        "reason": entry.reason,
        "metadata": entry.metadata,
        "created_at": iso(entry.created_at),
    }


def gate_json(gate: Gate | None) -> dict[str, Any] | None:
    """The approval that a job asks for before it runs."""
    if gate is None:
        return None
    return {"message": gate.message, "four_eyes": gate.four_eyes, "expires_after": seconds(gate.expires_after)}


def template_json(template: Template) -> dict[str, Any]:
    """A template with what its jobs start from."""
    return {
        "name": template.name,
        "template_id": template.template_id,
        **_defaults(template.new_job),
        "created_at": iso(template.created_at),
        "created_by": template.created_by,
        "updated_at": iso(template.updated_at),
    }


def _defaults(new: NewJob) -> dict[str, Any]:
    return {
        "job_type": new.job_type,
        "command": command_json(new.command),
        "params": dict(new.params),
        "tags": dict(new.tags),
        "priority": new.priority,
        "timeout": seconds(new.timeout),
        "approval": gate_json(new.approval),
        "max_retries": new.max_retries,
        "backoff": new.backoff,
        "concurrency_key": new.concurrency_key,
    }


def schedule_json(schedule: Schedule) -> dict[str, Any]:
    """A schedule with what it has done so far."""
    return {
        "name": schedule.name,
        "schedule_id": schedule.schedule_id,
        "template": schedule.template_name,
        "cron_expression": schedule.cron_expression,
        "timezone": schedule.timezone,
        "enabled": schedule.enabled,
        "catch_up": schedule.catch_up,
        "overlap": schedule.overlap,
        "pause_on_failure": schedule.pause_on_failure,
        "param_overrides": dict(schedule.param_overrides),
        "last_triggered_at": instant(schedule.last_triggered_at),
        "next_trigger_at": instant(schedule.next_trigger_at),
        "fired_count": schedule.fired_count,
        "skipped_count": schedule.skipped_count,
        "missed_count": schedule.missed_count,
        "last_skip_reason": schedule.last_skip_reason,
        "created_at": iso(schedule.created_at),
        "created_by": schedule.created_by,
        "updated_at": iso(schedule.updated_at),
    }


def job_type_json(one: "JobType") -> dict[str, Any]:
    """A type with what its jobs start from and run."""
    return {
        "name": one.name,
        "kind": one.kind.value,
        "command": list(one.command),
        "function": one.function,
        "python": one.python,
        "params": dict(one.params),
        "env": dict(one.env),
        "cwd": one.cwd,
        "timeout": seconds(one.timeout),
        "max_retries": one.max_retries,
        "backoff": one.backoff,
        "approval": gate_json(one.approval),
        "terminal_exits": sorted(one.exits.terminal),
        "retryable_exits": sorted(one.exits.retryable),
        "concurrency": one.concurrency,
        "concurrency_key": one.concurrency_key,
        "heartbeat": seconds(one.heartbeat),
        "report_within": seconds(one.report_within) if one.kind == "external" else None,
    }


def notification_json(one: "Notification") -> dict[str, Any]:
    """What is told to one target; a gate's token is never in it."""
    return {
        "id": one.id,
        "notification_id": one.notification_id,
        "event": one.event,
        "target": one.target,
        "job": one.job,
        "state": one.state,
        "attempts": one.attempts,
        "message": one.message,
        "last_error": one.last_error,
        "created_at": iso(one.created_at),
        "next_attempt_at": instant(one.next_attempt_at),
        "delivered_at": instant(one.delivered_at),
        "failed_at": instant(one.failed_at),
    }


def config_json(config: "Config") -> dict[str, Any]:
    """What a config settles."""
    return {
        "slots": config.slots,
        "grace": seconds(config.grace),
        "lease": seconds(config.lease),
        "log_limit": config.log_limit,
        "per_key_default": config.per_key_default,
        "per_key": dict(config.per_key),
        "retention": {
            "older_than": seconds(config.retention.older_than),
            "keep": config.retention.keep,
            "archive": config.retention.archive,
        },
        "secrets": {"patterns": list(config.secrets.patterns), "names": list(config.secrets.names)},
        "types": [job_type_json(one) for one in config.types.values()],
        "notify": [shown(one) for one in config.targets.values()],
    }


def dumped(value: object, indent: int | None = None) -> str:
    """The JSON text, with every character escaped that could do something to a terminal, and no secret."""
    value = masked_json(value, inside=False)
    if not is_utf8():
        return json.dumps(value, indent=indent)
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text if text.isascii() else _NOT_ASCII.sub(_escaped, text)


def print_json(value: object) -> None:
    """One document on stdout."""
    line(dumped(value, indent=2))


class JsonArray:
    """A long array: gathered first, so that no slow reader keeps the store waiting, then written in one go."""

    def __init__(self, values: Iterable[object]) -> None:
        self._lines = tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8")  # noqa: SIM115 - print closes it
        self._lines.write("[")
        separator = "\n"
        for value in values:
            self._lines.write(separator + dumped(value))
            separator = ",\n"
        self._lines.write("]\n" if separator == "\n" else "\n]\n")

    def print(self) -> None:
        """Write it to stdout."""
        with self._lines as lines:
            lines.seek(0)
            while sys.stdout is not None and (part := lines.read(1 << 20)):
                sys.stdout.write(part)


def _escaped(found: re.Match[str]) -> str:
    letter = found[0]
    return letter if letter.isprintable() else json.dumps(letter)[1:-1]
