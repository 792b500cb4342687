"""The loop's waiter and the bell: what happens ends the wait, whoever it was, and nobody who tells it has to wait."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.machine.bell import NAME, Bell, ring
from core.machine.waiter import Waiter
from tests.machine.waiting import until

LONG = 20.0


@pytest.fixture
def waiter() -> Iterator[Waiter]:
    made = Waiter()
    yield made
    made.close()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe2(os.O_NONBLOCK)
    yield ends
    for end in ends:
        os.close(end)


def waited(waiter: Waiter, seconds: float) -> float:
    """How long a wait took."""
    begun = time.monotonic()
    waiter.wait(seconds)
    return time.monotonic() - begun


def test_nothing_happens_so_the_wait_takes_its_time(waiter: Waiter) -> None:
    assert 0.05 <= waited(waiter, 0.05) < LONG / 2
    assert waited(waiter, 0) < LONG / 2
    assert waited(waiter, -5) < LONG / 2


def test_a_nudge_from_another_thread_ends_the_wait(waiter: Waiter) -> None:
    thread = threading.Timer(0.02, waiter.nudge)
    thread.start()
    assert waited(waiter, LONG) < LONG / 2
    thread.join()
    assert waited(waiter, 0.05) >= 0.05, "a nudge counts once"


def test_a_nudge_before_the_wait_is_not_lost_and_a_flood_of_them_never_blocks(waiter: Waiter) -> None:
    for _ in range(100_000):
        waiter.nudge()
    assert waited(waiter, LONG) < LONG / 2
    assert waited(waiter, 0.05) >= 0.05


def test_a_nudge_that_comes_too_late_is_written_nowhere() -> None:
    waiter = Waiter()
    waiter.close()
    ours = [os.pipe2(os.O_NONBLOCK) for _ in range(3)]
    try:
        assert waiter.nudger in {end for pipe in ours for end in pipe}, "the number belongs to another file now"
        waiter.nudge()
        for reading, _ in ours:
            with pytest.raises(BlockingIOError):
                os.read(reading, 1)
    finally:
        for pipe in ours:
            for end in pipe:
                os.close(end)


def test_what_is_watched_is_acted_on_as_long_as_it_is_watched(waiter: Waiter, pipe: tuple[int, int]) -> None:
    seen: list[bytes] = []
    waiter.add(pipe[0], lambda: seen.append(os.read(pipe[0], 100)))
    os.write(pipe[1], b"one")
    waiter.wait(LONG)
    os.write(pipe[1], b"two")
    waiter.wait(LONG)
    assert seen == [b"one", b"two"]
    waiter.remove(pipe[0])
    waiter.remove(pipe[0])
    os.write(pipe[1], b"three")
    waiter.wait(0.01)
    assert seen == [b"one", b"two"]


def test_room_to_write_is_told_only_while_it_is_wanted(waiter: Waiter, pipe: tuple[int, int]) -> None:
    told: list[str] = []
    waiter.add(pipe[1], lambda: told.append("readable"))
    waiter.wait(0.01)
    assert told == []
    waiter.for_room(pipe[1], lambda: told.append("room"), wanted=True)
    waiter.wait(LONG)
    assert told == ["room"]
    waiter.for_room(pipe[1], lambda: told.append("room"), wanted=False)
    waiter.wait(0.01)
    assert told == ["room"]


def test_what_ends_once_is_closed_when_it_has(waiter: Waiter) -> None:
    read_end, write_end = os.pipe2(os.O_NONBLOCK)
    waiter.close_when_ready(read_end)
    waiter.wait(0.01)
    os.fstat(read_end)
    os.close(write_end)
    assert waited(waiter, LONG) < LONG / 2
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(read_end)
    assert waited(waiter, 0.05) >= 0.05


def test_a_ring_ends_the_wait_once_however_often_it_came(waiter: Waiter, tmp_path: Path) -> None:
    bell = Bell(tmp_path)
    waiter.add(bell.descriptor, bell.quiet)
    assert waited(waiter, 0.05) >= 0.05
    for _ in range(3):
        ring(tmp_path)
    assert waited(waiter, LONG) < LONG / 2
    assert waited(waiter, 0.05) >= 0.05
    waiter.remove(bell.descriptor)
    bell.close()


def test_a_ring_from_another_process_is_heard(waiter: Waiter, tmp_path: Path) -> None:
    bell = Bell(tmp_path)
    waiter.add(bell.descriptor, bell.quiet)
    child = os.fork()
    if child == 0:
        ring(tmp_path)
        os._exit(0)
    assert waited(waiter, LONG) < LONG / 2
    os.waitpid(child, 0)
    waiter.remove(bell.descriptor)
    bell.close()


def test_a_ring_that_nobody_hears_is_no_error(tmp_path: Path) -> None:
    ring(tmp_path / "absent")
    ring(tmp_path)
    Bell(tmp_path).close()
    ring(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == [NAME]


def test_a_bell_that_is_full_of_rings_never_blocks_who_rings(tmp_path: Path) -> None:
    bell = Bell(tmp_path)
    for _ in range(70_000):
        ring(tmp_path)
    bell.quiet()
    with pytest.raises(BlockingIOError):
        os.read(bell.descriptor, 1)
    bell.close()


def test_a_bell_that_a_dead_engine_left_is_taken_over_with_its_mode(tmp_path: Path) -> None:
    Bell(tmp_path).close()
    bell = Bell(tmp_path)
    ring(tmp_path)
    assert until(lambda: os.read(bell.descriptor, 10), "the ring is there") == b"!"
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600
    bell.close()
