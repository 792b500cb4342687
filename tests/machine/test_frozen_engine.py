"""Failure FM_001 with real processes: an engine that stood still past its lease, and the one that took its place.

Both have run the same job; its effect happens once all the same.
"""

import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.status import Status
from store import sqlite
from tests.machine.deck import Deck, Served
from tests.machine.waiting import freeze, runs, until

JOB = """
exec 9> held
flock -n 9 || echo overlap >> trace
echo "begin $JOBDECK_EXEC_ID" >> trace
until [ -e go ]; do sleep 0.01; done
jobdeck job commit && echo "effect $JOBDECK_EXEC_ID" >> effects
"""


@pytest.fixture
def deck(tmp_path: Path, blank_store: Path) -> Iterator[Deck]:
    made = Deck(tmp_path / "home", blank_store, 'lease = "1s"\nslots = 1\n')
    yield made
    made.close()


def freeze_between_transactions(deck: Deck, engine: Served) -> None:
    """Let an engine stand still where it holds no lock of the database, which would stop everybody else as well."""

    def stands_outside() -> bool:
        freeze(engine.pid)
        connection = sqlite.connect(deck.places.db)
        try:
            connection.execute("PRAGMA busy_timeout = 0")
            connection.execute("BEGIN IMMEDIATE")
        except sqlite.driver.OperationalError:
            os.kill(engine.pid, signal.SIGCONT)
            return False
        finally:
            connection.close()
        return True

    until(stands_outside, "the engine stands still between two transactions")


class Scene:
    """An engine with a job in the middle of its work, and a second one that waits."""

    def __init__(self, deck: Deck, directory: Path) -> None:
        self.deck = deck
        self.directory = directory
        self.first = deck.serve().leads()
        self.second = deck.serve().tells("waiting to take over")
        self.job = deck.shell(JOB, cwd=directory)
        until(lambda: any(run.pid for run in deck.executions(self.job)), "its process is noted")
        self.pid = deck.executions(self.job)[0].pid or 0
        until(lambda: self.read("trace"), "the job has begun")

    def freeze_first(self) -> None:
        """Let the engine that leads stand still."""
        freeze_between_transactions(self.deck, self.first)

    def read(self, name: str) -> list[str]:
        """The lines of a file that the job wrote."""
        path = self.directory / name
        return path.read_text().splitlines() if path.exists() else []

    def go(self) -> None:
        """Let the job commit."""
        (self.directory / "go").touch()

    def taken_over(self) -> int:
        """The job that runs in the place of the lost one, once it does."""
        self.second.leads()
        until(lambda: len(self.read("trace")) > 1, "the job has begun again")
        return self.deck.tail(self.job).id

    def thaw(self, engine: Served) -> None:
        """Let the engine that stood still find out."""
        os.kill(engine.pid, signal.SIGCONT)
        engine.tells(f"this engine no longer leads the store: pid {self.second.pid} on")
        engine.tells(f"pid {self.second.pid} on")
        until(lambda: "waiting to take over" in engine.told(), "it waits like any other")

    def check(self, again: int) -> None:
        """The effect has happened once, never two processes at a time, and nothing is wrong with the store."""
        deck = self.deck
        assert deck.ends(again).status is Status.SUCCEEDED
        (done,) = deck.executions(again)
        assert self.read("effects") == [f"effect {done.exec_id}"]
        assert deck.job(self.job).status is Status.FAILED
        assert [line.split()[0] for line in self.read("trace")] == ["begin", "begin"]
        assert deck.findings() == []
        until(lambda: set(deck.mark.bearers()) == {self.first.pid, self.second.pid}, "only the engines are left")


@pytest.fixture
def scene(deck: Deck, tmp_path: Path) -> Scene:
    return Scene(deck, tmp_path)


def _waits_for_an_answer(pid: int) -> bool:
    """Whether a process is one that says `commit`, and is on the line."""
    try:
        asks = b"\0commit\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
        return asks and any("socket:" in os.readlink(one) for one in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def test_an_engine_that_stood_still_past_its_lease_is_fenced_and_its_effect_happens_once(scene: Scene) -> None:
    scene.freeze_first()
    again = scene.taken_over()
    assert not runs(scene.pid)
    scene.thaw(scene.first)
    scene.go()
    scene.check(again)


def test_what_was_said_to_an_engine_that_stood_still_counts_for_nothing_when_it_comes_back(scene: Scene) -> None:
    scene.freeze_first()
    scene.go()
    until(lambda: any(map(_waits_for_an_answer, scene.deck.mark.bearers())), "the job has asked to commit")
    again = scene.taken_over()
    scene.deck.ends(again)
    scene.thaw(scene.first)
    scene.check(again)


def test_a_job_that_stood_still_with_its_engine_is_ended_before_it_runs_again(scene: Scene) -> None:
    scene.freeze_first()
    freeze(scene.pid)
    scene.go()
    again = scene.taken_over()
    assert not runs(scene.pid)
    scene.thaw(scene.first)
    scene.check(again)


def test_jobs_reach_the_new_engine_after_the_old_one_has_left(scene: Scene) -> None:
    scene.freeze_first()
    again = scene.taken_over()
    scene.thaw(scene.first)
    scene.first.process.terminate()
    assert scene.first.ends() == 0
    scene.go()
    assert scene.deck.ends(again).status is Status.SUCCEEDED
    assert scene.deck.ends(scene.deck.shell("jobdeck job heartbeat")).status is Status.SUCCEEDED


def test_the_one_that_stood_still_takes_over_when_its_successor_dies(scene: Scene) -> None:
    scene.freeze_first()
    again = scene.taken_over()
    scene.thaw(scene.first)
    scene.go()
    scene.deck.ends(again)
    scene.second.kill()
    until(lambda: scene.first.told().count("leads this store with") == 2, "it leads again")
    assert scene.deck.ends(scene.deck.shell("true")).status is Status.SUCCEEDED


def test_a_nap_that_nobody_noticed_costs_nothing(deck: Deck, tmp_path: Path) -> None:
    engine = deck.serve().leads()
    job = deck.shell("echo ready; until [ -e go ]; do sleep 0.01; done", cwd=tmp_path)
    until(lambda: "ready" in deck.log(job), "the job runs")
    freeze_between_transactions(deck, engine)
    expires = deck.executions(job)[0].lease_expires_at
    until(lambda: datetime.now(UTC) > expires, "its lease has run out")
    os.kill(engine.pid, signal.SIGCONT)
    (tmp_path / "go").touch()
    assert deck.ends(job).status is Status.SUCCEEDED
    assert len(deck.executions(job)) == 1
