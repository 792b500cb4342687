"""`python -m tests.bench.open_console SLOTS`: the console with its engine, painting for nobody, until stdin ends."""

import asyncio
import os
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

from console.app.app import JobdeckApp
from console.app.deck import Deck
from console.home import Places
from core.config import Config
from tests.app.recording import Recorder

SIZE = (160, 48)


async def stay(home: Path, slots: int) -> None:
    """Be open until stdin ends."""
    places = Places(home, home / "jobdeck.db")
    app = JobdeckApp(Deck(places, Config(slots=slots), "bench", ZoneInfo("UTC"), engine=True))
    app.memory.welcomed = True
    app.driver_class = Recorder
    async with app.run_test(headless=False, size=SIZE):
        await asyncio.to_thread(sys.stdin.buffer.read)
        if app.engine.thread is not None:
            app.engine.thread.stop_now()
            await asyncio.to_thread(app.engine.thread.join, 30.0)


if __name__ == "__main__":
    asyncio.run(stay(Path(os.environ["JOBDECK_HOME"]), int(sys.argv[1])))
