"""Secrets: variables that name where their value is, and what is never shown of the values that are."""

import os.path
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from core.refusals import BadInput
from core.when import quoted

FILE, ENV = "@file:", "@env:"
ESCAPE = "@"
"""Doubled in front, it makes a value that only looks like a reference a plain one."""
HIDDEN = "•••"

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def kept_environment(env: Mapping[str, str], base: str | None) -> dict[str, str]:
    """The variables as they are stored: references stay references, with paths that are the same everywhere."""
    return {name: _kept(name, value, base) for name, value in env.items()}


def _kept(name: str, value: str, base: str | None) -> str:
    if value.startswith(FILE):
        path = value.removeprefix(FILE)
        if not path.strip() or "\0" in path or "\n" in path:
            raise BadInput(f"the variable {name}: {FILE} needs the path of a file, as in {FILE}/run/secrets/token")
        expanded = os.path.expanduser(path)
        if not os.path.isabs(expanded) and base is None:
            raise BadInput(f"the variable {name}: {quoted(path)} depends on where one stands; write it from / or ~ on")
        return FILE + os.path.normpath(os.path.join(base or "/", expanded))
    if value.startswith(ENV) and not _VARIABLE.fullmatch(value.removeprefix(ENV)):
        raise BadInput(f"the variable {name}: {ENV} needs the name of a variable, as in {ENV}TOKEN")
    return value


@dataclass(frozen=True, slots=True)
class Secrets:
    """What an operator does not want to see on any screen."""

    patterns: tuple[str, ...] = ()
    """Regular expressions; what matches is hidden wherever it stands."""
    names: tuple[str, ...] = ()
    """Names of params and variables, with * and ?; their values are hidden whole."""

    def __post_init__(self) -> None:
        for pattern in self.patterns:
            try:
                found = re.compile(pattern)
            except (re.error, RecursionError, OverflowError) as error:
                raise BadInput(f"{quoted(pattern)} is not a regular expression: {error}") from None
            if found.match(""):
                raise BadInput(f"{quoted(pattern)} matches what is empty, so it would hide everything")

    @property
    def expression(self) -> "re.Pattern[str] | None":
        """All patterns in one; None without any."""
        return re.compile("|".join(f"(?:{_scoped(one)})" for one in self.patterns)) if self.patterns else None

    def hides(self, name: str) -> bool:
        """Whether the values under that name are hidden."""
        lowered = name.lower()
        return any(fnmatchcase(lowered, one.lower()) for one in self.names)


_FLAGS = re.compile(r"\(\?([aimsx]+)\)")


def _scoped(pattern: str) -> str:
    """The pattern with flags at its beginning made flags of its own, so that it can stand among others."""
    flags = _FLAGS.match(pattern)
    return pattern if flags is None else f"(?{flags[1].replace('a', '')}:{pattern[flags.end() :]})"
