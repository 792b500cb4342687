"""What the terminals under the consoles are to say: found by each console itself, from when it opens on."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from core.config import Config
from core.notifications import Notification, Terminal
from store.views import Views

OVERLAP = timedelta(seconds=10)
"""What is stored now may bear an instant a little before what was stored first; so far back it is looked again."""
MOST = 200


def terminals_of(config: Config) -> frozenset[str]:
    """The targets that are terminals."""
    return frozenset(name for name, target in config.targets.items() if isinstance(target, Terminal))


class Hearing:
    """Finds what is new, and finds it once."""

    def __init__(self, terminals: Callable[[], Collection[str]]) -> None:
        self._terminals = terminals
        self._since: datetime | None = None
        self._known: dict[int, datetime] = {}

    def news(self, views: Views) -> list[Notification]:
        """What is to be said now; what was said before this console opened is not."""
        terminals = self._terminals()
        if not terminals:
            return []
        first = self._since is None
        since = views.now if self._since is None else self._since
        found = [one for one in views.said_since(since - OVERLAP, MOST) if one.target in terminals]
        fresh = [one for one in found if one.id not in self._known]
        self._known |= {one.id: one.delivered_at for one in fresh if one.delivered_at is not None}
        self._since = max([since, *self._known.values()])
        self._known = {number: at for number, at in self._known.items() if at > self._since - 2 * OVERLAP}
        return [] if first else fresh
