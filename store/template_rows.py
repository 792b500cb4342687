"""Between a template's row and the job it stands for."""

from typing import Any

from core.jobs import Json, NewJob, Template
from core.refusals import BadInput
from store.job_columns import (
    approval_column,
    backoff_column,
    command_column,
    concurrency_column,
    key_column,
    params_column,
    priority_column,
    retries_column,
    tags_column,
    timeout_column,
    type_column,
)
from store.rows import Row, command_of, dump, from_us, gate_of, load, span_from_us

_OF_ONE_JOB = (
    "scheduled_run_time",
    "deadline_at",
    "template_id",
    "schedule_id",
    "fire_time",
    "reservation_id",
    "job_id",
)


def template_columns(new: NewJob) -> dict[str, Any]:
    """A template's columns, under the same checks as a job's own."""
    for name in _OF_ONE_JOB:
        if getattr(new, name) is not None:
            raise BadInput(f"{name} belongs to one job, so a template can't have it")
    if new.job_key is not None:
        key_column(new.job_key)
    options: dict[str, Json] = {
        "job_key": new.job_key,
        "command": load(command_column(new.command)),
        "tags": load(tags_column(new.tags)),
        "priority": priority_column(new.priority),
        "timeout": timeout_column(new.timeout),
        "draft": new.draft,
        "held": new.held,
        "approval": load(approval_column(new.approval)),
        "max_retries": retries_column(new.max_retries),
        "backoff": backoff_column(new.backoff),
        "concurrency_key": concurrency_column(new.concurrency_key),
    }
    return {
        "job_type": type_column(new.job_type),
        "params": params_column(new.params),
        "options": dump(options),
    }


def new_job_of(row: Row) -> NewJob:
    """The job that a template stands for, ready to be submitted."""
    options = load(row["options"])
    plain = NewJob()
    approval = options.get("approval")
    return NewJob(
        job_type=row["job_type"],
        job_key=options.get("job_key"),
        command=command_of(dump(options.get("command", {}))),
        params=load(row["params"]),
        tags=options.get("tags", {}),
        priority=options.get("priority", plain.priority),
        timeout=span_from_us(options.get("timeout")),
        draft=options.get("draft", False),
        held=options.get("held", False),
        approval=None if approval is None else gate_of(dump(approval)),
        max_retries=options.get("max_retries", plain.max_retries),
        backoff=options.get("backoff", plain.backoff),
        concurrency_key=options.get("concurrency_key", ""),
        template_id=row["template_id"],
    )


def template_of(row: Row) -> Template:
    """A template from its row."""
    return Template(
        template_id=row["template_id"],
        name=row["name"],
        new_job=new_job_of(row),
        created_at=from_us(row["created_at"]),
        created_by=row["created_by"],
        updated_at=from_us(row["updated_at"]),
    )
