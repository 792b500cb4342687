"""A log is kept within its size while it is being written, and loses nothing but its oldest lines."""

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.machine import logfile
from core.machine.processes import Child
from tests.machine.spawned import Runner, ended, said
from tests.machine.waiting import freeze, state_of, until

LIMIT = 256 * 1024
LINE = 13
FAST = "seq 100000000000 999999999999 | dd bs=1M iflag=fullblock status=none"
"""Writes numbered lines as fast as it can, in blocks that take their time and end in the middle of a line."""

Way = str


@pytest.fixture(params=["hole", "move"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Way:
    """With a disk that can take back the beginning of a file, and on a machine that knows no such call."""
    if request.param == "move":
        monkeypatch.setattr(logfile, "_libc", object)
    return str(request.param)


def kept(path: Path) -> list[bytes]:
    """The lines that a reader finds."""
    with path.open("rb") as file:
        file.seek(logfile.first_byte(file.fileno()))
        return file.read().split(b"\n")


def on_disk(path: Path) -> int:
    return path.stat().st_blocks * 512


def larger(path: Path, than: int) -> Callable[[], bool]:
    return lambda: on_disk(path) > than


def stop(child: Child) -> None:
    child.kill()
    ended(child)


def trim_while_it_writes(runner: Runner, script: str, check: Callable[[Path], None], times: int) -> None:
    """Trim the log of a process that writes without a pause, and look each time at what was kept the time before."""
    child, spawn = runner.shell(script)
    for _ in range(times):
        until(larger(spawn.log_path, LIMIT), "the log has outgrown its limit")
        check(spawn.log_path)
        until(lambda: logfile.trim(spawn.log_path, LIMIT, child.members), "the log is trimmed")
    stop(child)
    check(spawn.log_path)


@pytest.mark.usefixtures("way")
def test_every_line_that_is_kept_is_whole_and_the_next_to_the_one_before(runner: Runner) -> None:
    def check(path: Path) -> None:
        """Lines of equal length are consecutive when each stands where its number says."""
        with path.open("rb") as file:
            begin = logfile.first_byte(file.fileno())
            count = (os.fstat(file.fileno()).st_size - begin) // LINE
            first = int(os.pread(file.fileno(), LINE, begin))
            for place in {*range(0, count, max(1, count // 500)), count - 1}:
                assert os.pread(file.fileno(), LINE, begin + place * LINE) == b"%d\n" % (first + place)

    trim_while_it_writes(runner, FAST, check, times=60)


@pytest.mark.usefixtures("way")
def test_several_writers_of_one_log_lose_nothing_either(runner: Runner) -> None:
    def check(path: Path) -> None:
        lines = kept(path)[:-1]
        for name in (b"near", b"far"):
            numbers = [int(line.split()[1]) for line in lines if line.startswith(name + b" ")]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))

    count = "i=0; while :; do i=$((i+1)); echo $0 $i; done"
    trim_while_it_writes(runner, f"setsid sh -c '{count}' far & sh -c '{count}' near & wait", check, times=5)


def test_what_is_left_takes_less_than_the_limit_and_at_least_a_third_of_it(runner: Runner, way: Way) -> None:
    child, spawn = runner.shell("seq 1 500000")
    ended(child)
    assert logfile.trim(spawn.log_path, LIMIT, child.members)
    assert LIMIT / 3 < on_disk(spawn.log_path) <= LIMIT
    assert kept(spawn.log_path)[-2:] == [b"500000", b""]
    assert (spawn.log_path.stat().st_size > LIMIT) is (way == "hole")


@pytest.mark.usefixtures("way")
def test_a_log_within_its_limit_is_left_as_it_is(runner: Runner) -> None:
    child, spawn = runner.shell("seq 1 1000")
    ended(child)
    assert not logfile.trim(spawn.log_path, LIMIT, child.members)
    assert said(spawn) == [str(number) for number in range(1, 1001)]


@pytest.mark.usefixtures("way")
def test_a_last_line_that_is_longer_than_what_is_kept_stays_as_far_as_it_fits(runner: Runner) -> None:
    child, spawn = runner.shell("head -c 1000000 /dev/zero | tr '\\0' x; echo")
    ended(child)
    assert logfile.trim(spawn.log_path, LIMIT, child.members)
    (line, rest) = kept(spawn.log_path)
    assert (set(line), rest) == (set(b"x"), b"")
    assert LIMIT // 2 - 4096 <= len(line) <= LIMIT // 2


@pytest.mark.usefixtures("way")
def test_a_log_that_was_trimmed_before_is_trimmed_again(runner: Runner) -> None:
    child, spawn = runner.shell("seq 1 99999; trap 'seq 100000 199999' USR1; while :; do sleep 0.01; done")
    for last in (b"99999", b"199999"):
        until(lambda end=last: end in kept(spawn.log_path), "all is written")  # type: ignore[misc]
        assert logfile.trim(spawn.log_path, LIMIT, child.members)
        assert not logfile.trim(spawn.log_path, LIMIT, child.members)
        assert kept(spawn.log_path)[-2:] == [last, b""]
        os.kill(child.pid, signal.SIGUSR1)
    stop(child)


def test_a_log_that_is_gone_is_no_error(tmp_path: Path) -> None:
    assert not logfile.trim(tmp_path / "gone.log", LIMIT, list)


@pytest.mark.usefixtures("way")
def test_a_process_tends_its_own_log(runner: Runner) -> None:
    spawn = runner.spawn_of(("seq", "1", "500000"))
    child = runner.start(replace(spawn, log_limit=LIMIT))
    ended(child)
    child.tend()
    assert on_disk(spawn.log_path) <= LIMIT


def test_writers_run_on_after_they_had_to_stand_still(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logfile, "_libc", object)
    child, spawn = runner.shell("seq 1 500000; echo ready; while :; do echo on; sleep 0.01; done")
    until(lambda: b"ready" in kept(spawn.log_path), "it has written much")
    assert logfile.trim(spawn.log_path, LIMIT, child.members)
    written = spawn.log_path.stat().st_size
    until(lambda: spawn.log_path.stat().st_size > written, "it writes on")
    stop(child)


def test_a_writer_that_someone_else_has_stopped_stays_stopped(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logfile, "_libc", object)
    child, spawn = runner.shell("seq 1 500000; echo ready; exec sleep 300")
    until(lambda: b"ready" in kept(spawn.log_path), "it has written much")
    freeze(child.pid)
    assert logfile.trim(spawn.log_path, LIMIT, child.members)
    assert state_of(child.pid) == "T"
    stop(child)


def test_a_log_whose_writer_can_not_be_stopped_is_left_for_another_time(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process in the middle of a vfork can't stop before its child lets it, and the child has been stopped too."""
    monkeypatch.setattr(logfile, "_libc", object)
    forking = "import ctypes, time; ctypes.CDLL(None).vfork() or time.sleep(300)"
    child, spawn = runner.shell(f"seq 1 500000; echo ready; exec {sys.executable} -c '{forking}'")
    until(lambda: b"ready" in kept(spawn.log_path), "it has written much")
    until(lambda: state_of(child.pid) == "D", "it stands in its vfork")
    size = spawn.log_path.stat().st_size
    begun = time.monotonic()
    assert not logfile.trim(spawn.log_path, LIMIT, child.members)
    assert time.monotonic() - begun < 5
    assert spawn.log_path.stat().st_size == size
    stop(child)
