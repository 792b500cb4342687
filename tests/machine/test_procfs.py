"""What the kernel tells about processes, read right whatever they are called."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.machine import procfs
from core.owners import parse_owner
from tests.machine.waiting import freeze, state_of, until

TICK = 1 / os.sysconf("SC_CLK_TCK")

pytestmark = pytest.mark.usefixtures("mark")


@contextmanager
def python(script: str, **env: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A python process in a session of its own that has said that it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True, env={**os.environ, **env}
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


WAIT = "print('ready', flush=True); import time; time.sleep(300)"


def test_the_boot_has_the_kernels_name_for_it() -> None:
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", procfs.boot_id())
    assert procfs.boot_id() == Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def test_a_process_started_when_it_was_started() -> None:
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    with python(WAIT) as process:
        after = time.clock_gettime(time.CLOCK_BOOTTIME)
        begun = procfs.started(process.pid)
        assert begun is not None
        assert before - TICK <= begun * TICK <= after + TICK
    assert procfs.started(process.pid) is None


@pytest.mark.parametrize("name", ["a b", ") Z 1 1 1", "(a) (b", "a)\\nZ 7 7", "S 1 2 3 4 5 6"])
def test_a_name_with_brackets_spaces_and_newlines_confuses_nothing(name: str) -> None:
    with python(f"open('/proc/self/comm', 'w').write('{name}'); {WAIT}") as process:
        (stat,) = [one for one in procfs.processes() if one.pid == process.pid]
        assert (stat.group, stat.session) == (process.pid, process.pid)
        assert stat.state in "RS"
        assert stat.started == procfs.started(process.pid)


def test_a_process_is_alive_until_it_has_ended() -> None:
    with python(WAIT) as process:
        begun = procfs.started(process.pid)
        assert begun is not None
        owner = replace(procfs.this_process("ann"), pid=process.pid, started=begun)
        assert procfs.alive(owner)
        assert not procfs.alive(replace(owner, started=owner.started - 1))
        assert not procfs.alive(replace(owner, boot="an earlier boot"))
        assert not procfs.alive(replace(owner, host="elsewhere"))
        process.kill()
        until(lambda: state_of(process.pid) == "Z", "it has ended, and nobody has read that off")
        assert not procfs.alive(owner)
    assert not procfs.alive(owner)


def test_this_process_is_an_owner_that_can_be_written_down_and_read_again() -> None:
    me = procfs.this_process("engine", "c0ffee")
    assert (me.pid, me.started, me.boot) == (os.getpid(), procfs.started(os.getpid()), procfs.boot_id())
    assert parse_owner(str(me)) == me
    assert parse_owner(str(replace(me, boot="", mark=""))) == replace(me, boot="", mark="")
    assert procfs.alive(me)


def test_what_has_ended_is_not_listed_and_what_runs_is() -> None:
    with python(WAIT) as process:
        assert process.pid in {one.pid for one in procfs.processes()}
        process.kill()
        until(lambda: state_of(process.pid) == "Z", "it has ended")
        assert process.pid not in {one.pid for one in procfs.processes()}


def test_the_mark_of_a_process_is_the_one_it_was_started_with() -> None:
    with python(f"import os; os.environ['JOBDECK_EXEC_ID'] = 'other'; {WAIT}", JOBDECK_EXEC_ID="one") as process:
        assert procfs.marked_for(process.pid) == "one"
    with python(WAIT, NOT_JOBDECK_EXEC_ID="x", JOBDECK_EXEC_ID_TOO="y") as process:
        assert procfs.marked_for(process.pid) is None
    assert procfs.marked_for(process.pid) is None
    assert procfs.marked_for(2) is None


def test_a_process_stands_still_only_when_all_its_threads_do() -> None:
    threads = "import threading, time; threading.Thread(target=time.sleep, args=(300,), daemon=True).start()"
    with python(f"{threads}; {WAIT}") as process:
        assert len(os.listdir(f"/proc/{process.pid}/task")) == 2
        assert not procfs.stands_still(process.pid)
        freeze(process.pid)
        until(lambda: procfs.stands_still(process.pid), "both threads stand")
        process.send_signal(signal.SIGCONT)
        until(lambda: not procfs.stands_still(process.pid), "it goes on")
    assert procfs.stands_still(process.pid)


def test_the_use_of_a_tree_is_counted_over_all_its_processes() -> None:
    burning = "import time; end = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
    holding = "held = bytearray(b'x') * 64_000_000\n"
    with (
        python(f"import os; os.fork()\n{burning}import time; print('ready', flush=True); time.sleep(300)") as busy,
        python(f"{holding}{WAIT}") as large,
    ):
        assert busy.stdout is not None
        assert busy.stdout.readline() == b"ready\n"
        use = procfs.used_by({busy.pid, large.pid, 1_999_999_999})
        assert set(use) == {busy.pid, large.pid}
        assert use[busy.pid].processes == 2
        assert 0.6 - 4 * TICK <= use[busy.pid].seconds < 5
        assert use[large.pid].processes == 1
        assert 64_000_000 <= use[large.pid].memory < 200_000_000
        assert use[large.pid].seconds < use[busy.pid].seconds
