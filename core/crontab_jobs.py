"""From a crontab's line to what is run for it and how it is called, and back from a schedule to a line."""

import re
import shlex
from collections.abc import Iterable, Iterator

from core.crontab import Entry
from core.jobs import Command, Schedule
from core.refusals import BadInput

NAME_LENGTH = 60
SH = "/bin/sh"
_LIKE_SH = {"sh", "bash", "dash", "zsh", "ksh", "ash"}

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=\S*\s+")
_LEADS_ELSEWHERE = re.compile(r"cd\s+\S+\s*(&&|;)\s*")
_WRAPPER = re.compile(r"(sudo(\s+-u\s+\S+)?|nice(\s+-n\s*\S+)?|ionice(\s+-c\s*\S+)?|nohup|time|exec|env)\s+")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_SCRIPT = re.compile(r"\.(sh|py|pl|rb|php|bash)$")
_INTERPRETER = re.compile(r"(ba|da|z|k)?sh|python[0-9.]*|perl|ruby|php[0-9.]*|node|make")


def name_for(command: str, taken: set[str], prefix: str = "") -> str:
    """A name that tells what the line runs, made different from those that are taken."""
    base = f"{prefix}{_program(command)}"[:NAME_LENGTH]
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name


def command_for(entry: Entry, home: str) -> Command:
    """What is run for a line: in the directory, the shell and the environment that cron would give it."""
    command = entry.command
    if not command:
        raise BadInput("there is no command in front of the %")
    if entry.input:
        if entry.shell.rpartition("/")[2] not in _LIKE_SH:
            raise BadInput(
                f"what stands behind the % would be piped into the command, and {entry.shell} has other words "
                "for that; put the text into a file and let the command read it"
            )
        if "#" in command:
            raise BadInput("a command with a # and an input behind a % can't be told apart; put it into a script")
        given = entry.input.replace("\\", "\\\\").replace("\n", "\\n")
        command = f"printf %b {shlex.quote(given)} | ( {command} )"
    cwd = entry.env.get("HOME") or home
    if entry.shell == SH:
        return Command((command,), cwd, entry.env, shell=True)  # noqa: S604
    return Command((entry.shell, "-c", command), cwd, entry.env)


def crontab_of(schedules: Iterable[tuple[Schedule, Command]]) -> Iterator[str]:
    """The lines of a crontab that fires what these schedules do; what it can't say stands there as a comment."""
    zone: str | None = None
    for schedule, command in sorted(schedules, key=lambda one: (one[0].timezone, one[0].name)):
        if schedule.timezone != zone:
            zone = schedule.timezone
            yield f"CRON_TZ={zone}"
        yield f"# {_one_line(schedule.name)}{'' if schedule.enabled else ' (disabled)'}"
        words = _words(command)
        if words is None:
            yield "# its command has a newline in it, or is its type's own, so no line of a crontab can hold it"
        else:
            yield f"{'' if schedule.enabled else '# '}{schedule.cron_expression} {words}"


def _words(command: Command) -> str | None:
    """A command as the shell of a crontab reads it; None when no line can hold it."""
    if not command.argv:
        return None
    text = command.text if command.shell else shlex.join(command.argv)
    if command.env:
        pairs = shlex.join(f"{name}={value}" for name, value in command.env.items())
        text = f"env {pairs} {text}" if not command.shell else f"env {pairs} {SH} -c {shlex.quote(text)}"
    if command.cwd is not None:
        text = f"cd {shlex.quote(command.cwd)} && {text}"
    return None if "\n" in text or "\r" in text or "\0" in text else text.replace("%", "\\%")


def _program(command: str) -> str:
    """The name of the program that a shell's line is about."""
    rest = command.strip().lstrip("([{! ")
    while True:
        found = _ASSIGNMENT.match(rest) or _LEADS_ELSEWHERE.match(rest) or _WRAPPER.match(rest)
        if found is None:
            break
        rest = rest[found.end() :]
    words = [word.strip("\"'();&|") for word in rest.split()[:4]]
    names = [word.rpartition("/")[2] for word in words]
    program = names[0] if names else ""
    if _INTERPRETER.fullmatch(program) and len(names) > 1 and not words[1].startswith("-"):
        program = names[1]
    fit = _UNFIT.sub("-", _SCRIPT.sub("", program)).strip("-.")
    return fit or "cron"


def _one_line(text: str) -> str:
    return " ".join(text.split())
