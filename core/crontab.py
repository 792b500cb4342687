"""Crontabs as people have them: each line understood, or refused with its number and the reason."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.cron_fields import parse_fields
from core.refusals import BadInput
from core.when import parse_zone

LINE_LIMIT = 10_000

_ENVIRONMENT = re.compile(r"""(?P<name>[A-Za-z_][A-Za-z0-9_]*|"[^"]*"|'[^']*')\s*=\s*(?P<value>.*)""")
_NICKNAME = re.compile(r"(?P<when>@[A-Za-z]+)\s+(?P<rest>.+)")
_FIVE_FIELDS = re.compile(r"(?P<when>\S+(?:\s+\S+){4})\s+(?P<rest>.+)")
_USER = re.compile(r"(?P<user>[A-Za-z_][A-Za-z0-9_.-]*\$?)\s+(?P<rest>.+)")
_PERCENT = re.compile(r"(?<!\\)%")
_OURS = {"SHELL", "MAILTO", "MAILFROM", "CRON_TZ", "TZ", "LOGNAME", "USER", "CONTENT_TYPE", "RANDOM_DELAY"}
"""What tells cron something; the rest goes into the environment of the commands."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that fires."""

    number: int
    cron: str
    timezone: str
    shell: str
    command: str
    """What the shell is given."""
    input: str
    """What the command reads; cron takes it from behind the first %."""
    user: str | None
    env: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What of the line is done differently here."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that can't be taken over."""

    number: int
    line: str
    reason: str


@dataclass
class _Settings:
    """What the lines above have said."""

    timezone: str
    env: dict[str, str] = field(default_factory=dict)
    mail_to: str | None = None
    shell: str = "/bin/sh"


def read_crontab(text: str, timezone: str, *, with_users: bool = False) -> list[Entry | Refused]:
    """Every line that fires, in order; `with_users` for a system crontab, which has a user before the command."""
    settings = _Settings(timezone)
    return list(_lines(text, settings, with_users))


def _lines(text: str, settings: _Settings, with_users: bool) -> Iterator[Entry | Refused]:
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        try:
            entry = _entry(number, stripped, settings, with_users)
        except BadInput as error:
            yield Refused(number, stripped[:200], str(error))
            continue
        if entry is not None:
            yield entry


def _entry(number: int, line: str, settings: _Settings, with_users: bool) -> Entry | None:
    if len(line) > LINE_LIMIT:
        raise BadInput(f"the line has {len(line):,} characters; the limit is {LINE_LIMIT:,}")
    if "\0" in line:
        raise BadInput("the line holds a NUL character")
    assignment = _ENVIRONMENT.fullmatch(line)
    if assignment is not None:
        _set(settings, assignment)
        return None
    when, rest = _when(line)
    user = None
    if with_users:
        named = _USER.fullmatch(rest)
        if named is None:
            raise BadInput("there is no user and command behind the time")
        user, rest = named["user"], named["rest"]
    command, given = _input(rest)
    notes = []
    if settings.mail_to:
        notes.append(f"its output is not mailed to {settings.mail_to}; it is in its log")
    if user is not None:
        notes.append(f"it runs as you, not as {user}")
    return Entry(
        number, when, settings.timezone, settings.shell, command, given, user, dict(settings.env), tuple(notes)
    )


def _set(settings: _Settings, assignment: "re.Match[str]") -> None:
    name = assignment["name"].strip("\"'")
    value = assignment["value"].strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if name in {"CRON_TZ", "TZ"}:
        parse_zone(value)
        settings.timezone = value
    if name == "MAILTO":
        settings.mail_to = value or None
    elif name == "SHELL":
        settings.shell = value or "/bin/sh"
    if name not in _OURS:
        settings.env[name] = value


def _when(line: str) -> tuple[str, str]:
    """The time of a line as an expression, and what stands behind it."""
    found = _NICKNAME.fullmatch(line) if line.startswith("@") else _FIVE_FIELDS.fullmatch(line)
    if found is None:
        raise BadInput("it has no command behind five fields, or behind a name such as @daily")
    when = " ".join(found["when"].split())
    if when.lower() == "@reboot":
        raise BadInput("@reboot is no time: have a service start it, or submit it when the machine starts")
    parse_fields(when)
    return when, found["rest"]


def _input(rest: str) -> tuple[str, str]:
    """The command, and what it reads: cron cuts at the first bare %, and makes the others newlines."""
    command, *lines = _PERCENT.split(rest)
    given = "\n".join(line.replace("\\%", "%") for line in lines)
    return command.replace("\\%", "%").strip(), given + "\n" if lines else ""
