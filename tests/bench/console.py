"""The console on a store of any size, with an engine that runs jobs as fast as it can: how soon a key is painted.

What it is compared with is in `bare.py`.
"""

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench.lives import SIZE, Measured, measure
from tests.bench.measure import ROUNDS, Line, Result, p95, ratio, spread
from tests.bench.stores import build

FEW, MANY = 100, 1_000_000
TABLE_ROWS = 1_000
KEYS, PAGES = 100, 15
FRAME_MS = 1000 / 60
MEMORY = 200 << 20


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
            seen = measure("player", homes[size], 0, KEYS // 2, 0)
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
        ours.append(measure("player", home, 1, KEYS, PAGES))
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
