"""A telephone exchange: a unix socket that takes many calls at once, of this user alone, and waits for none of them."""

import json
import os
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.engine.words import Answer
from core.jsontext import loads
from core.limits import MAX_SLOTS
from core.machine.waiter import Waiter
from core.machine.wire import LINE_LIMIT, lines, listening
from core.refusals import BadInput

MOST_CALLS = MAX_SLOTS + 500
"""A python job stays on the line while it runs; the rest is for short calls, and whoever comes then has to wait."""
TOO_LONG = {"error": "that is more than 2 MiB; a checkpoint or a result takes at most 1 MiB", "code": 2}

Reply = Callable[[Answer], None]
Take = Callable[[dict[str, Any], Reply], None]
"""Takes one message; the answer may come at once or later, in the same thread."""


class Exchange:
    """Accepts calls without ever waiting for one."""

    def __init__(self, path: Path, waiter: Waiter, take: Take) -> None:
        self._waiter = waiter
        self._take = take
        self._path = path
        self._socket = listening(self._path)
        self._made = self._there()
        self._calls: set[_Call] = set()
        waiter.add(self._socket.fileno(), self._accept)

    def close(self) -> None:
        """Hang up on everybody."""
        self._waiter.remove(self._socket.fileno())
        if self._made == self._there():
            # One that another engine has put in its place is left to that.
            self._path.unlink(missing_ok=True)
        self._socket.close()
        for call in list(self._calls):
            call.hang_up()

    def _accept(self) -> None:
        with suppress(OSError):
            while len(self._calls) < MOST_CALLS:
                connection, _ = self._socket.accept()
                if not _same_user(connection):
                    connection.close()
                    continue
                connection.setblocking(False)
                self._calls.add(_Call(connection, self._waiter, self._taken, self._ended))
            self._waiter.remove(self._socket.fileno())

    def _ended(self, call: "_Call") -> None:
        if len(self._calls) == MOST_CALLS and self._socket.fileno() >= 0:
            self._waiter.add(self._socket.fileno(), self._accept)
        self._calls.discard(call)

    def _there(self) -> tuple[int, int] | None:
        """Which socket is at this engine's place."""
        try:
            facts = self._path.lstat()
        except OSError:
            return None
        return facts.st_dev, facts.st_ino

    def _taken(self, line: bytes, reply: Reply) -> None:
        try:
            self._take(_object(line), reply)
        except BadInput as error:
            reply({"error": str(error), "code": error.exit_code})


class _Call:
    """One connection."""

    def __init__(
        self,
        connection: socket.socket,
        waiter: Waiter,
        taken: Callable[[bytes, Callable[[Answer], None]], None],
        ended: Callable[["_Call"], None],
    ) -> None:
        self._socket = connection
        self._waiter = waiter
        self._taken = taken
        self._ended = ended
        self._incoming = bytearray()
        self._outgoing = bytearray()
        self._overlong = False
        """Whether the line that is coming in is too long, so that it is dropped up to its end."""
        waiter.add(connection.fileno(), self._act)

    def hang_up(self) -> None:
        """End the call."""
        if self._socket.fileno() >= 0:
            self._waiter.remove(self._socket.fileno())
            self._socket.close()
            self._ended(self)

    def _act(self) -> None:
        try:
            self._send()
            self._receive()
        except BlockingIOError:
            pass
        except OSError:
            self.hang_up()

    def _receive(self) -> None:
        received = self._socket.recv(65_536)
        if not received:
            self.hang_up()
            return
        self._incoming += received
        for line in lines(self._incoming):
            if self._overlong:
                self._overlong = False
                self._reply(TOO_LONG)
            else:
                self._taken(line, self._reply)
        if len(self._incoming) > LINE_LIMIT:
            self._incoming.clear()
            self._overlong = True

    def _reply(self, answer: Answer) -> None:
        if self._socket.fileno() < 0:
            return
        self._outgoing += json.dumps(answer).encode() + b"\n"
        try:
            self._send()
        except BlockingIOError:
            pass
        except OSError:
            self.hang_up()

    def _send(self) -> None:
        while self._outgoing:
            try:
                sent = self._socket.send(self._outgoing)
            except BlockingIOError:
                # Until its answers are taken, nothing more is heard from it.
                self._waiter.for_room(self._socket.fileno(), self._act, wanted=True)
                raise
            del self._outgoing[:sent]
            if not self._outgoing:
                self._waiter.for_room(self._socket.fileno(), self._act, wanted=False)


def _object(line: bytes) -> dict[str, Any]:
    said = loads(line, "the message", LINE_LIMIT)
    if not isinstance(said, dict):
        raise BadInput("a message is a JSON object")
    return said


def _same_user(connection: socket.socket) -> bool:
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        # The directory of the socket lets nobody else in.
        return True
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return bool(user == os.getuid())
