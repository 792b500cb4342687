"""Types of jobs: what the jobs of a type have in common, and what is run for one of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from core.classify import DEFAULT_EXIT_CLASSES, ExitClasses
from core.jobs import Command, Gate, Json, NewJob
from core.jsontext import PARAMS_LIMIT, dumps
from core.refusals import BadInput
from core.when import quoted

ARGUMENT_LIMIT = 131_072
"""Linux starts no process with an argument of so many bytes."""

SHELL = "/bin/sh"


class Kind(StrEnum):
    """How the jobs of a type are run."""

    COMMAND = "command"
    PYTHON = "python"
    EXTERNAL = "external"


@dataclass(frozen=True, slots=True)
class JobType:
    """What the jobs of one type have in common; a job may say otherwise for itself."""

    name: str
    kind: Kind = Kind.COMMAND
    command: tuple[str, ...] = ()
    """What a job without a command of its own runs; `{name}` in it stands for a param."""
    function: str | None = None
    """`module:function`, for python only."""
    python: str | None = None
    """The interpreter, for python only; None is the engine's own."""
    params: Mapping[str, Json] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    timeout: timedelta | None = None
    max_retries: int | None = None
    """None is the default of any job, as with the backoff."""
    backoff: str | None = None
    approval: Gate | None = None
    """What is asked before each run of such a job."""
    exits: ExitClasses = DEFAULT_EXIT_CLASSES
    concurrency: int | None = None
    """How many jobs of this type may run at once."""
    concurrency_key: str = ""
    heartbeat: timedelta | None = None
    """A run that says nothing for so long counts as hung."""
    report_within: timedelta = timedelta(days=1)
    """How long a result may take, for external only."""

    def __post_init__(self) -> None:
        for element in self.command:
            parts_of(element)
        if self.function is not None:
            check_target(self.function)
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))
        object.__setattr__(self, "env", MappingProxyType(dict(self.env)))

    def new_job(self) -> NewJob:
        """What a job of this type starts from; command, environment and directory are looked up when it runs."""
        chosen: dict[str, Any] = {"max_retries": self.max_retries, "backoff": self.backoff}
        return NewJob(
            job_type=self.name,
            params=dict(self.params),
            timeout=self.timeout,
            approval=self.approval,
            concurrency_key=self.concurrency_key,
            **{name: value for name, value in chosen.items() if value is not None},
        )


BUILT_IN: Mapping[str, JobType] = MappingProxyType({kind.value: JobType(kind.value, kind) for kind in Kind})
"""The types that are there without being declared, one of each kind."""


def check_command(job_type: JobType, command: Command) -> None:
    """Refuse a job for which there is nothing to run."""
    if job_type.kind is Kind.PYTHON:
        target_of(job_type, command)
    elif not command.argv and not job_type.command:
        if job_type.name == Kind.COMMAND:
            raise BadInput("there is no command; give one behind --, as in: jobdeck submit -- echo hello")
        raise BadInput(
            f"there is no command, and type {job_type.name} has none of its own; "
            "give one behind --, or declare the type's in the config"
        )


def argv_of(job_type: JobType, command: Command, params: Mapping[str, Json]) -> tuple[str, ...]:
    """The arguments to run for a job: its own as they stand, else its type's with the params filled in."""
    check_command(job_type, command)
    if command.shell:
        return (SHELL, "-c", command.text)
    if command.argv:
        return command.argv
    given = {**job_type.params, **params}
    argv = tuple(argument for element in job_type.command for argument in _filled(job_type.name, element, given))
    if not argv or not argv[0].strip():
        raise BadInput(f"type {job_type.name} has nothing to run with these params: the name of the program is empty")
    return argv


def target_of(job_type: JobType, command: Command) -> str:
    """The `module:function` that a python job calls: its own, else its type's."""
    if not command.argv:
        if job_type.function is None:
            raise BadInput(
                "there is no function; give it as module:function behind --, "
                f"as in: jobdeck submit --type {job_type.name} -- reports:monthly"
            )
        return job_type.function
    if command.shell:
        raise BadInput(f"type {job_type.name} calls a python function, which no shell can run")
    if len(command.argv) > 1:
        raise BadInput(f"type {job_type.name} calls a python function, which takes params and no arguments")
    return check_target(command.argv[0])


def check_target(text: str) -> str:
    """The text itself, if it names a function in a module."""
    module, colon, function = text.partition(":")
    if not (colon and function.isidentifier() and all(part.isidentifier() for part in module.split("."))):
        raise BadInput(f"{quoted(text)} is not a function; write module:function, as in reports:monthly")
    return text


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in a type's command that a param fills."""

    name: str


_PART = re.compile(r"(?P<text>[^{}]+)|(?P<brace>\{\{|\}\})|\{(?P<name>[^\W\d][\w-]*)\}|(?P<stray>\{[^{}]*\}?|\})")
"""All that an element can be made of: each character of any text belongs to one of these."""


@lru_cache(maxsize=1024)
def parts_of(element: str) -> tuple[str | Hole, ...]:
    """The texts and the holes that one element of a type's command is made of."""
    _check_argument(element, "an element of the command")
    parts: list[str | Hole] = []
    for found in _PART.finditer(element):
        if found["stray"]:
            raise BadInput(f"{quoted(found['stray'])} names no param; write {{name}}, and {{{{ or }}}} for a brace")
        parts.append(Hole(found["name"]) if found["name"] else found[0][0] if found["brace"] else found[0])
    return tuple(parts)


def _filled(type_name: str, element: str, params: Mapping[str, Json]) -> list[str]:
    """What one element becomes: one argument, or one for each item of the list that is all it names."""
    parts = parts_of(element)
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif part.name not in params:
            raise BadInput(f'type {type_name} needs the param "{part.name}"')
        elif len(parts) == 1 and isinstance(params[part.name], list | tuple):
            return [_argument(type_name, part.name, item, "holds") for item in params[part.name]]
        else:
            texts.append(_argument(type_name, part.name, params[part.name], "is"))
    return [_check_argument("".join(texts), f"an argument of type {type_name}")]


def _argument(type_name: str, name: str, value: Json, verb: str) -> str:
    """A param as the text of an argument."""
    if value is None:
        return ""
    what = f'the param "{name}" of type {type_name}'
    if isinstance(value, str):
        return _check_argument(value, what)
    if isinstance(value, bool | int | float):
        return dumps(value, what, PARAMS_LIMIT)
    if isinstance(value, list | tuple):
        raise BadInput(f"{what} {verb} a list; only a list of texts and numbers can fill a whole argument")
    raise BadInput(f"{what} {verb} an object, which no argument can be")


def _check_argument(text: str, what: str) -> str:
    """Refuse what no process can be given."""
    if "\0" in text:
        raise BadInput(f"{what} holds a NUL character, which no program can be given")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise BadInput(f"{what} is not valid UTF-8") from None
    if size >= ARGUMENT_LIMIT:
        raise BadInput(f"{what} takes {size:,} bytes; an argument has less than {ARGUMENT_LIMIT:,}")
    return text
