"""Waiting for what others do to the store: looked at again as soon as it has changed."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from console.cli.output import aside
from console.plain import cut, plain
from core.jobs import Job
from core.status import Status
from core.when import format_duration

if TYPE_CHECKING:
    from store.store import Store

GLANCE = 0.05
"""Seconds between two looks whether anything has changed; a look costs microseconds."""
NO_ENGINE_AFTER = 2.0


def changes(store: "Store", *, within: timedelta | None = None) -> Iterator[bool]:
    """True now and whenever the store may have changed; False once, and the end, when the time is up."""
    deadline = None if within is None else time.monotonic() + within.total_seconds()
    yield True
    while deadline is None or time.monotonic() < deadline:
        time.sleep(GLANCE)
        if store.changed():
            yield True
    yield False


def wait_for(
    store: "Store", refs: Sequence[int | str], *, within: timedelta | None = None, ended: Callable[[Job], None]
) -> bool:
    """Wait until these jobs, or the retries that took their place, have ended; False when the time was up first."""
    left = list(dict.fromkeys(refs))
    ticker = _Ticker()
    try:
        for fresh in changes(store, within=within):
            if not fresh:
                return False
            with store.read() as views:
                jobs = {ref: views.chain(ref).tail for ref in left}
                led = views.leader() is not None
            for ref, job in jobs.items():
                if job.status.final:
                    left.remove(ref)
                    ticker.clear()
                    ended(job)
            if not left:
                return True
            ticker.show(list(jobs.values()), led=led)
    finally:
        ticker.clear()
    return not left


class _Ticker:
    """One line on the terminal that says what is waited for; nothing where there is no terminal."""

    def __init__(self) -> None:
        self._wanted = sys.stderr is not None and sys.stderr.isatty()
        self._begun = time.monotonic()
        self._warned = False

    def show(self, jobs: Sequence[Job], *, led: bool) -> None:
        if not led and not self._warned:
            self._warned = True
            aside("no engine leads this store, so nothing will happen; start one with: jobdeck serve")
        if not self._wanted:
            return
        waiting = [job for job in jobs if not job.status.final]
        took = format_duration(timedelta(seconds=int(time.monotonic() - self._begun)))
        first = f"job {waiting[0].id} is {waiting[0].status}" if waiting else ""
        more = f" and {len(waiting) - 1} more" if len(waiting) > 1 else ""
        sys.stderr.write(f"\r\x1b[K{cut(plain(f'{first}{more}, for {took}'), 79)}")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._wanted:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def succeeded(job: Job) -> bool:
    """Whether it ended well."""
    return job.status is Status.SUCCEEDED
