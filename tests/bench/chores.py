"""What an engine does besides: nothing at all for a minute, recovery after a crash, room in a crowded queue."""

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

from core import limits
from core.limits import Limits
from core.machine.procfs import boot_id, host
from core.owners import Owner
from core.status import Status
from store.operations.ordering import Move
from store.store import Store
from tests.bench.engine_home import Home, until
from tests.bench.measure import ROUNDS, Line, Result, spread
from tests.bench.stores import build

MINUTE = 60.0
LEFT_RUNNING = 10_000
CROWD = 100_000
MOVES = 60
_TICKS = 100.0


def results(directory: Path) -> Iterator[Result]:
    """Each against the clock."""
    yield Line("idle engine, CPU of a core", "one minute", spread([_idle(directory)]), most=1.0, aim=0.2, unit=" %")
    recovered = [_recovery(directory / f"recovery-{number}") for number in range(ROUNDS)]
    what = f"start with {LEFT_RUNNING:,} jobs that were running"
    yield Line(what, "the clock", spread(recovered), most=2.0, aim=0.5, unit=" s")
    build(directory / "crowd.db", CROWD)
    with Store(directory / "crowd.db") as store:
        longest = [_longest_move(store, number) * 1000 for number in range(ROUNDS)]
    yield Line(
        f"longest move, {CROWD:,} queued, gap runs out", "the clock", spread(longest), most=50, aim=10, unit=" ms"
    )


def _idle(directory: Path) -> float:
    home = Home(directory / "idle")
    with home.served(2) as engine:
        before = _cpu(engine.pid)
        time.sleep(MINUTE)
        used = _cpu(engine.pid) - before
    home.close()
    return 100 * used / MINUTE


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _recovery(place: Path) -> float:
    """Seconds from the start of an engine until nothing is left of what the dead one ran."""
    home = Home(place)
    home.queue(LEFT_RUNNING, "/bin/true")
    # A process of this very boot that is certainly dead.
    dead = str(Owner("engine", host(), 2**22 + 1, 1, boot_id()))
    with home.store.write("engine") as work:
        # No engine has so many slots; ten dead ones may have had.
        with patch.object(limits, "MAX_SLOTS", LEFT_RUNNING):
            claims = work.claim(dead, timedelta(hours=1), Limits(slots=LEFT_RUNNING))
        for claim in claims:
            work.start(claim.exec_id, dead)
        work.pause("bench")

    def settled() -> bool:
        with home.store.read() as views:
            return not views.counts()[Status.RUNNING]

    begun = time.perf_counter()
    with home.served(2):
        until(settled, "recovery is over")
        taken = time.perf_counter() - begun
    home.close()
    return taken


def _longest_move(store: Store, number: int) -> float:
    """Job after job goes before the same one, so that its gap runs out several times."""
    with store.read() as views:
        anchor = views.queue_window(CROWD // 2 + 1000 * number, 1).rows[0].id
        others = [row.id for row in views.queue_window(1000 * number, MOVES).rows]
    longest = 0.0
    for job in others:
        begun = time.perf_counter()
        with store.write("bench") as work:
            work.move(job, Move.BEFORE, anchor)
        longest = max(longest, time.perf_counter() - begun)
    return longest
