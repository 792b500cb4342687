"""How the cost of the hot questions grows with the store: held and future jobs included."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from core.filter_parser import parse
from core.limits import Limits
from store.store import Store
from store.work import Work
from tests.bench.measure import Line, Once, Result, in_turns, ratio
from tests.bench.stores import build
from tests.conftest import START

SIZES = (1_000, 10_000, 100_000, 1_000_000)
SMALL, LARGE = SIZES[0], SIZES[-1]
MUST, AIM = 1.6, 1.2
NOW = START + timedelta(days=1)
LEASE = timedelta(seconds=30)
TIMES = 50

Question = Callable[[Store, int], None]


class NotKept(Exception):
    """Ends a transaction without a trace, so that every round asks the same store."""


def undone(act: Callable[[Work], None]) -> Question:
    """A change that is taken back at once: its own cost counts, the disk's does not."""

    def once(store: Store, _size: int) -> None:
        with suppress(NotKept), store.write("bench", NOW) as work:
            act(work)
            raise NotKept

    return once


def claim(work: Work) -> None:
    """Fill two free slots."""
    assert len(work.claim("bench", LEASE, Limits(slots=2))) == 2


def finish(work: Work) -> None:
    """Claim one job, run it, finish it."""
    [claimed] = work.claim("bench", LEASE, Limits(slots=1))
    work.start(claimed.exec_id, "bench")
    work.finish(claimed.exec_id, "bench")


def window(store: Store, size: int) -> None:
    """A screenful from the middle of the queue."""
    with store.read(NOW) as views:
        assert len(views.queue_window(size // 2, 50).rows) == 50


def counts(store: Store, size: int) -> None:
    """How many jobs are in each state."""
    with store.read(NOW) as views:
        assert sum(views.counts().values()) == size


def search_by_key(store: Store, size: int) -> None:
    """One job by its key."""
    with store.read(NOW) as views:
        assert len(list(views.list_jobs(parse(f"key:key-{size // 2}"), 1))) == 1


QUESTIONS: dict[str, Question] = {
    "claim": undone(claim),
    "finish": undone(finish),
    "window in the middle": window,
    "counts by status": counts,
    "search by key": search_by_key,
}


def results(directory: Path) -> Iterator[Result]:
    """Each question on the largest store against the smallest, with the sizes between."""
    stores = {size: Store(build(directory / f"{size}" / "jobdeck.db", size)) for size in SIZES}
    for name, question in QUESTIONS.items():
        taken = in_turns({str(size): _repeated(question, store, size) for size, store in stores.items()})
        for size in SIZES[1:]:
            found = ratio(taken[str(size)], taken[str(SMALL)])
            most, aim = (MUST, AIM) if size == LARGE else (None, None)
            yield Line(f"{name}, {size:,} jobs", f"{SMALL:,} jobs", found, most=most, aim=aim)
    for store in stores.values():
        store.close()


def _repeated(question: Question, store: Store, size: int) -> Once:
    def once() -> float:
        begun = time.perf_counter()
        for _ in range(TIMES):
            question(store, size)
        return time.perf_counter() - begun

    return once
