"""From a submit in another process to the job's first instruction, with an engine that has nothing else to do."""

import os
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from core.jobs import Command, NewJob
from core.status import Status
from tests.bench.engine_home import Home, until
from tests.bench.measure import ROUNDS, Line, Result, p95, ratio, spread

TIMES = 20
DATE = ("/bin/date", "+%s.%N")
"""What a job does first: it writes down when that was."""


def results(directory: Path) -> Iterator[Result]:
    """Against starting the same program without any queue."""
    home = Home(directory / "home")
    ours: list[list[float]] = []
    bare: list[list[float]] = []
    with home.served(2):
        for number in range(ROUNDS + 1):
            picked = [_picked_up(home) for _ in range(TIMES)]
            spawned = [_spawned(directory / "bare.out") for _ in range(TIMES)]
            if number:
                ours.append(picked)
                bare.append(spawned)
    home.close()
    medians = [statistics.median(each) for each in ours], [statistics.median(each) for each in bare]
    yield Line("submit to first instruction, median", "posix_spawn alone", ratio(*medians), most=4.0, aim=2.5)
    tails = spread([p95(each) * 1000 for each in ours])
    yield Line("submit to first instruction, p95", "the clock", tails, most=20.0, unit=" ms")


def _picked_up(home: Home) -> float:
    begun = time.time()
    with home.store.write("bench") as work:
        job = work.submit(NewJob(command=Command(DATE))).id

    def ended() -> bool:
        with home.store.read() as views:
            return views.job(job).status is Status.SUCCEEDED

    until(ended, "the job has ended")
    [log] = home.places.logs.glob(f"*/{job}-*.log")
    return float(log.read_text()) - begun


def _spawned(path: Path) -> float:
    out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        begun = time.time()
        actions = [(os.POSIX_SPAWN_DUP2, out, 1)]
        os.waitpid(os.posix_spawn(DATE[0], DATE, os.environ, file_actions=actions), 0)
    finally:
        os.close(out)
    return float(path.read_text()) - begun
