"""A prune that dies between any two of its steps has lost nothing, and the next one ends it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from store.retention import OldJob, prune
from store.store import Store
from store.work import Work
from tests.conftest import Clock
from tests.store.house import MONTH, House


class Killed(BaseException):
    """The process died here."""


@pytest.fixture
def house(store: Store, clock: Clock) -> House:
    return House(store, clock)


class Dying:
    """Dies at a step of a prune: before or after each thing that it does to the world."""

    def __init__(self, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = at
        write, unlink = Store.write, Path.unlink

        @contextmanager
        def dying_write(store: Store, actor: str, now: datetime | None = None) -> Iterator[Work]:
            self.step()
            with write(store, actor, now) as work:
                yield work
                self.step()
            self.step()

        def dying_unlink(path: Path, missing_ok: bool = False) -> None:
            self.step()
            unlink(path, missing_ok)

        monkeypatch.setattr(Store, "write", dying_write)
        monkeypatch.setattr(Path, "unlink", dying_unlink)

    def step(self) -> None:
        """Something is about to be done, or was."""
        self.left -= 1
        if self.left == 0:
            raise Killed


def test_a_death_between_any_two_steps_loses_nothing_and_the_next_prune_ends_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.retention.JOBS_AT_ONCE", 2)
    deaths = 0
    while True:
        keys = {f"round {deaths} chain", *(f"round {deaths} job {number}" for number in range(3))}
        house.again(house.failed(f"round {deaths} chain"))
        for number in range(3):
            house.failed(f"round {deaths} job {number}")
        house.clock.forward(days=40)
        kept: list[str] = []

        def keep(jobs: Sequence[OldJob], kept: list[str] = kept) -> None:
            kept += [one.whole.job.job_key for one in jobs]

        with monkeypatch.context() as patched:
            dying = Dying(deaths + 1, patched)
            try:
                prune(house.store, MONTH, house.logs, keep)
                died = False
            except Killed:
                died = True
        # Whatever is gone from the store has been written down before.
        assert keys - set(house.left()) <= set(kept)
        assert house.well()
        prune(house.store, MONTH, house.logs, keep)
        assert set(kept) == keys
        assert (house.left(), house.log_files()) == ([], 0)
        with house.store.read() as views:
            assert views.logs_to_remove() == []
        assert house.well()
        if not died:
            break
        deaths += 1
        assert dying.left == 0
    # Three transactions of chains and three of notes, of three steps each, and five logs.
    assert deaths > 15
