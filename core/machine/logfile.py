"""The file that a process writes its output to: made for its owner only, and kept within a size while it grows."""

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from core.machine.procfs import Stat, stands_still

_KEEP_SIZE, _PUNCH_HOLE = 1, 2
_CHUNK = 65_536
_PATIENCE, _TRIES = 0.1, 5
"""Seconds in which writers come to stand still, and how often that is tried; else the file is trimmed another time."""

Writers = Callable[[], Iterable[Stat]]


def create(path: Path) -> int:
    """A descriptor that appends to a new file."""
    try:
        try:
            return _opened(path)
        except FileNotFoundError:
            for directory in (path.parent.parent, path.parent):
                directory.mkdir(mode=0o700, exist_ok=True)
            return _opened(path)
    except OSError as error:
        # Without its number, which would say of a program what is true of its log.
        raise OSError(f"its log {path} can't be made: {(error.strerror or str(error)).lower()}") from error


def _opened(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def trim(path: Path, limit: int, writers: Writers) -> bool:
    """Let go of the oldest lines of a file that has outgrown its limit; whether it had.

    The writer has it open and goes on writing at its end. So the beginning is given back to the disk in place, which
    takes nothing from what is being written; where the disk can't do that, the writers stand still for a moment.
    """
    with suppress(OSError), path.open("r+b", buffering=0) as file:
        facts = os.fstat(file.fileno())
        if facts.st_blocks * 512 <= limit:
            return False
        cut = _line_after(file.fileno(), max(0, facts.st_size - limit // 2), facts.st_size)
        return _give_back(file.fileno(), cut) or _move_down(file.fileno(), cut, writers)
    return False


def first_byte(descriptor: int) -> int:
    """Where a file begins that may have been trimmed: behind its hole, and the blank rest of the block it ends in."""
    try:
        place = os.lseek(descriptor, 0, os.SEEK_DATA)
    except OSError:
        return 0
    if place == 0:
        return 0
    block = os.pread(descriptor, _CHUNK, place)
    return place + len(block) - len(block.lstrip(b"\0"))


def _line_after(descriptor: int, place: int, end: int) -> int:
    """The beginning of the first line behind a place, or the place itself when no line begins near it."""
    found = os.pread(descriptor, _CHUNK, place).find(b"\n")
    return place if found < 0 or place + found + 1 >= end else place + found + 1


@cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    return libc


def _give_back(descriptor: int, cut: int) -> bool:
    try:
        return bool(_libc().fallocate(descriptor, _KEEP_SIZE | _PUNCH_HOLE, 0, cut) == 0)
    except AttributeError:
        return False


def _move_down(descriptor: int, cut: int, writers: Writers) -> bool:
    with _standing_still(writers) as still:
        if still:
            end = os.fstat(descriptor).st_size
            for place in range(cut, end, _CHUNK):
                os.pwrite(descriptor, os.pread(descriptor, min(_CHUNK, end - place), place), place - cut)
            os.ftruncate(descriptor, end - cut)
        return still


@contextmanager
def _standing_still(writers: Writers) -> Iterator[bool]:
    """Let the writers stand still for a moment; whether they all do. One that someone else has stopped stays so."""
    stopped: set[int] = set()
    try:
        # A child that stops between vfork and exec keeps its parent from ever stopping: let go, and try again.
        for _ in range(_TRIES):
            still = _stop(writers, stopped)
            if still:
                break
            _go_on(stopped)
        yield still
    finally:
        _go_on(stopped)


def _stop(writers: Writers, stopped: set[int]) -> bool:
    """Ask the writers to stop, until all have or patience ends; whether they have."""
    patience = time.monotonic() + _PATIENCE
    # A request to stop is heeded a little later, and what was being written till then is in the file.
    while moving := [stat.pid for stat in writers() if not stands_still(stat.pid)]:
        if time.monotonic() > patience:
            return False
        for pid in moving:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGSTOP)
            stopped.add(pid)
    return True


def _go_on(stopped: set[int]) -> None:
    while stopped:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(stopped.pop(), signal.SIGCONT)
