"""Random lives of a store, each told by its number; whatever happens in them, every promise is kept."""

import os
from pathlib import Path

import pytest

from tests.engine.simulation import simulate

SEEDS = [int(seed) for seed in os.environ.get("JOBDECK_SEED", "").split()] or list(range(1, 31))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_promise_is_kept_in_a_life_full_of_disasters(seed: int, blank_store: Path, tmp_path: Path) -> None:
    simulate(seed, blank_store, tmp_path / "home")


def test_the_same_number_gives_the_same_life(blank_store: Path, tmp_path: Path) -> None:
    first, second = (simulate(7, blank_store, tmp_path / name) for name in ("first", "second"))
    assert (first.log, first.ends) == (second.log, second.ends)
    assert len(first.log) > 50
