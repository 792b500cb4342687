"""The config: how much runs at once, how long things may take, which types of jobs are declared, and who is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from core.bounds import KEY_LIMIT, NAME_LIMIT
from core.classify import DEFAULT_EXIT_CLASSES, ExitClasses
from core.config_fields import (
    Reader,
    a_backoff,
    a_command,
    a_duration,
    a_function,
    a_kind,
    a_limit,
    a_path,
    a_size,
    a_span,
    an_approval,
    an_environment,
    an_interpreter,
    at,
    exit_codes,
    items_of,
    joined,
    read_table,
    retries,
    short_text,
    some_params,
    some_texts,
)
from core.config_notify import targets
from core.job_types import BUILT_IN, JobType, Kind
from core.jsontext import KIB, MIB, check_text, format_bytes
from core.limits import MAX_SLOTS, Limits
from core.notifications import Target
from core.refusals import BadInput
from core.retention import MOST_KEPT, Retention
from core.secrets import Secrets
from core.when import exact_duration

_BOUNDS = {
    "grace": (timedelta(0), timedelta(days=1)),
    "lease": (timedelta(seconds=1), timedelta(hours=1)),
}
LEAST_LOG = 64 * KIB
MOST_LOG = MIB * MIB


@dataclass(frozen=True, slots=True)
class Config:
    """What an operator has settled; every field has the value that holds without a config."""

    slots: int | None = None
    """How many jobs run at once; None leaves it to the engine."""
    grace: timedelta = timedelta(seconds=10)
    """How long a job that is asked to stop may take."""
    lease: timedelta = timedelta(seconds=30)
    """How long an execution counts as alive after its last sign of life."""
    log_limit: int = 64 * MIB
    """How many bytes of what an execution prints are kept."""
    types: Mapping[str, JobType] = field(default_factory=dict)
    """The types that are declared, by name."""
    per_key_default: int = 1
    per_key: Mapping[str, int] = field(default_factory=dict)
    retention: Retention = field(default_factory=Retention)
    """How long finished jobs are kept; for ever, unless it says otherwise."""
    secrets: Secrets = field(default_factory=Secrets)
    """What is hidden on screens."""
    theme: str | None = None
    """The console's colours; None leaves them to what it remembers."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The console's keys that are not its own, by action."""
    targets: Mapping[str, Target] = field(default_factory=dict)
    """Who is told what happens, by name."""

    def __post_init__(self) -> None:
        for name, (least, most) in _BOUNDS.items():
            value = getattr(self, name)
            if not least <= value <= most:
                bounds = f"{exact_duration(least)} to {exact_duration(most)}"
                raise BadInput(f"{name}: {exact_duration(value)} is out of bounds; use {bounds}")
        if not LEAST_LOG <= self.log_limit <= MOST_LOG:
            bounds = f"{format_bytes(LEAST_LOG)} to {format_bytes(MOST_LOG)}"
            raise BadInput(f"log_limit: {self.log_limit:,} bytes is out of bounds; use {bounds}")
        object.__setattr__(self, "types", MappingProxyType(dict(self.types)))
        object.__setattr__(self, "per_key", MappingProxyType(dict(self.per_key)))
        object.__setattr__(self, "keys", MappingProxyType(dict(self.keys)))
        object.__setattr__(self, "targets", MappingProxyType(dict(self.targets)))

    def limits(self, slots: int) -> Limits:
        """The limits that hold with so many slots."""
        per_type = {name: one.concurrency for name, one in self.types.items() if one.concurrency is not None}
        return Limits(slots, per_type, self.per_key_default, self.per_key)

    def type_named(self, name: str) -> JobType:
        """The type of that name; one that nobody declared runs plain commands."""
        return self.types.get(name) or BUILT_IN.get(name) or JobType(name)


def parse_config(data: Mapping[str, object]) -> Config:
    """The config that a parsed TOML document means."""
    said = read_table("", data, _CONFIG)
    per_key = said.pop("concurrency", {})
    screen = said.pop("console", {})
    told = said.pop("notify", {})
    return Config(per_key_default=per_key.pop(_DEFAULT_KEY, 1), per_key=per_key, targets=told, **screen, **said)


_DEFAULT_KEY = "default"
_a_limit = a_limit(MAX_SLOTS)


def _per_key(path: str, value: object) -> dict[str, int]:
    """The limits of concurrency keys, by name."""
    found = {}
    for name, item in items_of(path, value):
        with at(joined(path, name)):
            check_text(name, "the name of a key", KEY_LIMIT)
        found[name] = _a_limit(joined(path, name), item)
    return found


def _console(path: str, value: object) -> dict[str, Any]:
    """What the console looks like."""
    return read_table(path, value, {"theme": short_text(NAME_LIMIT), "keys": _key_names})


def _key_names(path: str, value: object) -> dict[str, str]:
    """The key of each action that is to have another one."""
    read = short_text(NAME_LIMIT)
    return {name: read(joined(path, name), item) for name, item in items_of(path, value)}


def _retention(path: str, value: object) -> Retention:
    """How long finished jobs are kept."""
    said = read_table(path, value, {"older_than": a_span, "keep": a_limit(MOST_KEPT), "archive": a_path})
    found = Retention(**said)
    if found.archive is not None and not found.bounded:
        raise BadInput(f"{path}.archive: nothing is ever archived without {path}.older_than or {path}.keep")
    return found


def _secrets(path: str, value: object) -> Secrets:
    """What is hidden on screens."""
    said = read_table(path, value, {"patterns": some_texts, "names": some_texts})
    with at(path):
        return Secrets(**said)


def _types(path: str, value: object) -> dict[str, JobType]:
    """The types that are declared, by name."""
    return {name: _job_type(joined(path, name), name, item) for name, item in items_of(path, value)}


def _job_type(path: str, name: str, value: object) -> JobType:
    with at(path):
        check_text(name, "the name of a type", NAME_LIMIT)
    said = read_table(path, value, _TYPE)
    kind = said.pop("kind", None) or (BUILT_IN[name].kind if name in BUILT_IN else Kind.COMMAND)
    if name in BUILT_IN and kind is not BUILT_IN[name].kind:
        raise BadInput(f"{path}.kind: the built-in type {name} keeps its kind, {BUILT_IN[name].kind}")
    for key in said:
        kinds = _ONLY_FOR.get(key, tuple(Kind))
        if kind not in kinds:
            raise BadInput(f"{path}.{key}: goes with the kind {' or '.join(kinds)}, and this type's kind is {kind}")
    return JobType(name, kind, exits=_exits(path, said), **said)


def _exits(path: str, said: dict[str, Any]) -> ExitClasses:
    terminal, retryable = said.pop("terminal_exits", ()), said.pop("retryable_exits", ())
    with at(f"{path}.terminal_exits"):
        DEFAULT_EXIT_CLASSES.changed(terminal)
    with at(f"{path}.retryable_exits"):
        return DEFAULT_EXIT_CLASSES.changed(terminal, retryable)


_ONLY_FOR: dict[str, tuple[Kind, ...]] = {
    "command": (Kind.COMMAND, Kind.EXTERNAL),
    "function": (Kind.PYTHON,),
    "python": (Kind.PYTHON,),
    "report_within": (Kind.EXTERNAL,),
}

_TYPE: dict[str, Reader] = {
    "kind": a_kind,
    "command": a_command,
    "function": a_function,
    "python": an_interpreter,
    "params": some_params,
    "env": an_environment,
    "cwd": a_path,
    "timeout": a_span,
    "max_retries": retries,
    "backoff": a_backoff,
    "approval": an_approval,
    "terminal_exits": exit_codes,
    "retryable_exits": exit_codes,
    "concurrency": _a_limit,
    "concurrency_key": short_text(KEY_LIMIT),
    "heartbeat": a_span,
    "report_within": a_span,
}

_CONFIG: dict[str, Reader] = {
    "slots": _a_limit,
    "grace": a_duration,
    "lease": a_duration,
    "log_limit": a_size,
    "types": _types,
    "concurrency": _per_key,
    "retention": _retention,
    "secrets": _secrets,
    "console": _console,
    "notify": targets,
}
