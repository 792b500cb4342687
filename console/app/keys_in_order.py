"""Keys one after the other: each finds the screen as the key before has left it, however fast they come.

Textual hands a key to whatever has the focus when it arrives, and carries out what the key before means a moment later.
Over a slow line several keys arrive at once; `/h` would then hold a job instead of typing an h.
"""

from collections import deque

from textual import events
from textual.app import App
from textual.events import Event
from textual.message import Message
from textual.timer import Timer

PATIENCE = 1.0
"""Seconds after which the next key is let through, whatever has become of the one before."""


class Followed(Message):
    """Goes the way of a key, behind it; once it has come up to the app, the key has been dealt with."""


class KeysInOrder(App[int]):
    """An app that deals with a key completely before it looks at the next one."""

    def __init__(self) -> None:
        super().__init__()
        self._typed_ahead: deque[events.Key | events.Paste] = deque()
        self._dealing = False
        self._opening = 0
        self._released_anyway: Timer | None = None

    async def on_event(self, event: Event) -> None:
        """Let a key wait while another one is being dealt with."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._dealing:
            self._typed_ahead.append(event)
        else:
            await self._deal_with(event)

    def opening(self) -> None:
        """A key has asked for a dialog that is still on its way: keys that come now are meant for that."""
        self._opening += 1

    def opened(self) -> None:
        """It is there, or will not come."""
        self._opening -= 1
        self._next_when_ready()

    async def _deal_with(self, event: Event) -> None:
        self._dealing = True
        target = self.focused or self.screen
        self._released_anyway = self.set_timer(PATIENCE, self._next)
        await super().on_event(event)
        target.post_message(Followed())

    def on_followed(self) -> None:
        """What the key has brought about comes first: a focus, a screen."""
        self.call_later(self._next_when_ready)

    def _next_when_ready(self) -> None:
        if self._dealing and not self._opening:
            # A screen that was opened has its focus once it was painted.
            self.screen.call_after_refresh(self._next)

    async def _next(self) -> None:
        if self._released_anyway is not None:
            self._released_anyway.stop()
            self._released_anyway = None
        self._dealing = False
        if self._typed_ahead:
            await self._deal_with(self._typed_ahead.popleft())
