"""When a gap runs out, its neighbourhood is spread: in order, and without a touch on anybody further away."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.positions import GAP, HIGHEST, LOWEST
from store.operations import renumbering
from store.operations.ordering import Move
from store.store import Store
from tests.conftest import Clock
from tests.store.raw import RawStore
from tests.store.test_ordering import fill, order

PLACES = "SELECT id, position FROM jobs WHERE status = 'QUEUED'"


def positions(raw: RawStore) -> dict[int, int]:
    return {row["id"]: row["position"] for row in raw.run(PLACES)}


def test_a_gap_in_a_long_queue_is_made_among_its_neighbours(
    store: Store, raw: RawStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renumbering, "REACH", 10)
    jobs = fill(store, 400)
    before = positions(raw)
    anchor = jobs[200]
    expected = list(jobs)
    with store.write("bob") as work:
        # Each goes directly before the same one, so that one gap is halved until nothing of it is left.
        for job in jobs[300:308]:
            work.move(job, Move.BEFORE, anchor)
            expected.remove(job)
            expected.insert(expected.index(anchor), job)
        assert order(work) == expected
    moved = {job for job, position in positions(raw).items() if position != before[job]}
    assert moved >= set(jobs[300:308])
    assert moved <= {*jobs[180:220], *jobs[300:308]}, "only neighbours of the gap were touched"
    assert len(moved) > 8, "the gap did run out"


@settings(max_examples=60, deadline=None)
@given(
    gaps=st.lists(st.sampled_from([0, 1, 2, 30, GAP]), min_size=8, max_size=24),
    steps=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(1, 4)), min_size=1, max_size=12),
)
def test_blocks_moved_into_any_gaps_agree_with_a_list(
    blank_store: Path, gaps: list[int], steps: list[tuple[int, int, int]]
) -> None:
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        patch.setattr(renumbering, "REACH", 1)
        with Store(Path(shutil.copy(blank_store, home)), now=Clock()) as store:
            expected = fill(store, len(gaps))
            with store.write("bob") as work:
                for number, job in enumerate(expected):
                    work.run("UPDATE jobs SET position = :place WHERE id = :id", place=sum(gaps[:number]), id=job)
                for first, other, size in steps:
                    block = expected[first % len(expected) :][:size]
                    beside = expected[other % len(expected)]
                    if beside in block:
                        continue
                    work.move_many(block, Move.BEFORE, beside)
                    expected = [job for job in expected if job not in block]
                    at = expected.index(beside)
                    expected[at:at] = block
                    assert order(work) == expected


@pytest.mark.parametrize("edge", [LOWEST, HIGHEST])
def test_at_the_ends_of_what_a_number_can_say_there_is_room_too(store: Store, raw: RawStore, edge: int) -> None:
    jobs = fill(store, 5)
    raw.run("UPDATE jobs SET position = :edge", edge=edge)
    with store.write("bob") as work:
        work.move(jobs[4], Move.BEFORE, jobs[0])
        work.move(jobs[0], Move.BOTTOM)
        assert order(work) == [jobs[4], *jobs[1:4], jobs[0]]
