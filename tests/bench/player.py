"""The console, and an operator who goes down its queue: `python -m tests.bench.player HOME ENGINE KEYS PAGES`.

Prints what was measured as JSON.
"""

import asyncio
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from zoneinfo import ZoneInfo

from console.cli.open import collected_later
from console.home import Places
from core.config import Config
from core.status import Status
from tests.app.recording import Recorder
from tests.bench.lives import SIZE, Measured, peak
from tests.bench.typist import PATIENCE, Operator, Seen

with collected_later():
    # As the command does it.
    from console.app.app import JobdeckApp
    from console.app.deck import Deck

SLOTS = 4


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


def _ended(app: JobdeckApp) -> int:
    snapshot = app._deck_screen.snapshot
    return 0 if snapshot is None else snapshot.counts.get(Status.SUCCEEDED, 0)


def main() -> int:
    """Measure here, and print it."""
    home, engine, keys, pages = sys.argv[1:]
    measured = asyncio.run(play(Path(home), engine=engine == "1", keys=int(keys), pages=int(pages)))
    json.dump(asdict(measured), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
