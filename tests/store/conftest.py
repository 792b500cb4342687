"""Stores that tests write to by hand, and one that has a long life behind it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.long_life import live_through_everything
from tests.store.patient import Patient
from tests.store.raw import RawStore


@pytest.fixture
def raw(store_path: Path) -> Iterator[RawStore]:
    made = RawStore(store_path)
    yield made
    made.connection.close()


@pytest.fixture(scope="session")
def lived_in_home(tmp_path_factory: pytest.TempPathFactory, blank_store: Path) -> Path:
    """The home of a store to which everything legal has happened, made once: each test gets a copy."""
    home = tmp_path_factory.mktemp("lived-in")
    path = home / "jobdeck.db"
    shutil.copy(blank_store, path)
    live_through_everything(path)
    return home


@pytest.fixture
def patient(tmp_path: Path, lived_in_home: Path) -> Patient:
    """A store with a long life, ready to be damaged."""
    home = tmp_path / "home"
    shutil.copytree(lived_in_home, home)
    home.chmod(0o700)
    for file in home.iterdir():
        file.chmod(0o600)
    return Patient(home)
