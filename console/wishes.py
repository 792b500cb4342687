"""What is wanted of a new job, by options or by a line of a file, laid over a template or the defaults."""

import os.path
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from core.jobs import Command, Gate, NewJob
from core.jsontext import check_text
from core.refusals import BadInput
from core.retry import parse_backoff
from core.secrets import kept_environment
from core.when import parse_duration, parse_instant, quoted

_ARGUMENT_LIMIT = 131_072
"""Linux starts no process with a longer argument."""


@dataclass(frozen=True)
class Here:
    """What relative words are relative to."""

    now: datetime
    zone: ZoneInfo
    cwd: str | None
    """What relative directories are relative to."""
    runs_in: str | None
    """The directory that a command runs in when none is named; None leaves it to the job's type."""


Reader = Callable[[str, Any, Here], Any]


def _text(name: str, value: Any, _here: Here) -> str:
    if value.__class__ is not str:
        raise BadInput(f"{name} must be text, not {_kind(value)}")
    return value


def _number(name: str, value: Any, _here: Here) -> int:
    if value.__class__ is not int:
        raise BadInput(f"{name} must be a whole number, not {_kind(value)}")
    return value


def _flag(name: str, value: Any, _here: Here) -> bool:
    if value.__class__ is not bool:
        raise BadInput(f"{name} must be true or false, not {_kind(value)}")
    return value


def _instant(name: str, value: Any, here: Here) -> datetime:
    return _read_instant(_text(name, value, here), here.now, here.zone)


def _duration(name: str, value: Any, here: Here) -> timedelta:
    if value.__class__ in (int, float):
        value = str(value)
    return _read_duration(_text(name, value, here))


def _backoff(name: str, value: Any, here: Here) -> str:
    return _read_backoff(_text(name, value, here))


def _argv(name: str, value: Any, _here: Here) -> tuple[str, ...]:
    if value.__class__ not in (list, tuple):
        raise BadInput(f'{name} must be a list of texts such as ["echo", "hello"], not {_kind(value)}')
    for argument in value:
        if argument.__class__ is not str:
            raise BadInput(f"{name} must hold nothing but texts, and it holds {_kind(argument)}")
        if not (argument.isascii() and argument.isprintable() and len(argument) < _ARGUMENT_LIMIT):
            check_text(argument.translate(_WELCOME), "an argument of the command", _ARGUMENT_LIMIT, allow_empty=True)
    if not value or not value[0].strip():
        raise BadInput("the command is empty; give at least the name of a program")
    return tuple(value)


_WELCOME = dict.fromkeys([*range(1, 32), *range(127, 160)], " ")
"""An argument may hold control characters; they are its own business, and they are shown as pictures."""


def _texts(name: str, value: Any, _here: Here) -> Mapping[str, str]:
    if value.__class__ is not dict:
        raise BadInput(f"{name} must be an object of texts, not {_kind(value)}")
    for key, text in value.items():
        if text.__class__ is not str:
            raise BadInput(f"{name} {quoted(key)} must be text, not {_kind(text)}")
    return value


def _environment(name: str, value: Any, here: Here) -> Mapping[str, str]:
    return kept_environment(_texts(name, value, here), here.cwd)


def _object(name: str, value: Any, _here: Here) -> Mapping[str, Any]:
    if value.__class__ is not dict:
        raise BadInput(f"{name} must be an object, not {_kind(value)}")
    return value


def _directory(name: str, value: Any, here: Here) -> str:
    text = _text(name, value, here)
    if not text:
        raise BadInput(f"{name} is empty; give it a directory")
    return os.path.normpath(os.path.join(here.cwd or "/", os.path.expanduser(text)))


_JOB, _COMMAND, _GATE = range(3)

_READERS: dict[str, tuple[int, str, Reader]] = {
    "type": (_JOB, "job_type", _text),
    "key": (_JOB, "job_key", _text),
    "priority": (_JOB, "priority", _number),
    "at": (_JOB, "scheduled_run_time", _instant),
    "draft": (_JOB, "draft", _flag),
    "hold": (_JOB, "held", _flag),
    "max_retries": (_JOB, "max_retries", _number),
    "backoff": (_JOB, "backoff", _backoff),
    "timeout": (_JOB, "timeout", _duration),
    "deadline": (_JOB, "deadline_at", _instant),
    "concurrency_key": (_JOB, "concurrency_key", _text),
    "tags": (_JOB, "tags", _texts),
    "params": (_JOB, "params", _object),
    "argv": (_COMMAND, "argv", _argv),
    "cwd": (_COMMAND, "cwd", _directory),
    "env": (_COMMAND, "env", _environment),
    "shell": (_COMMAND, "shell", _flag),
    "approval": (_GATE, "message", _text),
    "approval_expires": (_GATE, "expires_after", _duration),
    "four_eyes": (_GATE, "four_eyes", _flag),
}

DEFAULT = NewJob()


def laid_over(base: NewJob, wanted: Mapping[str, Any], here: Here) -> NewJob:
    """The job that these wishes make of another one; what is not wished for stays."""
    job: dict[str, Any] = {}
    command: dict[str, Any] = {}
    gate: dict[str, Any] = {}
    parts = (job, command, gate)
    for name, value in wanted.items():
        if value is None:
            continue
        reader = _READERS.get(name)
        if reader is None:
            raise unknown_name(name)
        part, field, read = reader
        parts[part][field] = read(name, value, here)
    if command:
        job["command"] = _command(base.command, command, here)
    if gate:
        job["approval"] = _gate(base.approval, gate)
    if base is DEFAULT:
        return NewJob(**job)
    for merged in ("params", "tags"):
        if merged in job:
            job[merged] = {**getattr(base, merged), **job[merged]}
    return replace(base, **job)


def unknown_name(name: str) -> BadInput:
    """The sentence for a name that no option has."""
    names = [*_READERS, "template"]
    close = get_close_matches(name.replace("-", "_").lower(), names, n=1)
    hint = f"did you mean {close[0]}?" if close else f"use {', '.join(sorted(names))}"
    return BadInput(f"{quoted(name)} is not something a job has; {hint}")


def _command(base: Command, wanted: Mapping[str, Any], here: Here) -> Command:
    argv = wanted.get("argv", base.argv)
    # A command typed here is meant to run here; a template's own keeps the template's directory.
    cwd = wanted.get("cwd", here.runs_in if "argv" in wanted else base.cwd)
    env = {**base.env, **wanted["env"]} if "env" in wanted else base.env
    shell = wanted.get("shell", base.shell and "argv" not in wanted)
    if shell and len(argv) != 1:
        raise BadInput(f"a shell command is exactly one text, and there are {len(argv)}; put it in quotes")
    return Command(argv, cwd, env, shell)


def _gate(base: Gate | None, wanted: Mapping[str, Any]) -> Gate:
    if "message" not in wanted and base is None:
        raise BadInput("four_eyes and approval_expires go with approval; say what is to be approved")
    return replace(base or Gate(""), **wanted)


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "nothing")


_read_instant = lru_cache(maxsize=4096)(parse_instant)
_read_duration = lru_cache(maxsize=1024)(parse_duration)


@lru_cache(maxsize=1024)
def _read_backoff(text: str) -> str:
    return str(parse_backoff(text))
