"""The line between a running job and its engine: a unix socket, one JSON object per line each way."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SOCKET = "engine.sock"
LINE_LIMIT = 2 * 1024 * 1024 + 4096
"""A checkpoint or a result of 1 MiB may take twice that when every character is escaped."""


@contextmanager
def short_path(path: Path) -> Iterator[str]:
    """A name for a socket that is short enough for the kernel, whatever directory it is in."""
    if len(os.fsencode(path)) < 100:
        yield str(path)
        return
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)


def listening(path: Path) -> socket.socket:
    """A socket for this engine; one that a dead engine left is taken away."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.setblocking(False)
    path.unlink(missing_ok=True)
    with short_path(path) as name:
        made.bind(name)
    path.chmod(0o600)
    made.listen(128)
    return made


def connected(path: Path, timeout: float) -> socket.socket:
    """A connection to the engine; an OSError when none is there."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.settimeout(timeout)
    try:
        with short_path(path) as name:
            made.connect(name)
    except OSError:
        made.close()
        raise
    return made


def lines(buffer: bytearray) -> Iterator[bytes]:
    """The whole lines at the beginning of what was received, taken out of it."""
    while (end := buffer.find(b"\n")) >= 0:
        line = bytes(buffer[:end])
        del buffer[: end + 1]
        yield line
