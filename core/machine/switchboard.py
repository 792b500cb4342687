"""The engine's end of the line: takes calls from running jobs and from tools of the same user, and answers them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.engine.words import Answer, Word
from core.machine.exchange import Exchange, Reply
from core.machine.waiter import Waiter
from core.machine.wire import SOCKET
from core.refusals import BadInput

Hear = Callable[[Word], None]
Ask = Callable[[str], Answer | None]


class Switchboard:
    """Puts the words of jobs through to the engine, and answers what tools ask."""

    def __init__(self, run_directory: Path, waiter: Waiter, hear: Hear, ask: Ask) -> None:
        self._hear = hear
        self._ask = ask
        self._exchange = Exchange(run_directory / SOCKET, waiter, self._taken)

    def close(self) -> None:
        """Hang up on everybody."""
        self._exchange.close()

    def _taken(self, said: dict[str, Any], reply: Reply) -> None:
        asked = said.get("ask")
        if isinstance(asked, str):
            answer = self._ask(asked)
            reply({"error": f"nobody here knows {asked[:40]!r}", "code": 2} if answer is None else answer)
        else:
            self._hear(_word(said, reply))


def _word(said: dict[str, Any], reply: Reply) -> Word:
    exec_id, secret, name = (said.pop(key, None) for key in ("exec_id", "secret", "word"))
    if not (isinstance(exec_id, str) and isinstance(secret, str) and isinstance(name, str)):
        raise BadInput("a job says exec_id, secret and word")
    return Word(exec_id, secret, name, said, reply)
