"""What a job is handed in with, checked and made ready for its columns."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from uuid import UUID

from core.bounds import GATE_TEXT_LIMIT, KEY_LIMIT, NAME_LIMIT, PATH_LIMIT, PRIORITY_LIMIT, TEXT_LIMIT
from core.jobs import Command, Gate, Json
from core.jsontext import PAIRS_LIMIT, PARAMS_LIMIT, VALUE_LIMIT, check_text, dumps, format_bytes
from core.refusals import BadInput
from core.retry import MAX_RETRIES, parse_backoff
from core.when import EARLIEST, LATEST, LONGEST, iso
from store.rows import command_json, gate_json, span_to_us, to_us


@lru_cache(maxsize=1024)
def type_column(job_type: str) -> str:
    """A job's type, if it can be one."""
    return check_text(job_type, "the job type", NAME_LIMIT)


def key_column(job_key: str) -> str:
    """A job's key, if it can be one."""
    return check_text(job_key, "the job key", KEY_LIMIT)


@lru_cache(maxsize=1024)
def concurrency_column(key: str) -> str:
    """The key whose limit a job shares; empty for none."""
    return check_text(key, "the concurrency key", KEY_LIMIT, allow_empty=True)


def id_column(job_id: str) -> str:
    """An id that the caller chose, if it is a UUID as we write them."""
    try:
        written = str(UUID(job_id))
    except (ValueError, AttributeError, TypeError):
        written = ""
    if written != job_id:
        raise BadInput("the job id must be a UUID in lower case with its dashes")
    return job_id


def priority_column(priority: int) -> int:
    """A priority within its bounds."""
    if type(priority) is not int or not -PRIORITY_LIMIT <= priority <= PRIORITY_LIMIT:
        raise BadInput(
            f"the priority is {priority!s:.40}; use a whole number from {-PRIORITY_LIMIT} to {PRIORITY_LIMIT}"
        )
    return priority


def retries_column(max_retries: int) -> int:
    """A number of retries within its bounds."""
    if type(max_retries) is not int or not 0 <= max_retries <= MAX_RETRIES:
        raise BadInput(f"max retries is {max_retries!s:.40}; use 0 to {MAX_RETRIES}")
    return max_retries


@lru_cache(maxsize=1024)
def backoff_column(backoff: str) -> str:
    """A backoff in its one written form."""
    return str(parse_backoff(backoff))


def timeout_column(timeout: timedelta | None) -> int | None:
    """How long a run may take, in microseconds."""
    if timeout is not None and not timedelta(0) < timeout <= LONGEST:
        raise BadInput(f"the timeout must be longer than 0s and at most {LONGEST.days} days")
    return span_to_us(timeout)


def time_column(instant: datetime | None, what: str) -> int | None:
    """An instant that people can mean, in microseconds."""
    if instant is None:
        return None
    if instant.tzinfo is None:
        raise BadInput(f"{what} has no time zone")
    if not EARLIEST <= instant <= LATEST:
        raise BadInput(f"{what} is out of range; use the years {EARLIEST.year} to {LATEST.year}")
    return to_us(instant)


def deadline_column(deadline: datetime | None, start: datetime | None, now: datetime) -> int | None:
    """The instant by which a job must have started, if it still can."""
    column = time_column(deadline, "the deadline")
    if deadline is not None and deadline <= now:
        raise BadInput(f"the deadline {iso(deadline.astimezone(UTC))} has passed already, so the job could never start")
    if deadline is not None and start is not None and deadline <= start:
        raise BadInput("the deadline comes before the scheduled time, so the job could never start")
    return column


def params_column(params: Mapping[str, Json], what: str = "params") -> str:
    """Params as JSON within its limit."""
    return dumps(dict(params), what, PARAMS_LIMIT) if params else "{}"


def tags_column(tags: Mapping[str, str]) -> str:
    """Tags as JSON: names and texts."""
    if not tags:
        return "{}"
    if len(tags) > PAIRS_LIMIT:
        raise BadInput(f"a job has {len(tags):,} tags; the limit is {PAIRS_LIMIT}")
    for name, value in tags.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise BadInput(f"the tag {name!s:.40} must be a text with a text as its value")
        check_text(name, "the name of a tag", NAME_LIMIT)
        check_text(value, f'the tag "{name}"', VALUE_LIMIT, allow_empty=True)
    return dumps(dict(tags), "tags", TEXT_LIMIT)


def command_column(command: Command) -> str:
    """A command as JSON, once the system could be asked to run it."""
    argv = command.argv
    for argument in argv:
        if "\0" in argument:
            raise BadInput("an argument of the command holds a NUL character, which no program can be given")
    if argv and not argv[0].strip():
        raise BadInput("the command is empty; its first word is the program to run")
    if command.cwd is not None:
        check_text(command.cwd, "the working directory", PATH_LIMIT)
    for name, value in command.env.items():
        check_text(name, "the name of an environment variable", NAME_LIMIT)
        if "=" in name:
            raise BadInput(f'the environment variable "{name}" has a = in its name')
        if "\0" in value:
            raise BadInput(f'the environment variable "{name}" holds a NUL character')
    text = command_json(command)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise BadInput("the command is not valid UTF-8") from None
    if size > PARAMS_LIMIT:
        raise BadInput(f"the command takes {format_bytes(size)}; the limit is {format_bytes(PARAMS_LIMIT)}")
    return text


def approval_column(gate: Gate | None) -> str | None:
    """The gate before a job's run as JSON."""
    if gate is None:
        return None
    check_text(gate.message, "the approval message", GATE_TEXT_LIMIT, allow_newlines=True)
    if gate.expires_after is not None and not timedelta(0) < gate.expires_after <= LONGEST:
        raise BadInput(f"an approval must expire after more than 0s and at most {LONGEST.days} days")
    return gate_json(gate)


def reason_column(reason: str | None) -> str | None:
    """Why someone did something, in their words."""
    if reason is None:
        return None
    return check_text(reason, "the reason", GATE_TEXT_LIMIT, allow_newlines=True)
