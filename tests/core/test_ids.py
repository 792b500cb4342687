"""Identifiers that sort by time, whatever the clock does."""

import threading
import uuid
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import ids
from core.ids import uuid7

NOON = 1_900_000_000_000


@pytest.fixture(autouse=True)
def _order_of_its_own() -> Iterator[None]:
    """Ids only ever grow within a process, so these tests put back what they found."""
    before, ids._last = ids._last, 0
    yield
    ids._last = before


def test_it_is_a_uuid_of_version_seven_and_the_standard_variant() -> None:
    made = uuid.UUID(uuid7(NOON))
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert str(made) == str(made).lower()


@given(st.integers(0, 2**48 - 1))
def test_it_begins_with_its_millisecond(unix_ms: int) -> None:
    ids._last = 0
    assert uuid.UUID(uuid7(unix_ms)).int >> 80 == unix_ms


@given(st.lists(st.integers(0, 2**47), min_size=2, max_size=50))
def test_each_is_greater_than_the_one_before_even_when_the_clock_goes_back(moments: list[int]) -> None:
    made = [uuid7(moment) for moment in moments]
    assert made == sorted(set(made))
    assert {uuid.UUID(each).version for each in made} == {7}


def test_thousands_within_a_millisecond_stay_in_order() -> None:
    made = [uuid7(NOON) for _ in range(5000)]
    assert made == sorted(set(made))


def test_a_full_millisecond_counts_on_into_the_next() -> None:
    ids._last = ((NOON + 1) << 74) - 1
    made = uuid.UUID(uuid7(NOON))
    assert made.int >> 80 == NOON + 1
    assert (made.version, made.variant) == (7, uuid.RFC_4122)


def test_two_processes_do_not_make_the_same() -> None:
    made = set()
    for _ in range(100):
        ids._last = 0
        made.add(uuid7(NOON))
    assert len(made) == 100


def test_threads_never_share_one() -> None:
    made: list[str] = []
    start = threading.Barrier(4)

    def make() -> None:
        start.wait()
        made.extend([uuid7(NOON) for _ in range(500)])

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 2000
