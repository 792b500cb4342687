"""A job's whole tree: what belongs to it is asked to end, ended and waited for, and nothing else is touched."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from core.machine.processes import Processes, Tree
from core.machine.procfs import boot_id, started
from tests.machine.marks import VARIABLE, Mark
from tests.machine.spawned import EXECUTION, Runner, ended, noted, said
from tests.machine.waiting import runs, state_of, until

FAMILY = "sleep 300 & sleep 300 & (sleep 300 & wait) & echo ready; wait"
"""A first process with four others in its group."""
EMIGRANT = "setsid sh -c 'echo ready; exec sleep 300' & wait"
"""A process that has left the session of its job but carries its mark."""
STRANGER = "env -i {variable}={value} sleep 300 & echo ready; wait"
"""A process of the session that does not carry the mark."""


@contextmanager
def stranger() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that has nothing to do with any job, and leads a session as they do."""
    process = subprocess.Popen(["sleep", "300"], start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def group_exists(group: int) -> bool:
    """Whether a process group has members, ended ones that were not read off among them."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("script", [FAMILY, EMIGRANT, STRANGER])
@pytest.mark.parametrize("way", ["terminate", "kill"])
def test_the_whole_tree_ends(runner: Runner, mark: Mark, script: str, way: str) -> None:
    child, _ = runner.shell(script.format(variable=VARIABLE, value=mark.value), ready="ready")
    with stranger() as other:
        count = {FAMILY: 5, EMIGRANT: 2, STRANGER: 2}[script] + 1
        until(lambda: len(mark.bearers()) == count, "all of them run")
        before = mark.bearers()
        getattr(child, way)()
        assert ended(child) == -{"terminate": signal.SIGTERM, "kill": signal.SIGKILL}[way]
        until(child.gone, "the tree is gone")
        assert [pid for pid in before if runs(pid)] == [other.pid]


def test_what_is_deaf_to_the_request_is_killed(runner: Runner, mark: Mark) -> None:
    child, spawn = runner.shell(
        "trap 'echo heard' TERM; setsid sh -c \"trap '' TERM; echo ready; while :; do sleep 1; done\" &"
        " while :; do sleep 0.01; done",
        ready="ready",
    )
    child.terminate()
    until(lambda: "heard" in said(spawn), "the request is heard")
    assert child.exited() is None
    assert not child.gone()
    child.kill()
    assert ended(child) == -signal.SIGKILL
    until(child.gone, "the tree is gone")
    assert mark.bearers() == []


def test_each_is_asked_to_end_only_once(runner: Runner) -> None:
    child, spawn = runner.shell(
        "trap 'echo heard' TERM; (trap 'echo heard below' TERM; echo ready; while :; do sleep 0.01; done) &"
        " while :; do sleep 0.01; done",
        ready="ready",
    )
    for asked in (1, 2, 3):
        child.terminate()
        until(lambda n=asked: said(spawn).count("heard") >= n, "the request is heard")  # type: ignore[misc]
        until(lambda n=asked: said(spawn).count("heard below") >= n, "the request is heard below")  # type: ignore[misc]
    child.kill()
    ended(child)
    assert (said(spawn).count("heard"), said(spawn).count("heard below")) == (3, 3)


def test_a_tree_is_not_gone_before_its_first_process_was_read_off(runner: Runner) -> None:
    child, _ = runner.shell("exit 3")
    until(lambda: state_of(child.pid) == "Z", "it has ended")
    assert not child.gone()
    assert child.exited() == 3
    assert child.gone()


def test_what_a_process_leaves_in_its_group_keeps_its_tree_alive(runner: Runner) -> None:
    child, _ = runner.shell("sleep 300 & exit 0")
    assert ended(child) == 0
    assert not child.gone()
    child.terminate()
    until(child.gone, "the tree is gone")


def test_a_daemon_may_outlive_a_job_that_ended_by_itself_but_not_one_that_was_told_to_end(
    runner: Runner, mark: Mark
) -> None:
    child, spawn = runner.shell("setsid sh -c 'echo ready; exec sleep 300' & read line < /dev/zero")
    until(lambda: "ready" in said(spawn), "the daemon runs")
    os.kill(child.pid, signal.SIGKILL)
    ended(child)
    assert child.gone()
    assert len(mark.bearers()) == 1

    child, spawn = runner.shell("setsid sh -c \"trap '' TERM; echo ready; read l < /dev/zero\" & wait", ready="ready")
    child.terminate()
    ended(child)
    assert not child.gone()
    child.kill()
    until(child.gone, "the tree is gone")


def test_asking_a_tree_that_has_ended_is_no_error(runner: Runner) -> None:
    child, _ = runner.shell("exit 0")
    ended(child)
    for _ in range(2):
        child.terminate()
        child.kill()
    assert child.gone()


def test_an_earlier_engines_process_is_found_by_what_was_noted(runner: Runner, mark: Mark) -> None:
    child, spawn = runner.shell(
        f"exec env -i {VARIABLE}={mark.value} sh -c 'sleep 300 & echo ready; wait'", ready="ready"
    )
    (orphan,) = Processes().leftovers([noted(child, spawn.exec_id)])
    assert (orphan.pid, orphan.pid_started, orphan.boot_id) == (child.pid, child.pid_started, boot_id())
    assert orphan.exited() is None
    assert not orphan.gone()
    orphan.terminate()
    until(orphan.gone, "the orphan is gone")
    assert mark.bearers() == []


@pytest.mark.parametrize("script", [FAMILY, EMIGRANT, "setsid sh -c 'echo ready; exec sleep 300' & exit 0"])
def test_an_earlier_engines_process_is_found_by_its_mark(runner: Runner, mark: Mark, script: str) -> None:
    _, spawn = runner.shell(script, ready="ready")
    (orphan,) = Processes().leftovers([replace(EXECUTION, exec_id=spawn.exec_id)])
    assert orphan.members()
    orphan.kill()
    until(orphan.gone, "the orphan is gone")
    assert mark.bearers() == []


RUNAWAY = """
import os, time
print('ready', flush=True)
for _ in range(3000):
    if os.fork():
        os._exit(0)
time.sleep(300)
"""
"""A process that is never there for long: each starts another and ends, until one is left that stays."""


def test_none_slips_away_by_a_fork_while_its_tree_is_ended(runner: Runner) -> None:
    child, spawn = runner.shell(
        f"{shlex.quote(sys.executable)} -c {shlex.quote(RUNAWAY)} & exec sleep 300", ready="ready"
    )
    (orphan,) = Processes().leftovers([noted(child, spawn.exec_id)])
    orphan.kill()
    assert ended(child) == -signal.SIGKILL
    # Looking through all processes may miss one that is never there for long; its group is known to the kernel.
    until(lambda: not group_exists(child.pid), "nothing of the group is left")


def test_what_runs_for_other_executions_is_not_taken_for_a_leftover(runner: Runner) -> None:
    runner.shell(FAMILY, ready="ready")
    assert Processes().leftovers([replace(EXECUTION, exec_id="another")]) == []


@pytest.mark.parametrize("changed", ["pid_started", "boot_id"])
def test_a_reused_pid_is_not_taken_for_what_was_noted(changed: str) -> None:
    with stranger() as other:
        begun = started(other.pid)
        assert begun is not None
        execution = replace(EXECUTION, exec_id="lost", pid=other.pid, pid_started=begun, boot_id=boot_id())
        assert len(Processes().leftovers([execution])) == 1
        past = {"pid_started": begun - 1} if changed == "pid_started" else {"boot_id": "an earlier boot"}
        assert Processes().leftovers([replace(execution, **past)]) == []


def test_a_session_whose_number_went_to_another_is_left_alone() -> None:
    with stranger() as other:
        begun = started(other.pid)
        assert begun is not None
        gone = Tree("lost", other.pid, begun - 1, boot_id())
        assert gone.gone()
        gone.kill()
        assert runs(other.pid)
