"""What tests with real processes stand on: a mark that ends them all, whatever becomes of the test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.machine.deck import Deck, MakeDeck
from tests.machine.marks import VARIABLE, Mark
from tests.machine.spawned import Runner


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mark]:
    """Every process that the test starts carries it, and is gone when the test is over."""
    made = Mark()
    monkeypatch.setenv(VARIABLE, made.value)
    yield made
    made.end_all()


@pytest.fixture
def runner(mark: Mark, tmp_path: Path) -> Iterator[Runner]:
    """Starts processes as an engine does."""
    made = Runner(tmp_path)
    yield made
    mark.end_all()
    made.close()


@pytest.fixture
def make_deck(tmp_path: Path, blank_store: Path) -> Iterator[MakeDeck]:
    made: list[Deck] = []

    def make(config: str = "") -> Deck:
        made.append(Deck(tmp_path / f"home{len(made)}", blank_store, config))
        return made[-1]

    yield make
    for deck in made:
        deck.close()


@pytest.fixture
def deck(make_deck: MakeDeck) -> Deck:
    return make_deck("")
