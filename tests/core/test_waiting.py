"""What a queued job waits for: the first thing that would have to change."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from core.limits import Lane, Limits, Usage
from core.waiting import Flow, Obstacle, why

NOW = datetime(2031, 5, 1, 9, 0, tzinfo=UTC)
FREE = Flow(limits=Limits(slots=2, per_type={"etl": 1}), usage=Usage())
BUSY = Flow(limits=FREE.limits, usage=Usage.of([Lane("a"), Lane("b")]))


@dataclass(frozen=True)
class Queued:
    held: bool = False
    scheduled_run_time: datetime | None = None
    reservation_id: str | None = None
    job_type: str = "command"
    concurrency_key: str = ""


@pytest.mark.parametrize(
    ("job", "flow", "obstacle", "words"),
    [
        (Queued(held=True), BUSY, Obstacle.HOLD, "it is held"),
        (Queued(scheduled_run_time=NOW + timedelta(hours=2)), BUSY, Obstacle.TIME, "its time comes in 2h"),
        (Queued(scheduled_run_time=NOW), BUSY, Obstacle.SLOT, "all 2 slots are busy"),
        (Queued(), BUSY, Obstacle.SLOT, "all 2 slots are busy"),
        (Queued(), FREE, Obstacle.TURN, "its turn comes next"),
        (
            Queued(job_type="etl"),
            Flow(FREE.limits, Usage.of([Lane("etl")])),
            Obstacle.LIMIT,
            "type etl is at its limit of 1",
        ),
        (
            Queued(concurrency_key="db"),
            Flow(FREE.limits, Usage.of([Lane("x", "db")])),
            Obstacle.LIMIT,
            "concurrency key db is busy (limit 1)",
        ),
        (Queued(), Flow(FREE.limits, Usage(), paused=True), Obstacle.PAUSED, "the queue is paused"),
        (
            Queued(),
            Flow(FREE.limits, Usage(), reserved="r"),
            Obstacle.RESERVATION,
            "a direct job takes the next free slot first",
        ),
        (Queued(reservation_id="r"), Flow(FREE.limits, Usage(), reserved="r"), Obstacle.TURN, "its turn comes next"),
        (Queued(), Flow(None, Usage()), Obstacle.ENGINE, "no engine runs; start one with: jobdeck serve"),
    ],
)
def test_a_queued_job_says_what_it_waits_for(job: Queued, flow: Flow, obstacle: Obstacle, words: str) -> None:
    found = why(job, flow, NOW)
    assert (found.obstacle, found.words) == (obstacle, words)


def test_what_goes_on_elsewhere_takes_no_slot_but_counts_for_its_type() -> None:
    usage = Usage.of([Lane("etl", elsewhere=True), Lane("b")])
    flow = Flow(FREE.limits, usage)
    assert why(Queued(), flow, NOW).obstacle is Obstacle.TURN
    assert why(Queued(job_type="etl"), flow, NOW).obstacle is Obstacle.LIMIT
