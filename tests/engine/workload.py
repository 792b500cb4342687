"""Random jobs: what they do while they run, and what is asked for with them."""

from datetime import datetime, timedelta
from random import Random
from typing import Any

from core.config import Config
from core.job_types import JobType, Kind
from core.jobs import Gate
from tests.engine.office import Play

FAR = "far"
"""The type whose results come from elsewhere."""
CONFIG = Config(
    grace=timedelta(seconds=5),
    types={
        FAR: JobType(FAR, Kind.EXTERNAL, report_within=timedelta(minutes=10)),
        "few": JobType("few", concurrency=1),
        "lively": JobType("lively", heartbeat=timedelta(seconds=8)),
    },
    per_key={"wide": 2},
)
TYPES = ("played", "played", "few", "lively", FAR, FAR)
KEYS = ("", "", "", "db", "wide")
BACKOFFS = ("fixed:0s", "fixed:1s", "fixed:1s", "fixed:10s", "exponential:1s:20s")
EXITS = (1, 1, 64, 75, 127)


def script(rng: Random) -> list[Play]:
    """What a job does. Whatever is irreversible comes after a commit that was granted."""
    play: list[Play] = []
    if rng.random() < 0.25:
        return [["sleep", round(rng.uniform(0, 12), 3)]]
    if rng.random() < 0.15:
        play.append(["ignore"])
    for _ in range(rng.randint(0, 3)):
        happenings: tuple[list[Play], ...] = (
            [["sleep", round(rng.uniform(0, 12), 3)]],
            [["say", "progress", {"share": rng.randint(0, 100)}]],
            [["say", "checkpoint", {"value": {"n": rng.randint(1, 99)}}]],
            [["say", "artifact", {"path": f"/out/{rng.randint(1, 9)}"}], ["say", "heartbeat"]],
            [["say", "gate", {"name": rng.choice("ab"), "message": "go on?"}]],
            [["leave", rng.choice((1, 60))]],
            [["flaky", rng.randint(1, 2), rng.choice(EXITS)]],
        )
        play += rng.choice(happenings)
    if rng.random() < 0.6:
        play += [["say", "commit", {"result": rng.randint(1, 999)}], ["sleep", round(rng.uniform(0, 5), 3)], ["effect"]]
    if rng.random() < 0.1:
        play.append(["say", "fail", {"message": "no", "error_type": rng.choice(("RETRYABLE", "TERMINAL"))}])
    if rng.random() < 0.2:
        play.append(["exit", rng.choice(EXITS)])
    return play


def wishes(rng: Random, now: datetime) -> dict[str, Any]:
    """What is asked for with a job."""
    wanted: dict[str, Any] = {
        "job_type": rng.choice(TYPES),
        "priority": rng.choice((-1, 0, 0, 0, 5)),
        "concurrency_key": rng.choice(KEYS),
        "max_retries": rng.choice((0, 1, 3, 3, 10)),
        "backoff": rng.choice(BACKOFFS),
        "draft": rng.random() < 0.05,
        "held": rng.random() < 0.05,
    }
    if rng.random() < 0.1:
        wanted["timeout"] = timedelta(seconds=rng.randint(1, 20))
    if rng.random() < 0.1:
        wanted["approval"] = Gate("may it run?", expires_after=rng.choice((None, timedelta(minutes=3))))
    if rng.random() < 0.1:
        wanted["scheduled_run_time"] = now + timedelta(seconds=rng.randint(1, 120))
    if rng.random() < 0.05:
        wanted["deadline_at"] = now + timedelta(seconds=rng.randint(130, 300))
    return wanted
