"""The clerk: beside the engine that leads, a thread that carries out short errands for callers who load nothing."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from console.cli import errand
from console.cli.desk import Desk
from console.cli.output import captured
from console.home import Places
from console.masking import hide_as_configured, masked
from console.wishes import Here
from core.machine.bell import ring
from core.machine.exchange import Exchange
from core.machine.waiter import Waiter
from core.refusals import JobdeckError
from store.store import Store

_HOUR = 3600.0
_ELSEWHERE = {"error": "that is better done by whoever asks", "code": 3}


@dataclass(kw_only=True)
class Counter(Desk):
    """A desk at which somebody else stands: their directory, this process's store."""

    stands: Places
    opened: Store
    directory: str | None

    @cached_property
    def places(self) -> Places:
        """The clerk's own."""
        return self.stands

    @property
    def here(self) -> Here:
        """What relative words are relative to: the caller's directory."""
        return Here(self.now, self.zone, cwd=self.directory, runs_in=self.directory)

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The store that the clerk keeps open."""
        hide_as_configured(self.places.config)
        yield self.opened


class Clerk:
    """Works from its entrance to its exit."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._same = errand.circumstances(places)
        self._waiter = Waiter()
        self._thread = threading.Thread(target=self._work, name="clerk", daemon=True)
        self._leaving = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving = True
        self._waiter.nudge()
        self._thread.join()

    def _work(self) -> None:
        # Without a clerk everybody does their own errands, so nothing that hinders it is worth a word.
        with suppress(OSError, JobdeckError), Store(self._places.db, ring=self._ring) as store:
            exchange = Exchange(
                self._places.run / errand.SOCKET, self._waiter, lambda said, reply: reply(self._answer(store, said))
            )
            try:
                while not self._leaving:
                    self._waiter.wait(_HOUR)
            finally:
                exchange.close()
        self._waiter.close()

    def _ring(self) -> None:
        ring(self._places.run)

    def _answer(self, store: Store, said: dict[str, Any]) -> dict[str, Any]:
        argv = said.get("argv")
        if not isinstance(argv, list) or not all(isinstance(argument, str) for argument in argv):
            return _ELSEWHERE
        if not said.get("utf8") or any(said.get(name) != value for name, value in self._same.items()):
            return _ELSEWHERE
        at = argv.index(errand.VERB) if errand.VERB in argv else len(argv)
        if set(argv[:at]) - {"--json"} or at == len(argv) or not errand.fits(argv[at + 1 :]):
            return _ELSEWHERE
        counter = Counter(stands=self._places, opened=store, directory=_text(said, "cwd"), job_id=_text(said, "job_id"))
        try:
            return _carried_out(argv, counter)
        except Exception:
            # The caller meets the same trouble, and tells it.
            return _ELSEWHERE


def _carried_out(argv: list[str], counter: Counter) -> dict[str, Any]:
    from console.cli.group import carry_out

    sentence = None
    with captured() as said:
        try:
            code = carry_out(argv, counter)
        except JobdeckError as error:
            code, sentence = error.exit_code, masked(str(error))
    return {"code": code, "out": "".join(said.out), "asides": said.asides, "sentence": sentence}


def _text(said: dict[str, Any], name: str) -> str | None:
    value = said.get(name)
    return value if isinstance(value, str) and (name != "cwd" or os.path.isabs(value)) else None
