"""A socket for http.client: one deadline over all it does, a bound on what it reads, and a way to be cut off."""

import io
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.client import HTTPException
from typing import Any

from core.addresses import refused_address

MOST_READ = 128 * 1024
"""So many bytes of an answer are read at the most, its head included."""

Resolve = Callable[..., Sequence[Any]]
"""`socket.getaddrinfo`, or what stands for it in a test."""


class NotSent(OSError):
    """Why nothing was sent, in words for people."""


class Line:
    """The way to one receiver, for one request; `cut` ends it from any thread."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._cut = False
        self.read = 0
        """How many bytes have come."""

    def connect(self, host: str, port: int, resolve: Resolve, *, allow_private: bool, encrypted: bool) -> None:
        """Connect to the first address that may be sent to and answers.

        The name is looked up once, and what is judged is the very address that is connected to.
        """
        found = resolve(host, port, type=socket.SOCK_STREAM)
        why: OSError = NotSent(f"{host} has no address")
        for place, (family, kind, protocol, _, address) in enumerate(found):
            refusal = refused_address(address[0], allow_private=allow_private, encrypted=encrypted)
            if refusal is not None:
                why = NotSent(refusal)
                continue
            try:
                self._take(socket.socket(family, kind, protocol))
                # An address that swallows everything must leave time for the others.
                self._open.settimeout(self.left() / (len(found) - place))
                self._open.connect(address)
                peer = self._open.getpeername()[0]
            except OSError as error:
                self.close()
                why = error
                continue
            refusal = refused_address(peer, allow_private=allow_private, encrypted=encrypted)
            if refusal is None:
                return
            self.close()
            why = NotSent(refusal)
        raise why

    def encrypt(self, context: ssl.SSLContext, host: str) -> None:
        """Speak TLS from here on, with whoever can prove to be that host."""
        self._open.settimeout(self.left())
        wrapped = context.wrap_socket(self._open, server_hostname=host, do_handshake_on_connect=False)
        self._take(wrapped)
        wrapped.settimeout(self.left())
        wrapped.do_handshake()

    def sendall(self, data: Any) -> None:
        """Send all of it."""
        self._open.settimeout(self.left())
        self._open.sendall(data)

    def makefile(self, *_: object, **__: object) -> io.BufferedReader:
        """What comes, as a file."""
        return io.BufferedReader(_Incoming(self))

    def receive(self, most: int) -> bytes:
        """The next bytes; none at the end."""
        self._open.settimeout(self.left())
        found = self._open.recv(min(most, 16 * 1024))
        self.read += len(found)
        if self.read > MOST_READ:
            raise HTTPException("too much")
        return found

    def hurry(self, seconds: float) -> None:
        """From here on no more than so many seconds."""
        self._until = min(self._until, time.monotonic() + seconds)

    def left(self) -> float:
        """The seconds until the deadline."""
        left = self._until - time.monotonic()
        if left <= 0 or self._cut:
            raise TimeoutError
        return left

    def cut(self) -> None:
        """End it at once; whoever waits on it is woken."""
        with self._lock:
            self._cut = True
            if self._socket is not None:
                with suppress(OSError):
                    # Not the method of a TLS socket, which would pull it from under the thread that uses it.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of it."""
        with self._lock:
            if self._socket is not None:
                self._socket.close()
            self._socket = None

    def _take(self, opened: socket.socket) -> None:
        with self._lock:
            self._socket = opened
        self.left()

    @property
    def _open(self) -> socket.socket:
        if self._socket is None:
            raise TimeoutError
        return self._socket


class _Incoming(io.RawIOBase):
    """Reads from a line."""

    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes."""
        found = self._line.receive(len(buffer))
        buffer[: len(found)] = found
        return len(found)
