"""The store is what the engine asks for; mypy reads this file, and so the promise is checked without running it."""

from pathlib import Path

from core import store_ports
from store.store import Store


def test_the_store_is_the_store_that_the_engine_asks_for(store_path: Path) -> None:
    with Store(store_path) as opened:
        asked_for: store_ports.Store = opened
        with asked_for.write("engine") as work:
            engine_work: store_ports.StoreWork = work
            assert engine_work.wake_due() == 0
