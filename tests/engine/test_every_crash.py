"""One scripted day, crashed at every statement in turn and after every commit: whatever is cut short is made good."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.config import Config
from core.job_types import JobType, Kind
from core.jobs import Gate
from core.notifications import Program
from core.status import Status
from store.doctor import examine
from store.rows import Row
from tests.engine.conftest import MakeStage
from tests.engine.office import CALLER, played
from tests.engine.stage import Stage

COMMIT = ["say", "commit", {"result": 1}]
JOBS = {
    "plain": played(["sleep", 0.2]),
    "flaky": played(["say", "progress", {"share": 5}], ["flaky", 1, 1], backoff="fixed:0s"),
    "commits": played(["say", "checkpoint", {"value": 1}], COMMIT, ["effect"], ["exit", 1]),
    "gated": played(COMMIT, ["effect"], approval=Gate("may it?")),
    "asks": played(["say", "gate", {"name": "deploy", "message": "?"}], COMMIT, ["effect"]),
    "hopeless": played(["exit", 64]),
    "far": played(["sleep", 0.1], job_type="far"),
    "cancelled": played(["sleep", 50]),
}
ENDS = {
    **dict.fromkeys((*JOBS, "direct"), Status.SUCCEEDED),
    "hopeless": Status.FAILED,
    "cancelled": Status.CANCELLED,
}
"""What becomes of each job of the day, however often its engine is killed."""
TAILS = """
SELECT j.id, j.job_key, j.status, j.cancel_requested_at, e.handed_over_at,
       EXISTS (SELECT 1 FROM approvals a WHERE a.job_id = j.job_id AND a.decision IS NULL) AS asks
FROM jobs j LEFT JOIN executions e ON e.exec_id = j.exec_id
WHERE j.id > :before AND NOT EXISTS (SELECT 1 FROM jobs link WHERE link.retry_of = j.job_id)
"""
TOLD = """
SELECT n.target, j.job_key FROM notifications n JOIN jobs j ON j.job_id = n.job_id
WHERE n.event = 'job.failed' AND j.id > :before
"""
LAST_JOB = "SELECT coalesce(max(id), 0) AS id FROM jobs"


class Day:
    """The scripted day, with keys of its own."""

    def __init__(self, stage: Stage, number: int) -> None:
        self._stage = stage
        self._number = number
        with stage.store.read() as views:
            self._before = int(views.all(LAST_JOB)[0]["id"])

    def live(self, at_noon: Callable[[], None] = lambda: None) -> None:
        """It begins, engines come and go until all has ended, and everybody got what was promised."""
        try:
            self._morning()
            self._stage.start_engine()
            self._stage.run(0.1)
            at_noon()
            for _ in range(100):
                if not any(seat.leads for seat in self._stage.seats):
                    self._stage.start_engine()
                self._stage.run(1)
                if not self._people_act():
                    break
            self._check()
        except Exception as error:
            error.add_note(f"on day {self._number}")
            raise

    def _morning(self) -> None:
        with self._stage.store.write("ann") as work:
            for name, job in JOBS.items():
                work.submit(replace(job, job_key=self._key(name), max_retries=5))
            slot = work.reserve(str(CALLER)).reservation_id
            work.submit(played(COMMIT, ["effect"], job_key=self._key("direct"), reservation_id=slot))

    def _key(self, name: str) -> str:
        return f"{name} {self._number}"

    def _tails(self) -> dict[str, Row]:
        """The last link of each job of the day, by its name."""
        with self._stage.store.read() as views:
            return {row["job_key"].partition(" ")[0]: row for row in views.all(TAILS, before=self._before)}

    def _people_act(self) -> bool:
        left = {name: row for name, row in self._tails().items() if not Status(row["status"]).final}
        for name, row in left.items():
            if row["asks"] and row["status"] == Status.WAITING_FOR_APPROVAL:
                self._stage.approve(row["id"])
            elif name == "cancelled" and row["cancel_requested_at"] is None:
                self._stage.cancel(row["id"])
            elif name == "far" and row["handed_over_at"] is not None and row["status"] == Status.RUNNING:
                self._stage.report(self._key("far"), succeeded=True, job_type="far")
        return bool(left)

    def _check(self) -> None:
        assert {name: row["status"] for name, row in self._tails().items()} == ENDS
        with self._stage.store.read() as views:
            told = [(row["target"], row["job_key"]) for row in views.all(TOLD, before=self._before)]
        assert told == [("ops", self._key("hopeless"))], "what failed for good is told once"
        effects = Counter(key for key, _ in self._stage.world.effects)
        assert all(effects[self._key(name)] <= 1 for name in ENDS)
        assert self._stage.world.collisions == []


@pytest.fixture
def stage(make_stage: MakeStage) -> Stage:
    """A store that lives through the same day again and again."""
    listener = Program("ops", command=("page",))
    return make_stage(slots=4, config=Config(types={"far": JobType("far", Kind.EXTERNAL)}, targets={"ops": listener}))


def measured(stage: Stage) -> tuple[int, int]:
    """How many statements and commits an engine needs for a day without a crash."""
    Day(stage, 0).live()
    stage.crash()
    return stage.faults.statements, stage.faults.commits


def stop_engines(stage: Stage) -> None:
    """The next day begins with an engine's start."""
    stage.faults.crash_before = stage.faults.crash_after = None
    for seat in stage.seats:
        if seat.leads:
            seat.crash()


@pytest.mark.parametrize("part", range(4))
def test_a_crash_at_any_statement_is_made_good(stage: Stage, part: int) -> None:
    statements, _ = measured(stage)
    assert statements > 300
    crashes = 0
    for number in range(1 + part, statements + 1, 4):
        stage.faults.crash_before = stage.faults.statements + number
        Day(stage, number).live()
        crashes += stage.faults.statements >= stage.faults.crash_before
        stop_engines(stage)
    assert crashes > statements / 4 - 10
    assert examine(stage.path, stage.store.key_path, stage.path.parent).findings == []


def test_a_crash_at_any_statement_of_the_recovery_from_a_crash_is_made_good(stage: Stage) -> None:
    sent = 0

    def killed_and_killed_again() -> None:
        nonlocal sent
        stage.crash()
        before = stage.faults.statements
        stage.faults.crash_before = before + number
        stage.start_engine()
        stage.run(0.01)
        sent = stage.faults.statements - before

    number = 10_000
    Day(stage, number).live(at_noon=killed_and_killed_again)
    # A later recovery may find a little less to do.
    surely = sent - 10
    assert surely > 50
    for number in range(1, surely + 1):
        stop_engines(stage)
        Day(stage, number).live(at_noon=killed_and_killed_again)
        assert sent == number
    assert examine(stage.path, stage.store.key_path, stage.path.parent).findings == []


def test_a_crash_after_any_commit_is_made_good(stage: Stage) -> None:
    _, commits = measured(stage)
    assert commits > 10
    for number in range(1, commits + 1):
        stage.faults.crash_after = stage.faults.commits + number
        Day(stage, number).live()
        stop_engines(stage)
    assert examine(stage.path, stage.store.key_path, stage.path.parent).findings == []
