"""Between rows and values: instants as microseconds, JSON as text."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from core.executions import ExecStatus, Outcome
from core.jobs import Approval, Command, Execution, Gate, HistoryEntry, Job, Json, Reservation, Schedule
from core.notifications import Notification
from core.status import Status

Row = Any
"""A row that answers to its columns' names."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_us(instant: datetime) -> int:
    """An instant as whole microseconds since 1970."""
    return (instant - _EPOCH) // _MICROSECOND


def to_us_or_none(instant: datetime | None) -> int | None:
    """An instant that may be absent, as microseconds."""
    return None if instant is None else (instant - _EPOCH) // _MICROSECOND


def from_us(value: int) -> datetime:
    """Microseconds since 1970 as an instant."""
    return _EPOCH + timedelta(microseconds=value)


def from_us_or_none(value: int | None) -> datetime | None:
    """Microseconds that may be absent, as an instant."""
    return None if value is None else _EPOCH + timedelta(microseconds=value)


def span_to_us(span: timedelta | None) -> int | None:
    """A duration that may be absent, as microseconds."""
    return None if span is None else span // _MICROSECOND


def span_from_us(value: int | None) -> timedelta | None:
    """Microseconds that may be absent, as a duration."""
    return None if value is None else timedelta(microseconds=value)


_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dump(value: Json) -> str:
    """A value that was checked before, as compact JSON."""
    return _compact.encode(value)


def load(text: str | None) -> Json:
    """JSON as a value; absent stays None."""
    return None if text is None else json.loads(text)


def command_json(command: Command) -> str:
    """A command as JSON, without what is default."""
    parts: dict[str, Json] = {}
    if command.argv:
        parts["argv"] = command.argv
    if command.cwd is not None:
        parts["cwd"] = command.cwd
    if command.env:
        parts["env"] = dict(command.env)
    if command.shell:
        parts["shell"] = True
    return dump(parts)


def command_of(text: str) -> Command:
    """A command from its JSON."""
    parts: Mapping[str, Json] = json.loads(text)
    return Command(
        tuple(parts.get("argv", ())), parts.get("cwd"), parts.get("env", {}), bool(parts.get("shell", False))
    )


def gate_json(gate: Gate | None) -> str | None:
    """A job's own gate as JSON."""
    if gate is None:
        return None
    return dump({"message": gate.message, "four_eyes": gate.four_eyes, "expires_after": span_to_us(gate.expires_after)})


def gate_of(text: str | None) -> Gate | None:
    """A job's own gate from its JSON."""
    if text is None:
        return None
    parts = json.loads(text)
    return Gate(parts["message"], bool(parts["four_eyes"]), span_from_us(parts["expires_after"]))


def job_of(row: Row) -> Job:
    """A job from its row."""
    return Job(
        id=row["id"],
        job_id=row["job_id"],
        job_type=row["job_type"],
        job_key=row["job_key"],
        status=Status(row["status"]),
        priority=row["priority"],
        position=row["position"],
        held=bool(row["held"]),
        attempt=row["attempt"],
        retry_count=row["retry_count"],
        max_retries=row["max_retries"],
        backoff=row["backoff"],
        retry_of=row["retry_of"],
        next_retry_at=from_us_or_none(row["next_retry_at"]),
        scheduled_run_time=from_us_or_none(row["scheduled_run_time"]),
        deadline_at=from_us_or_none(row["deadline_at"]),
        timeout=span_from_us(row["timeout"]),
        concurrency_key=row["concurrency_key"],
        exec_id=row["exec_id"],
        cancel_requested_at=from_us_or_none(row["cancel_requested_at"]),
        error_message=row["error_message"],
        error_type=row["error_type"],
        created_by=row["created_by"],
        created_at=from_us(row["created_at"]),
        queued_at=from_us_or_none(row["queued_at"]),
        started_at=from_us_or_none(row["started_at"]),
        finished_at=from_us_or_none(row["finished_at"]),
        updated_at=from_us(row["updated_at"]),
        updated_by=row["updated_by"],
        revision=row["revision"],
        template_id=row["template_id"],
        schedule_id=row["schedule_id"],
        fire_time=from_us_or_none(row["fire_time"]),
        reservation_id=row["reservation_id"],
        tags=json.loads(row["tags"]),
        command=command_of(row["command"]),
        approval=gate_of(row["approval"]),
        params=json.loads(row["params"]),
        checkpoint=load(row["checkpoint"]),
        result=load(row["result"]),
    )


def execution_of(row: Row) -> Execution:
    """An execution from its row."""
    return Execution(
        exec_id=row["exec_id"],
        job_id=row["job_id"],
        attempt=row["attempt"],
        status=ExecStatus(row["status"]),
        outcome=None if row["outcome"] is None else Outcome(row["outcome"]),
        lease_owner=row["lease_owner"],
        lease_expires_at=from_us(row["lease_expires_at"]),
        exit_code=row["exit_code"],
        error=row["error"],
        error_type=row["error_type"],
        leased_at=from_us(row["leased_at"]),
        started_at=from_us_or_none(row["started_at"]),
        handed_over_at=from_us_or_none(row["handed_over_at"]),
        committed_at=from_us_or_none(row["committed_at"]),
        finished_at=from_us_or_none(row["finished_at"]),
        log_path=row["log_path"],
        pid=row["pid"],
        pid_started=row["pid_started"],
        boot_id=row["boot_id"],
        progress=None if row["progress"] is None else row["progress"] / 100,
        progress_text=row["progress_text"],
        params_snapshot=json.loads(row["params_snapshot"]),
        artifacts=tuple(json.loads(row["artifacts"])),
    )


def approval_of(row: Row) -> Approval:
    """A gate from its row joined with its job's number as `job`."""
    return Approval(
        approval_id=row["approval_id"],
        job_id=row["job_id"],
        job=row["job"],
        exec_id=row["exec_id"],
        name=row["name"],
        message=row["message"],
        requested_at=from_us(row["requested_at"]),
        requested_by=row["requested_by"],
        four_eyes=bool(row["four_eyes"]),
        expires_at=from_us_or_none(row["expires_at"]),
        decision=row["decision"],
        decided_at=from_us_or_none(row["decided_at"]),
        decided_by=row["decided_by"],
        comment=row["comment"],
        consumed_at=from_us_or_none(row["consumed_at"]),
    )


def history_of(row: Row) -> HistoryEntry:
    """A line of history from its row joined with its job's number as `job`."""
    return HistoryEntry(
        id=row["id"],
        job_id=row["job_id"],
        job=row["job"],
        previous_status=None if row["previous_status"] is None else Status(row["previous_status"]),
        new_status=Status(row["new_status"]),
        event=row["event"],
        actor=row["actor"],
        reason=row["reason"],
        metadata=load(row["metadata"]),
        created_at=from_us(row["created_at"]),
    )


def schedule_of(row: Row) -> Schedule:
    """A schedule from its row joined with its template's name."""
    return Schedule(
        schedule_id=row["schedule_id"],
        name=row["name"],
        template_id=row["template_id"],
        template_name=row["template_name"],
        cron_expression=row["cron_expression"],
        timezone=row["timezone"],
        enabled=bool(row["enabled"]),
        catch_up=row["catch_up"],
        overlap=row["overlap"],
        pause_on_failure=bool(row["pause_on_failure"]),
        param_overrides=json.loads(row["param_overrides"]),
        last_triggered_at=from_us_or_none(row["last_triggered_at"]),
        next_trigger_at=from_us_or_none(row["next_trigger_at"]),
        fired_count=row["fired_count"],
        skipped_count=row["skipped_count"],
        missed_count=row["missed_count"],
        last_skip_reason=row["last_skip_reason"],
        created_at=from_us(row["created_at"]),
        created_by=row["created_by"],
        updated_at=from_us(row["updated_at"]),
    )


def reservation_of(row: Row) -> Reservation:
    """A direct reservation from its row."""
    return Reservation(
        reservation_id=row["reservation_id"],
        reserved_at=from_us(row["reserved_at"]),
        reserved_by=row["reserved_by"],
        status=row["status"],
        expires_at=from_us(row["expires_at"]),
        ended_at=from_us_or_none(row["ended_at"]),
    )


def notification_of(row: Row) -> Notification:
    """A notification from its row joined with its job's number as `job`."""
    return Notification(
        id=row["id"],
        notification_id=row["notification_id"],
        event=row["event"],
        target=row["target"],
        job=row["job"],
        created_at=from_us(row["created_at"]),
        attempts=row["attempts"],
        next_attempt_at=from_us_or_none(row["next_attempt_at"]),
        delivered_at=from_us_or_none(row["delivered_at"]),
        failed_at=from_us_or_none(row["failed_at"]),
        last_error=row["last_error"],
        payload=json.loads(row["payload"]),
    )
