"""Why an execution failed, in words, and whether trying again could help."""

import errno
import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from core.refusals import BadInput
from core.when import format_duration


class ErrorType(StrEnum):
    """Whether another attempt could help."""

    RETRYABLE = "RETRYABLE"
    TERMINAL = "TERMINAL"


TERMINAL_EXITS = frozenset({64, 65, 66, 77, 78, 126, 127})

_EXIT_WORDS = {
    64: "bad usage",
    65: "bad input data",
    66: "input not found",
    67: "unknown user",
    68: "unknown host",
    69: "service unavailable",
    70: "internal error",
    71: "operating system error",
    72: "system file missing",
    73: "output cannot be created",
    74: "input or output error",
    75: "temporary failure",
    76: "protocol error",
    77: "permission denied",
    78: "bad configuration",
    126: "command cannot be run",
    127: "command not found",
}

_SPAWN_WORDS = {
    errno.ENOENT: "command not found",
    errno.ENOTDIR: "command not found",
    errno.EACCES: "not allowed to run",
    errno.EPERM: "not allowed to run",
    errno.ENOEXEC: "not a program",
    errno.E2BIG: "arguments too long for",
    errno.ELOOP: "too many symbolic links in",
    errno.ENAMETOOLONG: "name too long",
}
"""Failures to start that stay the same however often it is tried; any other may pass."""

_CWD_WORDS = {
    errno.ENOENT: "working directory not found",
    errno.ENOTDIR: "working directory is not a directory",
    errno.EACCES: "not allowed to enter working directory",
}

_SHOWN = 200


@dataclass(frozen=True)
class ExitClasses:
    """Which exit codes end a job for good; a code named in neither set is retryable."""

    terminal: frozenset[int] = TERMINAL_EXITS
    retryable: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        for code in sorted(self.terminal | self.retryable):
            if not 1 <= code <= 255:
                raise BadInput(f"{code} is not the exit code of a failure; use 1 to 255")
        for code in sorted(self.terminal & self.retryable):
            raise BadInput(f"exit code {code} cannot be both terminal and retryable")

    def changed(self, terminal: Iterable[int] = (), retryable: Iterable[int] = ()) -> "ExitClasses":
        """These classes with some codes moved to the one side or the other."""
        to_terminal, to_retryable = frozenset(terminal), frozenset(retryable)
        for code in sorted(to_terminal & to_retryable):
            raise BadInput(f"exit code {code} cannot be both terminal and retryable")
        return ExitClasses(
            terminal=(self.terminal - to_retryable) | to_terminal,
            retryable=(self.retryable - to_terminal) | to_retryable,
        )

    def of(self, code: int) -> ErrorType:
        """The class of one exit code."""
        return ErrorType.TERMINAL if code in self.terminal else ErrorType.RETRYABLE


DEFAULT_EXIT_CLASSES = ExitClasses()


@dataclass(frozen=True)
class Failure:
    """How an execution failed."""

    message: str
    """The words shown to people."""
    error_type: ErrorType
    exit_code: int | None = None
    """What the process returned, None if it never ran or was stopped by a signal."""
    signal: int | None = None
    """The signal that ended the process, None if it ended by itself."""


@dataclass(frozen=True)
class Said:
    """What a job told about its own failure before it ended."""

    message: str = ""
    error_type: ErrorType | None = None
    """None when the job left that to its exit code."""


def classify_exit(code: int, classes: ExitClasses = DEFAULT_EXIT_CLASSES) -> Failure:
    """The failure behind a process's return code; a negative one is the signal that killed it."""
    if code == 0:
        raise ValueError("exit 0 is no failure")
    if code < 0:
        return classify_signal(-code)
    words = _EXIT_WORDS.get(code)
    if words is None and code > 128 and (name := _signal_name(code - 128)):
        words = f"what a shell returns for {name}"
    message = f"exit {code}: {words}" if words else f"exit {code}"
    return Failure(message, classes.of(code), exit_code=code)


def classify_signal(number: int) -> Failure:
    """The failure of a process that a signal killed."""
    name = _signal_name(number) or f"signal {number}"
    return Failure(f"killed by {name}", ErrorType.RETRYABLE, signal=number)


def classify_timeout(limit: timedelta) -> Failure:
    """The failure of an execution that ran longer than it may."""
    return Failure(f"timed out after {format_duration(limit)}", ErrorType.RETRYABLE)


def classify_spawn(error: OSError, program: str, cwd: str | None = None) -> Failure:
    """The failure of a process that could not be started."""
    code = error.errno or 0
    if cwd is not None and error.filename == cwd and cwd != program and code in _CWD_WORDS:
        return Failure(f"{_CWD_WORDS[code]}: {_short(cwd)}", ErrorType.TERMINAL)
    if code in _SPAWN_WORDS:
        return Failure(f"{_SPAWN_WORDS[code]}: {_short(program)}", ErrorType.TERMINAL)
    cause = os.strerror(code) if code else str(error) or "unknown error"
    return Failure(f"cannot start {_short(program)}: {cause}", ErrorType.RETRYABLE)


def heed(said: Said, ended: Failure | None = None) -> Failure:
    """The failure as the job itself told it; how the process ended only fills in what the job left out."""
    if ended is None:
        ended = Failure("the job reported a failure", ErrorType.RETRYABLE)
    return replace(ended, message=said.message or ended.message, error_type=said.error_type or ended.error_type)


def _signal_name(number: int) -> str | None:
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
