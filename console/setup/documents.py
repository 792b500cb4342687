"""Templates and schedules as the file has them: only what differs from where such a thing starts anyway."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from console.setup.toml_text import toml_key, toml_value
from console.starts import start
from console.wishes import DEFAULT, Here
from core.config import Config
from core.edits import same
from core.jobs import Gate, Json, NewJob, NewSchedule, Schedule, Template
from core.when import exact_duration

NOWHERE = Here(datetime(1970, 1, 1, tzinfo=UTC), ZoneInfo("UTC"), cwd=None, runs_in=None)
"""Where a file stands that says nothing relative."""

Document = Mapping[str, Json]
"""One template or schedule, key by key."""

TEMPLATE, SCHEDULE = "template", "schedule"


@dataclass(frozen=True, slots=True)
class SetUp:
    """All templates and schedules, as documents by name."""

    templates: Mapping[str, Document] = field(default_factory=dict)
    schedules: Mapping[str, Document] = field(default_factory=dict)

    def text(self) -> str:
        """The file."""
        return "\n".join(
            f"[{table}.{toml_key(name)}]\n"
            + "".join(f"{toml_key(key)} = {toml_value(item)}\n" for key, item in one.items())
            for table, documents in (("templates", self.templates), ("schedules", self.schedules))
            for name, one in sorted(documents.items())
        )


def set_up_of(templates: list[Template], schedules: list[Schedule], config: Config) -> SetUp:
    """What a store has."""
    return SetUp(
        {one.name: template_document(one.new_job, config) for one in templates},
        {one.name: schedule_document(as_new(one)) for one in schedules},
    )


def template_document(new: NewJob, config: Config) -> Document:
    """What makes a template what it is, beyond its type's settings and the defaults."""
    base = start(config, NOWHERE, new.job_type).job
    parts: dict[str, Json] = {
        "type": (new.job_type, DEFAULT.job_type),
        "argv": (list(new.command.argv), []),
        "shell": (new.command.shell, False),
        "cwd": (new.command.cwd, None),
        "env": (dict(new.command.env), {}),
        "key": (new.job_key, base.job_key),
        "priority": (new.priority, base.priority),
        "max_retries": (new.max_retries, base.max_retries),
        "backoff": (new.backoff, base.backoff),
        "timeout": (_span(new.timeout), _span(base.timeout)),
        "concurrency_key": (new.concurrency_key, base.concurrency_key),
        "draft": (new.draft, base.draft),
        "hold": (new.held, base.held),
        "tags": (dict(new.tags), {}),
    }
    if new.approval is not None and new.approval != base.approval:
        parts["approval"] = (new.approval.message, None)
        usual_gate = base.approval or Gate("")
        parts["four_eyes"] = (new.approval.four_eyes, usual_gate.four_eyes)
        parts["approval_expires"] = (_span(new.approval.expires_after), _span(usual_gate.expires_after))
    own = {
        name: item for name, item in new.params.items() if name not in base.params or not same(item, base.params[name])
    }
    parts["params"] = (_params(own), {})
    return {key: item for key, (item, usual) in parts.items() if item is not None and item != usual}


def schedule_document(new: NewSchedule) -> Document:
    """What makes a schedule what it is."""
    parts: dict[str, Any] = {
        "template": (new.template, None),
        "cron": (new.cron_expression, None),
        "timezone": (new.timezone, "UTC"),
        "enabled": (new.enabled, True),
        "catch_up": (str(new.catch_up), "one"),
        "overlap": (str(new.overlap), "skip"),
        "pause_on_failure": (new.pause_on_failure, False),
        "params": (_params(new.param_overrides), {}),
    }
    return {key: item for key, (item, usual) in parts.items() if item != usual}


def as_new(one: Schedule) -> NewSchedule:
    """A schedule as it would be handed in."""
    return NewSchedule(
        one.name,
        one.template_name,
        one.cron_expression,
        one.timezone,
        one.enabled,
        one.catch_up,
        one.overlap,
        one.pause_on_failure,
        one.param_overrides,
    )


def _params(params: Mapping[str, Json]) -> Json:
    """Params as a table, or as JSON in a text where TOML has no word for what is in them."""
    try:
        toml_value(params)
    except ValueError:
        from core.jsontext import PARAMS_LIMIT, dumps

        return dumps(dict(params), "the params", PARAMS_LIMIT)
    return dict(params)


def _span(span: Any) -> str | None:
    return None if span is None else exact_duration(span)
