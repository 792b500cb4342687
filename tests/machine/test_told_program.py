"""Programs that are told: JSON on their standard input, an end in time, nothing of what they print."""

import json
import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.machine.told_program import ProgramCall
from core.notifications import Delivery, Program, body, trial
from tests.machine.marks import Mark
from tests.machine.waiting import runs, until

NOW = datetime(2031, 5, 1, 9, tzinfo=UTC)


def call(*command: str, seconds: float = 30) -> ProgramCall:
    return ProgramCall(Program("page", timeout=timedelta(seconds=seconds), command=command))


def content(**more: Any) -> dict[str, Any]:
    return {**body(trial("page", "the-id", NOW), "buildbox", "the-token"), **more}


def test_a_program_gets_all_of_it_as_one_line_of_json(tmp_path: Path) -> None:
    out = tmp_path / "told $(x); y"
    assert call("/bin/sh", "-c", 'cat > "$0"', str(out)).deliver(content(long="x" * 500_000), 0) == Delivery()
    assert out.read_text().count("\n") == 1
    assert json.loads(out.read_text()) == content(long="x" * 500_000)


def test_no_shell_ever_reads_its_arguments(tmp_path: Path) -> None:
    assert call("/usr/bin/touch", "--", f"{tmp_path}/$(id);ls").deliver(content(), 0) == Delivery()
    assert [path.name for path in tmp_path.iterdir()] == ["$(id);ls"]


def test_one_that_does_not_read_is_told_all_the_same() -> None:
    assert call("/bin/true").deliver(content(long="x" * 500_000), 0) == Delivery()


def test_its_failure_is_told_without_a_word_of_what_it_prints() -> None:
    assert call("/bin/sh", "-c", "cat >&2; exit 3").deliver(content(), 0) == Delivery("it ended with exit code 3")
    assert call("/bin/sh", "-c", "kill -9 $$").deliver(content(), 0) == Delivery("it was killed by signal 9")
    assert call("/no/such/program").deliver(content(), 0) == Delivery("it can't be started: no such file or directory")


def test_one_that_takes_too_long_is_ended_with_all_that_it_has_started(tmp_path: Path, mark: Mark) -> None:
    pids = tmp_path / "pids"
    script = f"sleep 300 & echo $! > {pids}; echo $$ >> {pids}; wait"
    found = call("/bin/sh", "-c", script, seconds=0.5).deliver(content(), 0)
    assert found.error is not None
    assert found.error.startswith("it did not end within")
    until(lambda: not any(runs(int(pid)) for pid in pids.read_text().split()), "both are gone")
    until(lambda: not mark.bearers(), "nothing is left behind")


def test_it_can_be_broken_off_from_another_thread(tmp_path: Path, mark: Mark) -> None:
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    one = call("/bin/sh", "-c", f"echo > {ready}; sleep 300")
    found: list[Delivery] = []
    thread = threading.Thread(target=lambda: found.append(one.deliver(content(), 0)))
    thread.start()
    ready.read_text()
    one.cut()
    thread.join(10)
    assert [delivery.error for delivery in found] == ["it was killed by signal 9"]
    until(lambda: not mark.bearers(), "what it had started is gone too")
    assert one.deliver(content(), 0).error == "it was stopped with its engine"
