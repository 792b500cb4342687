"""A switchboard that is run by hand, with callers who never wait either."""

import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.engine.words import Answer, Word
from core.machine.switchboard import Switchboard
from core.machine.waiter import Waiter
from core.machine.wire import SOCKET, connected
from tests.machine.waiting import until

BLINK = 2.0
"""Seconds in which a loop that waits for nobody has come round, on the busiest of machines."""


class Board:
    """A switchboard that is run by hand, and what was heard there."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.waiter = Waiter()
        self.heard: list[Word] = []
        self.switchboard = Switchboard(directory, self.waiter, self._hear, self._ask)
        self._callers: list[socket.socket] = []

    def _hear(self, word: Word) -> None:
        self.heard.append(word)
        if word.name != "later":
            word.reply({"heard": word.name})

    def _ask(self, name: str) -> Answer | None:
        return {"mode": "played"} if name == "status" else None

    def call(self) -> socket.socket:
        """A caller who never waits either."""
        self._callers.append(connected(self.directory / SOCKET, BLINK))
        self._callers[-1].setblocking(False)
        return self._callers[-1]

    def round(self) -> None:
        """Once round the loop, which may not take long."""
        begun = time.monotonic()
        self.waiter.wait(0.001)
        assert time.monotonic() - begun < BLINK

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Round and round until something holds."""

        def look() -> bool:
            self.round()
            return holds()

        until(look, what)

    def answers(self, caller: socket.socket, count: int = 1) -> list[dict[str, Any]]:
        """So many answers, as they come in."""
        received = bytearray()

        def look() -> bool:
            self.round()
            try:
                received.extend(caller.recv(1_000_000))
            except BlockingIOError:
                return False
            return received.count(b"\n") >= count

        until(look, f"{count} answers have come")
        return [json.loads(line) for line in received.splitlines()]

    def answer(self, caller: socket.socket, message: bytes) -> dict[str, Any]:
        """What is answered to a message."""
        self.send(caller, message)
        (answer,) = self.answers(caller)
        return answer

    def send(self, caller: socket.socket, message: bytes) -> None:
        """All of a message, however long it is."""
        left = memoryview(message)

        def look() -> bool:
            nonlocal left
            try:
                left = left[caller.send(left) :]
            except BlockingIOError:
                self.round()
            return not left

        until(look, "the message is sent")

    def hung_up(self, caller: socket.socket) -> bool:
        """Whether the caller was hung up on."""
        self.round()
        try:
            return caller.recv(100) == b""
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True

    def still_answers(self) -> bool:
        """Whether a new caller is served as ever."""
        caller = self.call()
        return self.answer(caller, b'{"ask": "status"}\n') == {"mode": "played"}

    def close(self) -> None:
        self.switchboard.close()
        self.waiter.close()
        for caller in self._callers:
            caller.close()
