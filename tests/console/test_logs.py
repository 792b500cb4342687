"""`logs`: what a job has printed, attempt by attempt."""

from pathlib import Path
from random import Random

import pytest

from core.classify import classify_exit
from core.status import Status
from store.store import Store
from tests.conftest import Clock
from tests.console.conftest import Cli
from tests.store.running_jobs import WORKER, claim, submit


def run(store: Store, tmp_path: Path, text: bytes, code: int = 0) -> int:
    """A run of the next job that has printed this."""
    (claimed,) = claim(store)
    path = tmp_path / f"{claimed.exec_id}.log"
    path.write_bytes(text)
    with store.write("engine") as work:
        work.start(claimed.exec_id, WORKER, log_path=str(path))
        if code:
            work.fail(claimed.exec_id, WORKER, classify_exit(code), Random(1))
        else:
            work.finish(claimed.exec_id, WORKER)
    return claimed.job.id


@pytest.fixture
def twice(store: Store, tmp_path: Path, clock: Clock) -> int:
    """A job that failed once and then succeeded."""
    submit(store)
    run(store, tmp_path, b"first\nbroken\n", code=1)
    clock.forward(seconds=2)
    with store.write("engine") as work:
        work.requeue_due()
    number = run(store, tmp_path, b"second\n\x1b[31mred\x1b[0m\nno newline")
    with store.read() as views:
        assert views.job(number).status is Status.SUCCEEDED
    return number


def test_the_latest_attempt_is_printed_byte_by_byte(cli: Cli, twice: int) -> None:
    assert cli("logs", str(twice)).out == "second\n\x1b[31mred\x1b[0m\nno newline"


def test_an_earlier_attempt_is_printed_by_its_number(cli: Cli, twice: int) -> None:
    assert cli("logs", str(twice), "--attempt", "1").out == "first\nbroken\n"


def test_only_the_last_lines_when_so_many_are_wanted(cli: Cli, twice: int) -> None:
    assert cli("logs", str(twice), "--tail", "1").out == "no newline"
    assert cli("logs", str(twice), "--attempt", "1", "-n", "1").out == "broken\n"


def test_following_a_job_that_has_ended_prints_it_and_ends(cli: Cli, twice: int) -> None:
    assert cli("logs", str(twice), "-f").out == "second\n\x1b[31mred\x1b[0m\nno newline"


@pytest.mark.parametrize("attempt", ["0", "3"])
def test_an_attempt_that_never_was_is_said_so(cli: Cli, twice: int, attempt: str) -> None:
    ran = cli("logs", str(twice), "--attempt", attempt)
    assert (ran.code, ran.err) == (4, f"jobdeck: job 1 has no attempt {attempt}; it was tried 2 times\n")


def test_a_job_that_has_not_run_has_printed_nothing(cli: Cli, store: Store) -> None:
    submit(store)
    ran = cli("logs", "1")
    assert (ran.code, ran.err) == (3, "jobdeck: job 1 is QUEUED and has not run, so it has printed nothing\n")


def test_a_log_that_someone_deleted_is_said_to_be_gone(cli: Cli, twice: int, tmp_path: Path) -> None:
    for log in tmp_path.glob("*.log"):
        log.unlink()
    ran = cli("logs", str(twice))
    assert ran.code == 4
    assert "is gone" in ran.err
