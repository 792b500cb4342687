"""The lock of a store's leader: one process has it, and its death gives it back."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.machine.leadlock import FileLock
from tests.machine.waiting import until

HOLDER = """
import subprocess, sys
from pathlib import Path
from core.machine.leadlock import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.acquire(), flush=True)
child = subprocess.Popen(["sleep", "300"], close_fds=False, stdout=subprocess.DEVNULL)
print(child.pid, flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.usefixtures("mark")


@contextmanager
def holder(path: Path) -> Iterator[tuple["subprocess.Popen[str]", bool, int]]:
    """Another process that has tried to take the lock, whether it has it, and a child of it that outlives it."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline() == "True\n", int(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lock"


def test_a_second_process_can_not_have_it(path: Path) -> None:
    lock = FileLock(path)
    assert lock.acquire()
    with holder(path) as (_, has, _):
        assert not has
    lock.release()
    with holder(path) as (_, has, _):
        assert has
        assert not lock.acquire()


def test_holding_it_is_having_it(path: Path) -> None:
    lock = FileLock(path)
    assert lock.acquire()
    assert lock.acquire()
    assert not FileLock(path).acquire()
    lock.release()
    lock.release()
    other = FileLock(path)
    assert other.acquire()
    other.release()


def test_it_is_dropped_when_its_holder_is_killed_though_what_that_started_lives_on(path: Path) -> None:
    lock = FileLock(path)
    with holder(path) as (process, has, child):
        assert has
        assert not lock.acquire()
        process.kill()
        process.wait()
        until(lock.acquire, "the lock is free", seconds=5)
        os.kill(child, 0)
        lock.release()


def test_it_is_its_owners_only(path: Path) -> None:
    lock = FileLock(path)
    lock.acquire()
    assert path.stat().st_mode & 0o777 == 0o600
    lock.release()
