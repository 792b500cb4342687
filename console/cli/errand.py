"""`submit` by way of the engine that leads: the caller loads neither the parser nor the store.

The same words are parsed by the same code there, in one transaction. Whatever goes wrong on the way, the caller does it
by itself: the job's id is chosen before anything is sent, so that a job that was stored already is not stored twice.
"""

from __future__ import annotations

import os
import sys

from console import __version__
from console.cli.guard import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from console.home import Places

SOCKET = "desk.sock"
VERB = "submit"
PATIENCE = 2.0
"""Seconds after which an engine that doesn't answer is left alone; if it wakes up later, it finds the job there."""

_SHARED_WITH_VALUE = ("--home", "--db")
_HERE_ONLY = ("--from", "--wait", "--help", "-h", *_SHARED_WITH_VALUE)
"""What reads the caller's own files, stays until the job has ended, or is about something else."""


def run(argv: Sequence[str], at: int) -> int:
    """Hand the errand over, or carry it out here."""
    job_id = None
    if fits(argv[at + 1 :]):
        job_id, told = _handed_over(argv, at)
        if told is not None:
            return _repeat(told)
    from console.cli.group import call

    return call(list(argv), job_id=job_id)


def fits(arguments: Sequence[str]) -> bool:
    """Whether these arguments of the verb can be handed over."""
    for argument in arguments:
        if argument == "--":
            break
        if argument.partition("=")[0] in _HERE_ONLY:
            return False
    return "_JOBDECK_COMPLETE" not in os.environ


def circumstances(places: Places) -> dict[str, Any]:
    """What must be the same there as here for the same words to mean the same."""
    surroundings = {name: os.environ.get(name) for name in ("HOME", "TZ")}
    return {"version": __version__, "home": str(places.home), "db": str(places.db), **surroundings}


def _handed_over(argv: Sequence[str], at: int) -> tuple[str | None, dict[str, Any] | None]:
    """The id that the job was to have, if anything was sent, and what the engine answered."""
    import json
    from contextlib import suppress

    from console.home import current_directory, places
    from core.machine.wire import LINE_LIMIT, connected

    named, flags = _shared(argv[:at])
    where = places(named.get("--home"), named.get("--db"))
    try:
        line = connected(where.run / SOCKET, PATIENCE)
    except OSError:
        return None, None
    from time import time

    from core.ids import uuid7

    job_id = uuid7(int(time() * 1000))
    errand = {
        "argv": [*flags, *argv[at:]],
        "cwd": current_directory(),
        "job_id": job_id,
        "utf8": "utf" in (getattr(sys.stdout, "encoding", None) or "").lower(),
        **circumstances(where),
    }
    with line, suppress(OSError, ValueError):
        message = json.dumps(errand).encode() + b"\n"
        if len(message) < LINE_LIMIT:
            line.sendall(message)
            received = bytearray()
            while not received.endswith(b"\n") and (more := line.recv(65_536)):
                received += more
            answer = json.loads(received)
            if "code" in answer and "error" not in answer:
                return job_id, answer
    return job_id, None


def _shared(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The options before the verb: those that say where, and the others."""
    named: dict[str, str] = {}
    flags: list[str] = []
    left = list(arguments)
    while left:
        argument = left.pop(0)
        name, equals, value = argument.partition("=")
        if name in _SHARED_WITH_VALUE:
            named[name] = value if equals else left.pop(0) if left else ""
        else:
            flags.append(argument)
    return named, flags


def _repeat(told: dict[str, Any]) -> int:
    """Say here what was said there."""
    if told["out"] and sys.stdout is not None:
        sys.stdout.write(told["out"])
    if told["asides"]:
        from console.cli.output import aside

        for words in told["asides"]:
            aside(words)
    if told["sentence"] is not None:
        complain(told["sentence"])
    return int(told["code"])
