"""What tests stand on: a store of their own, and a clock that they turn."""

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from store.store import Store

# How fast examples are made is the machine's matter; before the very first ones Hypothesis reads all of this code.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Clock:
    """A clock that stands still until a test turns it."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> datetime:
        """Turn it on by a timedelta's arguments."""
        self.now += timedelta(**span)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def blank_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store, made once: each test gets a copy, which is far cheaper than a migration."""
    path = tmp_path_factory.mktemp("blank") / "jobdeck.db"
    Store(path).close()
    return path


@pytest.fixture
def store_path(tmp_path: Path, blank_store: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    path = home / "jobdeck.db"
    shutil.copy(blank_store, path)
    path.chmod(0o600)
    return path


@pytest.fixture
def make_store(store_path: Path, clock: Clock) -> Iterator[Callable[[], Store]]:
    """Further connections to the same file, closed when the test ends."""
    opened: list[Store] = []

    def make() -> Store:
        opened.append(Store(store_path, now=clock))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


@pytest.fixture
def store(make_store: Callable[[], Store]) -> Store:
    return make_store()
