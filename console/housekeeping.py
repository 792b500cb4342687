"""What the leading engine's process does beside the engine: what has ended long ago goes, a little at a time.

It has a thread and a store of its own, so that neither an archive on a slow disk nor a thousand logs make a job wait.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from console.archive import Archive
from console.home import Places
from core.config import Config
from core.engine.events import Event
from core.machine.leadlock import FileLock
from core.refusals import JobdeckError
from core.retention import Retention
from store.retention import Pruned, prune
from store.store import Store

EVERY = 600.0
"""Seconds between two looks."""
PAUSE = 0.02
"""Seconds between two transactions, which belong to those who have work to do."""

Tell = Callable[[Event], None]


@contextmanager
def housekeeping(places: Places, config: Callable[[], Config], tell: Tell) -> Iterator[None]:
    """Keep house as long as the block lasts, which is as long as the engine leads."""
    leaving = threading.Event()
    keeper = threading.Thread(
        target=_keep_house, args=(places, config, tell, leaving), name="housekeeping", daemon=True
    )
    keeper.start()
    try:
        yield
    finally:
        leaving.set()
        keeper.join()


def prune_alone(
    store: Store, places: Places, retention: Retention, now: datetime, stopped: Callable[[], bool] = lambda: False
) -> Pruned | None:
    """A prune, unless another process is at one: None then."""
    places.run.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(places.run / "prune")
    if not lock.acquire():
        return None
    try:
        keep = None if retention.archive is None else Archive(Path(retention.archive), now)
        return prune(store, retention, places.logs, keep, stopped)
    finally:
        lock.release()


def _keep_house(places: Places, config: Callable[[], Config], tell: Tell, leaving: threading.Event) -> None:
    while not leaving.is_set():
        retention = config().retention
        now = datetime.now(UTC)
        if retention.bounded:
            try:
                with Store(places.db) as store:
                    done = prune_alone(store, places, retention, now, lambda: leaving.wait(PAUSE))
                if done is not None and done.jobs:
                    words = f"{done.jobs:,} finished jobs were old enough to go, with {done.logs:,} logs"
                    tell(Event(datetime.now(UTC), "prune", words))
            except (JobdeckError, OSError) as error:
                tell(Event(now, "trouble", f"what is old can't go: {error}"))
        leaving.wait(EVERY)
