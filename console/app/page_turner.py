"""The page turner: a thread that reads a log for the screen, always the page that was asked for last."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from console.log_pages import LogPages, Row
from console.log_search import Needle, find

COUNTED_AT_ONCE = 8 << 20
"""So many bytes of what has come are looked through for newlines between two pages."""


@dataclass(frozen=True, slots=True)
class Want:
    """A page that someone wants to see."""

    path: Path
    place: int | None
    """A byte of the row that it is about; None is the end."""
    before: int
    after: int
    since: int | None = None
    """Lines that came behind this place are to be counted."""


@dataclass(frozen=True, slots=True)
class Page:
    """A stretch of a log as it was at one instant."""

    want: Want
    rows: Sequence[Row] = ()
    size: int = 0
    begins_at: int = 0
    identity: tuple[int, int] | None = None
    """Which file it was; another one may take its place."""
    came: int | None = None
    """How many lines came since; None when they are too many to have been counted yet."""
    trouble: str | None = None
    """Why there is nothing to read."""


class PageTurner(threading.Thread):
    """Reads pages; requests that come meanwhile replace each other."""

    def __init__(self, deliver: Callable[[Page], None]) -> None:
        super().__init__(name="page turner", daemon=True)
        self._deliver = deliver
        self._condition = threading.Condition()
        self._wanted: Want | None = None
        self._look = False
        self._turning = False
        self._ending = False
        self._last: Page | None = None
        self._arrivals = Arrivals()

    @property
    def idle(self) -> bool:
        """Whether all that was asked for was delivered."""
        with self._condition:
            return not (self._look or self._turning)

    def want(self, want: Want) -> None:
        """Read this page, and from now on that one when the log has changed."""
        with self._condition:
            self._wanted, self._last, self._look = want, None, True
            self._condition.notify()

    def glance(self) -> None:
        """See whether the log has changed."""
        with self._condition:
            self._look = True
            self._condition.notify()

    def end(self) -> None:
        """Read nothing more."""
        with self._condition:
            self._ending = True
            self._condition.notify()

    def run(self) -> None:
        """Read, deliver, wait to be asked."""
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._look or self._ending)
                if self._ending:
                    return
                self._look, self._turning, want, last = False, True, self._wanted, self._last
            page = None if want is None else self._turned(want, last)
            with self._condition:
                current = want is self._wanted
                if page is not None and current:
                    self._last = page
            if page is not None and current:
                self._deliver(page)
            with self._condition:
                self._turning = False

    def _turned(self, want: Want, last: Page | None) -> Page | None:
        """The page; None when it is still the one that was delivered."""
        try:
            with LogPages(want.path) as pages:
                facts = (pages.size, pages.begins_at, pages.identity)
                settled = last is not None and (want.since is None or last.came is not None)
                if last is not None and settled and facts == (last.size, last.begins_at, last.identity):
                    return None
                return read_page(pages, want, self._arrivals)
        except (OSError, ValueError) as error:
            page = Page(want, trouble=_told(error))
            return None if last is not None and last.trouble == page.trouble else page


class Arrivals:
    """Counts the lines that came behind a place, each once, however often it is asked."""

    def __init__(self) -> None:
        self._since = -1
        self._reached = 0
        self._lines = 0

    def count(self, pages: LogPages, since: int) -> int | None:
        """How many came; None while there are more than can be looked through at once."""
        if self._since != since or self._reached > pages.size:
            self._since, self._reached, self._lines = since, since, 0
        high = min(pages.size, self._reached + COUNTED_AT_ONCE)
        self._lines += pages.newlines(self._reached, high)
        self._reached = high
        return self._lines if high == pages.size else None


def read_page(pages: LogPages, want: Want, arrivals: Arrivals) -> Page:
    """A page of a log that is open."""
    if want.place is None:
        rows = pages.backward(pages.size, want.before)
    else:
        rows = pages.around(min(want.place, max(0, pages.size - 1)), want.before, want.after)
    came = None if want.since is None else arrivals.count(pages, want.since)
    return Page(want, rows, pages.size, pages.begins_at, pages.identity, came)


class Search(threading.Thread):
    """Looks for one hit, and can be stopped."""

    def __init__(
        self,
        path: Path,
        needle: Needle,
        place: int,
        *,
        back: bool,
        progress: Callable[[float], None],
        found: Callable[[Row | None, str | None], None],
    ) -> None:
        super().__init__(name="log search", daemon=True)
        self._path = path
        self.needle = needle
        self._place = place
        self._back = back
        self._progress = progress
        self._found = found
        self._stopped = threading.Event()
        self._percent = -1

    def stop(self) -> None:
        """It is not wanted any more; nothing more is told."""
        self._stopped.set()

    def run(self) -> None:
        """Tell the hit, or that there is none, or why it can't be searched."""
        hit, trouble = None, None
        try:
            with LogPages(self._path) as pages:
                whole = max(1, pages.size - pages.begins_at)
                hit = find(pages, self.needle, self._place, lambda done: self._going(done / whole), back=self._back)
        except (OSError, ValueError) as error:
            trouble = _told(error)
        if not self._stopped.is_set():
            self._found(hit, trouble)

    def _going(self, share: float) -> bool:
        if not self._stopped.is_set() and int(100 * share) != self._percent:
            self._percent = int(100 * share)
            self._progress(share)
        return not self._stopped.is_set()


def _told(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "the log is gone from the disk"
    words = error.strerror if isinstance(error, OSError) else None
    return f"the log can't be read: {(words or str(error)).lower()}"
