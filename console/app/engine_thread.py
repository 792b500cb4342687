"""The engine in the console's process: in a thread of its own, which leads or waits to take over."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from console.app.deck import Deck
from core.engine.events import Event
from core.refusals import JobdeckError

if TYPE_CHECKING:
    from core.machine.loop import Loop


class EngineThread(threading.Thread):
    """Runs the loop; its end, whatever the reason, is told."""

    def __init__(
        self,
        deck: Deck,
        tell: Callable[[Event], None],
        stepped: Callable[[], None],
        ended: Callable[[str | None], None],
    ) -> None:
        super().__init__(name="engine", daemon=True)
        self._deck = deck
        self._tell = tell
        self._stepped = stepped
        self._ended = ended
        self._loop: Loop | None = None

    @property
    def leads(self) -> bool:
        """Whether the engine of this process leads now."""
        return self._loop is not None and self._loop.engine is not None

    @property
    def running(self) -> int:
        """How many processes it has."""
        engine = None if self._loop is None else self._loop.engine
        return 0 if engine is None else len(engine.runs)

    @property
    def trouble(self) -> str | None:
        """Why it can't write, in words."""
        engine = None if self._loop is None else self._loop.engine
        return None if engine is None else engine.trouble

    def drain(self, grace: timedelta) -> None:
        """Start nothing more, wait so long for what runs, then stop it."""
        if self._loop is not None:
            self._loop.drain(grace)

    def stop_now(self) -> None:
        """Stop what runs at once."""
        if self._loop is not None:
            self._loop.stop_now()

    def run(self) -> None:
        """Lead, or wait to; tell how it ended."""
        # Loaded here: the first paint needs none of it.
        from console.engine_room import make_loop

        try:
            self._loop, store = make_loop(
                self._deck.places,
                self._deck.config,
                self._tell,
                stepped=self._stepped,
                adopted=self._deck.adopt,
            )
            try:
                self._loop.run()
            finally:
                store.close()
        except JobdeckError as error:
            self._ended(str(error))
        except Exception as error:
            self._ended(f"{type(error).__name__}: {error}")
        else:
            self._ended(None)
