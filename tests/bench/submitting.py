"""What a submit costs: one transaction each, many in one, and as a process of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.jobs import Command, NewJob
from core.status import FINAL
from store import sqlite
from tests.bench.engine_home import JOBDECK, Home, until
from tests.bench.measure import ROUNDS, Line, Once, Result, in_turns, ratio, spread

TRANSACTIONS = 400
BULK = 100_000
PROCESSES = 10
PASS = (sys.executable, "-I", "-c", "pass")
TABLE = (
    "CREATE TABLE queue (id INTEGER PRIMARY KEY, state TEXT NOT NULL, argv TEXT NOT NULL, created_at INTEGER NOT NULL)"
)


def results(directory: Path) -> Iterator[Result]:
    """Against raw inserts, against the clock, and against an interpreter that does nothing."""
    yield from _one_by_one(directory)
    yield from _bulk(directory)
    yield from _processes(directory)


def _one_by_one(directory: Path) -> Iterator[Result]:
    home = Home(directory / "durable")
    sqlite.create_file(directory / "raw.db")
    raw = sqlite.connect(directory / "raw.db")
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute(TABLE)
    argv = json.dumps(["/bin/true"])

    def ours() -> float:
        begun = time.perf_counter()
        for _ in range(TRANSACTIONS):
            with home.store.write("bench") as work:
                work.submit(NewJob(command=Command(("/bin/true",))))
        return time.perf_counter() - begun

    def bare() -> float:
        begun = time.perf_counter()
        for number in range(TRANSACTIONS):
            raw.execute("BEGIN IMMEDIATE")
            raw.execute("INSERT INTO queue (state, argv, created_at) VALUES ('QUEUED', ?, ?)", (argv, number))
            raw.execute("COMMIT")
        return time.perf_counter() - begun

    taken = in_turns({"ours": ours, "bare": bare})
    raw.close()
    home.close()
    found = ratio(taken["bare"], taken["ours"])
    yield Line("durable submits, one transaction each", "raw sqlite3 inserts", found, least=0.5, aim=0.8)


def _bulk(directory: Path) -> Iterator[Result]:
    lines = directory / "jobs.jsonl"
    lines.write_text("".join(f'{{"argv": ["/bin/true"], "key": "k{number}"}}\n' for number in range(BULK)))
    rates = []
    for number in range(ROUNDS):
        home = Home(directory / f"bulk-{number}")
        begun = time.perf_counter()
        subprocess.run([JOBDECK, "submit", "--from", str(lines)], check=True, env=home.environment, capture_output=True)
        rates.append(BULK / (time.perf_counter() - begun))
        home.close()
    yield Line(f"submit --from, {BULK:,} jobs", "the clock", spread(rates), least=20_000, aim=50_000, unit="/s")


def _processes(directory: Path) -> Iterator[Result]:
    home = Home(directory / "processes")
    with home.served(1):
        home.pause()
        taken = in_turns(
            {
                "submit": _timed(home, JOBDECK, "submit", "--", "true"),
                "pass": _timed(home, *PASS),
            }
        )
        found = ratio(taken["submit"], taken["pass"])
        yield Line("jobdeck submit -- true, engine leading", "python -I -c pass", found, most=5.0, aim=3.0)
    home.close()
    inside = Home(directory / "inside")
    told = directory / "inside.json"
    with inside.served(1):
        inside.queue(1, sys.executable, "-m", "tests.bench.submitting", str(told))
        until(lambda: told.exists() or _ended(inside), "the job has measured")
        taken = json.loads(told.read_text())
    inside.close()
    found = ratio(taken["progress"], taken["pass"])
    yield Line("jobdeck job progress 50", "python -I -c pass", found, most=4.0, aim=2.5)


def _ended(home: Home) -> bool:
    with home.store.read() as views:
        return any(views.counts().get(status) for status in FINAL)


def _timed(home: Home | None, *argv: str) -> Once:
    environment = dict(os.environ) if home is None else home.environment

    def once() -> float:
        begun = time.perf_counter()
        for _ in range(PROCESSES):
            subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=environment, timeout=60)
        return time.perf_counter() - begun

    return once


def inside(told: Sequence[str]) -> None:
    """As a job: measure what its words cost, and write it down."""
    taken = in_turns({"progress": _timed(None, JOBDECK, "job", "progress", "50"), "pass": _timed(None, *PASS)})
    unfinished = Path(f"{told[0]}.part")
    unfinished.write_text(json.dumps(taken))
    unfinished.rename(told[0])


if __name__ == "__main__":
    inside(sys.argv[1:])
