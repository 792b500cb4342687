"""How a process of a job comes to life: alone in its session, its output in its log, its end told as it was."""

import os
import select
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from core.classify import ErrorType, classify_spawn
from core.machine.processes import Processes
from tests.machine.marks import Mark
from tests.machine.spawned import Runner, ended, said


def test_a_process_leads_a_session_and_a_group_of_its_own(runner: Runner) -> None:
    child, _ = runner.shell("sleep 300 & echo ready; wait", ready="ready")
    assert os.getsid(child.pid) == os.getpgid(child.pid) == child.pid
    assert child.pid != os.getsid(0)


def test_it_reads_nothing_and_holds_nothing_but_its_log(runner: Runner) -> None:
    read_end, write_end = os.pipe()
    os.set_inheritable(read_end, True)
    os.set_inheritable(write_end, True)
    try:
        child, spawn = runner.shell("sleep 300 & echo ready; wait", ready="ready")
    finally:
        os.close(read_end)
        os.close(write_end)
    held = {one.name: os.readlink(one) for one in Path(f"/proc/{child.pid}/fd").iterdir()}
    assert held == {"0": "/dev/null", "1": str(spawn.log_path), "2": str(spawn.log_path)}


def test_all_output_goes_to_a_log_for_its_owner_only(runner: Runner) -> None:
    before = os.umask(0)
    try:
        child, spawn = runner.shell("echo out; echo err >&2; echo again")
    finally:
        os.umask(before)
    assert ended(child) == 0
    assert said(spawn) == ["out", "err", "again"]
    assert spawn.log_path.stat().st_mode & 0o777 == 0o600
    assert [one.stat().st_mode & 0o777 for one in (runner.logs, spawn.log_path.parent)] == [0o700, 0o700]


def test_a_log_is_never_written_through_a_link(runner: Runner, tmp_path: Path) -> None:
    spawn = runner.spawn_of(("echo", "secret"))
    spawn.log_path.parent.mkdir(parents=True)
    spawn.log_path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="log"):
        runner.start(spawn)
    assert not (tmp_path / "elsewhere").exists()


def test_it_runs_where_it_is_told_with_the_variables_it_is_given(runner: Runner, mark: Mark, tmp_path: Path) -> None:
    plain = runner.spawn_of(("/bin/sh", "-c", 'pwd; echo "$COLOUR"; echo "$JOBDECK_TEST_RUN"'))
    spawn = replace(plain, cwd=str(tmp_path), env={**plain.env, "COLOUR": "a b\nc"})
    assert ended(runner.start(spawn)) == 0
    assert said(spawn) == [str(tmp_path), "a b", "c", mark.value]


def test_params_of_a_job_that_the_engine_itself_runs_in_are_not_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOBDECK_PARAMS", '{"outer": 1}')
    inner = Runner(tmp_path)
    child, spawn = inner.shell('echo "[$JOBDECK_PARAMS]"')
    assert ended(child) == 0
    assert said(spawn) == ["[]"]


@pytest.mark.parametrize("code", [0, 1, 75, 255])
def test_its_exit_code_is_told(runner: Runner, code: int) -> None:
    child, _ = runner.shell(f"exit {code}")
    assert ended(child) == code


@pytest.mark.parametrize("name", ["SEGV", "TERM", "KILL"])
def test_the_signal_that_ended_it_is_told(runner: Runner, name: str) -> None:
    child, _ = runner.shell(f"kill -{name} $$")
    assert ended(child) == -signal.Signals[f"SIG{name}"]


def test_whoever_waits_is_woken_by_its_end(runner: Runner) -> None:
    watched: list[int] = []
    child = Processes(watched.append).spawn(runner.spawn_of(("sleep", "300")))
    (descriptor,) = watched
    assert select.select([descriptor], [], [], 0)[0] == []
    child.kill()
    assert select.select([descriptor], [], [], 30)[0] == [descriptor]
    assert ended(child) == -signal.SIGKILL
    os.close(descriptor)


def _program(path: Path, mode: int, text: str) -> str:
    path.write_text(text)
    path.chmod(mode)
    return str(path)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("no program", "command not found: {program}"),
        ("not executable", "not allowed to run: {program}"),
        ("a directory", "not allowed to run: {program}"),
        ("no format", "not a program: {program}"),
        ("below a file", "command not found: {program}"),
        ("too long", "arguments too long for: {program}"),
        ("no directory", "working directory not found: {cwd}"),
        ("a file as directory", "working directory is not a directory: {cwd}"),
    ],
)
def test_what_can_not_be_started_says_why(runner: Runner, tmp_path: Path, case: str, words: str) -> None:
    plain = _program(tmp_path / "plain", 0o644, "#!/bin/sh\n")
    odd = _program(tmp_path / "odd", 0o755, "\x7fELF, but not really\n")
    cwd = {"no directory": str(tmp_path / "absent"), "a file as directory": plain}.get(case)
    program = {
        "no program": "no-such-program-anywhere",
        "not executable": plain,
        "a directory": str(tmp_path),
        "no format": odd,
        "below a file": f"{plain}/sub",
    }.get(case, "/bin/true")
    arguments = ["x" * 100_000] * 100 if case == "too long" else []
    held = os.listdir("/proc/self/fd")
    spawn = replace(runner.spawn_of((program, *arguments)), cwd=cwd)
    with pytest.raises(OSError) as refused:  # noqa: PT011 - which one is what the words say
        runner.start(spawn)
    failure = classify_spawn(refused.value, program, cwd)
    assert failure.message == words.format(program=program, cwd=cwd)
    assert failure.error_type is ErrorType.TERMINAL
    assert os.listdir("/proc/self/fd") == held


def test_text_that_no_process_can_be_given_is_refused_like_any_other_start(runner: Runner) -> None:
    for spawn in (
        runner.spawn_of(("echo", "a\0b")),
        replace(runner.spawn_of(("echo",)), env={"A=B": "c"}),
        replace(runner.spawn_of(("echo",)), cwd="/tmp\0"),
    ):
        with pytest.raises(OSError, match="echo"):
            runner.start(spawn)


def test_a_log_that_can_not_be_made_is_not_taken_for_a_missing_program(runner: Runner, tmp_path: Path) -> None:
    spawn = replace(runner.spawn_of(("echo",)), log_path=tmp_path / "a" / "b" / "c" / "d.log")
    with pytest.raises(OSError) as refused:  # noqa: PT011 - the words follow
        runner.start(spawn)
    failure = classify_spawn(refused.value, "echo")
    assert failure.message == f"cannot start echo: its log {spawn.log_path} can't be made: no such file or directory"
    assert failure.error_type is ErrorType.RETRYABLE


def test_a_process_whose_end_can_not_be_watched_does_not_run_on_unknown(runner: Runner, mark: Mark) -> None:
    def refuse(descriptor: int) -> None:
        os.close(descriptor)
        raise OSError(24, "Too many open files")

    with pytest.raises(OSError, match="Too many"):
        Processes(refuse).spawn(runner.spawn_of(("sleep", "300")))
    assert mark.bearers() == []
