"""The console on a store of any size, with an engine that runs jobs as fast as it can: how soon a key is painted.

`python -m tests.bench.console HOME ENGINE KEYS PAGES` opens the console on that home in a process of its own, plays an
operator who goes down the queue, and prints what it measured as JSON. What it is compared with is in `bare.py`.
"""

import asyncio
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from zoneinfo import ZoneInfo

from console.app.app import JobdeckApp
from console.app.deck import Deck
from console.home import Places
from core.config import Config
from core.status import Status
from tests.app.recording import Recorder
from tests.bench.measure import ROUNDS, Line, Result, p95, ratio, spread
from tests.bench.operator import PATIENCE, Operator, Seen
from tests.bench.stores import build

FEW, MANY = 100, 1_000_000
TABLE_ROWS = 1_000
KEYS, PAGES = 100, 40
FRAME_MS = 1000 / 60
MEMORY = 200 << 20
SIZE = (160, 48)
SLOTS = 4


@dataclass(frozen=True)
class Measured:
    """One console's life, or that of what it is compared with."""

    first_paint: float
    """When the first row was on the screen; from outside, the seconds from the start of the process to that."""
    keys: Sequence[float] = ()
    """Seconds from each press of the cursor key to the row that it painted."""
    pages: Sequence[float] = ()
    """Seconds from each press of page down to the row that it painted."""
    memory: int = 0
    """The most bytes that the process ever had."""
    rows: int = 0
    """The most rows of the queue that were at hand."""
    ended: int = 0
    """How many jobs the engine ended meanwhile."""


async def play(home: Path, *, engine: bool, keys: int, pages: int) -> Measured:
    """Open the console there, go down the queue, and leave."""
    places = Places(home, home / "jobdeck.db")
    app = JobdeckApp(Deck(places, Config(slots=SLOTS), "bench", ZoneInfo("UTC"), engine=engine))
    app.memory.welcomed = True
    app.driver_class = Recorder
    rows = 0

    def look() -> Seen | None:
        nonlocal rows
        pane = app._deck_screen.queue
        rows = max(rows, len(pane._slice.rows))
        row = pane.selected_row()
        return None if row is None else (row.id, row.job_key)

    operator = Operator(app, look)
    async with app.run_test(headless=False, size=SIZE):
        operator.watch()
        await operator.first()
        first_paint = time.time()
        ended = _ended(app)
        cursor = [await operator.press("down") for _ in range(keys)]
        page = [await operator.press("pagedown") for _ in range(pages)]
        ended = _ended(app) - ended
        if app.engine.thread is not None:
            app.engine.thread.stop_now()
            await asyncio.to_thread(app.engine.thread.join, PATIENCE)
    return Measured(first_paint, cursor, page, peak(), rows, ended)


def peak() -> int:
    """The most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _ended(app: JobdeckApp) -> int:
    snapshot = app._deck_screen.snapshot
    return 0 if snapshot is None else snapshot.counts.get(Status.SUCCEEDED, 0)


def measure(module: str, *arguments: object) -> Measured:
    """One of the programs, in a process of its own, so that its memory is its own too."""
    argv = [sys.executable, "-m", f"tests.bench.{module}", *map(str, arguments)]
    begun = time.time()
    done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, timeout=600)
    measured = Measured(**json.loads(done.stdout))
    return replace(measured, first_paint=measured.first_paint - begun)


def results(directory: Path) -> Iterator[Result]:
    """A million jobs against a hundred, against the bare list and the table, and against the clock."""
    homes = {size: directory / f"{size}" for size in (FEW, MANY)}
    for size, home in homes.items():
        home.mkdir(mode=0o700)
        build(home / "jobdeck.db", size)
    opened: dict[str, list[float]] = {"few": [], "many": [], "minimal": []}
    memory: dict[str, list[float]] = {"few": [], "many": []}
    for _ in range(ROUNDS):
        for name, size in (("few", FEW), ("many", MANY)):
            seen = measure("console", homes[size], 0, 0, PAGES)
            opened[name].append(seen.first_paint)
            memory[name].append(seen.memory)
        opened["minimal"].append(measure("bare", "minimal", 1, 0, 0).first_paint)
    what = f"first job painted, {MANY:,} jobs"
    yield Line(what, "a minimal Textual app", ratio(opened["many"], opened["minimal"]), most=2.5, aim=1.5)
    yield Line(what, f"{FEW:,} jobs", ratio(opened["many"], opened["few"]), most=1.6)
    yield Line(f"memory, {MANY:,} jobs", f"{FEW:,} jobs", ratio(memory["many"], memory["few"]), most=1.3, aim=1.1)
    yield from _keys(homes[MANY])


def _keys(home: Path) -> Iterator[Result]:
    ours, bare, tables = [], [], []
    for _ in range(ROUNDS):
        ours.append(measure("console", home, 1, KEYS, PAGES))
        bare.append(measure("bare", "list", MANY, KEYS, PAGES))
        tables.append(measure("bare", "table", TABLE_ROWS, KEYS, PAGES))
    assert min(one.ended for one in ours) > KEYS / 10, "the engine was to run jobs meanwhile"

    def medians(lives: Sequence[Measured], field: str) -> list[float]:
        return [statistics.median(getattr(one, field)) for one in lives]

    cursor = f"cursor key to painted row, {MANY:,} jobs, engine busy"
    page = f"page down to painted row, {MANY:,} jobs, engine busy"
    yield Line(cursor, "the bare list", ratio(medians(ours, "keys"), medians(bare, "keys")), most=3.0, aim=1.5)
    yield Line(
        page, f"DataTable, {TABLE_ROWS:,} rows", ratio(medians(ours, "pages"), medians(tables, "pages")), most=1.0
    )
    yield Line(page, "the bare list", ratio(medians(ours, "pages"), medians(bare, "pages")), aim=1.5)
    slowest = spread([p95(one.keys) * 1000 for one in ours])
    yield Line("cursor key to painted row, p95", "two frames", slowest, most=2 * FRAME_MS, unit=" ms")
    yield Line(
        "memory, engine busy", "200 MiB", spread([one.memory / 2**20 for one in ours]), most=MEMORY / 2**20, unit=" MiB"
    )
    yield Line("rows at hand", "four screens", spread([one.rows / (4 * SIZE[1]) for one in ours]), most=1.0)


def main() -> int:
    """Measure here, and print it."""
    home, engine, keys, pages = sys.argv[1:]
    measured = asyncio.run(play(Path(home), engine=engine == "1", keys=int(keys), pages=int(pages)))
    json.dump(asdict(measured), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
