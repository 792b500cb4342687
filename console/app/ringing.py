"""Ringing the terminal under this console, with what is to be said."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from console.ringing import rung
from core.notifications import Notification, Signal, Terminal

if TYPE_CHECKING:
    from console.app.app import JobdeckApp


class Ringing:
    """Rings once for all that comes together."""

    def __init__(self, app: "JobdeckApp") -> None:
        self._app = app

    def say(self, news: Sequence[Notification]) -> None:
        """Ring, and say it on the screen too."""
        targets = self._app.deck.config.targets
        signals: dict[Signal, Notification] = {}
        for one in news:
            target = targets.get(one.target)
            if isinstance(target, Terminal):
                signals.setdefault(target.signal, one)
        if not signals:
            return
        # A thing that two terminals of the config hear is one thing.
        others = len({(one.event, one.job, one.created_at, one.message) for one in news}) - 1
        more = f"; and {others:,} more" if others else ""
        for signal, one in signals.items():
            self._app.ring(rung(signal, f"jobdeck: {one.message}{more}"))
        self._app.tell(f"{next(iter(signals.values())).message}{more}", severity="warning")
