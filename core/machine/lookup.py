"""The values that references in an environment stand for, looked up on this machine when a process starts."""

import os
import stat
from collections.abc import Mapping

from core.refusals import BadInput
from core.secrets import ENV, ESCAPE, FILE

SIZE_LIMIT = 100_000
"""Linux starts no process with a longer variable."""


def resolved(env: Mapping[str, str]) -> dict[str, str]:
    """The variables with each reference replaced by what it names; BadInput says which one can't be."""
    return {name: _value(name, value) for name, value in env.items()}


def _value(name: str, value: str) -> str:
    if value.startswith(FILE):
        return _from_file(name, value.removeprefix(FILE))
    if value.startswith(ENV):
        variable = value.removeprefix(ENV)
        found = os.environ.get(variable)
        if found is None:
            raise BadInput(f"the variable {name} comes from the engine's own {variable}, which is not set there")
        return found
    if value.startswith((ESCAPE + FILE, ESCAPE + ENV)):
        return value.removeprefix(ESCAPE)
    return value


def _from_file(name: str, path: str) -> str:
    try:
        # Whatever is there, the engine must not wait for it: a pipe without a writer would stop it.
        descriptor = os.open(os.path.expanduser(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise BadInput(f"the variable {name} comes from {path}, which is not a file")
            found = os.read(descriptor, SIZE_LIMIT + 1)
        finally:
            os.close(descriptor)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadInput(f"the variable {name} comes from {path}, which can't be read: {reason}") from error
    if len(found) > SIZE_LIMIT:
        raise BadInput(f"the variable {name} comes from {path}, which is longer than a variable can be")
    if b"\0" in found:
        raise BadInput(f"the variable {name} comes from {path}, which holds a NUL character")
    # As a shell's $(cat FILE) would: an editor's last newline is no part of a secret.
    return os.fsdecode(found).rstrip("\r\n")
