"""What the fields of a job mean, in words: what is run, when, how often it is tried again."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

from console.app.widgets.offers import Offer
from console.moments import exact
from console.typed import as_command_line, command_line, params_of, tags_of, whole_number
from console.wishes import Here
from core.config import Config
from core.job_types import BUILT_IN, JobType, Kind, target_of
from core.jobs import Command, Gate, Json, Template
from core.retry import parse_backoff
from core.when import exact_duration, iso, parse_duration, parse_instant, resolve_wall, wall_at
from store.job_columns import (
    approval_column,
    params_column,
    priority_column,
    retries_column,
    tags_column,
    time_column,
    timeout_column,
)

LONGEST = 400
"""More of a value is not shown."""


def argv_of(text: str, *, shell: bool) -> tuple[str, ...]:
    """The arguments that a command line means; for the shell it is one text."""
    return (text.strip(),) if shell else command_line(text)


def command_text(command: Command) -> str:
    """The command line that means this command."""
    return command.argv[0] if command.shell and command.argv else as_command_line(command.argv)


def command_words(job_type: JobType, command: Command) -> str:
    """What is run for a job with this command."""
    if job_type.kind is Kind.PYTHON:
        return f"calls {target_of(job_type, command)}"
    where = f" in {command.cwd}" if command.cwd else ""
    if command.shell:
        return f"/bin/sh runs it{where}"
    return f"runs {as_json(list(command.argv))}{where}"


def type_words(config: Config, job_type: JobType) -> str:
    """What a type brings with it."""
    if job_type.name not in config.types:
        return "" if job_type.name in BUILT_IN else "not declared in the config; it runs plain commands"
    brings = [
        f"runs {' '.join(job_type.command)}" if job_type.command else "",
        f"calls {job_type.function}" if job_type.function else "",
        f"params {as_json(dict(job_type.params))}" if job_type.params else "",
        f"timeout {exact_duration(job_type.timeout)}" if job_type.timeout is not None else "",
        f'asks "{job_type.approval.message}" first' if job_type.approval is not None else "",
    ]
    return "; ".join(filter(None, brings))


def type_offers(config: Config) -> list[Offer]:
    """The types that are declared or built in."""
    return [
        Offer(name, type_words(config, config.type_named(name))) for name in dict.fromkeys([*config.types, *BUILT_IN])
    ]


def template_offers(templates: Sequence[Template]) -> list[Offer]:
    """The templates, each with what it runs."""
    return [Offer(one.name, one.new_job.command.text or f"type {one.new_job.job_type}") for one in templates]


def as_json(value: Json) -> str:
    """A value as JSON, cut where it gets endless."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def checked_params(text: str) -> dict[str, Json]:
    """Params from their lines, if they can be stored."""
    found = params_of(text)
    params_column(found)
    return found


def checked_tags(text: str) -> dict[str, str]:
    """Tags from their lines, if they can be stored."""
    found = tags_of(text)
    tags_column(found)
    return found


def params_words(params: Mapping[str, Json]) -> str:
    """Params as the job gets them; texts and numbers can be told apart."""
    return as_json(dict(params)) if params else ""


def priority_of(text: str) -> int:
    """A priority within its bounds."""
    return priority_column(whole_number(text, "the priority"))


def retries_of(text: str) -> int:
    """A number of retries within its bounds."""
    return retries_column(whole_number(text, "the number of retries"))


def retries_words(number: int) -> str:
    """How often a job is tried."""
    return "one attempt, no retry" if not number else f"up to {number + 1} attempts in all"


def backoff_words(text: str) -> str:
    """The waits before the first retries."""
    backoff = parse_backoff(text)
    waits = [backoff.longest(retry) for retry in range(5)]
    if len(set(waits)) == 1:
        return f"waits {exact_duration(waits[0])} before each retry"
    growing = [exact_duration(wait) for wait in takewhile(lambda wait: wait < backoff.cap, waits)]
    words = f"waits {', '.join(growing)}, … up to {exact_duration(backoff.cap)}"
    return f"{words}; each wait is drawn from zero to that" if backoff.jitter else words


def timeout_of(text: str) -> timedelta:
    """How long a run may take."""
    length = parse_duration(text)
    timeout_column(length)
    return length


def timeout_words(length: timedelta) -> str:
    """What a timeout does."""
    return f"a run is stopped after {exact_duration(length)}"


def instant_of(text: str, here: Here) -> datetime:
    """The instant that is meant here and now."""
    instant = parse_instant(text, here.now, here.zone)
    time_column(instant, "the time")
    return instant


def start_words(instant: datetime, here: Here) -> str:
    """When a job may start."""
    past = "; that has passed, so it may start at once" if instant <= here.now else ""
    return f"not before {exact(instant, here.zone, here.now)}{past}"


def instant_text(instant: datetime, zone: ZoneInfo) -> str:
    """An instant as one types it here; where the clock here would not find it again, in UTC."""
    wall = wall_at(instant, zone)
    if resolve_wall(wall, zone) != instant:
        return iso(instant)
    return wall.isoformat(" ", "microseconds" if wall.microsecond else "seconds")


def gate_of(text: str, base: Gate | None = None) -> Gate:
    """The question that is asked before the run, with what else another one asks for."""
    gate = Gate(text) if base is None else Gate(text, base.four_eyes, base.expires_after)
    approval_column(gate)
    return gate
