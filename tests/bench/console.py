"""The console on a store of any size, with an engine that runs jobs as fast as it can: how soon a key is painted.

`python -m tests.bench.console HOME` opens the console on that home in a process of its own, plays an operator who goes
down the queue, and prints what it measured as JSON.
"""

import asyncio
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

from textual import events

from console.app.app import JobdeckApp
from console.app.deck import Deck
from console.home import Places
from core.config import Config
from core.status import Status
from tests.app.recording import Recorder
from tests.bench.measure import Line, Ratio
from tests.bench.stores import build

FEW, MANY = 100, 1_000_000
KEYS, PAGES = 200, 60
FRAME = 1 / 60
MEMORY = 200 << 20
SIZE = (160, 48)
SLOTS = 4
PATIENCE = 30.0
LOOKS = 5
"""So often each store is opened."""


@dataclass(frozen=True)
class Measured:
    """One console's life."""

    first_paint: float
    """Seconds from nothing to the first job on the screen."""
    keys: Sequence[float]
    """Seconds from each press of the cursor key to the row that it painted."""
    pages: Sequence[float]
    """Seconds from each press of page down to the row that it painted."""
    memory: int
    """The most bytes that the process ever had."""
    rows: int
    """The most rows of the queue that were at hand."""
    ended: int
    """How many jobs the engine ended meanwhile."""


class Operator:
    """Presses keys, and sees when they are painted."""

    def __init__(self, app: JobdeckApp) -> None:
        self._app = app
        self._luck = Random(1)
        self._begun = 0.0
        self._taken = 0.0
        self._before: object = None
        self._painted = asyncio.Event()
        self.rows = 0

    def watch(self, driver: Recorder) -> None:
        """Look at all that is written."""
        driver.wrote = self._wrote

    async def press(self, key: str) -> float:
        """The seconds from a key to its row."""
        # Keys come when they like, not when a frame begins.
        await asyncio.sleep(self._luck.uniform(0.02, 0.08))
        pane = self._app._deck_screen.queue
        self._before = pane.selected
        self._painted.clear()
        self._begun = time.perf_counter()
        self._app.post_message(events.Key(key, None))
        await asyncio.wait_for(self._painted.wait(), PATIENCE)
        return self._taken

    async def first(self) -> None:
        """Once a job can be seen."""
        await asyncio.wait_for(self._painted.wait(), PATIENCE)

    def _wrote(self, data: str, at: float) -> None:
        pane = self._app._deck_screen.queue
        row = pane.selected_row()
        self.rows = max(self.rows, len(pane._slice.rows))
        if row is not None and row.id != self._before and row.job_key in data and not self._painted.is_set():
            self._taken = at - self._begun
            self._painted.set()


async def play(home: Path, *, engine: bool, keys: int, pages: int) -> Measured:
    """Open the console there, go down the queue, and leave."""
    begun = time.perf_counter()
    places = Places(home, home / "jobdeck.db")
    app = JobdeckApp(Deck(places, Config(slots=SLOTS), "bench", ZoneInfo("UTC"), engine=engine))
    app.memory.welcomed = True
    app.driver_class = Recorder
    operator = Operator(app)
    async with app.run_test(headless=False, size=SIZE):
        driver = app._driver
        assert isinstance(driver, Recorder)
        operator.watch(driver)
        await operator.first()
        first_paint = time.perf_counter() - begun
        ended = _ended(app)
        cursor = [await operator.press("down") for _ in range(keys)]
        page = [await operator.press("pagedown") for _ in range(pages)]
        ended = _ended(app) - ended
        driver.written.clear()
        if app.engine.thread is not None:
            app.engine.thread.stop_now()
            await asyncio.to_thread(app.engine.thread.join, PATIENCE)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Measured(first_paint, cursor, page, memory, operator.rows, ended)


def _ended(app: JobdeckApp) -> int:
    snapshot = app._deck_screen.snapshot
    return 0 if snapshot is None else snapshot.counts.get(Status.SUCCEEDED, 0)


def measure(home: Path, *, engine: bool = True, keys: int = KEYS, pages: int = PAGES) -> Measured:
    """The same in a process of its own, so that its memory is its own too."""
    argv = [sys.executable, "-m", "tests.bench.console", str(home), str(int(engine)), str(keys), str(pages)]
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, timeout=600)
    return Measured(**json.loads(done.stdout))


def results(directory: Path) -> Iterator[Line]:
    """A million jobs against a hundred, and against what was promised in frames and bytes."""
    homes = {size: directory / f"console-{size}" for size in (FEW, MANY)}
    for size, home in homes.items():
        home.mkdir(mode=0o700, exist_ok=True)
        if not (home / "jobdeck.db").exists():
            build(home / "jobdeck.db", size)
    opened: dict[int, list[float]] = {size: [] for size in homes}
    for _ in range(LOOKS):
        for size, home in homes.items():
            opened[size].append(measure(home, engine=False, keys=0, pages=0).first_paint)
    each = sorted(many / few for many, few in zip(opened[MANY], opened[FEW], strict=True))
    middle = statistics.median(opened[MANY]) / statistics.median(opened[FEW])
    yield Line(f"first job painted, {MANY:,} jobs", f"{FEW:,} jobs", Ratio(middle, each[0], each[-1]), 1.6)
    busy = measure(homes[MANY])
    assert busy.ended > KEYS / 10, "the engine was to run jobs meanwhile"
    yield _against("cursor key to painted row, p95", busy.keys, 2 * FRAME, "2 frames (33 ms)")
    yield _against("page down to painted row, p95", busy.pages, 2 * FRAME, "2 frames (33 ms)")
    share = busy.memory / MEMORY
    yield Line(f"memory with {MANY:,} jobs", "200 MB", Ratio(share, share, share), 1.0)
    near = busy.rows / (4 * SIZE[1])
    yield Line("rows at hand", "four screens", Ratio(near, near, near), 1.0)


def _against(what: str, taken: Sequence[float], promised: float, words: str) -> Line:
    p95 = statistics.quantiles(taken, n=20)[-1] / promised
    return Line(what, words, Ratio(p95, min(taken) / promised, max(taken) / promised), 1.0)


def main() -> int:
    """Measure here, and print it."""
    home, engine, keys, pages = sys.argv[1:]
    measured = asyncio.run(play(Path(home), engine=engine == "1", keys=int(keys), pages=int(pages)))
    json.dump(asdict(measured), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
