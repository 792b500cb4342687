"""Waiting for something to come true: the one place where these tests let time pass."""

import os
import signal
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LONG = 30.0
"""Seconds after which it will not come true any more, however busy the machine is."""
LOOK_EVERY = 0.005


def until(look: Callable[[], T | None], what: str, seconds: float = LONG) -> T:
    """What a look gives once it gives something true."""
    end = time.monotonic() + seconds
    while True:
        seen = look()
        if seen:
            return seen
        assert time.monotonic() < end, f"after {seconds:g} s it is still not so: {what}"
        time.sleep(LOOK_EVERY)


def never(look: Callable[[], object], what: str, seconds: float) -> None:
    """Look for so long, and find that it does not come true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert not look(), what
        time.sleep(LOOK_EVERY)


def state_of(pid: int) -> str:
    """What the kernel says of a process: `R`, `S`, `T`, `Z` …; empty when there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1].decode()
    except OSError:
        return ""


def runs(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    return state_of(pid) not in ("", "Z", "X")


def freeze(pid: int) -> None:
    """Stop a process in its tracks, and see that it stands."""
    os.kill(pid, signal.SIGSTOP)
    until(lambda: state_of(pid) == "T", f"process {pid} stands still")
