"""What tests of the engine stand on."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.stage import Stage

MakeStage = Callable[..., Stage]


@pytest.fixture
def make_stage(store_path: Path) -> Iterator[MakeStage]:
    """A played machine with a real store and no engine yet, with whatever is to be different about it."""
    made: list[Stage] = []

    def make(**options: object) -> Stage:
        made.append(Stage(**{"path": store_path, **options}))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for stage in made:
        stage.close()


@pytest.fixture
def stage(make_stage: MakeStage) -> Stage:
    """A played machine with two slots."""
    return make_stage()
